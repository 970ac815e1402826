"""Arrays of any strides are given to a call by `sb.strided`, and hold what it wrote afterwards."""

from __future__ import annotations

import typing
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, int32
from samebits.errors import ArgumentError, Trap

T = typing.TypeVar("T")


@sb.struct
class Point:
    x: float32
    tag: int32


@sb.kernel
def doubled(a: sb.Array[float32], b: sb.ReadOnly[float32], stop: int) -> float32:
    total = float32(0)
    for i in range(stop):
        a[i] = a[i] * 2 + b[i]
        total += a[i]
    return total


@sb.kernel
def largest(a: sb.ReadOnly[T, 2]) -> T:
    best = a[0, 0]
    for row in a:
        for x in row:
            best = sb.max(best, x)
    return best


@sb.kernel
def tagged(points: sb.Array[Point], by: int32) -> None:
    for point in points:
        point.tag += by


EXECUTIONS: dict[str, Any] = {
    "compiled": lambda kernel: kernel,
    "managed": lambda kernel: kernel.managed,
    "evaluated": lambda kernel: lambda *args, **named: sb.evaluate(kernel, *args, **named),
    "checked for races": lambda kernel: kernel.check_races,
}
each = pytest.mark.parametrize("way", EXECUTIONS)


def image() -> Any:
    return np.arange(12, dtype=np.float32).reshape(3, 4)


@each
def test_a_column_is_read_and_written(way: str) -> None:
    call = EXECUTIONS[way](doubled)
    for _ in range(2):  # the second call finds the kernel compiled
        a = image()
        assert call(sb.strided(a[:, 1]), sb.strided(a[:, 2]), 3) == 2 * 15 + 18
        assert a[:, 1].tolist() == [4, 16, 28]
        assert a[:, [0, 2, 3]].tolist() == image()[:, [0, 2, 3]].tolist()
    a = image()
    assert call(a=sb.strided(a[::-1, 0]), b=a[2].copy(), stop=1) == 16 + 8
    assert a[:, 0].tolist() == [0, 4, 24]


@each
def test_what_a_trap_left_is_written_back(way: str) -> None:
    a = image()
    with pytest.raises(Trap, match="index 3 is out of range for an array of 3"):
        EXECUTIONS[way](doubled)(sb.strided(a[:, 0]), np.ones(9, np.float32), 4)
    assert a[:, 0].tolist() == [1, 9, 17]


@each
def test_generic_kernels_and_structs_take_them(way: str) -> None:
    call = EXECUTIONS[way](largest)
    assert call(sb.strided(np.asfortranarray(image()))) == 11
    assert call(sb.strided(np.broadcast_to(np.int32([[3], [5]]), (2, 4)))) == 5
    points = np.zeros(5, Point.dtype)
    EXECUTIONS[way](tagged)(sb.strided(points[::2]), 3)
    assert points["tag"].tolist() == [3, 0, 3, 0, 3]


def test_a_contiguous_array_is_no_copy() -> None:
    a = image()
    assert doubled(sb.strided(a[0]), a[0], 4) == 0 + 3 + 6 + 9
    assert a[0].tolist() == [0, 3, 6, 9]
    sb.assert_same_bits(doubled, sb.strided(a[:, 0]), sb.strided(a[:, 1]), 3)
    assert a[1].tolist() == image()[1].tolist()


@each
def test_shared_elements_are_refused(way: str) -> None:
    call, a = EXECUTIONS[way](doubled), image()
    for one, other in ((a[:, 0], a[:, 0]), (a[:, 0], a[1]), (a[:, 0], a[::-1, 0])):
        with pytest.raises(
            ArgumentError, match="'a': its elements share memory with parameter 'b'"
        ):
            call(sb.strided(one), sb.strided(other), 3)
    same = np.lib.stride_tricks.as_strided(a[0], (4,), (0,))
    with pytest.raises(ArgumentError, match="elements of the array are the same memory"):
        call(sb.strided(same), a[1], 2)
    assert a.tolist() == image().tolist()


@each
def test_what_no_copy_mends_is_refused(way: str) -> None:
    call, a = EXECUTIONS[way](doubled), image()
    with pytest.raises(ArgumentError, match="got float64"):
        call(sb.strided(a.astype(np.float64)[:, 0]), a[1], 2)
    frozen = a[:, 0]
    frozen.flags.writeable = False
    with pytest.raises(ArgumentError, match="writable; got a read-only array"):
        call(sb.strided(frozen), a[:, 1].copy(), 2)
    with pytest.raises(ArgumentError, match="whose mask a kernel can't see"):
        call(sb.strided(np.ma.masked_array(a, a > 3)[:, 0]), a[:, 1].copy(), 2)
    with pytest.raises(ArgumentError, match=r"takes sb\.strided\(a\), which copies"):
        call(a[:, 0], a[:, 1], 2)


def test_only_arrays_are_strided() -> None:
    with pytest.raises(ArgumentError, match="takes an ndarray; got list"):
        sb.strided([1.0])  # pyright: ignore[reportArgumentType]


@sb.job
class Fill(sb.ParallelFor):
    out: sb.Array[float32]

    def execute(self, index: int32) -> None:
        self.out[index] = float32(1)


def test_memory_of_a_scheduled_job_is_refused() -> None:
    a = image()
    handle = Fill(out=a[1]).schedule(4)
    for call in (doubled, doubled.managed):
        with pytest.raises(ArgumentError, match="memory that the scheduled job Fill"):
            call(sb.strided(a[:, 0]), np.ones(3, np.float32), 3)
    handle.complete()
    assert doubled(sb.strided(a[:, 0]), np.ones(3, np.float32), 3) == 1 + 3 + 17
