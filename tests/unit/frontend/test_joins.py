"""A name has the join of all that is assigned to it, in every execution."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import ReadOnly, fix32, float32, float64, half, int32, int64, uint8, uint64


@sb.kernel
def total(a: ReadOnly[float32]) -> float32:
    s = 0.1  # a float32 from here on
    for i in range(len(a)):
        s += a[i]
    return s * 3


@sb.kernel
def either(a: ReadOnly[float32], flag: bool) -> float64:
    if flag:
        y = 1
    else:
        y = a[0]
    return float64(y) * 0.1


@sb.kernel
def other_way(a: ReadOnly[float32], flag: bool) -> float64:
    y = a[0]
    if flag:
        y = 0.1
    return float64(y)


@sb.kernel
def widened(x: float64, flag: bool) -> float64:
    third = x if flag else 0.1
    rounded = float32(x) if flag else 0.1
    count = 1 if flag else 0.5
    return third + float64(rounded) + count


@sb.kernel
def greatest(a: ReadOnly[int32]) -> int32:
    best = -1
    for i in range(len(a)):
        if a[i] > best:
            best = a[i]
        elif a[i] == -7:
            best = i * 3_000_000_000
    return best


@sb.kernel
def velocity(n: int) -> float64:
    v = 0
    for _i in range(n):
        v += 0.5
    return float64(v)


@sb.kernel
def three_steps(x: float32) -> float64:
    n = 0
    n += 0.1
    m = n * 3
    n = x
    return float64(m) + n


@sb.kernel
def unpacked(a: ReadOnly[float32]) -> float64:
    x, y = 0, 0.1
    s = n = 0.1
    for i in range(len(a)):
        x, y = y, a[i]
        n = a[i]
    return float64(x) + float64(y) + float64(n) + s


@sb.kernel
def parameter(x: float32, n: uint8, big: uint64, at: int) -> float64:
    if n > 3:
        x = 0.1
        n = at
        big = 14_695_981_039_346_656_037
    return float64(x) + float64(n) + float64(big)


@sb.kernel
def annotated(n: int64) -> float64:
    x: float32 = 0.1
    k: int64 = 3
    k = n
    return float64(x) + float64(k)


@sb.kernel
def other_numbers(x: fix32, h: half) -> fix32:
    s = 0
    s += x
    k = 0.5
    k = h
    return s + fix32.from_float(float32(k))


@sb.kernel
def in_parallel(a: sb.Array[float32]) -> None:
    for i in sb.prange(len(a)):
        s = 0.1
        for _k in range(2):
            s += a[i]
        a[i] = s if a[i] > 0 else -1


ONES = np.array([1, 2, 3], np.float32)
CASES: tuple[tuple[Any, tuple[Any, ...]], ...] = (
    (total, (ONES,)), (total, (ONES[:0],)),
    (either, (ONES, True)), (either, (ONES, False)),
    (other_way, (ONES, True)), (other_way, (ONES, False)),
    (widened, (2.0, True)), (widened, (2.0, False)),
    (greatest, (np.array([1, 9, 3], np.int32),)), (greatest, (np.array([], np.int32),)),
    (velocity, (3,)), (velocity, (0,)), (three_steps, (1.5,)), (unpacked, (ONES,)),
    (parameter, (1.5, 7, 3, 200)), (parameter, (1.5, 1, 3, 300)), (annotated, (4,)),
    (other_numbers, (fix32(3), half(2.0))), (in_parallel, (ONES.copy(),)),
)  # fmt: skip


@pytest.mark.parametrize(("kernel", "arguments"), CASES)
def test_it_is_the_same_in_every_execution(kernel: Any, arguments: tuple[Any, ...]) -> None:
    sb.assert_same_bits(kernel, *arguments)


def test_a_weak_number_is_rounded_to_the_type_that_its_name_has_later() -> None:
    tenth = float64(float32(0.1))
    assert other_way(ONES, True) == tenth
    assert total(ONES[:0]) == float32(0.1) * float32(3)
    assert widened(2.0, False) == 0.1 + tenth + 0.5
    assert three_steps(0.0) == float64(float32(0.1) * float32(3))


@pytest.mark.parametrize(
    ("kernel", "arguments"),
    [
        (greatest, (np.array([1, -7, 3], np.int32), )),
        (parameter, (1.5, 7, 3, 256)),
        (parameter, (1.5, 7, 3, -1)),
    ],
)  # fmt: skip
def test_a_weak_int_that_does_not_fit_traps_where_it_is_assigned(
    kernel: Any, arguments: tuple[Any, ...]
) -> None:
    spans: set[object] = set()
    for run in (kernel, kernel.managed, lambda *a: sb.evaluate(kernel, *a)):
        with pytest.raises(sb.Trap) as found:
            run(*arguments)
        assert found.value.kind == "overflow"
        spans.add(found.value.span)
    assert len(spans) == 1


@sb.kernel
def counted(a: ReadOnly[float32]) -> float64:
    x, n, i = 0, 0, 0
    total = 0.0
    for i, x in enumerate(a):
        total += float64(i) * 0.3 + float64(x)
    for n in a:
        total += float64(n * 0.1)
    return total + float64(i)


def test_what_a_loop_gives_takes_the_type_of_its_name() -> None:
    sb.assert_same_bits(counted, ONES)
    sb.assert_same_bits(counted, ONES[:0])


@sb.kernel
def annotated_once() -> float64:
    x: float32 = 0.1
    return float64(x)


@sb.kernel
def in_two_bodies(a: sb.Array[float32], n: sb.Array[float64]) -> None:
    for i in sb.prange(len(n)):
        t = 7 // 2
        n[i] = t // 2 + 0.1 * t
    for i in sb.prange(len(a)):
        t = a[i]
        if t > 1:
            t = 0.1
        a[i] = t


def test_a_name_with_a_type_takes_it_in_every_execution() -> None:
    assert annotated_once() == float64(float32(0.1))
    sb.assert_same_bits(annotated_once)


def test_bodies_of_parallel_ranges_have_names_of_their_own() -> None:
    sb.assert_same_bits(in_two_bodies, ONES.copy(), np.zeros(3))


def test_only_loop_variables_are_said_to_count() -> None:
    @sb.kernel
    def weak(n: int) -> float:
        return n * 0.5

    @sb.kernel
    def clash(n: int32) -> int32:
        k = n
        k = weak(3)
        return k

    with pytest.raises(sb.CompileError, match=r"write `k = int32\(weak\(3\)\)`"):
        clash(1)


@sb.kernel
def annotated_wide(a: ReadOnly[int32], x: ReadOnly[float32]) -> float64:
    total: int64 = 0
    mean: float64 = 0
    steps: int = 0
    share: float = 0
    for k in range(len(a)):
        total += a[k]
        mean += x[k]
        steps += k
        share += 0.25
    share += float64(steps)
    return float64(total) + mean + share


def test_a_name_that_is_annotated_wide_stays_wide() -> None:
    a, x = np.full(3, 2**31 - 1, np.int32), np.array([1e8, 1, 1], np.float32)
    assert annotated_wide(a, x) == 3 * (2**31 - 1) + 100_000_002.0 + 0.75 + 3
    sb.assert_same_bits(annotated_wide, a, x)


@sb.kernel
def annotated_int(a: ReadOnly[int32]) -> int32:
    total: int = 0
    for k in range(len(a)):
        total += a[k]
    return total


@sb.kernel
def annotated_float(a: ReadOnly[float32]) -> float32:
    total: float = 0.0
    for k in range(len(a)):
        total += a[k]
    return total


@sb.kernel
def annotated_for_uint64(a: ReadOnly[uint64]) -> uint64:
    bits: int = 1
    bits ^= a[0]
    return bits


@sb.kernel
def annotated_int_of_floats(a: ReadOnly[float64]) -> float:
    half_ones: int = 0
    for _ in range(len(a)):
        half_ones += 0.5
    return half_ones


@pytest.mark.parametrize(
    ("kernel", "dtype", "fix"),
    [
        (annotated_int, np.int32, "write `total: int64 = 0` or `total: int32 = 0`"),
        (annotated_float, np.float32, "write `total: float64 = 0.0` or `total: float32 = 0.0`"),
        (annotated_for_uint64, np.uint64, "write `bits: uint64 = 1`"),
        (annotated_int_of_floats, np.float64, "write `half_ones: float = 0`"),
    ],
)
def test_an_annotation_that_would_not_hold_is_refused(kernel: Any, dtype: Any, fix: str) -> None:
    with pytest.raises(sb.CompileError, match="is annotated") as caught:
        kernel(np.ones(3, dtype))
    assert caught.value.fix == fix
