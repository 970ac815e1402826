"""Functions of whole arrays add in the documented shape, and nothing else changes their bits."""

from __future__ import annotations

import math as python_math
import re
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, float32, float64, int32, math, uint8
from samebits.errors import ArgumentError, CompileError, Trap

LENGTHS = (0, 1, 2, 63, 64, 65, 127, 2047, 2048, 2049, 4096, 3 * 2048 + 700, 7 * 2048)
FLOATS = (np.float32, np.float64)


def values(n: int, dtype: Any, seed: int = 1) -> Any:
    random = np.random.default_rng(seed)
    return (random.standard_normal(n) * 2.0 ** random.integers(-30, 30, n)).astype(dtype)


def in_shape(x: Any) -> Any:
    """The sum as docs/reference/reductions.md defines it, in NumPy scalars."""
    if len(x) == 0:
        return x.dtype.type(0)

    def block(part: Any) -> Any:
        lanes = np.full(64, -0.0, x.dtype)
        for first in range(0, len(part), 64):
            row = part[first : first + 64]
            lanes[: len(row)] += row
        while len(lanes) > 1:
            half = len(lanes) // 2
            lanes = lanes[:half] + lanes[half:]
        return lanes[0]

    whole = len(x) // 2048
    total = block(x[whole * 2048 :])
    # The binary digits of the count of blocks say how they are joined: the highest come first.
    parts, at = [], 0
    for level in reversed(range(whole.bit_length())):
        if whole >> level & 1:
            parts.append((at, 1 << level))
            at += 1 << level

    def tree(first: int, count: int) -> Any:
        if count == 1:
            return block(x[first * 2048 : (first + 1) * 2048])
        return tree(first, count // 2) + tree(first + count // 2, count // 2)

    for first, count in reversed(parts):
        total = tree(first, count) + total
    return total


def bits(x: Any) -> bytes:
    return np.asarray(x).tobytes()


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("n", LENGTHS)
def test_sum_and_dot_have_the_documented_shape(n: int, dtype: Any) -> None:
    x, y = values(n, dtype), values(n, dtype, 2)
    assert bits(math.sum(x)) == bits(in_shape(x))
    assert bits(math.dot(x, y)) == bits(in_shape(x * y))
    with np.errstate(all="ignore"):
        mean = in_shape(x) / dtype(n)
        variance = in_shape((x - mean) * (x - mean)) / dtype(n)
    assert bits(math.mean(x)) == bits(dtype(np.nan) if n == 0 else mean)
    assert bits(math.variance(x)) == bits(dtype(np.nan) if n == 0 else variance)


@sb.kernel
def by_builtin(
    x: ReadOnly[float32], whole: ReadOnly[uint8], table: ReadOnly[float64, 2]
) -> float64:
    total = float64(sum(x)) + float64(sum(whole))
    for row in table:
        total += sum(row)
    return total


def test_the_builtin_sum_of_an_array_is_the_librarys() -> None:
    x, table = values(3000, np.float32), values(600, np.float64).reshape(6, 100)
    wanted = np.float64(math.sum(x)) + 300.0
    for row in table:
        wanted += math.sum(row)
    whole = np.ones(300, np.uint8)
    assert bits(np.float64(by_builtin(x, whole, table))) == bits(wanted)
    sb.assert_same_bits(by_builtin, x, whole, table)


@sb.kernel
def of_floats(x: ReadOnly[float32], y: ReadOnly[float32], out: Array[float32]) -> int32:
    """Everything, in a kernel."""
    out[0] = math.sum(x)
    out[1] = math.dot(x, y)
    out[2] = math.mean(x)
    out[3] = math.norm(x)
    out[4] = math.min(x)
    out[5] = math.max(x)
    out[6] = math.exact_sum(x)
    out[7] = math.min(out[4], out[5]) + math.variance(x)
    math.cumsum(x, out)
    return int32(math.argmin(x)) + 1000 * int32(math.argmax(x))


@pytest.mark.parametrize("n", [8, 70, 2100])
def test_every_execution_gives_the_same(n: int) -> None:
    sb.assert_same_bits(of_floats, values(n, np.float32), values(n, np.float32, 3),
                        np.zeros(n, np.float32))  # fmt: skip


@sb.struct
class Row:
    cells: sb.FixedArray[float64, 70]


@sb.kernel
def of_row(row: Row) -> float64:
    return math.sum(row.cells) + math.norm(row.cells) + math.exact_sum(row.cells)


def test_fixed_arrays_and_local_arrays_are_arrays() -> None:
    row = Row()
    row.memory["cells"][:] = values(70, np.float64)
    sb.assert_same_bits(of_row, row)


def exactly(x: Any) -> Any:
    total = sum(map(Fraction, x.tolist()), Fraction(0))
    if x.dtype == np.float64:
        return np.float64(python_math.fsum(x))
    # One rounding to float32: to odd at 60 bits first, which a second rounding cannot be misled by.
    if total == 0:
        return np.float32(0)
    scale = Fraction(2) ** (
        59 - (abs(total.numerator).bit_length() - total.denominator.bit_length())
    )
    scaled = total * scale
    whole = scaled.numerator // scaled.denominator
    if whole != scaled:
        whole |= 1
    return np.float32(np.longdouble(int(whole)) / np.longdouble(float(scale)))


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("dtype", FLOATS)
def test_exact_sum_is_rounded_once(dtype: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    spread = (3, 20, 60, 120)[seed % 4]
    n = int(random.integers(1, 400))
    x = (random.standard_normal(n) * 2.0 ** random.integers(-spread, spread, n)).astype(dtype)
    if seed % 3 == 0:
        x = np.concatenate([x, -x[::-1], x[:1] * dtype(2.0**-20)])
    assert bits(math.exact_sum(x)) == bits(exactly(x))
    assert bits(math.exact_sum(random.permutation(x))) == bits(exactly(x))


@pytest.mark.parametrize(
    ("x", "expected"),
    [
        ([], 0.0), ([-0.0, -0.0], -0.0), ([-0.0, 0.0], 0.0), ([1.0, -1.0], 0.0),
        ([np.inf, 1.0], np.inf), ([np.inf, -np.inf], np.nan), ([np.nan, 1.0], np.nan),
        ([1.7e308, 1.7e308, -1.7e308], 1.7e308), ([1.7e308, 1.7e308], np.inf),
        ([-1.7e308, -1.7e308], -np.inf), ([5e-324, 5e-324], 1e-323), ([2.0**53, 1.0], 2.0**53),
        ([2.0**53, 1.0, 5e-324], 2.0**53 + 2), ([-(2.0**53), -1.0, -5e-324], -(2.0**53) - 2),
        ([2.0**53 + 2, 1.0], 2.0**53 + 4), ([2.0**-1022, -5e-324], 2.0**-1022 - 5e-324),
    ],
)  # fmt: skip
def test_exact_sum_of_special_cases(x: list[float], expected: float) -> None:
    assert bits(math.exact_sum(np.array(x, np.float64))) == bits(np.float64(expected))


@pytest.mark.parametrize("dtype", [*FLOATS, np.int8, np.uint16, np.int64])
@pytest.mark.parametrize("n", [1, 64, 100, 2048, 5000])
def test_extremes_are_numpys(n: int, dtype: Any) -> None:
    x = values(n, np.float64).astype(dtype) if dtype in FLOATS else np.arange(n).astype(dtype) * 37
    assert bits(math.min(x)) == bits(x.min())
    assert bits(math.max(x)) == bits(x.max())
    assert math.argmin(x) == np.argmin(x)
    assert math.argmax(x) == np.argmax(x)


@pytest.mark.parametrize("at", [0, 5, 2047, 2048, 4099])
def test_a_nan_is_the_least_and_the_greatest_and_zeros_have_an_order(at: int) -> None:
    x = np.arange(-50, 4950, dtype=np.float32)
    x[at] = np.nan
    x[4500] = np.nan
    assert math.argmin(x) == math.argmax(x) == at
    assert bits(math.min(x)) == bits(math.max(x)) == bits(np.float32(np.nan))
    zeros = np.zeros(3000)
    zeros[at % 3000] = -0.0
    assert bits(math.min(zeros)) == bits(-0.0)
    assert bits(math.max(zeros)) == bits(0.0)
    assert math.argmin(zeros) == 0


@pytest.mark.parametrize("scale", [2.0**-1060, 2.0**-600, 1.0, 2.0**600, 2.0**1015])
def test_norm_neither_overflows_nor_vanishes(scale: float) -> None:
    x = np.array([3.0, -4.0, 12.0, 84.0])
    assert math.norm(x * scale) == 85.0 * scale
    assert math.norm(np.array([3e30, 4e30], np.float32)) == np.float32(5e30)
    assert python_math.isnan(math.norm(np.array([np.nan, np.inf])))
    assert math.norm(np.array([-np.inf])) == np.inf


@pytest.mark.parametrize("n", LENGTHS)
def test_cumsum_starts_anew_in_each_block(n: int) -> None:
    x = values(n, np.float32)
    expected = np.empty_like(x)
    before = np.float32(-0.0)
    for first in range(0, n, 2048):
        part = np.cumsum(x[first : first + 2048], dtype=np.float32)
        expected[first : first + 2048] = before + part
        before = expected[first : first + 2048][-1]
    assert bits(math.cumsum(x)) == bits(expected)


def test_integers_wrap_and_are_never_floats() -> None:
    x = np.array([2**31 - 1, 2**31 - 1, -5], np.int32)
    assert bits(math.sum(x)) == bits(np.int64(2**32 - 7))
    assert bits(math.sum(np.array([2**64 - 1, 2], np.uint64))) == bits(np.uint64(1))
    assert bits(math.dot(x, x)) == bits(np.int64(2 * (2**31 - 1) ** 2 + 25))
    assert math.mean(x) == (2**32 - 7) / 3
    assert bits(math.cumsum(x)) == bits(np.array([2**31 - 1, -2, -7], np.int32))


def test_any_layout_counts_in_c_order() -> None:
    x = values(600, np.float64).reshape(20, 30)
    assert bits(math.sum(x.T)) == bits(in_shape(x.T.reshape(-1)))
    assert bits(math.sum(x[::-2, ::3])) == bits(in_shape(x[::-2, ::3].reshape(-1)))
    assert math.cumsum(x).shape == x.shape


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: math.sum([1.0, 2.0]), "sum() takes an array, got list"),
        (lambda: math.sum(np.array(["a"])), "sum() has no form for arrays of <U1"),
        (lambda: math.dot(np.zeros(3), np.zeros(4)), "one shape, got (3,) of float64 and (4,)"),
        (
            lambda: math.exact_sum(np.zeros(3, np.int32)),
            "exact_sum() has no form for arrays of int32",
        ),
        (lambda: math.cumsum(np.zeros(3), np.zeros(3)), "cumsum() takes 1 array"),
        (lambda: math.mean(np.ma.zeros(3)), "mean() takes NumPy arrays, got MaskedArray"),
    ],
)
def test_what_cannot_be_reduced_is_refused(call: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=re.escape(message)):
        call()


