"""The intrinsics against MPFR, NumPy and Python's integers."""

from __future__ import annotations

import itertools
import math
import re

import gmpy2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samebits import math as sb_math
from samebits import types
from samebits.bits import bits_to_float, exact_fma, float_to_bits
from samebits.errors import ArgumentError, Trap
from samebits.lang import intrinsics as f
from samebits.lang.values.scalars import (
    SCALAR_CLASSES,
    float32,
    float64,
    int8,
    int32,
    int64,
    uint8,
    uint32,
)
from samebits.lang.values.thread_state import managed_run
from samebits.lang.values.vectors import bool2, bool3, double3, float2, float3, float4, int3, uint3
from samebits.lang.values.weak import Int

INTS = [t for t in types.STRONG_SCALARS if t.is_int]
SPECIAL = {
    32: [0, 0x80000000, 1, 0x80000001, 0x007FFFFF, 0x00800000, 0x3F800000, 0xBF800000, 0x3F000000,
         0x3FC00000, 0x40200000, 0x4B000001, 0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0xFF800000,
         0x7FC00000, 0xBF000000, 0x4B7FFFFF, 0x3EFFFFFF],
    64: [0, 1 << 63, 1, (1 << 63) | 1, 0xFFFFFFFFFFFFF, 1 << 52, 0x3FF << 52, 0xBFF << 52,
         0x3FE << 52, 0x3FF8 << 48, 0x4004 << 48, 0x4330000000000001, 0x7FEFFFFFFFFFFFFF,
         0xFFEFFFFFFFFFFFFF, 0x7FF << 52, 0xFFF << 52, 0x7FF8 << 48, 0xBFE << 52],
}  # fmt: skip
CLASS = {32: float32, 64: float64}
WIDTHS = pytest.mark.parametrize("width", [32, 64])


def floats(width):
    return [CLASS[width](bits_to_float(p, width)) for p in SPECIAL[width]]


def pattern(x, width):
    return int(np.asarray(x).view(f"u{width // 8}"))


def mpfr(width, function, *operands):
    with gmpy2.context(gmpy2.ieee(width)):
        return float_to_bits(float(function(*(gmpy2.mpfr(float(x)) for x in operands))), width)


@WIDTHS
def test_square_root_is_correctly_rounded(width):
    for x in floats(width):
        result = f.sqrt(x)
        assert type(result) is CLASS[width]
        assert pattern(result, width) == mpfr(width, gmpy2.sqrt, x)


@given(st.integers(0, 2**32 - 1))
def test_square_root_of_any_float32_is_mpfrs(bits):
    x = float32(bits_to_float(bits, 32))
    assert pattern(f.sqrt(x), 32) == mpfr(32, gmpy2.sqrt, x)


@WIDTHS
@pytest.mark.parametrize(
    ("name", "oracle"),
    [("floor", np.floor), ("ceil", np.ceil), ("trunc", np.trunc), ("round", np.rint)],
)
def test_rounding_to_whole_numbers_keeps_zeros_sign_and_specials(width, name, oracle):
    for x in floats(width):
        result = f.INTRINSICS[name].function(x)
        assert type(result) is CLASS[width]
        assert pattern(result, width) == float_to_bits(float(oracle(np.array(x))), width)


@WIDTHS
def test_min_and_max_order_zeros_and_pass_nan_on(width):
    def key(x):
        return (float(x), math.copysign(1.0, float(x)))

    for a, b in itertools.product(floats(width), repeat=2):
        low, high = f.min(a, b), f.max(a, b)
        if a != a or b != b:
            assert (
                pattern(low, width)
                == pattern(high, width)
                == {32: 0x7FC00000}.get(width, 0x7FF8 << 48)
            )
            continue
        assert pattern(low, width) == pattern(min(a, b, key=key), width)
        assert pattern(high, width) == pattern(max(a, b, key=key), width)


@WIDTHS
def test_copysign_takes_a_nan_for_positive_and_sign_keeps_zeros(width):
    for a, b in itertools.product(floats(width), repeat=2):
        negative = b == b and math.copysign(1.0, float(b)) < 0
        magnitude = math.fabs(float(a))
        expected = float_to_bits(-magnitude if negative else magnitude, width)
        assert pattern(f.copysign(a, b), width) == expected
    assert math.copysign(1.0, f.copysign(1.0, -math.nan)) == 1.0
    assert math.copysign(1.0, f.copysign(1.0, math.copysign(math.nan, -1.0))) == 1.0
    for a in floats(width):
        expected = float(a) if a == 0 or a != a else math.copysign(1.0, float(a))
        assert pattern(f.sign(a), width) == float_to_bits(expected, width)


