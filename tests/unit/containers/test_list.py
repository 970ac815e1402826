"""Lists: Python's list as the model, in every execution; what Python itself does with them."""

from __future__ import annotations

import copy
import pickle
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.support.containers import check, need, operations
from tests.support.executions import same

import samebits as sb
from samebits import double2, float32, float64, int32, int64

Numbers = sb.List[int64, 6]


@sb.kernel
def run(items: Numbers, ops: sb.ReadOnly[int64, 2], out: sb.Array[float64]) -> None:
    for i in range(ops.shape[0]):
        a, b = ops[i, 1], ops[i, 2]
        r = int64(0)
        match ops[i, 0]:
            case 0 | 1:
                items.append(a)
            case 2:
                r = int64(1) if items.try_append(a) else int64(0)
            case 3:
                r = items.pop()
            case 4:
                r = items.pop(a)
            case 5:
                items.insert(a, b)
            case 6:
                r = items[a]
            case 7:
                items[a] = b
            case 8:
                r = int64(1) if a in items else int64(0)
            case 9:
                r = int64(items.index(a))
            case 10:
                items.remove(a)
            case 11:
                del items[a]
            case 12:
                items.reverse()
            case 13:
                r = items.get(a, b)
            case 14:
                r = int64(items.count(a))
            case 15:
                r = items.swap_pop(a)
            case 16:
                for k, v in enumerate(items):
                    r = r * 3 + v + int64(k)
            case 17:
                if b == 0:
                    items.clear()
            case 18:
                items[a] += b
            case 19:
                for v in reversed(items):
                    r = r * 3 + v
            case _:
                r = int64(len(items))
        out[i] = float64(r)


def step(items: list[int], code: int, a: int, b: int) -> float:
    n = len(items)
    at = a + n if a < 0 else a
    match code:
        case 0 | 1:
            need(n < 6)
            items.append(a)
        case 2:
            if n < 6:
                items.append(a)
                return 1
        case 3:
            need(n > 0)
            return items.pop()
        case 4:
            need(0 <= at < n)
            return items.pop(at)
        case 5:
            need(n < 6 and 0 <= at <= n)
            items.insert(at, b)
        case 6:
            need(0 <= a < n)
            return items[a]
        case 7:
            need(0 <= a < n)
            items[a] = b
        case 8:
            return a in items
        case 9:
            need(a in items)
            return items.index(a)
        case 10:
            need(a in items)
            items.remove(a)
        case 11:
            need(0 <= at < n)
            del items[at]
        case 12:
            items.reverse()
        case 13:
            return items[a] if 0 <= a < n else b
        case 14:
            return items.count(a)
        case 15:
            need(0 <= a < n)
            value, last = items[a], items.pop()
            if a < len(items):
                items[a] = last
            return value
        case 16:
            r = 0
            for k, v in enumerate(items):
                r = r * 3 + v + k
            return r
        case 17:
            if b == 0:
                items.clear()
        case 18:
            need(0 <= a < n)
            items[a] += b
        case 19:
            r = 0
            for v in reversed(items):
                r = r * 3 + v
            return r
        case _:
            return n
    return 0


def test_a_list_is_pythons_list_in_every_execution() -> None:
    rng = Random(1)
    whole = 0
    for case in range(120):
        model = [rng.randrange(5) for _ in range(rng.randrange(7))]
        ops = operations(rng, 21, 1 + case % 12, 6)
        whole += check(run, Numbers(model), model, step, ops, list)
    assert 20 < whole < 110


def test_equal_contents_are_equal_bytes_whatever_the_history() -> None:
    a, b = Numbers([1, 2, 3]), Numbers([9, 1, 2, 7, 3, 8])
    b.pop()
    b.pop(0)
    b.remove(7)
    assert a == b
    assert a.memory.tobytes() == b.memory.tobytes()
    b.clear()
    assert b.memory.tobytes() == bytes(len(b.memory.tobytes()))


def test_python_uses_a_list_as_a_sequence() -> None:
    items = sb.List[float64, 4]([1, 2.5])
    assert (len(items), list(items), items[0], items[-1]) == (2, [1, 2.5], 1, 2.5)
    assert 2.5 in items
    assert 3 not in items
    assert items == [1, 2.5]
    assert items != [1]
    assert items == sb.List[float64, 4]((1, 2.5))
    assert repr(items) == "List[float64, 4]([1.0, 2.5])"
    items.append(3)
    items[0] = 7
    del items[1]
    assert list(items) == [7, 3]
    items += [4, 5]
    assert items == [7, 3, 4, 5]
    with pytest.raises(sb.ArgumentError, match="holds 4 items; got 5"):
        items += [6]
    del items[2], items[2]
    with pytest.raises(IndexError, match="index 2 is out of range for List"):
        items[2]
    assert list(copy.deepcopy(items)) == list(pickle.loads(pickle.dumps(items))) == [7, 3]
    with pytest.raises(sb.ArgumentError, match="holds 4 items; got 5"):
        sb.List[float64, 4](range(5))
    assert sb.List[float64, 4] is sb.List[float64, np.int64(4)]


@sb.struct
class Ship:
    pos: double2
    hp: int32


