"""Parts, orders and fillings of lists: Python's list as the model, in every execution."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import numpy as np
import pytest
from tests.support.containers import check, need, operations
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import Array, ReadOnly, float32, float64, int32, int64, math

Numbers = sb.List[int64, 8]
Floats = sb.List[float64, 100]


@sb.kernel
def weighed(values: ReadOnly[int64]) -> int64:
    r = int64(0)
    for k, v in enumerate(values):
        r = r * 3 + v + int64(k)
    return r


@sb.kernel
def double(values: Array[int64]) -> None:
    for k in range(len(values)):
        values[k] *= 2


@sb.kernel
def run(items: Numbers, ops: sb.ReadOnly[int64, 2], out: sb.Array[float64]) -> None:
    other = Numbers()
    for i in range(ops.shape[0]):
        a, b = int(ops[i, 1]), int(ops[i, 2])
        r = int64(0)
        match ops[i, 0]:
            case 0 | 1 | 2:
                items.append(int64(b))
            case 3:
                r = weighed(items[a:b])
            case 4:
                for v in items[a:]:
                    r = r * 3 + v
            case 5:
                r = weighed(items[:-1])
            case 6:
                items.extend(items[a:b])
            case 7:
                items.extend(items)
            case 8:
                other.extend(items)
                r = int64(len(other))
                other.clear()
            case 9:
                items.sort()
            case 10:
                items.sort(reverse=True)
            case 11:
                items.reverse()
            case 12:
                double(items[:b])
            case 13:
                double(items)
            case 14:
                items.clear()
            case 15:
                r = math.sum(items[a:])
            case 16:
                part = items[1:]
                r = part[a]
            case _:
                other = items.copy()
                other.reverse()
                r = int64(1) if other == items else int64(0)
                other.clear()
        out[i] = float64(r)


def weight(values: list[int]) -> int:
    r = 0
    for k, v in enumerate(values):
        r = r * 3 + v + k
    return r


def step(items: list[int], code: int, a: int, b: int) -> float:
    n = len(items)
    if code in (3, 4, 6, 15):
        need(0 <= a <= n)
    if code in (3, 6, 12):
        need(0 <= b <= n)
    match code:
        case 0 | 1 | 2:
            need(n < 8)
            items.append(b)
        case 3:
            return weight(items[a:b])
        case 4:
            r = 0
            for v in items[a:]:
                r = r * 3 + v
            return r
        case 5:
            need(n > 0)
            return weight(items[:-1])
        case 6:
            need(n + len(items[a:b]) <= 8)
            items.extend(items[a:b])
        case 7:
            need(2 * n <= 8)
            items.extend(items)
        case 8:
            return n
        case 9:
            items.sort()
        case 10:
            items.sort(reverse=True)
        case 11:
            items.reverse()
        case 12:
            items[:b] = [2 * v for v in items[:b]]
        case 13:
            items[:] = [2 * v for v in items]
        case 14:
            items.clear()
        case 15:
            return sum(items[a:])
        case 16:
            need(n > 0 and 0 <= a < n - 1)
            return items[1:][a]
        case _:
            return items[::-1] == items
    return 0


def test_parts_of_a_list_are_those_of_pythons_in_every_execution() -> None:
    rng = Random(7)
    whole = 0
    for case in range(150):
        model = [rng.randrange(5) for _ in range(rng.randrange(7))]
        ops = operations(rng, 18, 1 + case % 6, 5)
        whole += check(run, Numbers(model), model, step, ops, list)
    assert 30 < whole < 140


@sb.struct
class Item(sb.Struct):
    key: int32 = 0
    mark: int32 = 0

    def __lt__(self, other: Item) -> bool:
        return self.key < other.key


@sb.kernel
def sort_floats(items: Floats, reverse: bool) -> None:
    items.sort(reverse)


@sb.kernel
def sort_items(items: sb.List[Item, 100], reverse: bool) -> None:
    items.sort(reverse=reverse)


def test_a_sort_is_pythons_also_of_equal_items() -> None:
    rng = Random(3)
    for count in (0, 1, 2, 11, 12, 13, 25, 60, 100):
        for reverse in (False, True):
            floats = [rng.choice((0.0, -0.0, 1.5, -3.0, float("inf"), 0.1)) for _ in range(count)]
            items = Floats(floats)
            same(sort_floats, items, reverse)
            wanted = Floats(sorted(floats, reverse=reverse))
            assert items.memory.tobytes() == wanted.memory.tobytes()
            pairs = [(rng.randrange(4), k) for k in range(count)]
            structs = sb.List[Item, 100]([Item(*pair) for pair in pairs])
            same(sort_items, structs, reverse)
            found = [(int(item.key), int(item.mark)) for item in structs]
            assert found == sorted(pairs, key=lambda pair: pair[0], reverse=reverse)


@sb.kernel
def sort_many(items: sb.List[int32, 5000]) -> None:
    items.sort()


def test_a_long_sort_is_in_order() -> None:
    values = np.random.default_rng(2).integers(-50, 50, 5000).astype(np.int32)
    items = sb.List[int32, 5000](values.tolist())
    sort_many(items)
    assert list(items) == sorted(values.tolist())


@sb.kernel
def bound(items: Numbers, low: int, high: int) -> int64:
    return weighed(items[low : high + 1])


def test_what_does_not_fit_traps_at_the_users_line() -> None:
    assert trap_of(bound, Numbers([1, 2]), 0, 2) == ("index", "items[low : high + 1]")
    assert trap_of(bound, Numbers([1, 2]), -1, 1) == ("index", "items[low : high + 1]")
    nan = Floats([1, float("nan")])
    assert trap_of(sort_floats, nan, False) == ("assert", "items.sort(reverse)")
    damaged = Numbers([1, 2])
    damaged.size = 9
    assert trap_of(bound, damaged, 0, 0) == ("index", "items[low : high + 1]")


@sb.kernel
def sort_bits(items: sb.List[bool, 4]) -> None:
    items.sort()


@sb.kernel
def made_of_an_array(values: ReadOnly[int64]) -> int:
    items = Numbers(values)
    return len(items)


@sb.kernel
def given_another_type(items: Floats) -> int64:
    return weighed(items)


def test_what_is_no_part_or_order_is_refused() -> None:
    assert "has no method 'sort'" in refusal_of(sort_bits, sb.List[bool, 4]()).message
    for run_it in (made_of_an_array, made_of_an_array.managed):
        with pytest.raises(sb.CompileError, match="is made empty in a kernel"):
            run_it(np.zeros(2, np.int64))
    assert "but this is" in refusal_of(given_another_type, Floats()).message
    with pytest.raises(sb.ArgumentError):
        given_another_type.managed(Floats())


@sb.struct
class State(sb.Struct):
    items: sb.List[int32, 3] = sb.zero
    marks: sb.List[float32, 3] = [0.5, 1]  # noqa: RUF012
    table: sb.Map[int32, float64, 2] = sb.zero
    queue: sb.Heap[float32, int32, 4] = sb.zero
    bits: sb.BitSet[8] = sb.zero


def test_fields_take_pythons_own_containers() -> None:
    state = State(
        items=[1, 2], table={5: 1.5, 2: 0}, queue=[(2, 7), (1, 8)], bits=frozenset((3, 1))
    )
    assert state.items == [1, 2]
    assert state.marks == [0.5, 1]
    assert list(state.table.items()) == [(5, 1.5), (2, 0)]
    assert state.queue.pop() == (1, 8)
    assert list(state.bits) == [1, 3]
    state.items = (3,)
    assert state.items == [3]
    assert state.memory.tobytes()[:24] == State(items=[3]).memory.tobytes()[:24]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: State(items=[1] * 4), "field 'items' of State: List[int32, 3] holds 3 items; got"),
        (lambda: State(items=[1.5]), "field 'items' of State: the element is int32; got float"),
        (lambda: State(items={1}), "field 'items' of State is List[int32, 3]; got set"),
        (lambda: State(table={1: "a"}), "field 'table' of State: "),
        (lambda: State(table=[1]), "field 'table' of State is Map[int32, float64, 2]; got list"),
        (lambda: State(bits={8}), "field 'bits' of State: BitSet[8] has numbers from 0 to 7"),
        (lambda: State(queue=[(float("nan"), 1)]), "field 'queue' of State: assertion failed: a N"),
        (lambda: weighed([1]), "weighed(): parameter 'values': expected ReadOnly[int64]"),
        (lambda: bound((1, 2), 0, 1), "bound(): parameter 'items': expected List[int64, 8]; got t"),
    ],
)
def test_what_does_not_fit_a_field_or_parameter_is_refused(
    make: Callable[[], object], message: str
) -> None:
    with pytest.raises(sb.ArgumentError) as caught:
        make()
    assert caught.value.message.startswith(message)


def test_a_parameter_is_told_how_to_make_the_list() -> None:
    with pytest.raises(sb.ArgumentError) as caught:
        bound((1, 2), 0, 1)
    assert caught.value.fix == "pass List[int64, 8](items): the kernel may change it"


def test_python_slices_extends_and_sorts_a_list() -> None:
    items = Numbers([3, 1, 2])
    assert items[1:] == [1, 2]
    assert items[::-1] == [2, 1, 3]
    assert items[-2:9] == [1, 2]
    items.extend([7, 5])
    items.extend(items[:1])
    items.sort()
    assert items == [1, 2, 3, 3, 5, 7]
    items.sort(reverse=True)
    assert items == [7, 5, 3, 3, 2, 1]
    with pytest.raises(sb.ArgumentError, match="holds 8 items; got 9"):
        items.extend((1, 2, 3))
    with pytest.raises(sb.ArgumentError, match="the element is int64; got float"):
        items.extend([1, 1.5])
    assert items == [7, 5, 3, 3, 2, 1]


@sb.kernel
def sort_large(items: sb.List[float64, 200_000]) -> None:
    items.sort()


def test_a_list_of_any_capacity_is_sorted() -> None:
    items = sb.List[float64, 200_000]([3, 1, 2])
    sort_large(items)
    assert items == [1, 2, 3]
