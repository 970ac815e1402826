"""The meaning of each scalar operation: one table from opcode to a function of type and operands.

Values are Python's own: bool, int within its type's range, float (a binary32 value is held as the
equal binary64). Nothing here uses NumPy's arithmetic, which the managed run is made of: that two
definitions agree is evidence. Knows nothing of control flow or memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from samebits.bits import bits_to_float, exact_fma, float_to_bits, flushed, round_float
from samebits.errors import Trap
from samebits.types import ScalarType

Scalar = bool | int | float
Unary = Callable[[ScalarType, Any], Any]
Binary = Callable[[ScalarType, Any, Any], Any]
Ternary = Callable[[ScalarType, Any, Any, Any], Any]
Semantics = Unary | Binary | Ternary
"""Of the result's type and the operands; arithmetic's operands have the result's type."""

_EXACT = 1 << 53
"""Integers up to here, and no further, are all binary64 values."""


def wrap(t: ScalarType, value: int) -> int:
    """`value` modulo 2^bits, in the range of the integer type `t`."""
    value &= (1 << t.bits) - 1
    return value - (1 << t.bits) if t.is_signed and value >> (t.bits - 1) else value


def float_from_int(t: ScalarType, value: int) -> float:
    """The value of float type `t` nearest to an integer of at most 64 bits, rounded once."""
    if t.bits == 64 or abs(value) <= _EXACT:
        return round_float(float(value), t.bits)
    # Rounding to odd first keeps enough of what is lost for the second rounding to be right.
    lost = abs(value).bit_length() - 53
    kept = abs(value) >> lost
    kept |= kept << lost != abs(value)
    return round_float(math.copysign(float(kept << lost), value), t.bits)


def fit(t: ScalarType, value: Any) -> Any:
    """An exact integer, or a binary64, as the result of arithmetic in `t`.

    Rounding twice (to binary64, then binary32) is harmless after one + − × ÷ √ of binary32
    values, because 53 ≥ 2·24 + 2 (Figueroa 1995).
    """
    if t.is_float:
        return round_float(value, t.bits)
    if t.weak and not t.minimum <= value <= t.maximum:
        raise Trap("overflow")
    return wrap(t, value)


def _unsigned(t: ScalarType, a: int) -> int:
    return a & ((1 << t.bits) - 1)


def _negative(a: float) -> bool:
    return math.copysign(1.0, a) < 0


def _neg(t: ScalarType, a: Any) -> Any:
    return -a if t.is_float else fit(t, -a)


def _div(t: ScalarType, a: float, b: float) -> float:
    if b:  # a NaN is true
        return round_float(a / b, t.bits)
    if t.weak:
        raise Trap("zero")
    if not a or a != a:
        return math.nan
    return -math.inf if _negative(a) != _negative(b) else math.inf