@pytest.mark.parametrize("name", ["min", "max", "argmin", "argmax"])
def test_an_empty_array_has_no_extreme(name: str) -> None:
    with pytest.raises(Trap, match=re.escape(f"{name}() of an empty array")):
        getattr(math, name)(np.zeros(0))


def test_a_kernel_is_told_what_an_array_function_takes() -> None:
    @sb.kernel
    def wrong(x: float32) -> float32:
        return math.sum(x)

    with pytest.raises(CompileError, match=re.escape("sum() has no form for float32")):
        wrong(1.0)


def test_python_may_give_arrays_of_any_number_that_numpy_sums() -> None:
    x = values(3000, np.float64)
    assert math.sum(x.astype(">f8")).tobytes() == math.sum(x).tobytes()
    assert math.dot(x.astype(">f8")[::2], x.astype(">f8")[1::2]) == math.dot(x[::2], x[1::2])
    half = np.linspace(-2, 3, 500).astype(np.float16)
    wide = half.astype(np.float32)
    for function in (math.sum, math.norm, math.variance, math.exact_sum, math.max):
        assert type(function(half)) is float32
        assert function(half).tobytes() == function(wide).tobytes()
    flags = np.arange(300) % 3 == 0
    assert type(math.sum(flags)) is sb.int64
    assert math.sum(flags) == 100
    assert math.cumsum(flags).tolist() == np.cumsum(flags).tolist()
    whole = np.arange(-50, 70, dtype=np.int16)
    assert math.variance(whole) == math.variance(whole.astype(np.float64))
    assert math.norm(whole) == math.norm(whole.astype(np.float64))


