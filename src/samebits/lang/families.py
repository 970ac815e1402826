"""Families: a function that is several kernels, chosen by the types of the arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import numpy as np

from samebits.errors import ArgumentError, folding
from samebits.lang.annotations import Access, ArrayAnnotation
from samebits.lang.dispatch import argument_type
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.lang.memory.arrays import ManagedArray
from samebits.lang.values.conversions import kind_of
from samebits.lang.values.elementwise import has_array, over_arrays
from samebits.lang.values.enums import plain_number
from samebits.lang.values.instead import instead_of
from samebits.lang.values.lazy import lazily
from samebits.lang.values.scalars import CONVERTERS, TYPE_OF
from samebits.lang.values.thread_state import running
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT,
    INT64,
    ArrayType,
    FixedArrayType,
    Kind,
    ScalarType,
    Type,
    VectorType,
)

_ANY_ARRAY = ArrayAnnotation(None, 1, Access.READ_WRITE)


class Family:
    """Kernels of one name. A call runs the first whose parameters have the arguments' types, weak
    numbers fitting every one but counting as int64 and float64 where they are alone; failing that,
    the first that scalars convert to, if none is of one number.
    """

    def __init__(self, name: str, kernels: Sequence[Kernel], doc: str) -> None:
        self.__name__ = self.__qualname__ = name
        self.__module__ = "samebits.math"
        self.__doc__ = doc
        self.kernels = tuple(kernels)

    def choose(self, found: Sequence[Type | None]) -> Kernel | None:
        """The kernel for arguments of types `found` (None: of no type), if there is one."""
        for types in _alone(found):
            kernel = self._first(_is, types)
            if kernel is not None:
                return kernel
        return self._first(_is, found) or (None if self.of_numbers else self._first(_takes, found))

    def _first(
        self, fits: Callable[[Type, Type | None], bool], found: Sequence[Type | None]
    ) -> Kernel | None:
        for kernel in self.kernels:
            parameters = kernel.fixed_types or ()
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
            if isinstance(element, ScalarType) and element == t and self.of_numbers:
                return f"convert it: {self.__name__}({self._converted(element)})"
            if element == FLOAT16:
                name = f"float{t.length}" if isinstance(t, VectorType) else "float32"
                return f"convert it: {self.__name__}({name}(h))"
        return "convert the arguments to one of them"

    def _converted(self, t: ScalarType) -> str:
        """The text of a number `x` of type `t` as one that there is a kernel for."""
        if t == FLOAT16:
            return "float32(h)" if FLOAT32 in self.of_numbers else "uint32(bitcast(uint16, h))"
        if t.is_float:
            return "int64(x)" if t.weak else f"bitcast(uint{t.bits}, x)"
        return "uint32(x)" if t.kind is Kind.UNSIGNED else "int32(x)"

    def _of_sequence(self, args: Sequence[Any]) -> str | None:
        """The fix for a list of numbers, where arrays are taken."""
        if not self.of_numbers or not any(isinstance(x, list | tuple) for x in args):
            return None
        kind = "float64" if FLOAT64 in self.of_numbers else "int64"
        return f"write math.{self.__name__}(np.array(x, np.{kind}))"

    def forms(self) -> str:
        """The parameters of every kernel, for messages."""
        return ", ".join(f"({', '.join(map(str, k.fixed_types or ()))})" for k in self.kernels)

    @folding
    def __call__(self, *args: Any, out: Any = None) -> Any:
        if (out is not None or has_array(*args)) and not self.takes_arrays:
            if not self.of_numbers:
                self._refuse_arrays(out)
            return over_arrays(self, args, out)
        args = tuple(a if kind_of(a) in TYPE_OF else plain_number(a) for a in args)
        if FLOAT32 in self.of_numbers and not running.managed:
            args = tuple(_widened(argument) for argument in args)  # as in arrays
        types = [_type_of(argument) for argument in args]
        kernel = self.choose(types)
        if kernel is None:
            shown = ", ".join(str(t or type(a).__name__) for t, a in zip(types, args, strict=True))
            raise ArgumentError(
                f"{self.__name__}({shown}) has no form{'' if args else ' without arguments'}",
                note=f"its forms are {self.forms()}",
                fix=self._of_sequence(args) or self.fix(types),
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


def _alone(found: Sequence[Type | None]) -> list[tuple[Type | None, ...]]:
    """The types that weak numbers have where there are no others: int64 or else float64."""
    if not found or any(t not in (INT, FLOAT) for t in found):
        return []
    return [(t,) * len(found) for t in ((FLOAT64,) if FLOAT in found else (INT64, FLOAT64))]


def _is(parameter: Type, found: Type | None) -> bool:
    if isinstance(parameter, ArrayType) and isinstance(found, FixedArrayType):
        return (parameter.element, parameter.ndim) == (found.element, len(found.shape))
    if found is INT or found is FLOAT:
        fits = isinstance(parameter, ScalarType) and (parameter.is_float or found is INT)
        return parameter == found or (fits and parameter != BOOL)
    return parameter == found


def _takes(parameter: Type, found: Type | None) -> bool:
    scalars = isinstance(found, ScalarType) and isinstance(parameter, ScalarType)
    return scalars or _is(parameter, found)


def _widened(value: Any) -> Any:
    """The float32 of a half number; anything else itself."""
    kind = kind_of(value)
    return CONVERTERS[FLOAT32][kind](value) if TYPE_OF.get(kind) == FLOAT16 else value


def _type_of(value: Any) -> Type | None:
    """The type of a value, weak ones included; None where it has none."""
    found = getattr(value, "__sb_type__", None)
    if found is not None:
        return found
    if isinstance(value, (np.ndarray, ManagedArray)):
        return argument_type(value, _ANY_ARRAY)
    return TYPE_OF.get(kind_of(value))
