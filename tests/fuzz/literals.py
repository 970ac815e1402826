"""Which types and values the generator draws: names of types in source, special bit patterns.

Owns the distribution of values; knows nothing of expressions or statements.
"""

from __future__ import annotations

import math
import struct
from random import Random

from samebits.bits import bits_to_float
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT,
    STRONG_SCALARS,
    VECTORS,
    ArrayType,
    FixedArrayType,
    NoneType,
    ScalarType,
    StructType,
    TupleType,
    VectorType,
)

INTS = tuple(t for t in STRONG_SCALARS if t.is_int)
FLOATS = (FLOAT32, FLOAT64)
NUMBERS = (*INTS, *FLOATS)
VECTOR_TYPES = tuple(t for t in VECTORS.values() if t.element in STRONG_SCALARS)
"""Vectors of integers, floats and bools. Fixed-point numbers have tests of their own."""
HALF_VECTORS = tuple(t for t in VECTORS.values() if t.element == FLOAT16)
"""Only programs that `halves` chooses have these."""

FLOAT_PATTERNS = {
    16: (
        0x0000, 0x8000, 0x3C00, 0xBC00, 0x7C00, 0xFC00, 0x0001, 0x8001, 0x03FF, 0x0400, 0x7BFF,
        0xFBFF, 0x6400, 0x63FF, 0x3800, 0x37FF, 0x3BFF, 0x4100, 0x5BF8, 0xD800,
    ),
    32: (
        0x00000000, 0x80000000, 0x3F800000, 0xBF800000, 0x7F800000, 0xFF800000,
        0x00000001, 0x80000001, 0x007FFFFF, 0x00800000, 0x7F7FFFFF, 0xFF7FFFFF,
        0x4B000000, 0x4B7FFFFF, 0x4F000000, 0x4EFFFFFF, 0xCF000000, 0x4F800000,
        0x5F000000, 0x5F800000, 0x3F000000, 0x3EFFFFFF, 0x40200000, 0x3F7FFFFF,
    ),
    64: (
        0x0000000000000000, 0x8000000000000000, 0x3FF0000000000000, 0xBFF0000000000000,
        0x7FF0000000000000, 0xFFF0000000000000, 0x0000000000000001, 0x8000000000000001,
        0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x7FEFFFFFFFFFFFFF, 0xFFEFFFFFFFFFFFFF,
        0x4330000000000000, 0x433FFFFFFFFFFFFF, 0x41E0000000000000, 0x41DFFFFFFFC00000,
        0x43E0000000000000, 0x43F0000000000000, 0xC3E0000000000000, 0x3FE0000000000000,
        0x3FDFFFFFFFFFFFFF, 0x4004000000000000, 0x36A0000000000000, 0x47EFFFFFF0000000,
    ),
}  # fmt: skip
NAN_PATTERNS = {
    16: (0x7E00, 0xFE00, 0x7C01, 0xFFFF, 0x7D5A),
    32: (0x7FC00000, 0xFFC00000, 0x7F800001, 0xFFFFFFFF, 0x7FD5A5A5),
    64: (
        0x7FF8000000000000, 0xFFF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF,
        0x7FFA5A5A5A5A5A5A,
    ),
}  # fmt: skip


def int_value(rng: Random, t: ScalarType) -> int:
    """An integer of type `t`: small, extreme, near a power of two, or any."""
    roll = rng.random()
    if roll < 0.45:
        value = rng.randint(-4, 20)
    elif roll < 0.6:
        value = rng.choice((t.minimum, t.minimum + 1, t.maximum, t.maximum - 1))
    elif roll < 0.8:
        value = (1 << rng.randrange(t.bits)) + rng.randint(-1, 1)
        value = -value if t.is_signed and rng.random() < 0.4 else value
    else:
        value = rng.getrandbits(t.bits) + t.minimum
    return max(t.minimum, min(t.maximum, value))


