"""The element-wise intrinsics on raw values: what each takes and what it computes.

Owns the functions that the language has beside its operators. Knows no class of the language.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from samebits.bits import exact_fma
from samebits.lang.values.conversions import square_root
from samebits.types import ScalarType


def _integral(function: Callable[[float], int]) -> Callable[[float], float]:
    def rule(value: float) -> float:
        if not math.isfinite(value):
            return value
        return math.copysign(float(function(value)), value)

    return rule


def _least(a: float, b: float) -> float:
    if a != a or b != b:
        return math.nan
    if a == b:
        return a if math.copysign(1.0, a) < 0 else b
    return a if a < b else b


def _greatest(a: float, b: float) -> float:
    if a != a or b != b:
        return math.nan
    if a == b:
        return b if math.copysign(1.0, a) < 0 else a
    return a if a > b else b


def _sign(value: float) -> float:
    return math.copysign(1.0, value) if value > 0 or value < 0 else value


def _sign_int(value: int) -> int:
    return (value > 0) - (value < 0)


def _copysign(a: float, b: float) -> float:
    return math.copysign(a, 1.0 if b != b else b)


def _by_kind(
    of_float: Callable[..., Any], of_int: Callable[..., Any]
) -> Callable[[ScalarType], Callable[..., Any]]:
    return lambda t: of_float if t.is_float else of_int


def _same(function: Callable[..., Any]) -> Callable[[ScalarType], Callable[..., Any]]:
    return lambda t: function


def _popcount(t: ScalarType) -> Callable[[int], int]:
    mask = (1 << t.bits) - 1
    return lambda a: (a & mask).bit_count()


def _leading_zeros(t: ScalarType) -> Callable[[int], int]:
    width, mask = t.bits, (1 << t.bits) - 1
    return lambda a: width - (a & mask).bit_length()


def _trailing_zeros(t: ScalarType) -> Callable[[int], int]:
    width = t.bits
    return lambda a: (a & -a).bit_length() - 1 if a else width


def _rotate_left(t: ScalarType) -> Callable[[int, int], int]:
    width, mask = t.bits, (1 << t.bits) - 1

    def rule(a: int, b: int) -> int:
        count = b % width
        a &= mask
        a = (a << count | a >> (width - count)) & mask
        return a - (mask + 1) if t.is_signed and a >> (width - 1) else a

    return rule


def _rotate_right(t: ScalarType) -> Callable[[int, int], int]:
    left = _rotate_left(t)
    return lambda a, b: left(a, -b)


def _fma(t: ScalarType) -> Callable[[float, float, float], float]:
    return lambda a, b, c: exact_fma(a, b, c, t.bits)


def _muladd(t: ScalarType) -> Callable[[float, float, float], float]:
    return lambda a, b, c: _rounded(t, a * b) + c


def _product_error(t: ScalarType) -> Callable[[float, float], float]:
    return lambda a, b: exact_fma(a, b, -_rounded(t, a * b), t.bits)


def _rounded(t: ScalarType, value: float) -> float:
    return float(np.float32(value)) if t.bits == 32 else value


@dataclass(frozen=True, slots=True)
class FunctionRule:
    """An element-wise intrinsic: it takes "float", "integer" or "number", all of one type."""

    takes: str
    rule: Callable[[ScalarType], Callable[..., Any]]


FUNCTION_RULES: dict[str, FunctionRule] = {
    "sqrt": FunctionRule("float", _same(square_root)),
    "abs": FunctionRule("number", _by_kind(math.fabs, abs)),
    "min": FunctionRule("number", _by_kind(_least, min)),
    "max": FunctionRule("number", _by_kind(_greatest, max)),
    "floor": FunctionRule("float", _same(_integral(math.floor))),
    "ceil": FunctionRule("float", _same(_integral(math.ceil))),
    "trunc": FunctionRule("float", _same(_integral(math.trunc))),
    "round": FunctionRule("float", _same(_integral(round))),
    "copysign": FunctionRule("float", _same(_copysign)),
    "sign": FunctionRule("number", _by_kind(_sign, _sign_int)),
    "fma": FunctionRule("float", _fma),
    "muladd": FunctionRule("float", _muladd),
    "product_error": FunctionRule("float", _product_error),
    "popcount": FunctionRule("integer", _popcount),
    "clz": FunctionRule("integer", _leading_zeros),
    "ctz": FunctionRule("integer", _trailing_zeros),
    "rotl": FunctionRule("integer", _rotate_left),
    "rotr": FunctionRule("integer", _rotate_right),
}
