"""Bit patterns: floats as integers and back, canonical NaN, ULP distance, canonical bytes, hash.

Owns what "the same bits" means for one value and for one piece of memory. A pattern is a
non-negative integer of the type's width: two's complement, IEEE 754, 0 or 1; a NaN is the canonical
one. Knows nothing of operations.
"""

from __future__ import annotations

import ctypes
import math
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from samebits.types import (
    BOOL,
    SCALARS,
    FixedArrayType,
    Kind,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)

CANONICAL_NAN = {16: 0x7E00, 32: 0x7FC00000, 64: 0x7FF8000000000000}
"""The one NaN, by width in bits."""

INFINITY = {16: 0x7C00, 32: 0x7F800000, 64: 0x7FF0000000000000}
"""The pattern of +inf, by width in bits; a larger one without a sign is a NaN."""

SMALLEST_NORMAL = {32: 2.0**-126, 64: 2.0**-1022}
"""The least positive normal number, by width in bits; what is nearer to zero is subnormal."""

_FORMATS = {16: ("<e", "<H"), 32: ("<f", "<I"), 64: ("<d", "<Q")}


def float_to_bits(value: float, bits: int) -> int:
    """The binary16, 32 or 64 pattern of `value` (exact for that width); NaN is canonical."""
    if value != value:
        return CANONICAL_NAN[bits]
    as_float, as_int = _FORMATS[bits]
    return int(struct.unpack(as_int, struct.pack(as_float, value))[0])


def bits_to_float(pattern: int, bits: int) -> float:
    """The value of a binary16, 32 or 64 pattern, as a Python float; NaNs become canonical."""
    as_float, as_int = _FORMATS[bits]
    value = struct.unpack(as_float, struct.pack(as_int, pattern))[0]
    return float(value) if value == value else float("nan")


def flushed(value: float, bits: int) -> float:
    """A binary32 or binary64 value, or a zero of its sign where it is subnormal."""
    return math.copysign(0.0, value) if abs(value) < SMALLEST_NORMAL[bits] else value


def round_float(value: float, bits: int) -> float:
    """The binary32 or 64 nearest to a binary64, ties to even, overflow to infinity; NaN stays."""
    return ctypes.c_float(value).value if bits == 32 else value


def ulp_distance(a: int, b: int, bits: int) -> int | None:
    """The number of representable floats from pattern `a` to `b`; None if either is NaN.

    −0 and +0 are 1 apart, so that distance 0 means the same bits.
    """
    infinity = INFINITY[bits]
    sign = 1 << (bits - 1)

    def ordinal(pattern: int) -> int:
        magnitude = pattern & (sign - 1)
        return -magnitude - 1 if pattern & sign else magnitude

    if (a & (sign - 1)) > infinity or (b & (sign - 1)) > infinity:
        return None
    return abs(ordinal(a) - ordinal(b))


def canonicalize_nans(array: np.ndarray[Any, Any]) -> None:
    """Make every NaN in a float array the canonical one, in place."""
    if array.dtype.kind == "f":
        nan = np.isnan(array)
        if nan.any():
            pattern = CANONICAL_NAN[array.dtype.itemsize * 8]
            size = array.dtype.itemsize
            array[nan] = np.array(pattern, f"u{size}").view(f"f{size}")


def leaves(t: MemoryType, path: str = "", offset: int = 0) -> Iterator[tuple[str, ScalarType, int]]:
    """Every scalar inside `t`: path (`ships[3].pos.x`), type, byte offset in memory."""
    match t:
        case ScalarType():
            yield path, t, offset
        case VectorType():
            for i, component in enumerate(t.components):
                yield f"{path}.{component}", t.element, offset + i * t.element.size
        case FixedArrayType():
            for flat, index in enumerate(np.ndindex(*t.shape)):
                place = f"{path}[{', '.join(map(str, index))}]"
                yield from leaves(t.element, place, offset + flat * t.element.size)
        case StructType():
            for name, field_type in t.fields:
                place = f"{path}.{name}" if path else name
                yield from leaves(field_type, place, offset + t.offsets[name])


def canonical_size(t: MemoryType) -> int:
    """Bytes of `t` without padding."""
    match t:
        case FixedArrayType():
            return canonical_size(t.element) * t.count
        case StructType():
            return sum(canonical_size(field_type) for _, field_type in t.fields)
        case _:
            return t.size


def packed_dtype(t: MemoryType) -> np.dtype[Any]:
    """NumPy dtype of the canonical form: declared order, no padding, little-endian."""
    match t:
        case ScalarType():
            return t.dtype.newbyteorder("<")
        case VectorType() | FixedArrayType():
            return np.dtype((packed_dtype(t.element), t.shape))
        case StructType():
            return np.dtype([(name, packed_dtype(field_type)) for name, field_type in t.fields])


def _convert(t: MemoryType, source: np.ndarray[Any, Any], target: np.ndarray[Any, Any]) -> None:
    match t:
        case StructType():
            for name, field_type in t.fields:
                _convert(field_type, source[name], target[name])
        case VectorType() | FixedArrayType():
            _convert(t.element, source, target)
        case ScalarType(kind=Kind.BOOL):
            np.not_equal(source.view(np.uint8), 0, out=target)
        case ScalarType():
            target[...] = source
            if t.is_ieee:
                canonicalize_nans(target)