def _floordiv(t: ScalarType, a: int, b: int) -> int:
    if b == 0:
        raise Trap("zero")
    return fit(t, a // b)


def _mod(t: ScalarType, a: int, b: int) -> int:
    if b == 0:
        raise Trap("zero")
    return a % b


def _sqrt(t: ScalarType, a: float) -> float:
    return math.nan if a < 0 else round_float(math.sqrt(a), t.bits)


def _fma(t: ScalarType, a: float, b: float, c: float) -> float:
    return exact_fma(a, b, c, t.bits)


def _muladd(t: ScalarType, a: float, b: float, c: float) -> float:
    return round_float(round_float(a * b, t.bits) + c, t.bits)


def _product_error(t: ScalarType, a: float, b: float) -> float:
    return exact_fma(a, b, -round_float(a * b, t.bits), t.bits)


def _min(t: ScalarType, a: Any, b: Any) -> Any:
    if t.is_float:
        if a != a or b != b:
            return math.nan
        if a == b:
            return a if _negative(a) else b
    return a if a < b else b


def _max(t: ScalarType, a: Any, b: Any) -> Any:
    if t.is_float:
        if a != a or b != b:
            return math.nan
        if a == b:
            return b if _negative(a) else a
    return a if a > b else b


def _rounding(to_integer: Callable[[float], int]) -> Unary:
    def to_integral(t: ScalarType, a: float) -> float:
        if not math.isfinite(a):
            return a
        return math.copysign(float(to_integer(a)), a)

    return to_integral


def _flush(t: ScalarType, a: float) -> float:
    return flushed(a, t.bits)


def _copysign(t: ScalarType, a: float, b: float) -> float:
    return math.copysign(a, 1.0 if b != b else b)


def _not(t: ScalarType, a: Any) -> Any:
    return not a if a is True or a is False else wrap(t, ~a)


def _shl(t: ScalarType, a: int, b: int) -> int:
    if 0 <= b < t.bits:
        return fit(t, a << b)
    if t.weak and b < 0:
        raise Trap("shift")
    if t.weak and a:
        raise Trap("overflow")
    return 0


def _shr(t: ScalarType, a: int, b: int) -> int:
    if t.weak and b < 0:
        raise Trap("shift")
    return a >> (b if 0 <= b < t.bits else t.bits)


def _clz(t: ScalarType, a: int) -> int:
    return t.bits - _unsigned(t, a).bit_length()


def _ctz(t: ScalarType, a: int) -> int:
    return (a & -a).bit_length() - 1 if a else t.bits


def _rotl(t: ScalarType, a: int, b: int) -> int:
    pattern, count = _unsigned(t, a), b % t.bits
    return wrap(t, pattern << count | pattern >> (t.bits - count))


def _convert(t: ScalarType, a: Scalar) -> Scalar:
    if t.is_float:
        return round_float(a, t.bits) if isinstance(a, float) else float_from_int(t, int(a))
    if not isinstance(a, float):
        return wrap(t, int(a))
    if a != a:
        return 0
    return int(min(max(a, t.minimum), t.maximum))  # Python compares int with float exactly


def _narrow(t: ScalarType, a: int) -> int:
    if not t.minimum <= a <= t.maximum:
        raise Trap("overflow")
    return a


def _bitcast(t: ScalarType, a: Any) -> Any:
    pattern = float_to_bits(a, t.bits) if isinstance(a, float) else _unsigned(t, a)
    return bits_to_float(pattern, t.bits) if t.is_float else wrap(t, pattern)


UNARY: dict[str, Unary] = {
    "neg": _neg,
    "abs": lambda t, a: fit(t, abs(a)),
    "sqrt": _sqrt,
    "floor": _rounding(math.floor),
    "ceil": _rounding(math.ceil),
    "trunc": _rounding(math.trunc),
    "round": _rounding(round),
    "flush": _flush,
    "not": _not,
    "likely": lambda t, a: a,
    "unlikely": lambda t, a: a,
    "popcount": lambda t, a: _unsigned(t, a).bit_count(),
    "clz": _clz,
    "ctz": _ctz,
    "convert": _convert,
    "narrow": _narrow,
    "bitcast": _bitcast,
}
BINARY: dict[str, Binary] = {
    "add": lambda t, a, b: fit(t, a + b),
    "sub": lambda t, a, b: fit(t, a - b),
    "mul": lambda t, a, b: fit(t, a * b),
    "div": _div,
    "floordiv": _floordiv,
    "mod": _mod,
    "min": _min,
    "max": _max,
    "copysign": _copysign,
    "product_error": _product_error,
    "and": lambda t, a, b: a & b,
    "or": lambda t, a, b: a | b,
    "xor": lambda t, a, b: a ^ b,
    "shl": _shl,
    "shr": _shr,
    "rotl": _rotl,
    "rotr": lambda t, a, b: _rotl(t, a, -b),
    "eq": lambda t, a, b: a == b,
    "ne": lambda t, a, b: a != b,
    "lt": lambda t, a, b: a < b,
    "le": lambda t, a, b: a <= b,
    "gt": lambda t, a, b: a > b,
    "ge": lambda t, a, b: a >= b,
}
TERNARY: dict[str, Ternary] = {
    "fma": _fma,
    "muladd": _muladd,
    "select": lambda t, a, b, c: b if a else c,
}
SEMANTICS: dict[str, Semantics] = {**UNARY, **BINARY, **TERNARY}
"""Every scalar operation whose result depends on its operands alone."""