@sb.struct
class Fleet:
    ships: sb.List[Ship, 4]
    scores: sb.List[float32, 1000]


@sb.kernel
def battle(fleet: Fleet, hits: sb.ReadOnly[sb.List[int32, 3]]) -> int:
    fleet.ships.append(Ship(hp=3))
    fleet.ships.append(Ship(double2(1, 2), 5))
    fleet.ships[0].hp += 4
    fleet.ships[-1].pos.x = 9
    total = 0
    for ship in fleet.ships:
        ship.hp -= 1
        ship.pos.y += 1
    for k in range(len(hits)):
        for hit, ship in zip(hits[k], fleet.ships):  # noqa: B905
            ship.hp -= hit
            total += int(hit)
    fleet.ships.insert(0, fleet.ships[1].copy())
    last = fleet.ships.pop()
    fleet.scores.append(float32(last.hp))
    own = sb.List[Ship, 8]()
    own.append(last)
    own[0].hp = 100
    return total + int(fleet.ships[0].hp) + int(own[0].hp) + len(fleet.scores)


def test_items_that_are_structs_are_references() -> None:
    fleet = Fleet()
    hits = np.zeros(2, sb.List[int32, 3].dtype)
    for k in range(2):
        made: Any = sb.List[int32, 3].from_memory(hits, k)
        made.append(k + 1)
    sb.assert_same_bits(battle, fleet.copy(), hits)
    assert battle(fleet, hits) == 3 + 4 + 100 + 1
    assert [ship.hp for ship in fleet.ships] == [4, 3]
    assert sb.all(fleet.ships[0].pos == double2(9, 3))


@sb.kernel
def grows(items: Numbers) -> None:
    for v in items:
        items.append(v)


@sb.kernel
def shrinks_at_the_end(items: Numbers) -> None:
    for (i, _), _ in zip(enumerate(reversed(items)), range(9), strict=False):
        if i == 2:
            items.pop()
    else:
        items.append(7)


@sb.kernel
def grows_and_leaves(items: Numbers) -> int64:
    for v in items:
        if v == 2:
            items.append(v)
            break
    else:
        items.append(9)
    return items[-1]


def test_a_loop_that_is_left_may_have_changed_the_length() -> None:
    assert same(grows_and_leaves, Numbers([1, 2])) == 2
    assert same(grows_and_leaves, Numbers([1, 3])) == 9
    assert same(grows_and_leaves, Numbers([])) == 9


@sb.kernel
def last(items: Numbers) -> int64:
    return items[-1]


@sb.kernel
def full(items: Numbers) -> None:
    items.append(1)


@pytest.mark.parametrize(
    ("kernel", "items", "message"),
    [
        (grows, [1, 2], "the length changed in a loop over it"),
        (grows, [1], "the length changed in a loop over it"),
        (shrinks_at_the_end, [1, 2, 3], "the length changed in a loop over it"),
        (last, [], "index -1 is out of range for an array of 0"),
        (full, range(6), "the list is full"),
    ],
)
def test_a_trap_says_what_is_wrong(kernel: Any, items: Any, message: str) -> None:
    with pytest.raises(sb.Trap, match=message):
        sb.assert_same_bits(kernel, Numbers(items))


def test_a_length_that_memory_makes_up_reaches_no_other_memory() -> None:
    items = Numbers([1, 2])
    for size in (7, -1, 1 << 40, -(1 << 63)):
        items.size = size
        for kernel in (last, full, grows):
            if size > 0 or kernel is not grows:
                with pytest.raises(sb.Trap):
                    sb.assert_same_bits(kernel, items.copy())
            else:
                sb.assert_same_bits(kernel, items.copy())


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ((float, 4), "an item of List needs a fixed size, float has none"),
        ((float64, 0), "the capacity of List is a constant from 1"),
        ((float64,), r"List takes \[T, N\], got 1"),
        ((float64, True), "the capacity of List is a constant from 1"),
    ],
)
def test_a_list_of_what_can_not_be_is_refused(parts: Any, message: str) -> None:
    with pytest.raises(sb.CompileError, match=message):
        sb.List[parts]


@sb.kernel
def take(items: Numbers, at: int) -> int64:
    return items.pop(at)


@sb.kernel
def put(items: Numbers, at: int) -> None:
    items.insert(at, 7)


@sb.kernel
def drop(items: Numbers, at: int) -> None:
    del items[at]


@sb.kernel
def swap_out(items: Numbers, at: int) -> int64:
    return items.swap_pop(at)


@pytest.mark.parametrize(
    ("kernel", "at"), [(take, -3), (take, 2), (put, 3), (drop, -5), (swap_out, -1)]
)
def test_a_trap_names_the_index_and_the_length(kernel: Any, at: int) -> None:
    for call in (kernel, kernel.managed, lambda *a: sb.evaluate(kernel, *a)):
        with pytest.raises(sb.Trap) as caught:
            call(Numbers([1, 2]), at)
        assert caught.value.message == f"assertion failed: the index {at} is beyond the list of 2"
    with pytest.raises(sb.Trap, match=f"the index {at} is beyond the list of 2"):
        sb.assert_same_bits(kernel, Numbers([1, 2]), at)
