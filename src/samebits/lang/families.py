"""Families: a function that is several kernels, chosen by the types of the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from samebits.errors import ArgumentError
from samebits.lang.annotations import Access, ArrayAnnotation
from samebits.lang.dispatch import argument_type
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import ManagedArray
from samebits.lang.values.elementwise import has_array, over_arrays
from samebits.lang.values.instead import instead_of
from samebits.lang.values.lazy import lazily
from samebits.lang.values.scalars import type_of_scalar
from samebits.lang.values.thread_state import running
from samebits.types import FLOAT16, ArrayType, FixedArrayType, ScalarType, Type, VectorType

_ANY_ARRAY = ArrayAnnotation(None, 1, Access.READ_WRITE)


class Family:
    """Kernels of one name. A call runs the first whose parameters have the arguments' types,
    literals fitting every number; failing that, the first that scalars convert to.
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

    @lazily
    def takes_arrays(self) -> bool:
        """Whether some kernel has an array for a parameter."""
        return any(isinstance(t, ArrayType) for k in self.kernels for t in k.fixed_types or ())

    @lazily
    def of_numbers(self) -> dict[ScalarType, Kernel]:
        """The kernels of one number, by its type."""
        found: dict[ScalarType, Kernel] = {}
        for kernel in self.kernels:
            match kernel.fixed_types:
                case (ScalarType() as t,):
                    found[t] = kernel
                case _:
                    pass
        return found

    def fix(self, found: Sequence[Type | None]) -> str:
        """The fix for arguments of types `found`, which have no kernel."""
        for t in found:
            element = t.element if isinstance(t, VectorType) else t
            if element == FLOAT16:
                name = f"float{t.length}" if isinstance(t, VectorType) else "float32"
                return f"convert it: {self.__name__}({name}(h))"
        return "convert the arguments to one of them"

    def forms(self) -> str:
        """The parameters of every kernel, for messages."""
        return ", ".join(f"({', '.join(map(str, k.fixed_types or ()))})" for k in self.kernels)

    def __call__(self, *args: Any, out: Any = None) -> Any:
        if (out is not None or has_array(*args)) and not self.takes_arrays:
            if not self.of_numbers:
                self._refuse_arrays(out)
            return over_arrays(self, args, out)
        types = [_type_of(argument) for argument in args]
        kernel = self.choose(types)
        if kernel is None:
            shown = ", ".join(str(t or type(a).__name__) for t, a in zip(types, args, strict=True))
            raise ArgumentError(
                f"{self.__name__}({shown}) has no form{'' if args else ' without arguments'}",
                note=f"its forms are {self.forms()}",
                fix=self.fix(types),
            )
        if running.managed:
            return executions.managed_call(kernel, args, {})
        return kernel(*args)

    def _refuse_arrays(self, out: Any) -> NoReturn:
        if out is not None:
            raise ArgumentError(
                f"{self.__name__}() takes no `out`: it gives no array", fix="leave it out"
            )
        raise ArgumentError(
            f"{self.__name__}() has no form for an array",
            note=f"its forms are {self.forms()}",
            fix=instead_of(self.__name__),
        )

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
    """The type of a value that has one of its own; None for Python's numbers."""
    found = getattr(value, "__sb_type__", None)
    if found is not None:
        return found
    if isinstance(value, (np.ndarray, ManagedArray)):
        return argument_type(value, _ANY_ARRAY)
    return type_of_scalar(value) if isinstance(value, np.generic) else None
