"""Tuples written out or captured: loops over them, membership, constant indices; float()."""

from __future__ import annotations

import math as host
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float2, float32, float64, int32, math, uint8

STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
SIZES = (1.5, 2.5)
MIXED = (1, 0.5)
ROWS = ((1, 2.5), (0.5, 3), (7, -1))
LISTED = [1, 2]
LARGE = (2**62, 2**62)


@sb.kernel
def around(a: sb.ReadOnly[float64, 2], y: int, x: int) -> float64:
    total = 0.0
    for dy in (-1, 0, 1):
        for dx in [-1, 0, 1]:
            if dy == 0 and dx == 0:
                continue
            total += a[y + dy, x + dx]
    return total


@sb.kernel
def captured(y: int, x: int) -> int:
    n = 0
    for k, (dy, dx) in enumerate(STEPS):
        n = n * 7 + k * (y + dy) * (x + dx)
        if n > 1000:
            break
    else:
        n += 1
    for v in reversed((1, 2, 3)):
        n += v * n
    for v, w in zip((1, 2), (0.5, 0.25), strict=False):
        n += int(w * 8) * v
    return n


@sb.kernel
def values(x: float32, n: int32) -> float32:
    total = float32(0)
    for d in (float2(1, 0), float2(0, x)):
        total += d.x + 2 * d.y
    for z in (x, x * 2, x * 3):
        total = total * z + 1
    last = n
    for last in (n, n + 1):
        total += float32(last)
    return total + float32(last)


@sb.kernel
def member(c: uint8, x: float64, n: int) -> int:
    found = 0
    if c in ("a", "b", "z"):
        found += 1
    if x not in SIZES:
        found += 2
    if x in (math.nan, 1.5, x):
        found += 4
    if n in {1, 2, 300}:
        found += 8
    if c in [n, 98]:
        found += 16
    if STEPS[1][0] == 1 and SIZES[-1] > 2:
        found += 32
    if n in ():  # noqa: RUF060
        found += 64
    return found


@sb.kernel
def wide() -> int:
    total = 0
    for n in LARGE:
        total = n + n
    return total


@sb.kernel
def as_floats(n: int, x: float32, flag: bool) -> float64:
    y = float(n) / 3
    return y + float(x) * float(flag) + float(3) + float(0.5)  # noqa: UP018


def test_loops_over_tuples_are_the_same_everywhere() -> None:
    a = np.arange(25.0).reshape(5, 5)
    sb.assert_same_bits(around, a, 2, 2)
    assert around(a, 2, 2) == sum(a[1:4, 1:4].ravel()) - a[2, 2]
    for y, x in ((0, 0), (3, 4), (-5, 100), (50, 60)):
        sb.assert_same_bits(captured, y, x)
    for x in (0.3, host.nan, 1e30):
        sb.assert_same_bits(values, float32(x), int32(3))


def test_membership_compares_numbers_alone() -> None:
    for c in (97, 98, 3, 122):
        for x in (1.5, 2.5, host.nan, 0.0):
            for n in (1, 200, 3, 98):
                sb.assert_same_bits(member, uint8(c), x, n)
    assert member(uint8(97), 1.5, 1) == 1 + 4 + 8 + 32
    assert member(uint8(3), host.nan, 3) & 6 == 2  # a NaN is not among any


def test_captured_numbers_overflow_as_others_do() -> None:
    for execution in (wide, wide.managed):
        with pytest.raises(sb.Trap, match="overflow"):
            execution()


def test_float_of_numbers() -> None:
    for n in (7, 2**53 + 1, -(2**63)):
        sb.assert_same_bits(as_floats, n, float32(0.1), True)
    assert as_floats(7, float32(0.1), True) == 7 / 3 + float(float32(0.1)) + 3.5


@sb.kernel
def mixed(x: float32, n: int32, k: int) -> float64:
    total = float64(0)
    for v in (x, 1, 0.1):
        total = total * 3 + v
        v += 0.3
        total += v
    for v in MIXED:
        total += v * k
    for i, (a, (b, c)) in enumerate(reversed(((1, (x, k)), (2.5, (7, n)), (k, (0.1, 5))))):
        total = total * i + a * b + c
    for p, (q, r) in zip([n, k + 1, 4], ROWS, strict=False):
        p += 1
        total += p * q + r
    return total


@sb.kernel
def narrowed(n: int32, k: int, times: int) -> int32:
    total = n
    for _, v in zip(range(times), (n, k), strict=False):
        total += v
    return total


def test_pythons_numbers_in_a_tuple_take_the_type_of_the_others() -> None:
    for x in (0.3, host.nan, -1e30):
        for k in (3, -7):
            sb.assert_same_bits(mixed, float32(x), int32(2), k)
    assert narrowed(int32(3), 4, 2) == 10
    for times in (0, 1, 2):  # the items are computed before the loop
        for run in (narrowed, narrowed.managed):
            with pytest.raises(sb.Trap, match="does not fit int32"):
                run(int32(3), 2**40, times)
        sb.assert_same_bits_each(narrowed, [(int32(3), 2**40, times)])


@sb.kernel
def of_two_types(n: int32, x: float32) -> float64:
    total = 0.0
    for v in (n, 0.5):
        total += v * x
    return total


@sb.kernel
def of_two_widths(x: float32, y: float64) -> float64:
    total = 0.0
    for v in (x, y):
        total += v
    return total


@sb.kernel
def of_list() -> int:
    total = 0
    for n in LISTED:
        total += n
    return total


@sb.kernel
def of_nothing() -> int:
    total = 0
    for _ in ():
        total += 1
    return total


@sb.kernel
def pair_inside() -> int:
    total = 0
    for n, step in enumerate(STEPS):
        total += n * step
    return total


@sb.kernel
def uneven() -> int:
    total = 0
    for _ in ((1, 2), (1, 2, 3)):
        total += 1
    return total


@sb.kernel
def beyond() -> int:
    return STEPS[4][0]


@sb.kernel
def vectors(v: float2) -> bool:
    return v in (float2(0), v)


@sb.kernel
def in_chain(n: int) -> bool:
    return 0 < n in (1, 2)


@sb.kernel
def words(n: int) -> float64:
    return float("inf")


@pytest.mark.parametrize(
    ("kernel", "given", "message", "fix"),
    [
        (of_two_types, (1, 2), "int32 and a Python float", "`float64(x)`"),
        (of_two_widths, (1, 2), "float32 and float64", "`float64(x)`"),
        (of_list, (), "runs over", "LISTED = (...)"),
        (of_nothing, (), "runs over", "no items"),
        (
            pair_inside,
            (),
            "but this is tuple[int, int]",
            "component",
        ),
        (uneven, (), "different lengths", "as many values"),
        (beyond, (), "index 4 of a tuple of 4", "0 to 3"),
        (vectors, (float2(1),), "compares numbers", "sb.all"),
        (in_chain, (1,), "chain", "and b in c"),
        (words, (1,), "strings", "math.inf"),
    ],
)
def test_what_is_refused(kernel: Any, given: tuple[Any, ...], message: str, fix: str) -> None:
    with pytest.raises(sb.CompileError) as caught:
        kernel(*given)
    assert message in caught.value.message
    assert fix in (caught.value.fix or "")
