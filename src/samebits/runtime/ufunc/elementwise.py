"""Intrinsics, and kernels of one number of one or several types, over NumPy arrays.

Owns which functions these are and their types; all else is as for other math functions
(`runtime.ufunc`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samebits.lang.annotations import class_of_type
from samebits.lang.families import Family
from samebits.lang.intrinsics import INTRINSICS
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.lang.values.elementwise import refuse_array
from samebits.lang.values.rules import Takes
from samebits.lang.values.scalars import int32
from samebits.modes import HIGH, Precision
from samebits.runtime.ufunc.types import (
    exact_type,
    family_type,
    float_type,
    integer_type,
    number_type,
    turned_type,
)
from samebits.types import ScalarType

Chosen = Callable[["ElementwiseFunction", tuple[Any, ...]], ScalarType]
_TYPES: dict[Takes | None, Chosen] = {
    "float": float_type,
    "number": number_type,
    "integer": integer_type,
}
"""For each kind of operands of an intrinsic, the function that finds a call's type."""


class ElementwiseFunction(Overloads):
    """One such function; for each type, a kernel that calls it on numbers."""

    def __init__(self, name: str, arity: int, called: Any, chosen: Chosen) -> None:
        super().__init__(name, arity, {}, called.__doc__, saturates=False)
        self.called = called
        self._chosen = chosen
        self._kernels: dict[ScalarType, Kernel] = {}

    @property
    def integers(self) -> tuple[bool, ...]:  # type: ignore[override]
        return (False, self._chosen is turned_type, False)[: self.arity]

    def type_of(self, args: tuple[Any, ...]) -> ScalarType:
        """The type in which a call is computed. Raises ArgumentError."""
        return self._chosen(self, args)

    def kernel_for(self, t: ScalarType, precision: Precision = HIGH) -> Kernel:
        if isinstance(self.called, Kernel):
            return self.called
        if isinstance(self.called, Family):
            kernels = self.called.of_numbers
            return kernels.get(t) or next(iter(kernels.values()))
        kernel = self._kernels.get(t)
        if kernel is None:
            body = _OF_NUMBERS[self.arity](self.called)
            names = body.__code__.co_varnames[: self.arity]
            cls = class_of_type(t)
            taken = (int32 if integer else cls for integer in self.integers)
            body.__annotations__ = {**dict(zip(names, taken, strict=True)), "return": cls}
            kernel = self._kernels[t] = Kernel(body)
        return kernel


_made: dict[object, ElementwiseFunction] = {}


def elementwise(function: str | Kernel | Family) -> ElementwiseFunction:
    """The array form of an intrinsic, by name, or of kernels of one number."""
    made = _made.get(function)
    if made is None:
        if isinstance(function, Kernel):
            made = ElementwiseFunction(function.__name__, 1, function, exact_type)
        elif isinstance(function, Family):
            chosen = family_type(function.of_numbers)
            made = ElementwiseFunction(function.__name__, 1, function, chosen)
        else:
            row = INTRINSICS[function]
            if row.takes is None or row.library_only:
                refuse_array(function)
            chosen = turned_type if row.counted else _TYPES[row.takes]
            made = ElementwiseFunction(function, row.arity, row.function, chosen)
        _made[function] = made
    return made


# The bodies. Their annotations are made above; the front end reads their source.
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownArgumentType=false, reportUnknownVariableType=false
# pyright: reportUnknownLambdaType=false


def _one(called: Any) -> Any:
    def of_one(x):
        return called(x)

    return of_one


def _two(called: Any) -> Any:
    def of_two(x, y):
        return called(x, y)

    return of_two


def _three(called: Any) -> Any:
    def of_three(x, y, z):
        return called(x, y, z)

    return of_three


_OF_NUMBERS: dict[int, Callable[[Any], Any]] = {1: _one, 2: _two, 3: _three}