def float_pattern(rng: Random, bits: int, *, tame: bool = False) -> int:
    """A float's bits: special, NaN with some payload, ordinary, or any pattern at all.

    A `tame` draw is mostly ordinary, so that sums do not all end as NaN.
    """
    roll = rng.random()
    if tame and roll < 0.95:
        return _float_bits(rng.choice((1, 1, 7, 1000)) * rng.uniform(-1, 1), bits)
    if roll < 0.08:
        return rng.getrandbits(1) << (bits - 1)
    if roll < 0.3:
        return rng.choice(FLOAT_PATTERNS[bits])
    if roll < 0.36:
        return rng.choice(NAN_PATTERNS[bits])
    if roll < 0.8:
        return _float_bits(rng.choice((1, 3, 10, 1000)) * rng.uniform(-1, 1), bits)
    if roll < 0.9:
        return _float_bits(float(rng.randint(-9, 30)) / rng.choice((1, 2, 4)), bits)
    return rng.getrandbits(bits)


def _float_bits(value: float, bits: int) -> int:
    form, as_int = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}[bits]
    return int(struct.unpack(as_int, struct.pack(form, value))[0])


def beside_halves(rng: Random) -> float:
    """A number where rounding to half decides: a half, the middle of two or just beside it."""
    low = rng.getrandbits(10) if rng.random() < 0.3 else rng.randrange(0x7C00)
    below = bits_to_float(low, 16)
    above = bits_to_float(low + 1, 16) if low < 0x7BFF else 65536.0
    middle = (below + above) / 2
    toward = rng.choice((middle, middle, below, above, 0.0, math.inf))
    value = rng.choice((below, middle, middle, math.nextafter(middle, toward)))
    return -value if rng.random() < 0.4 else value


def pattern(rng: Random, t: ScalarType, *, tame: bool = False, halves: bool = False) -> int:
    """Bits of a random value of `t`, as an unsigned integer; with `halves`, floats often lie where
    rounding to half decides."""
    if t is BOOL:
        return rng.getrandbits(1)
    if halves and t.is_float and rng.random() < 0.4:
        return _float_bits(beside_halves(rng), t.bits)
    if t.is_ieee:
        return float_pattern(rng, t.bits, tame=tame)
    return int_value(rng, t) & ((1 << t.bits) - 1)


def int_literal(value: int) -> str:
    """Source of a weak int; the least int64 has no literal of its own."""
    if value == INT.minimum:
        return f"(-{INT.maximum} - 1)"
    return f"({value})" if value < 0 else str(value)


def float_literal(rng: Random, t: ScalarType) -> str:
    """Source of a weak float that is exact in `t`, or the module's NAN or INF."""
    value = bits_to_float(float_pattern(rng, t.bits), t.bits)
    if value != value:
        return "NAN"
    if value in (float("inf"), float("-inf")):
        return "INF" if value > 0 else "(-INF)"
    return signed(value)


def signed(value: float) -> str:
    """Source of a finite weak float."""
    return f"({value!r})" if repr(value)[0] == "-" else repr(value)


def is_half(t: object) -> bool:
    """Whether `t` is float16 or a vector of it: kept and converted, never computed with."""
    return (t.element if isinstance(t, VectorType) else t) == FLOAT16


def type_name(t: object) -> str:
    """The annotation that stands for `t` in kernel source."""
    match t:
        case ScalarType() | VectorType() | StructType():
            return t.name
        case NoneType():
            return "None"
        case FixedArrayType():
            return f"sb.FixedArray[{type_name(t.element)}, {', '.join(map(str, t.shape))}]"
        case ArrayType():
            head = "sb.ReadOnly" if t.readonly else "sb.Array"
            return f"{head}[{type_name(t.element)}{f', {t.ndim}' if t.ndim > 1 else ''}]"
        case TupleType():
            return f"tuple[{', '.join(type_name(item) for item in t.items)}]"
        case _:
            raise TypeError(repr(t))


def random_value_type(rng: Random, *, weak: bool = True) -> ScalarType | VectorType:
    """A scalar (more often) or vector type."""
    roll = rng.random()
    if weak and roll < 0.12:
        return rng.choice((INT, INT, FLOAT))
    if roll < 0.3:
        return rng.choice(VECTOR_TYPES)
    if roll < 0.36:
        return BOOL
    if roll < 0.66:
        return rng.choice(FLOATS)
    return rng.choice(INTS)
