"""Loops of a managed run are Python's, over checked ints, and refuse what compiled kernels do."""

from __future__ import annotations

import builtins
from typing import Any

import pytest

from samebits import float32, int32
from samebits.errors import ArgumentError, Trap
from samebits.lang import iteration
from samebits.lang.memory.arrays import zeros
from samebits.lang.memory.tables import table
from samebits.lang.values.weak import Int

LEAST, MOST = -(2**63), 2**63 - 1


def array(*values: int) -> Any:
    found = zeros(len(values), int32)
    for k, value in enumerate(values):
        found[k] = value
    return found


@pytest.mark.parametrize(
    "bounds", [(3,), (-3,), (2, 9), (9, 2, -2), (2, 9, 3), (LEAST, MOST, 2**62), (int32(4),)]
)
def test_a_range_is_pythons_in_checked_ints(bounds: tuple[int, ...]) -> None:
    expected = list(builtins.range(*bounds))
    found = iteration.range(*bounds)
    assert list(found) == expected
    assert {type(number) for number in found} <= {Int}
    assert list(iteration.reversed(found)) == expected[::-1]
    assert [found.item(k) for k in builtins.range(found.count)] == expected


def test_a_range_that_len_refuses_has_a_count() -> None:
    assert iteration.range(LEAST, MOST).count == 2**64 - 1
    assert next(iter(iteration.reversed(iteration.range(LEAST, MOST)))) == MOST - 1


def test_a_step_of_0_traps() -> None:
    with pytest.raises(Trap, match=r"the step of range\(\) is 0"):
        iteration.range(0, 5, 0)


def test_enumerate_zip_and_reversed_are_inside_one_another() -> None:
    a, b = array(1, 2, 3), table([7, 8], float32)
    both = iteration.zip(iteration.reversed(a), iteration.enumerate(b, 5))
    assert list(both) == [(3, (5, 7.0)), (2, (6, 8.0))]
    assert list(iteration.zip(iteration.zip(a))) == [((1,),), ((2,),), ((3,),)]
    assert list(iteration.enumerate(iteration.range(0))) == []


def test_the_shortest_ends_a_zip_before_others_are_asked() -> None:
    numbers = iteration.enumerate(array(1, 2, 3), MOST - 1)
    assert [k for (k, _), _ in iteration.zip(numbers, array(1, 2))] == [MOST - 1, MOST]
    with pytest.raises(Trap) as caught:
        list(numbers)
    assert caught.value.kind == "overflow"


def test_what_has_no_order_or_no_elements_is_refused() -> None:
    a = array(1, 2)
    with pytest.raises(ArgumentError, match="takes an array or a range"):
        iteration.reversed(iteration.enumerate(a))
    with pytest.raises(ArgumentError, match="ends with the shortest"):
        iteration.zip(a, a, strict=True)
