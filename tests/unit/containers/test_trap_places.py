"""A trap in a container's method names the line of the user's code that called it."""

from __future__ import annotations

import linecache
from typing import Any

import numpy as np
import pytest
from tests.support.executions import trap_of

import samebits as sb
from samebits import Array, double2, float32, float64, int32


@sb.struct
class Item(sb.Struct):
    key: int32 = 0
    seen: sb.List[int32, 2] = sb.zero

    def __lt__(self, other: Item) -> bool:
        self.seen.append(other.key)
        return self.key < other.key


@sb.struct
class State(sb.Struct):
    items: sb.List[int32, 3] = sb.zero
    heap: sb.Heap[int32, 3] = sb.zero
    table: sb.Map[int32, float64, 3] = sb.zero
    bits: sb.BitSet[8] = sb.zero
    crowd: sb.Grid2[double2, 2, 2, 3] = sb.zero
    ordered: sb.Heap[Item, 9] = sb.zero

    def note(self, x: int32) -> None:
        self.items.append(x)


@sb.kernel
def appends(s: State, n: int) -> int:
    for i in range(n):
        s.items.append(int32(i))
    return len(s.items)


@sb.kernel
def pops(s: State, n: int) -> int32:
    return s.heap.pop() + int32(n)


@sb.kernel
def looks(s: State, n: int) -> float64:
    x = s.table.get(int32(n), 1.0)
    return x + s.table[int32(n)]


@sb.kernel
def deletes(s: State, n: int) -> None:
    s.table[int32(1)] = 2.0
    del s.table[int32(n)]


@sb.kernel
def puts(s: State, n: int) -> None:
    for i in range(n):
        s.table[int32(i)] = 2.0


@sb.kernel
def adds(s: State, n: int) -> None:
    s.bits.add(n)


@sb.kernel
def indexes(s: State, n: int) -> int32:
    s.items.append(1)
    return s.items[n]


@sb.kernel
def fills(s: State, n: int) -> int:
    for _ in range(n):
        s.crowd.insert(double2(0, 0))
    return len(s.crowd)


@sb.kernel
def through_a_method(s: State, n: int) -> None:
    for i in range(n):
        s.note(int32(i))


@sb.kernel
def through_an_order(s: State, n: int) -> None:
    for i in range(n):
        s.ordered.push(Item(int32(i)))


@sb.kernel
def twice(s: State, n: int) -> int32:
    a = s.heap.get(5)
    s.heap.push(a)
    for _ in range(n):
        a = s.heap.pop()
    return a + s.heap.peek()


@sb.kernel
def in_a_parallel_body(s: State, out: Array[float32]) -> None:
    for i in sb.prange(len(out)):
        local = sb.List[float32, 4]()
        for k in range(i):
            local.append(float32(k))
        out[i] = local[-1] if len(local) > 0 else float32(0)


@pytest.mark.parametrize(
    ("kernel", "given", "message", "line"),
    [
        (appends, 4, "the list is full", "s.items.append(int32(i))"),
        (pops, 1, "pop from an empty heap", "return s.heap.pop() + int32(n)"),
        (looks, 1, "the key is not in the map", "return x + s.table[int32(n)]"),
        (deletes, 2, "the key is not in the map", "del s.table[int32(n)]"),
        (puts, 4, "the map is full", "s.table[int32(i)] = 2.0"),
        (adds, 8, "the number is beyond the set", "s.bits.add(n)"),
        (indexes, 1, "index 1 is out of range for an array of 1", "return s.items[n]"),
        (fills, 4, "the grid is full", "s.crowd.insert(double2(0, 0))"),
        (through_a_method, 4, "the list is full", "self.items.append(x)"),
        (through_an_order, 9, "the list is full", "self.seen.append(other.key)"),
        (twice, 1, "peek into an empty heap", "return a + s.heap.peek()"),
        (twice, 2, "pop from an empty heap", "a = s.heap.pop()"),
    ],
)
def test_a_trap_names_the_line_that_called_the_container(
    kernel: Any, given: int, message: str, line: str
) -> None:
    for run in (kernel, kernel.managed, lambda *args: sb.evaluate(kernel, *args)):
        with pytest.raises(sb.Trap) as caught:
            run(State(), given)
        span = caught.value.span
        assert span is not None
        assert span.file == __file__
        assert linecache.getline(span.file, span.line).strip() == line
        assert message in caught.value.message
    trap_of(kernel, State(), given)


def test_a_trap_in_a_parallel_body_names_the_body() -> None:
    kind, place = trap_of(in_a_parallel_body, State(), np.zeros(6, np.float32))
    assert (kind, place) == ("assert", "local.append(float32(k))")
