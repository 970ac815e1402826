"""Kernels called from Python take a list, dict or set for a container, and write it back."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import pytest

import samebits as sb
from samebits import float2, float32, int2, int32, int64


@sb.struct
class Ship(sb.Struct):
    hp: int32 = 0
    pos: float2 = sb.zero


@sb.kernel
def doubled(items: sb.List[float32, Literal[4]]) -> float32:
    total = float32(0)
    for k in range(len(items)):
        total += items[k]
        items[k] *= 2
    items.append(total)
    return total


@sb.kernel
def ordered(items: sb.List[int64, Literal[8]]) -> None:
    items.sort()


@sb.kernel
def summed(items: sb.List[int64, Literal[8]]) -> int64:
    total = int64(0)
    for item in items:
        total += item
    return total


@sb.kernel
def moved(points: sb.List[float2, Literal[4]], ships: sb.List[Ship, Literal[4]]) -> None:
    points[0] = points[0] + float2(1, 1)
    ships[1].hp -= 1
    ships.append(Ship(hp=7))


@sb.kernel
def counted(found: sb.Map[int32, float32, Literal[4]], key: int32) -> int:
    found[key] = found.get(key, 0.0) + 1
    if 9 in found:
        del found[9]
    return len(found)


@sb.kernel
def marked(cells: sb.Map[int2, Ship, Literal[4]], at: int2) -> None:
    cells[at] = Ship(hp=3)


@sb.kernel
def added(numbers: sb.BitSet[Literal[10]], n: int) -> int:
    numbers.add(n)
    return len(numbers)


@sb.kernel
def both(a: sb.List[int64, Literal[4]], b: sb.List[int64, Literal[4]]) -> int:
    a.append(len(b))
    return len(b)


@sb.kernel
def mixed(numbers: sb.List[int32, Literal[4]], scale: sb.ReadOnly[int32]) -> int32:
    numbers[0] *= scale[0]
    return numbers[0]


def compiled(kernel: Any, *args: Any) -> Any:
    return kernel(*args)


def managed(kernel: Any, *args: Any) -> Any:
    return kernel.managed(*args)


WAYS: dict[str, Any] = {
    "compiled": compiled,
    "managed": managed,
    "evaluated": sb.evaluate,
}
each = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@each
def test_a_list_holds_what_the_kernel_left_in_it_as_pythons_own_numbers(way: Any) -> None:
    items: list[Any] = [1, np.float32(0.5)]
    assert way(doubled, items) == 1.5
    assert items == [2.0, 1.0, 1.5]
    assert [type(x) for x in items] == [float, float, float]


@each
def test_objects_that_the_kernel_left_alone_stay(way: Any) -> None:
    items = [10**11, 2, 10**12]
    before = list(items)
    assert way(summed, items) == 2 + 11 * 10**11
    assert all(a is b for a, b in zip(items, before, strict=True))
    ships = [Ship(hp=1), Ship(hp=2)]
    kept = list(ships)
    points: list[Any] = [(1, 2), float2(3, 4)]
    way(moved, points, ships)
    assert sb.to_python(points) == [[2, 3], [3, 4]]
    assert ships[0] is kept[0]
    assert [ship.hp for ship in ships] == [1, 1, 7]
    assert kept[1].hp == 2  # a list of the language holds values


@each
def test_a_shorter_list_and_a_sorted_one(way: Any) -> None:
    items = [3, 1, 2]
    way(ordered, items)
    assert items == [1, 2, 3]
    nothing: list[int] = []
    way(ordered, nothing)
    assert nothing == []


@each
def test_a_dict_keeps_the_maps_order_and_its_own_keys(way: Any) -> None:
    found: dict[Any, Any] = {9: 1.5, 5: 2.0}
    assert way(counted, found, 7) == 2
    assert list(found.items()) == [(5, 2.0), (7, 1.0)]
    assert {type(k) for k in found} == {int}
    assert way(counted, found, 5) == 2
    assert list(found.items()) == [(5, 3.0), (7, 1.0)]


@each
def test_keys_of_vectors_are_tuples(way: Any) -> None:
    cells: dict[Any, Any] = {}
    way(marked, cells, (1, 2))
    way(marked, cells, (3, 4))
    assert list(cells) == [(1, 2), (3, 4)]
    assert cells[1, 2].hp == 3


@each
def test_a_set_holds_the_numbers_of_its_bit_set(way: Any) -> None:
    numbers = {3}
    assert way(added, numbers, 5) == 2
    assert numbers == {3, 5}


@each
def test_what_is_left_after_a_trap_is_written_back(way: Any) -> None:
    items: list[Any] = [1.0, 2.0, 3.0, 4.0]
    with pytest.raises(sb.Trap, match="the list is full"):
        way(doubled, items)
    assert items == [2.0, 4.0, 6.0, 8.0]


@each
def test_a_list_beside_a_strided_array(way: Any) -> None:
    numbers = [3]
    assert way(mixed, numbers, sb.strided(np.arange(4, dtype=np.int32)[2::2])) == 6
    assert numbers == [6]


@each
@pytest.mark.parametrize(
    ("kernel", "args", "message"),
    [
        (summed, ([1, 2.5],), "summed(): parameter 'items[1]': expected int64; got float"),
        (summed, ([1, "a"],), "summed(): parameter 'items[1]': expected int64; got str"),
        (summed, (list(range(9)),), "summed(): parameter 'items': List[int64, 8] holds 8 items; g"),
        (summed, ([2**63],), "summed(): parameter 'items[0]': 9223372036854775808 does not fit"),
        (summed, ((1, 2),), "summed(): parameter 'items': expected List[int64, 8]; got tuple"),
        (summed, ({1: 2},), "summed(): parameter 'items': expected List[int64, 8]; got dict"),
        (summed, ({1, 2},), "summed(): parameter 'items': expected List[int64, 8]; got set"),
        (counted, ([1], 1), "counted(): parameter 'found': expected Map[int32, float32, 4]; got l"),
        (counted, ({"a": 1}, 1), "counted(): parameter 'found.keys()[0]': expected int32; got str"),
        (counted, ({1: "a"}, 1), "counted(): parameter 'found[1]': expected float32; got str"),
        (added, ({10}, 1), "added(): parameter 'numbers': BitSet[10] has numbers from 0 to 9"),
        (added, ({1.5}, 1), "added(): parameter 'numbers': BitSet[10] has whole numbers"),
        (
            mixed,
            ([1], [2]),
            "mixed(): parameter 'scale': expected ReadOnly[int32], an ndarray",
        ),
    ],
)
def test_what_does_not_fit_is_refused(
    way: Any, kernel: Any, args: tuple[Any, ...], message: str
) -> None:
    with pytest.raises(sb.ArgumentError) as caught:
        way(kernel, *args)
    assert caught.value.message.startswith(message)


@each
def test_one_list_for_two_parameters_is_refused(way: Any) -> None:
    items: list[int] = []
    with pytest.raises(sb.ArgumentError, match="the list is that of parameter 'a'"):
        way(both, items, items)
    assert way(both, items, []) == 0
    assert items == [0]


def test_assert_same_bits_takes_plain_lists_and_leaves_them_alone() -> None:
    items = [1.0, 2.0]
    assert len(sb.assert_same_bits(doubled, items)) > 2
    assert items == [1.0, 2.0]
    with pytest.raises(sb.ArgumentError, match=r"summed\(\): parameter 'items\[0\]'"):
        sb.assert_same_bits(summed, ["a"])
    assert len(sb.assert_same_bits_each(summed, [([1],), ([2, 3],)])) > 2
