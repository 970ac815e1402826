"""Scalar operators against NumPy's array loops and Python's integers: bits, not tolerances."""

from __future__ import annotations

import itertools
import operator
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from samebits import types
from samebits.bits import bits_to_float, float_to_bits
from samebits.errors import ArgumentError, Trap
from samebits.lang.values import scalars
from samebits.lang.values.scalars import (
    SCALAR_CLASSES,
    float32,
    float64,
    int8,
    int32,
    int64,
    uint8,
    uint64,
)
from samebits.lang.values.thread_state import managed_run

INTS = [t for t in types.STRONG_SCALARS if t.is_int]
FLOATS = [types.FLOAT32, types.FLOAT64]
NUMBERS = INTS + FLOATS
SPECIAL_FLOATS = [
    0.0, -0.0, 1.0, -1.5, float("inf"), float("-inf"), float("nan"), 0.1, 1e-40, 2.0**-149,
    5e-324, 3.4028234663852886e38, 1.7976931348623157e308, 2.0**-126, 16777217.0, 2.0**31,
]  # fmt: skip


def values(t):
    if t.is_float:
        with np.errstate(all="ignore"):
            return [SCALAR_CLASSES[t](float(np.array(v).astype(t.dtype))) for v in SPECIAL_FLOATS]
    picks = {t.minimum, t.minimum + 1, -1, 0, 1, 2, 3, 7, t.maximum // 2, t.maximum - 1, t.maximum}
    return [SCALAR_CLASSES[t](v) for v in sorted(picks) if t.minimum <= v <= t.maximum]


def pattern(value):
    """Type and bits, every NaN the same one."""
    if isinstance(value, (bool, np.bool_)):
        return "bool", bool(value)
    value = np.asarray(value)
    if value.dtype.kind == "f":
        return value.dtype.name, float_to_bits(float(value), value.dtype.itemsize * 8)
    return value.dtype.name, int(value)


def by_numpy(function, *operands):
    with np.errstate(all="ignore"):
        arrays = [np.array([x], getattr(x, "dtype", None)) for x in operands]
        return function(*arrays)[0]


@pytest.fixture(autouse=True)
def _numpy_raises_on_everything():
    with np.errstate(all="raise"):
        yield


@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
@pytest.mark.parametrize("a", NUMBERS, ids=str)
@pytest.mark.parametrize("b", NUMBERS, ids=str)
def test_arithmetic_of_any_two_types_has_numpys_type_and_bits(name, a, b):
    function = getattr(operator, name)
    for x, y in itertools.product(values(a), values(b)):
        result = function(x, y)
        assert type(result) in SCALAR_CLASSES.values()
        assert pattern(result) == pattern(by_numpy(function, x, y)), (x, y)


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("a", NUMBERS, ids=str)
@pytest.mark.parametrize("b", NUMBERS, ids=str)
def test_comparisons_give_pythons_bool_in_the_promoted_type(name, a, b):
    function = getattr(operator, name)
    if a.is_int and b.is_int and types.promote(a, b).is_float:
        with pytest.raises(ArgumentError, match="would round both"):
            function(values(a)[0], values(b)[0])
        return
    common = types.promote(a, b).dtype
    for x, y in itertools.product(values(a), values(b)):
        result = function(x, y)
        assert type(result) is bool
        with np.errstate(all="ignore"):
            expected = function(np.array(x).astype(common), np.array(y).astype(common))
        assert result == bool(expected), (x, y)


@pytest.mark.parametrize("t", INTS, ids=str)
def test_floor_division_and_remainder_are_pythons_wrapped(t):
    cls = SCALAR_CLASSES[t]
    for x, y in itertools.product(values(t), values(t)):
        if y == 0:
            for function in (operator.floordiv, operator.mod):
                with pytest.raises(Trap) as trap:
                    function(x, y)
                assert trap.value.kind == "zero"
            continue
        quotient = int(x) // int(y)
        assert int(x // y) == (t.minimum if quotient > t.maximum else quotient)
        assert int(x % y) == int(x) % int(y)
        assert type(x // y) is type(x % y) is cls


@pytest.mark.parametrize("t", INTS, ids=str)
def test_shifts_past_the_width_give_zero_or_the_sign(t):
    cls = SCALAR_CLASSES[t]
    counts = [c for c in (-128, -1, 0, 1, t.bits - 1, t.bits, 100) if t.minimum <= c]
    for x, count in itertools.product(values(t), counts):
        inside = 0 <= count < t.bits
        left = int(x) << count if inside else 0
        right = int(x) >> count if inside else (-1 if x < 0 else 0)
        assert x << cls(count) == cls(int64(left % 2**64 - 2**64 * (left % 2**64 >= 2**63)))
        assert int(x >> cls(count)) == right
        assert type(x << cls(count)) is type(x >> cls(count)) is cls


@pytest.mark.parametrize("name", ["and_", "or_", "xor"])
@pytest.mark.parametrize("t", INTS, ids=str)
def test_bitwise_operators_are_pythons(name, t):
    function = getattr(operator, name)
    for x, y in itertools.product(values(t), values(t)):
        assert int(function(x, y)) == function(int(x), int(y))


@pytest.mark.parametrize("t", NUMBERS, ids=str)
def test_unary_operators_wrap_and_keep_the_type(t):
    for x in values(t):
        for function in (operator.neg, operator.abs, operator.pos):
            result = function(x)
            assert type(result) is SCALAR_CLASSES[t]
            assert pattern(result) == pattern(by_numpy(function, x))
        if t.is_int:
            assert pattern(~x) == pattern(by_numpy(operator.invert, x))


@pytest.mark.parametrize("t", NUMBERS, ids=str)
def test_weak_literals_take_the_strong_type_on_either_side(t):
    cls = SCALAR_CLASSES[t]
    for x, literal in itertools.product(values(t), [1, 3, 100]):
        strong = cls(literal)
        for function in (operator.add, operator.sub, operator.mul):
            assert pattern(function(x, literal)) == pattern(function(x, strong))
            assert pattern(function(literal, x)) == pattern(function(strong, x))
        assert (x < literal) == (x < strong)
        assert (literal < x) == (strong < x)


def test_a_weak_float_is_rounded_before_the_operation():
    x = float32(0.1)
    assert pattern(x * 0.1) == pattern(x * float32(0.1))
    assert x == 0.1
    assert type(int32(3) * 0.5) is float64


def test_a_weak_int_that_does_not_fit_traps():
    for function in (operator.add, operator.lt, operator.eq):
        with pytest.raises(Trap, match="integer overflow"):
            function(int8(1), 300)
    assert int8(1) / 300 == 1 / 300  # a quotient is one of floats
    with pytest.raises(Trap, match="integer overflow"):
        uint8(1) - -1


@pytest.mark.parametrize("other", [True, np.True_])
def test_arithmetic_with_bool_is_refused(other):
    for function in (operator.add, operator.mul, operator.lt, operator.and_):
        with pytest.raises(ArgumentError, match="arithmetic on bool"):
            function(int32(1), other)


@pytest.mark.parametrize("name", ["floordiv", "mod", "and_", "lshift"])
def test_integer_operators_refuse_floats(name):
    pairs = [(int64(1), uint64(1))]
    if name in ("and_", "lshift"):
        pairs += [(float32(1), float32(1)), (int32(1), float32(1))]
    for a, b in pairs:
        with pytest.raises(ArgumentError, match="takes integers"), managed_run():
            getattr(operator, name)(a, b)


def test_power_and_complement_of_floats_are_refused():
    for call in (lambda: float32(2) ** 2, lambda: ~float32(1)):
        with pytest.raises(ArgumentError), managed_run():
            call()


@pytest.mark.parametrize("target", INTS, ids=str)
@pytest.mark.parametrize("source", FLOATS, ids=str)
def test_float_to_integer_truncates_and_saturates_and_nan_is_zero(source, target):
    edges = [float(target.maximum), float(target.minimum), 1.9, -1.9, 2.0**64, -(2.0**64), 1e30]
    picks = values(source) + [SCALAR_CLASSES[source](v) for v in edges]
    for x in picks:
        v = float(x)
        if v != v:
            expected = 0
        elif v in (float("inf"), float("-inf")):
            expected = target.maximum if v > 0 else target.minimum
        else:
            whole = Fraction(v).__trunc__()
            expected = min(max(whole, target.minimum), target.maximum)
        assert int(SCALAR_CLASSES[target](x)) == expected


@pytest.mark.parametrize("target", INTS, ids=str)
@pytest.mark.parametrize("source", INTS, ids=str)
def test_integer_to_integer_wraps(source, target):
    for x in values(source):
        with np.errstate(all="ignore"):
            assert pattern(SCALAR_CLASSES[target](x)) == pattern(np.array(x).astype(target.dtype))


@pytest.mark.parametrize("t", INTS, ids=str)
def test_a_weak_int_out_of_range_traps_in_the_constructor(t):
    cls = SCALAR_CLASSES[t]
    assert int(cls(t.maximum)) == t.maximum
    for v in (t.maximum + 1, t.minimum - 1):
        with pytest.raises(Trap, match="integer overflow"):
            cls(v)


@given(st.integers(-(2**200), 2**200), st.sampled_from(FLOATS))
def test_integers_become_floats_with_one_rounding(n, t):
    result = float(SCALAR_CLASSES[t](n))
    precision = 24 if t.bits == 32 else 53
    if abs(n) >= 2**128 - 2**103 and t.bits == 32:
        assert result == float("inf") * (1 if n > 0 else -1)
        return
    error = abs(Fraction(result) - n)
    ulp = Fraction(2) ** max(abs(n).bit_length() - precision, 0)
    assert error <= ulp / 2
    if error == ulp / 2 and error:
        assert (int(Fraction(result) / ulp)) % 2 == 0


@pytest.mark.parametrize("n", [2**24 + 1, 2**54 + 2**30 + 1, (1 << 60) + (1 << 36) + 1, 2**63 - 1])
def test_a_big_integer_is_not_rounded_twice_on_the_way_to_float32(n):
    assert pattern(float32(n)) == pattern(float32(int64(n))) == pattern(np.int64(n).astype("f4"))


@given(st.integers(0, 2**64 - 1))
def test_float64_becomes_float32_with_one_rounding(bits):
    value = bits_to_float(bits, 64)
    with np.errstate(all="ignore"):
        expected = np.array(value).astype(np.float32)
    assert pattern(float32(float64(value))) == pattern(float32(value)) == pattern(expected)


@given(*[st.integers(0, 2**32 - 1)] * 2)
def test_float32_arithmetic_has_the_bits_of_binary32_hardware(a, b):
    x, y = (float32(bits_to_float(v, 32)) for v in (a, b))
    for function in (operator.add, operator.sub, operator.mul, operator.truediv):
        assert pattern(function(x, y)) == pattern(by_numpy(function, x, y))


@given(*[st.integers(0, 2**64 - 1)] * 2)
def test_float64_arithmetic_has_the_bits_of_binary64_hardware(a, b):
    x, y = (float64(bits_to_float(v, 64)) for v in (a, b))
    for function in (operator.add, operator.sub, operator.mul, operator.truediv):
        assert pattern(function(x, y)) == pattern(by_numpy(function, x, y))


def test_the_border_of_binary32_infinity_is_half_an_ulp_past_the_largest():
    largest = 2.0**128 - 2.0**104
    border = 2.0**128 - 2.0**103
    below = float(np.nextafter(border, 0))
    for sign in (1, -1):
        for v in (float64(sign * below), sign * below):
            assert float(float32(v)) == sign * largest
        for v in (float64(sign * border), sign * border, sign * (2**128 - 2**103)):
            assert float(float32(v)) == sign * float("inf")
        product = float32(sign * largest) + float32(2.0**102) * sign
        assert float(product) == sign * largest


def test_every_nan_made_is_the_canonical_one():
    inf = float32(float("inf"))
    odd = np.array([0xFFC00123, 0x7F800001], np.uint32).view(np.float32)
    made = [inf - inf, -(inf - inf), float32(0) / 0, float32(odd[0]), float32(odd[1]), inf * 0]
    for x in [*made, -float32(odd[0])]:
        assert x.tobytes() == np.uint32(0x7FC00000).tobytes()
    assert (float64(1) * np.float64("nan") * -1).tobytes() == np.uint64(0x7FF8 << 48).tobytes()


def test_constructors_take_scalars_only():
    for bad in ("1", None, [1], 1j):
        with pytest.raises(ArgumentError, match="float32 takes one scalar"):
            float32(bad)
    assert pattern(float32(True)) == pattern(np.float32(1))
    assert int(int8(np.True_)) == 1
    assert pattern(float32()) == pattern(np.float32(0))


def test_scalars_survive_arrays_hashing_and_pickling():
    assert np.array([float32(1.5)]).dtype == np.float32
    assert {int32(3): 1}[int32(3)] == 1
    assert pattern(pickle.loads(pickle.dumps(uint64(2**64 - 1)))) == ("uint64", 2**64 - 1)
    assert [0, 1, 2][int8(2)] == 2
    assert repr(float32(0.1)) == "float32(0.1)"
    assert repr(uint8(7)) == "uint8(7)"


def test_the_type_of_every_numpy_integer_class_is_known():
    for code in "bBhHiIlLqQ":
        cls = np.dtype(code).type
        assert scalars.type_of_scalar(cls(1)).dtype == np.dtype(code)
