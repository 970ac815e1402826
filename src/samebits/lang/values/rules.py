"""The table of intrinsics, and the element-wise ones as functions of raw values.

An intrinsic is a function that the compiler knows by its name. Its row comes from the decorator
`intrinsic`: most stand in `lang.intrinsics`. Knows no class of the language.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from inspect import unwrap
from typing import Any, Literal, TypeVar, cast

from samebits.bits import exact_fma, round_float
from samebits.errors import folding
from samebits.types import ScalarType

Takes = Literal["float", "integer", "number"]
"""The kinds of operands; a number is either of the others."""
Rule = Callable[[ScalarType], Callable[..., Any]]
"""From the operands' type to the function of raw values."""


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A function that the compiler knows, with as many operands as its `arity`.

    One with `takes` acts on scalars of one type and, component by component, on vectors. Its `rule`
    is what it computes in CPython; None where it is written with other intrinsics. In IR it is the
    operation of its own name, unless the front end lowers it in a way of its own.
    """

    name: str
    arity: int
    function: Callable[..., Any]
    takes: Takes | None
    rule: Rule | None
    counted: bool
    """Whether the second operand is a count, whose integer type may be another one."""
    library_only: bool
    """Whether its bits are the same everywhere only in code that is proven to round them away."""


INTRINSICS: dict[str, Intrinsic] = {}
"""The table, by name."""

_Function = TypeVar("_Function", bound=Any)


def intrinsic(
    takes: Takes | None = None,
    rule: Rule | None = None,
    *,
    counted: bool = False,
    library_only: bool = False,
) -> Callable[[_Function], _Function]:
    """The decorator that makes a function a row of the table, under its own name."""

    def add(function: _Function) -> _Function:
        name, arity = function.__name__, unwrap(function).__code__.co_argcount
        function = cast("_Function", folding(function))
        INTRINSICS[name] = Intrinsic(name, arity, function, takes, rule, counted, library_only)
        function.__samebits_intrinsic__ = name  # type: ignore[attr-defined]
        return function

    return add


def same(function: Callable[..., Any]) -> Rule:
    """The rule of one function for every type."""
    return lambda t: function


def by_kind(of_float: Callable[..., Any], of_int: Callable[..., Any]) -> Rule:
    """The rule of one function for floats and another for integers."""
    return lambda t: of_float if t.is_float else of_int


def whole(function: Callable[[float], int]) -> Rule:
    """The rule that makes floats whole numbers, which keep their sign."""

    def rule(value: float) -> float:
        if not math.isfinite(value):
            return value
        return math.copysign(float(function(value)), value)

    return same(rule)


def least(a: float, b: float) -> float:
    if a != a or b != b:
        return math.nan
    if a == b:
        return a if math.copysign(1.0, a) < 0 else b
    return a if a < b else b


def greatest(a: float, b: float) -> float:
    if a != a or b != b:
        return math.nan
    if a == b:
        return b if math.copysign(1.0, a) < 0 else a
    return a if a > b else b


def sign_of_float(value: float) -> float:
    return math.copysign(1.0, value) if value > 0 or value < 0 else value


def sign_of_int(value: int) -> int:
    return (value > 0) - (value < 0)


def sign_copied(a: float, b: float) -> float:
    return math.copysign(a, 1.0 if b != b else b)


def ones(t: ScalarType) -> Callable[[int], int]:
    mask = (1 << t.bits) - 1
    return lambda a: (a & mask).bit_count()


def leading_zeros(t: ScalarType) -> Callable[[int], int]:
    width, mask = t.bits, (1 << t.bits) - 1
    return lambda a: width - (a & mask).bit_length()


def trailing_zeros(t: ScalarType) -> Callable[[int], int]:
    width = t.bits
    return lambda a: (a & -a).bit_length() - 1 if a else width


def rotate_left(t: ScalarType) -> Callable[[int, int], int]:
    width, mask = t.bits, (1 << t.bits) - 1

    def rule(a: int, b: int) -> int:
        count = b % width
        a &= mask
        a = (a << count | a >> (width - count)) & mask
        return a - (mask + 1) if t.is_signed and a >> (width - 1) else a

    return rule


def rotate_right(t: ScalarType) -> Callable[[int, int], int]:
    left = rotate_left(t)
    return lambda a, b: left(a, -b)


def fused(t: ScalarType) -> Callable[[float, float, float], float]:
    return lambda a, b, c: exact_fma(a, b, c, t.bits)


def product_and_sum(t: ScalarType) -> Callable[[float, float, float], float]:
    return lambda a, b, c: round_float(a * b, t.bits) + c


def product_error(t: ScalarType) -> Callable[[float, float], float]:
    return lambda a, b: exact_fma(a, b, -round_float(a * b, t.bits), t.bits)