@WIDTHS
def test_absolute_value_clears_the_sign(width):
    for a in floats(width):
        assert pattern(f.abs(a), width) == float_to_bits(math.fabs(float(a)), width)


@WIDTHS
def test_fma_of_special_values_is_mpfrs(width):
    for a, b, c in itertools.product(floats(width), repeat=3):
        assert pattern(f.fma(a, b, c), width) == mpfr(width, gmpy2.fma, a, b, c)


@given(st.sampled_from([32, 64]), *[st.integers(0, 2**64 - 1)] * 3, st.booleans())
def test_fma_of_any_bits_is_mpfrs_also_where_terms_cancel(width, a, b, c, cancel):
    x, y, z = (bits_to_float(p >> (64 - width), width) for p in (a, b, c))
    if cancel:
        z = float(CLASS[width](-x * y))
    assert float_to_bits(exact_fma(x, y, z, width), width) == mpfr(width, gmpy2.fma, x, y, z)


@pytest.mark.parametrize("t", INTS, ids=str)
def test_bit_counts_and_rotations_are_those_of_the_binary_string(t):
    cls = SCALAR_CLASSES[t]
    for v in {0, 1, 2, 5, t.maximum, t.minimum, t.maximum // 3, t.minimum // 3}:
        text = format(v & ((1 << t.bits) - 1), f"0{t.bits}b")
        x = cls(v)
        assert int(f.popcount(x)) == text.count("1")
        assert int(f.clz(x)) == len(text) - len(text.lstrip("0"))
        assert int(f.ctz(x)) == len(text) - len(text.rstrip("0"))
        assert type(f.popcount(x)) is type(f.clz(x)) is type(f.ctz(x)) is cls
        for count in (0, 1, 3, t.bits - 1, t.bits, t.bits + 1, 100):
            k = count % t.bits
            left, right = text[k:] + text[:k], text[t.bits - k :] + text[: t.bits - k]
            for n in (uint8(count), int64(count), int64(count - 3 * t.bits)):
                assert np.binary_repr(int(f.rotl(x, n)), t.bits) == left
                assert np.binary_repr(int(f.rotr(x, n)), t.bits) == right
            assert type(f.rotl(x, count)) is cls


@pytest.mark.parametrize("t", INTS, ids=str)
def test_integer_min_max_abs_sign_are_pythons_wrapped(t):
    cls = SCALAR_CLASSES[t]
    picks = [v for v in (t.minimum, -1, 0, 1, t.maximum) if v >= t.minimum]
    for a, b in itertools.product(picks, repeat=2):
        assert int(f.min(cls(a), cls(b))) == min(a, b)
        assert int(f.max(cls(a), cls(b))) == max(a, b)
    for a in picks:
        assert int(f.sign(cls(a))) == (a > 0) - (a < 0)
        assert int(f.abs(cls(a))) == (t.minimum if abs(a) > t.maximum else abs(a))


def test_weak_arguments_take_the_strong_type_and_stay_weak_alone():
    assert type(f.max(float32(1), 0.0)) is type(f.max(0.0, float32(1))) is float32
    assert type(f.clamp(int8(50), 0, 10)) is int8
    assert int(f.clamp(int8(50), 0, 10)) == 10
    assert type(f.min(1, Int(2))) is Int
    assert type(f.min(1.0, 2)) is float
    assert type(f.sqrt(2.0)) is type(f.floor(2.5)) is float
    assert type(f.max(int32(1), float32(1))) is float64
    assert type(f.fma(2.0, float32(3), 1)) is float32
    with pytest.raises(Trap, match="integer overflow"):
        f.max(int8(1), 1000)
    with pytest.raises(Trap, match="integer overflow"):
        f.abs(-(2**63))


@pytest.mark.parametrize(
    "call",
    [
        lambda: f.sqrt(int3(4)),
        lambda: f.floor(uint3(4)),
        lambda: f.abs(True),
        lambda: f.min(True, False),
        lambda: f.popcount(float32(1)),
        lambda: f.rotl(uint8(1), 1.0),
        lambda: f.max(int64(1), SCALAR_CLASSES[types.UINT64](1)),
        lambda: f.max(float3(1), float2(1)),
        lambda: f.max(float3(1), float64(1)),
        lambda: f.sqrt("4"),
        lambda: f.dot(float3(1), int3(1)),
        lambda: f.dot(1.0, 2.0),
        lambda: f.cross(float2(1), float2(1)),
        lambda: f.length(int3(1)),
        lambda: f.any(float3(1)),
        lambda: f.all(True),
        lambda: f.select(1, 2.0, 3.0),
        lambda: f.select(float3(1), float3(1), float3(1)),
        lambda: f.select(bool2(True), float3(1), float3(1)),
        lambda: f.bitcast(uint32, 1.0),
        lambda: f.bitcast(uint32, float64(1)),
        lambda: f.bitcast(float, float64(1)),
        lambda: f.bitcast(int, float64(1)),
    ],
)
def test_operands_of_the_wrong_type_are_refused(call):
    with pytest.raises(ArgumentError):
        call()


@pytest.mark.parametrize("x", [int32(4), uint8(4), True])
def test_a_kernel_converts_integers_by_hand(x):
    with managed_run(), pytest.raises(ArgumentError, match="sqrt takes a float"):
        f.sqrt(x)
    assert f.sqrt(x) == math.sqrt(x)


def test_bitcast_reads_the_canonical_nan_and_goes_back():
    assert int(f.bitcast(uint32, -float32(float("nan")))) == 0x7FC00000
    assert type(f.bitcast(int32, float32(-0.0))) is int32
    assert int(f.bitcast(int32, float32(-0.0))) == -(2**31)
    assert pattern(f.bitcast(float32, uint32(0xFFC00001)), 32) == 0x7FC00000
    assert int(f.bitcast(uint8, int8(-1))) == 255
    assert tuple(f.bitcast(uint32, float2(1, -2))) == (0x3F800000, 0xC0000000)
    assert type(f.bitcast(float3, uint3(0x3F800000))) is float3


@given(st.integers(0, 2**32 - 1))
def test_bitcast_keeps_every_pattern_that_is_no_nan(bits):
    x = f.bitcast(float32, uint32(bits))
    expected = 0x7FC00000 if x != x else bits
    assert int(f.bitcast(uint32, x)) == expected


def test_select_takes_either_side_whole_or_by_component():
    assert type(f.select(True, 1, float32(2))) is float32
    assert f.select(False, True, False) is False
    a, b = float3(1, 2, 3), float3(-1, -2, -3)
    assert tuple(f.select(a < 2.5, a, b)) == (1, 2, -3)
    assert tuple(f.select(True, a, b)) == (1, 2, 3)
    assert tuple(f.select(bool3(True, False, True), a, 0.0)) == (1, 0, 3)


def test_vectors_go_component_by_component():
    v = float3(-1.5, 2.5, float("nan"))
    for name in ("sqrt", "abs", "floor", "ceil", "trunc", "round", "sign"):
        function = f.INTRINSICS[name].function
        result = function(v)
        assert [x.tobytes() for x in result] == [function(x).tobytes() for x in v]
    assert tuple(f.clamp(int3(-5, 3, 50), 0, int3(10, 1, 40))) == (0, 1, 40)
    assert tuple(f.rotl(uint3(1, 2, 3), 4)) == (16, 32, 48)
    assert tuple(f.max(0.0, float2(-1, 1))) == (0, 1)


@given(st.lists(st.integers(0, 2**32 - 1), min_size=8, max_size=8))
def test_dot_adds_left_to_right_and_length_and_normalize_follow_from_it(patterns):
    x = [float32(bits_to_float(p, 32)) for p in patterns]
    a, b = float4(*x[:4]), float4(*x[4:])
    total = ((x[0] * x[4] + x[1] * x[5]) + x[2] * x[6]) + x[3] * x[7]
    assert f.dot(a, b).tobytes() == total.tobytes()
    assert f.length(a).tobytes() == f.sqrt(f.dot(a, a)).tobytes()
    norm = f.length(a)
    assert [c.tobytes() for c in f.normalize(a)] == [(c / norm).tobytes() for c in a]


def test_cross_and_quantifiers():
    assert tuple(f.cross(double3(1, 2, 3), double3(4, 5, 6))) == (-3, 6, -3)
    assert tuple(f.cross(int3(1, 2, 3), int3(4, 5, 6))) == (-3, 6, -3)
    assert f.any(bool2(False, True)) is True
    assert f.all(bool2(False, True)) is False


def test_every_intrinsic_carries_its_name():
    names = """sqrt abs min max clamp floor ceil trunc round copysign sign select fma bitcast
    popcount clz ctz rotl rotr dot cross length normalize any all
    likely unlikely assume expect_vectorized mul transpose"""
    rows = [row for row in f.INTRINSICS.values() if not row.library_only]
    assert {row.name for row in rows} == set(re.split(r"\s+", names))
    for row in rows:
        assert row.function.__samebits_intrinsic__ == row.name
        public = sb_math if row.name in ("mul", "transpose") else f
        assert getattr(public, row.name) is row.function
