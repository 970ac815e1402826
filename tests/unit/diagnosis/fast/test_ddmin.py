"""The smallest set that passes is found in few tests, and none of it can be left out."""

from __future__ import annotations

import random
from collections.abc import Callable
from unittest.mock import Mock

import pytest

from samebits.diagnosis.fast.ddmin import BudgetSpent, MinimalSet

Passes = Callable[[frozenset[int]], bool]


def cases(count: int) -> list[tuple[list[int], list[frozenset[int]], random.Random]]:
    made: list[tuple[list[int], list[frozenset[int]], random.Random]] = []
    for seed in range(count):
        rng = random.Random(seed)
        items = list(range(rng.randint(1, 60)))
        size = min(len(items), rng.randint(0, 4))
        needed = [frozenset(rng.sample(items, size)) for _ in range(rng.randint(1, 3))]
        made.append((items, needed, rng))
    return made


def test_one_set_that_is_needed_is_found_in_few_tests() -> None:
    for items, (needed, *_), _ in cases(300):
        passes = Mock(side_effect=needed.issubset)
        search = MinimalSet(items, passes)
        assert search.run() == sorted(needed)
        assert search.is_minimal
        # For each item a bisection, and whether it can be left out.
        assert passes.call_count <= 3 + len(needed) * (len(items).bit_length() + 3)


def test_of_several_sets_one_is_found_that_nothing_can_be_left_out_of() -> None:
    for items, needed, _ in cases(300):

        def passes(given: frozenset[int], needed: list[frozenset[int]] = needed) -> bool:
            return any(one <= given for one in needed)

        found = MinimalSet(items, passes).run()
        assert found is not None
        assert frozenset(found) in needed


def test_items_that_undo_others_keep_it_from_nothing() -> None:
    for items, needed, rng in cases(300):
        spoilers = frozenset(rng.sample(items, min(len(items), 2)))
        odd = rng.randint(0, 1)

        def passes(
            given: frozenset[int],
            needed: list[frozenset[int]] = needed,
            spoilers: frozenset[int] = spoilers,
            odd: int = odd,
            whole: int = len(items),
        ) -> bool:
            spoiled = spoilers <= given and len(given) < whole and len(given) % 2 == odd
            return any(one <= given for one in needed) and not spoiled

        found = MinimalSet(items, passes).run()
        assert found is not None
        assert passes(frozenset(found))
        assert not any(passes(frozenset(found) - {x}) for x in found)


def test_the_first_ones_are_preferred() -> None:
    assert MinimalSet(range(50), lambda given: bool(given & {7, 20, 45})).run() == [7]


def test_without_an_answer_there_is_none() -> None:
    passes = Mock(return_value=False)
    search = MinimalSet(range(9), passes)
    assert (search.run(), search.best, passes.call_count) == (None, None, 1)


def test_what_was_found_stands_when_time_is_up() -> None:
    left = [6]

    def passes(given: frozenset[int]) -> bool:
        left[0] -= 1
        if left[0] < 0:
            raise BudgetSpent
        return {3, 40} <= given

    search = MinimalSet(range(64), passes)
    with pytest.raises(BudgetSpent):
        search.run()
    assert search.best is not None
    assert {3, 40} <= {*search.best}
    assert len(search.best) < 64
    assert not search.is_minimal
