"""A function that is several kernels: which one is meant, by the types of the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from samebits.errors import ArgumentError
from samebits.lang.annotations import Access, ArrayAnnotation
from samebits.lang.arrays import ManagedArray
from samebits.lang.dispatch import argument_type
from samebits.lang.kernel import Kernel
from samebits.lang.running import running
from samebits.lang.scalars import type_of_scalar
from samebits.types import ArrayType, FixedArrayType, ScalarType, Type

_ANY_ARRAY = ArrayAnnotation(None, 1, Access.READ_WRITE)


class Family:
    """Kernels of one name. The first whose parameters are the arguments' types is meant, literals
    fitting every number; where there is none, the first that scalars convert to.
    """

    def __init__(self, name: str, kernels: Sequence[Kernel], doc: str) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "samebits.math"
        self.__doc__ = doc
        self.kernels = tuple(kernels)

    def choose(self, found: Sequence[Type | None]) -> Kernel | None:
        """The kernel for arguments of types `found` (None: a literal), if there is one."""
        rows = [(kernel, kernel.fixed_types or ()) for kernel in self.kernels]
        for fits in (_is, _takes):
            for kernel, parameters in rows:
                if len(parameters) == len(found) and all(map(fits, parameters, found)):
                    return kernel
        return None

    def forms(self) -> str:
        """The parameters of every kernel, for messages."""
        return ", ".join(f"({', '.join(map(str, k.fixed_types or ()))})" for k in self.kernels)

    def __call__(self, *args: Any) -> Any:
        types = [_type_of(argument) for argument in args]
        kernel = self.choose(types)
        if kernel is None:
            given = ", ".join(str(t or type(a).__name__) for t, a in zip(types, args, strict=True))
            raise ArgumentError(
                f"{self.__name__}({given}) has no form",
                note=f"its forms are {self.forms()}",
                fix="convert the arguments to one of them",
            )
        if running.managed:
            from samebits.frontend import managed

            return managed.call_inner(kernel, args, {})
        return kernel(*args)

    def __reduce__(self) -> str:
        return self.__name__

    def __repr__(self) -> str:
        return f"<math function {self.__name__}>"


def _is(parameter: Type, found: Type | None) -> bool:
    if isinstance(parameter, ArrayType) and isinstance(found, FixedArrayType):
        return (parameter.element, parameter.ndim) == (found.element, len(found.shape))
    return isinstance(parameter, ScalarType) if found is None else parameter == found


def _takes(parameter: Type, found: Type | None) -> bool:
    return _is(parameter, None if isinstance(found, ScalarType) else found)


def _type_of(value: Any) -> Type | None:
    """The type of a value that has one of its own; None of Python's numbers."""
    found = getattr(value, "__sb_type__", None)
    if found is not None:
        return found
    if isinstance(value, (np.ndarray, ManagedArray)):
        return argument_type(value, _ANY_ARRAY)
    return type_of_scalar(value) if isinstance(value, np.generic) else None
