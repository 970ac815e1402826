"""Lengths, membership, elements, deletion and loops of the user's own structs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float2, float64, int32, int64


@sb.struct
class Ring:
    """The last eight numbers, the oldest first."""

    first: int32
    count: int32
    data: sb.FixedArray[float64, 8]

    __elements__ = "data"

    def __len__(self) -> int:
        return int(self.count)

    def __position__(self, index: int) -> int:
        assert 0 <= index < int(self.count), "not in the ring"
        return (int(self.first) + index) % 8

    def __contains__(self, value: float64) -> bool:
        for i in range(int(self.count)):  # noqa: SIM110
            if self[i] == value:
                return True
        return False

    def __delitem__(self, index: int) -> None:
        for i in range(index, int(self.count) - 1):
            self[i] = self[i + 1]
        self.count -= 1

    def put(self, value: float64) -> None:
        if self.count == 8:
            self.first = (self.first + 1) % 8
            self.count = 7
        self.data[(self.first + self.count) % 8] = value
        self.count += 1


@sb.struct
class Evens:
    """The even numbers below a bound."""

    bound: int64

    def __len__(self) -> int:
        return (int(self.bound) + 1) // 2

    def __after__(self, cursor: int) -> int:
        return 0 if cursor < 0 else cursor + 2

    def __at__(self, cursor: int) -> tuple[int, float64]:
        return cursor, float64(cursor) / 2


@sb.struct
class Points:
    items: sb.FixedArray[float2, 3]
    __elements__ = "items"


@sb.kernel
def use_ring(ring: Ring, n: int) -> tuple[float64, bool, bool]:
    for i in range(n):
        ring.put(float64(i * i))
    ring[0] += 0.5
    del ring[2]
    total = 0.0
    for i, x in enumerate(ring):
        total += x * float64(i)
    for a, b in zip(ring, reversed(ring)):  # noqa: B905
        total += a / (b + 1)
    return total, 25 in ring, 26 not in ring


@sb.kernel
def use_evens(evens: Evens) -> float64:
    total = 0.0
    for n, half in evens:
        total += float64(n) * 10 + half
    for i, (n, half) in enumerate(evens, 5):
        total += float64(n * i) - half
    return total


@sb.kernel
def use_points(points: Points, i: int) -> float2:
    points[i] = float2(1, 2)
    points[-1].y = 5
    points[i].x += 2
    return points[0] + points[1] + points[2]


@pytest.mark.parametrize("n", [3, 7, 12])
def test_a_ring_has_a_length_elements_members_and_loops(n: int) -> None:
    sb.assert_same_bits(use_ring, Ring(), n)
    ring = Ring()
    use_ring(ring, n)
    assert len(ring) == len(list(ring)) == min(n, 8) - 1
    assert next(iter(ring)) == ring[0]
    assert ring[0] in ring


def test_a_loop_follows_the_cursors() -> None:
    sb.assert_same_bits(use_evens, Evens(9))
    assert use_evens(Evens(4)) == 21 + 2 * 6 - 1
    assert list(Evens(4)) == [(0, 0.0), (2, 1.0)]


def test_elements_of_vectors_have_components() -> None:
    for i in range(3):
        sb.assert_same_bits(use_points, Points(), i)
    with pytest.raises(sb.Trap, match="index 3 is out of range for an array of 3"):
        sb.assert_same_bits(use_points, Points(), 3)


def test_a_position_that_traps_is_a_key_error_in_python() -> None:
    with pytest.raises(KeyError, match="not in the ring"):
        Ring()[0]


def refused(body: Any) -> str:
    with pytest.raises(sb.CompileError) as error:
        body()
    return error.value.message


@sb.kernel
def no_member(p: Points) -> bool:
    return 1.0 in p


@sb.kernel
def no_length(p: Points) -> int:
    return len(p)


@sb.kernel
def no_loop(p: Points) -> None:
    for _ in p:
        pass


@sb.kernel
def no_deletion(p: Points) -> None:
    del p[0]


@sb.kernel
def no_order(e: Evens) -> None:
    for _ in reversed(e):
        pass


@pytest.mark.parametrize(
    ("kernel", "given", "message"),
    [
        (no_member, Points(), "`in` is not there for Points"),
        (no_length, Points(), "len() of Points"),
        (no_loop, Points(), "a `for` loop runs over range(), sb.prange(), an array"),
        (no_deletion, Points(), "Points has no items to delete"),
        (no_order, Evens(3), "reversed() takes an array or a range(), not e"),
    ],
)
def test_what_a_struct_has_not_is_refused(kernel: Any, given: Any, message: str) -> None:
    assert refused(lambda: kernel(given)).startswith(message)


def test_methods_that_make_no_sense_are_refused() -> None:
    class Bad1:
        n: int32

        def __len__(self) -> int32:
            return self.n

    class Bad2:
        n: int32
        __elements__ = "n"

    class Bad3:
        n: int32
        __elements__ = "m"

    class Bad4:
        n: int32

        def __at__(self, cursor: int) -> int:
            return cursor

    assert refused(lambda: sb.struct(Bad1)) == "Bad1.__len__ returns no int"
    assert refused(lambda: sb.struct(Bad2)) == "Bad2.__elements__ names 'n', which is int32"
    assert refused(lambda: sb.struct(Bad3)) == "Bad3.__elements__ names no field"
    assert refused(lambda: sb.struct(Bad4)) == "Bad4.__at__ is of no use without __len__"


@sb.kernel
def use_array(points: sb.Array[float2]) -> None:
    points[-1].y = 5
    points[-2].x += 1


def test_components_of_elements_counted_from_the_end() -> None:
    points = np.ones((3, 2), np.float32)
    sb.assert_same_bits(use_array, points.copy())
    use_array(points)
    assert points.tolist() == [[1, 1], [2, 1], [1, 5]]


@sb.struct
class Row:
    """Four numbers, of which as many are in use as another field says."""

    count: int64
    data: sb.FixedArray[int32, 4]

    __elements__ = "data"

    def __len__(self) -> int:
        return int(self.count)


@sb.kernel
def read_row(row: Row, at: int) -> int32:
    return row[at]


@sb.kernel
def write_row(row: Row, at: int) -> None:
    row[at] = 3


@sb.kernel
def read_last(row: Row) -> int32:
    return row[-1]


@sb.kernel
def write_third_last(row: Row) -> None:
    row[-3] += 1


@sb.kernel
def read_list(items: sb.List[int32, 4], at: int) -> int32:
    return items[at]


@sb.kernel
def write_end_of_list(items: sb.List[int32, 4]) -> None:
    items[-2] = 1


LENGTHS = (-(2**63), -5, -2, -1, 0, 2, 4, 5, 2**40, 2**63 - 1)
PLACES = (-(2**63), -2, -1, 0, 1, 3, 4, 5, 2**40, 2**63 - 1)


@pytest.mark.parametrize("length", LENGTHS)
def test_what_is_below_no_length_is_outside_whatever_memory_says_of_it(length: int) -> None:
    row, items = Row(count=length, data=[1, 2, 3, 4]), sb.List[int32, 4]([1, 2, 3, 4])
    items.memory["size"] = length
    for at in PLACES:
        is_inside = 0 <= at < min(length, 4)
        for kernel, given in ((read_row, row), (write_row, row), (read_list, items)):
            if is_inside:
                sb.assert_same_bits(kernel, given, at)
                continue
            with pytest.raises(sb.Trap) as trap:
                sb.assert_same_bits(kernel, given, at)
            assert trap.value.kind == "index"
    for kernel, given, back in (
        (read_last, row, 1), (write_third_last, row, 3), (write_end_of_list, items, 2),
    ):  # fmt: skip
        if back <= length < 4 + back:
            sb.assert_same_bits(kernel, given)
            continue
        with pytest.raises(sb.Trap):
            sb.assert_same_bits(kernel, given)
