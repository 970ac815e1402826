"""A loop whose items can't be had traps at its whole head, in every execution."""

# ruff: noqa: B905, SIM118  (heads as users write them)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.support.executions import trap_of

import samebits as sb
from samebits import int32


@sb.struct
class Few(sb.Struct):
    """Of elements that its length may be beyond."""

    count: int32 = 0
    data: sb.FixedArray[int32, 2] = sb.zero
    __elements__ = "data"

    def __len__(self) -> int:
        return int(self.count)


@sb.struct
class Own(sb.Struct):
    """Of items that the user's own method gives."""

    count: int32 = 0
    limit: int32 = 5

    def __len__(self) -> int:
        return int(self.count)

    def __getitem__(self, i: int) -> int32:
        assert i < self.limit
        return int32(i)


@sb.struct
class State(sb.Struct):
    items: sb.List[int32, 8] = sb.zero
    table: sb.Map[int32, int32, 8] = sb.zero
    heap: sb.Heap[int32, 8] = sb.zero
    bits: sb.BitSet[70] = sb.zero
    few: Few = sb.zero
    own: Own = sb.zero


def state() -> State:
    s = State()
    for k in (1, 2, 3):
        s.items.append(k)
        s.table[k] = k
        s.heap.push(k)
        s.bits.add(k)
    s.few.count = 3
    s.own.count = 3
    s.own.limit = 5
    return s


CASES: list[tuple[Callable[..., Any], str]] = []


def case(head: str) -> Callable[[Callable[..., Any]], Any]:
    """Register a kernel that traps at `head`."""

    def register(function: Callable[..., Any]) -> Any:
        kernel = sb.kernel(function)
        CASES.append((kernel, head))
        return kernel

    return register


@case("s.items")
def bare(s: State) -> None:
    for x in s.items:
        s.items.append(x)


@case("enumerate(s.items, 5)")
def counted(s: State) -> None:
    for _, x in enumerate(s.items, 5):
        s.items.append(x)


@case("reversed(s.items)")
def backwards(s: State) -> None:
    for _ in reversed(s.items):
        s.items.pop()


@case("enumerate(reversed(s.heap))")
def counted_backwards(s: State) -> None:
    for _, x in enumerate(reversed(s.heap)):
        s.heap.push(x)


@case("zip(s.bits, s.items)")
def the_first_of_two(s: State) -> None:
    for i, _ in zip(s.bits, s.items):
        s.bits.discard(i)


@case("zip(range(9), enumerate(s.items))")
def deep_inside(s: State) -> None:
    for i, (_, x) in zip(range(9), enumerate(s.items)):
        s.items.append(x + int32(i))


@case("s.table.keys()")
def keys(s: State) -> None:
    for k in s.table.keys():
        s.table[k + 20] = k


@case("s.table.values()")
def values(s: State) -> None:
    for k in s.table.values():
        s.table[k + 20] = k


@case("s.table.items()")
def pairs(s: State) -> None:
    for k, v in s.table.items():
        s.table[k + 20] = v


@case("enumerate(s.table.items())")
def counted_pairs(s: State) -> None:
    for _, (k, v) in enumerate(s.table.items()):
        s.table[k + 20] = v


@case("zip(s.table.keys(), s.table.values())")
def two_views(s: State) -> None:
    for k, v in zip(s.table.keys(), s.table.values()):
        s.table[k + 20] = v


@case("s.few")
def beyond_its_elements(s: State) -> int32:
    t = int32(0)
    for x in s.few:
        t += x
    return t


@case("enumerate(s.few)")
def counted_beyond_its_elements(s: State) -> int32:
    t = int32(0)
    for i, x in enumerate(s.few):
        t += x + int32(i)
    return t


@case("zip(s.items, reversed(s.few))")
def backwards_beyond_its_elements(s: State) -> int32:
    t = int32(0)
    for x, y in zip(s.items, reversed(s.few)):
        t += x * y
    return t


@case("zip(s.own, s.items)")
def of_a_struct_of_the_users(s: State) -> int32:
    t = int32(0)
    for x, y in zip(s.own, s.items):
        t += x * y
        s.own.count += 1
    return t


@case("assert i < self.limit")
def in_a_method_of_the_users(s: State) -> int32:
    s.own.limit = 1
    t = int32(0)
    for i, x in enumerate(s.own):
        t += x + int32(i)
    return t


@pytest.mark.parametrize(("kernel", "head"), CASES)
def test_a_trap_of_an_item_is_at_the_whole_head(kernel: Any, head: str) -> None:
    assert trap_of(kernel, state())[1] == head