REFUSED = {
    "axis": (
        lambda: math.sum(np.ones((2, 2)), axis=0),
        "sum() takes no `axis=`: it is a function of all elements\n"
        "  fix: give arrays by position, such as one row",
    ),
    "mask": (
        lambda: math.mean(np.ma.array([1.0, 2.0], mask=[0, 1])),
        "mean() takes NumPy arrays, got MaskedArray\n  fix: write math.mean(x.compressed())",
    ),
    "complex": (
        lambda: math.sum(np.ones(2, complex)),
        "sum() has no form for arrays of complex128\n"
        "  note: it takes bool, float32, float64, int16, int32, int64, int8, uint16, uint32, "
        "uint64, uint8\n  fix: write math.sum(x.real)",
    ),
    "whole": (
        lambda: math.exact_sum(np.ones(2, np.int64)),
        "exact_sum() has no form for arrays of int64\n  note: it takes float32, float64\n"
        "  fix: write math.sum(x), which is exact for integers",
    ),
    "lists": (
        lambda: math.dot([1.0], [2.0]),
        "dot() takes an array, got list\n  fix: write math.dot(np.asarray(x, np.float64))",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_a_reduction_refuses_it_refuses_in_these_words(case: str) -> None:
    run, expected = REFUSED[case]
    with pytest.raises(ArgumentError) as error:
        run()
    assert str(error.value) == expected


@sb.kernel
def how_many(flags: ReadOnly[bool]) -> int:
    return sum(flags) * 2 + int(math.sum(flags))


@sb.kernel
def of_a_table(table: ReadOnly[float64, 2]) -> float64:
    return math.sum(table)


def test_the_sum_of_bools_is_how_many_are_true() -> None:
    flags = np.arange(1000) % 3 == 0
    assert how_many(flags) == 3 * 334
    sb.assert_same_bits(how_many, flags)


def test_arrays_of_other_forms_are_refused_in_a_managed_run_too() -> None:
    for run in (of_a_table, of_a_table.managed):
        with pytest.raises(sb.SamebitsError, match=r"sum\(\) has no form for ReadOnly"):
            run(np.zeros((2, 2)))