def to_canonical(t: MemoryType, memory: np.ndarray[Any, Any]) -> bytes:
    """Canonical bytes of an array of dtype `t.dtype` (any shape): the form that is hashed."""
    packed = np.empty(memory.shape, packed_dtype(t))
    _convert(t, memory, packed)
    return packed.tobytes()


def from_canonical(t: MemoryType, data: bytes, count: int = 1) -> np.ndarray[Any, Any]:
    """Memory of `count` values of struct or scalar type `t` from canonical bytes.

    Raises ValueError where the length does not fit. Bools other than 0 and 1 become 1.
    """
    if len(data) != canonical_size(t) * count:
        raise ValueError(f"{len(data)} bytes where {canonical_size(t) * count} are needed")
    packed = np.frombuffer(data, packed_dtype(t), count)
    memory = np.zeros(count, t.dtype)
    _convert(t, packed, memory)
    return memory


def xxh64(data: bytes | memoryview, seed: int = 0) -> int:
    """XXH64 of `data` (Yann Collet's xxHash, 64-bit variant)."""
    return xxhash.xxh64_intdigest(data, seed)


_PRECISION = {16: (11, -24, 16), 32: (24, -149, 128), 64: (53, -1074, 1024)}
"""Significand bits, exponent of the least subnormal, exponent past the largest float."""


def round_scaled(mantissa: int, exponent: int, bits: int) -> float:
    """`mantissa` × 2^`exponent` rounded once to binary16, 32 or 64, ties to even.

    Too large gives an infinity; a zero mantissa gives +0; a nonzero value that rounds to zero
    keeps its sign.
    """
    precision, least, limit = _PRECISION[bits]
    magnitude = abs(mantissa)
    drop = max(magnitude.bit_length() - precision, least - exponent)
    if drop > 0:
        kept, rest = magnitude >> drop, magnitude & ((1 << drop) - 1)
        half = 1 << (drop - 1)
        kept += rest > half or (rest == half and kept & 1)
        magnitude, exponent = kept, exponent + drop
    if magnitude and magnitude.bit_length() + exponent > limit:
        result = math.inf
    else:
        result = math.ldexp(magnitude, exponent) if magnitude else 0.0
    return -result if mantissa < 0 else result


def _exact(value: float) -> tuple[int, int]:
    """Integers m, e with `value` = m × 2^e."""
    numerator, denominator = value.as_integer_ratio()
    return numerator, 1 - denominator.bit_length()


def exact_fma(a: float, b: float, c: float, bits: int) -> float:
    """a×b+c rounded once to binary32 or binary64, as IEEE 754-2019 fusedMultiplyAdd.

    The operands are exact values of that width. Every NaN result is the canonical one.
    """
    if not (math.isfinite(a) and math.isfinite(b)):
        result = a * b + c
        return result if result == result else math.nan
    if not math.isfinite(c):
        return c if c == c else math.nan
    mantissa_a, exponent_a = _exact(a)
    mantissa_b, exponent_b = _exact(b)
    product, exponent = mantissa_a * mantissa_b, exponent_a + exponent_b
    if product == 0:
        zero = math.copysign(1.0, a) * math.copysign(1.0, b)
        return math.copysign(0.0, zero) + c
    addend, exponent_c = _exact(c)
    shared = min(exponent, exponent_c)
    total = (product << (exponent - shared)) + (addend << (exponent_c - shared))
    return round_scaled(total, shared, bits)


TYPES = tuple(SCALARS.values())
"""The scalar types; file formats refer to them by index."""

Patterns = NDArray[np.uint64]


def pattern_of(t: ScalarType, value: bool | int | float) -> int:
    """The bit pattern of a value of the IR's interpreter."""
    if t.is_float:
        return float_to_bits(value, t.bits)
    return int(value) & ((1 << t.bits) - 1)


def value_of(t: ScalarType, pattern: int) -> bool | int | float:
    """The value of a bit pattern."""
    if t.is_float:
        return bits_to_float(pattern, t.bits)
    if t is BOOL:
        return bool(pattern)
    return pattern - (1 << t.bits) if t.is_signed and pattern >> (t.bits - 1) else pattern


def array_typecode(t: ScalarType) -> str:
    """The type code of `array.array`, "d", "q" or "Q", that holds every value of `t`."""
    if t.is_float:
        return "d"
    return "Q" if t.kind is Kind.UNSIGNED and t.bits == 64 else "q"


def patterns_of(t: ScalarType, values: NDArray[Any]) -> Patterns:
    """The bit patterns of values held as `array_typecode` says."""
    if t.is_float:
        floats = values.astype(np.float64)  # a copy
        canonicalize_nans(floats)  # before the conversion, which would warn of a signalling NaN
        return floats.astype(f"f{t.size}").view(f"u{t.size}").astype(np.uint64)
    return values.astype(np.uint64) & np.uint64((1 << t.bits) - 1)


def values_of(t: ScalarType, patterns: NDArray[Any]) -> Iterator[Any]:
    """The Python values of bit patterns, which may have any unsigned type that is wide enough."""
    narrow = patterns.astype(f"u{t.size}")
    if t.is_float:
        floats = narrow.view(f"f{t.size}")
        canonicalize_nans(floats)
        return iter(floats.astype(np.float64).data)
    if t is BOOL:
        return iter(narrow.astype(np.bool_).data)
    return iter(narrow.view(t.dtype).data)
