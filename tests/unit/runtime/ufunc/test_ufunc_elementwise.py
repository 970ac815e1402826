"""Square root, rounding, least and greatest, and halves over NumPy arrays: the bits of calls with
numbers, at every type, layout and shape."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import math
from samebits.errors import ArgumentError

FLOATS = ("float32", "float64")
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
OF_FLOATS = (math.sqrt, math.floor, math.ceil, math.trunc, math.round)
OF_NUMBERS = (math.abs, math.sign)
OF_INTEGERS = (math.popcount, math.clz, math.ctz)


def values(name: str) -> Any:
    """Hard values of a type."""
    dtype = np.dtype(name)
    if dtype.kind == "f":
        info = np.finfo(name)
        sizes = [0.0, info.smallest_subnormal, info.tiny, 0.5, 1.0, 1.5, 2.5, 1 / 3, 2.0**23 + 0.5]
        some = [*sizes, 2.0**52 - 0.5, float(info.max), np.inf, np.nan]
        return np.array([*some, *(-x for x in some)], dtype)
    info = np.iinfo(name)
    found = {int(info.min), int(info.max), 0, 1, 2, 77, int(info.max) // 3, -1, -2}
    return np.array(sorted(n for n in found if info.min <= n <= info.max), dtype)


def one_by_one(function: Any, *arrays: Any) -> Any:
    """The same by calls with numbers."""
    given = np.broadcast_arrays(*arrays)
    rows = [function(*row) for row in zip(*(a.reshape(-1) for a in given), strict=True)]
    return np.array(rows).reshape(given[0].shape)


def same(found: Any, wanted: Any) -> None:
    assert type(found) is np.ndarray
    assert (found.dtype, found.shape) == (wanted.dtype, wanted.shape)
    assert found.tobytes() == wanted.tobytes()


@pytest.mark.parametrize("function", [*OF_FLOATS, *OF_NUMBERS], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", FLOATS)
def test_floats_have_the_bits_of_calls_with_numbers(function: Any, name: str) -> None:
    x = values(name)
    same(function(x), one_by_one(function, x))
    bits = x.view(f"u{x.itemsize}")
    bits[np.isnan(x)] ^= 1  # NaNs with a payload give the canonical one
    same(function(x), one_by_one(function, x))


@pytest.mark.parametrize("function", [*OF_NUMBERS, *OF_INTEGERS], ids=lambda f: f.__name__)
@pytest.mark.parametrize("name", INTEGERS)
def test_integers_stay_integers(function: Any, name: str) -> None:
    x = values(name)
    same(function(x), one_by_one(function, x))


@pytest.mark.parametrize("name", [*FLOATS, *INTEGERS])
def test_the_least_the_greatest_and_what_lies_between(name: str) -> None:
    x = values(name)
    for function in (math.min, math.max):
        same(function(x[:, None], x), one_by_one(function, x[:, None], x))
    picks = np.array(list(itertools.product(x[::3], repeat=3)), x.dtype).T
    same(math.clamp(*picks), one_by_one(math.clamp, *picks))
    low, high = x[len(x) // 3], x[len(x) // 2]
    same(math.clamp(x, low, high), one_by_one(math.clamp, x, low, high))


@pytest.mark.parametrize("name", FLOATS)
def test_signs_copied_and_products_added(name: str) -> None:
    x = values(name)
    same(math.copysign(x[:, None], x), one_by_one(math.copysign, x[:, None], x))
    picks = np.array(list(itertools.product(x[::2], repeat=3)), x.dtype).T
    same(math.fma(*picks), one_by_one(math.fma, *picks))


def test_types_are_joined_as_for_numbers() -> None:
    small, wide = np.array([-3, 3], np.int8), np.array([2, -2], np.int32)
    assert math.min(small, wide).dtype == np.int32
    assert math.max(small, 2).dtype == np.int8
    assert math.max(small, 2.5).dtype == np.float32  # as a float function of 8-bit integers
    assert math.min(wide, np.float32(0.5)).dtype == np.float64
    assert math.sqrt(small).dtype == np.float32
    assert math.floor(wide).dtype == np.float64
    assert math.abs(np.array([-1.5], np.float16)).dtype == np.float32
    assert math.min(1.0, np.array([2.0, 0.5])).tolist() == [1.0, 0.5]


def test_one_array_alone_has_a_least_element_and_two_have_one_each() -> None:
    x = np.array([3.0, -1.0, 2.0])
    assert math.min(x) == -1.0
    assert math.min(x, x[::-1]).tolist() == [2.0, -1.0, 2.0]
    assert math.max(x, 0.0).tolist() == [3.0, 0.0, 2.0]


def test_any_layout_and_out() -> None:
    x = np.arange(-12.0, 12.0).reshape(4, 6)
    for view in (x[::-1, ::2], x.T, x.astype(">f8"), x[:0]):
        same(math.abs(view), np.abs(np.ascontiguousarray(view, np.float64)))
    out = np.empty((4, 6))
    assert math.clamp(x, -1.0, 1.0, out=out) is out
    assert out.tolist() == np.clip(x, -1, 1).tolist()
    line = np.arange(8.0)
    assert math.max(line[:-1], 3.0, out=line[1:]) is not None
    assert line.tolist() == [0.0, 3.0, 3.0, 3.0, 3.0, 4.0, 5.0, 6.0]
    assert math.sqrt(line, out=line) is line
    guarded = sb.guarded(np.array([-2.0, 2.0]))
    assert math.abs(guarded).tolist() == [2.0, 2.0]
    assert math.abs(np.array(-2.0)).shape == ()


def test_halves_of_every_pattern() -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    with np.errstate(invalid="ignore"):  # signalling NaNs
        numbers = bits.view(np.float16).astype(np.float32)
    wide, widest = math.f16_to_f32(bits), math.f16_to_f64(bits)
    assert (wide.dtype, widest.dtype) == (np.float32, np.float64)
    assert np.array_equal(wide, numbers, equal_nan=True)
    assert np.array_equal(widest, wide, equal_nan=True)
    math.f32_to_f16(wide)
    back = math.f32_to_f16(wide)  # as every later call
    assert back.dtype == np.uint16
    assert np.array_equal(back, np.where(np.isnan(numbers), 0x7E00, bits))
    out = np.empty(len(bits), np.uint16)
    assert math.f64_to_f16(wide, out=out) is out  # float32 is exact in float64
    assert np.array_equal(out, back)


def test_what_fits_no_function_is_refused_with_what_to_write() -> None:
    x = np.arange(3.0)
    for call, message, fix in (
        (lambda: math.abs(x > 1), "abs() takes numbers, got an array of bool",
         "convert it, for example x.astype(np.int32)"),
        (lambda: math.min(np.arange(3), np.arange(3, dtype=np.uint64)),
         "min() of int64 and uint64 has no common type",
         "convert one of them, for example x.astype(np.int64)"),
        (lambda: math.popcount(x), "popcount() takes integers, got floats",
         "convert them, for example x.astype(np.int32), or give their bits: x.view(np.uint32)"),
        (lambda: math.rotl(x, 1), "rotl() takes integers, got floats",
         "convert them, for example x.astype(np.int32), or give their bits: x.view(np.uint32)"),
        (lambda: math.f32_to_f16(x), "f32_to_f16() takes float32, got an array of float64",
         "write math.f64_to_f16(x), which rounds once"),
        (lambda: math.f16_to_f32(x.astype(np.float16)),
         "f16_to_f32() takes uint16, got an array of float16",
         "give their bits: x.view(np.uint16)"),
        (lambda: math.f16_to_f32(x), "f16_to_f32() takes uint16, got an array of float64",
         "convert it: x.astype(np.uint16)"),
        (lambda: math.sqrt([1.0]), "sqrt() takes numbers, vectors and arrays, got list",
         "write math.sqrt(np.array(x, np.float64))"),
        (lambda: math.min(x, x[:2]), "min() of arrays of shapes (3,) and (2,), which do not "
         "broadcast", "give lengths that are equal or 1, counted from the last axis"),
        (lambda: math.min(sb.float2(1, 2), x), "min() of a vector and an array",
         "give arrays alone"),
        (lambda: math.f32_to_f16(x, x), "f32_to_f16() takes 1 argument, but 2 are given",
         "write math.f32_to_f16(x)"),
    ):  # fmt: skip
        with pytest.raises(ArgumentError) as error:
            call()
        assert (error.value.message, error.value.fix) == (message, fix)


def test_managed_kernels_have_no_numpy_arrays() -> None:
    @sb.kernel
    def roots(x: sb.float64) -> sb.float64:
        return math.sqrt(ARRAY)  # pyright: ignore

    with pytest.raises(ArgumentError, match="takes numbers and vectors, got an array"):
        roots.managed(1.0)


ARRAY = np.ones(3)


@pytest.mark.parametrize("name", ["sqrt", "floor", "ceil", "trunc", "round"])
def test_integers_and_bools_count_as_floats_alone_as_in_arrays(name: str) -> None:
    function = getattr(math, name)
    for x in (
        True, np.True_, sb.int8(7), np.int16(-300), sb.uint16(9), np.int32(2**24 + 1),
        sb.uint32(2**32 - 1), np.int64(2**53 + 1), sb.uint64(2**64 - 1),
    ):  # fmt: skip
        alone, one = function(x), function(np.array([x]))
        assert np.asarray(alone).dtype == one.dtype
        assert np.asarray(alone).tobytes() == one.tobytes()


def test_integers_beside_floats_count_as_floats() -> None:
    assert type(math.fma(np.int8(2), np.float32(3), True)) is sb.float32
    assert type(math.copysign(sb.int32(2), np.float32(-1))) is sb.float64


def test_kernels_still_convert_by_hand() -> None:
    @sb.kernel
    def root(n: sb.int32) -> sb.float64:
        return math.sqrt(n)  # type: ignore[return-value]

    with pytest.raises(sb.ArgumentError, match="sqrt takes a float, got int32"):
        root.managed(4)
    with pytest.raises(sb.CompileError):
        root(4)


def test_an_integer_that_the_array_does_not_hold_is_refused() -> None:
    with pytest.raises(sb.ArgumentError, match="1000 does not fit int8") as caught:
        math.clamp(np.array([1], np.int8), 0, 1000)
    assert caught.value.fix == "widen the array: x.astype(np.int16)"
    with pytest.raises(sb.ArgumentError, match="-1 does not fit uint8") as caught:
        math.min(np.array([1], np.uint8), -1)
    assert caught.value.fix == "widen the array: x.astype(np.int16)"
    with pytest.raises(sb.ArgumentError, match="does not fit uint64") as caught:
        math.max(np.array([1], np.uint64), 2**64)
    assert caught.value.fix == "give an integer within these"


def test_arguments_go_by_position_in_every_execution() -> None:
    with pytest.raises(TypeError, match="positional-only"):
        math.sqrt(x=4.0)  # type: ignore[call-arg]
