"""The short form of `make prove-bounds`: range analysis at a few bits, and guards at full width."""

from __future__ import annotations

from random import Random

import pytest
from tools.prove_bounds import mutations, operations, programs, solved, solved_loops, swept
from tools.prove_bounds.agreement import agreement
from tools.prove_bounds.conditions import conditions
from tools.prove_bounds.miniature import miniature

from samebits.passes.bounds import guard
from samebits.types import INT64


def test_every_rule_holds_for_every_interval_of_two_bits_and_many_of_three() -> None:
    for bits, stride, fewer in ((2, 1, 13), (3, 101, 211)):
        with miniature(bits) as w:
            found = operations.everything(w, stride, fewer)
        assert len(found) == 3 * (len(operations.UNARY) + len(operations.BINARY) + 7) + 2
        assert all(count.cases for count in found.values())
        assert sum(count.unchecked for count in found.values())
    assert INT64 == guard.INT64  # and all is as it was


def test_loops_do_the_same_on_every_input_of_four_bits() -> None:
    tally = programs.Tally()
    with miniature(4) as w:
        for one in programs.every(w, range(24)):
            tally.add(one)
    assert tally.programs == 24
    assert min(tally.runs, tally.lost, tally.guarded, tally.trapped) > 0


def test_loops_in_blocks_do_the_same_on_every_input_of_four_bits() -> None:
    tally = programs.Tally()
    with miniature(4) as w:
        for one in programs.every(w, range(programs.ROWS, programs.ROWS + 8)):
            tally.add(one)
    assert min(tally.runs, tally.blocks, tally.trapped) > 0


def test_conditions_hold_are_assumed_and_negated_as_they_are() -> None:
    with miniature(3) as w:
        found = conditions(w, 500)
    assert min(found.cases, found.unchecked) > 0


def test_the_solvers_semantics_are_those_of_evaluation() -> None:
    assert agreement(2, 1)


def test_inequalities_counters_and_sweeps_are_right_at_full_width() -> None:
    assert solved.inequalities(Random(1), 25).lemmas
    assert solved_loops.counters((1, -1, 3, -(1 << 63))).lemmas == 4 * 49
    assert swept.integers().lemmas == 12
    assert swept.products().lemmas == 1


def test_guards_are_right_at_full_width() -> None:
    count, proofs = solved_loops.guards_of(range(60))
    assert count
    assert proofs.lemmas >= count


def test_rules_are_right_between_extremes_of_full_width() -> None:
    found = dict(solved.rules(Random(1), 1))
    assert all(proofs.lemmas for proofs in found.values())
    assert sum(proofs.unchecked for proofs in found.values())


QUICK = [
    "the same, at full width",  # of a uint64 that becomes an int64 by its bits
    "a guard tests no limits",
    "a guard's sums may overflow",
    "facts are taken away any number of times",
    "bounds of products have two corners",
    "a loop ends an iteration early",
    "`or` is `and`",
    "remainders are positive",
    "less than leaves one out",
    "conversions never wrap",
    "what is not too small is not too large",
    "a sweep's narrow forgets the sign",
]


@pytest.mark.parametrize("name", QUICK)
def test_an_injected_rule_that_is_wrong_is_found(name: str) -> None:
    mutation = next(m for m in mutations.MUTATIONS if m.name == name)
    assert mutations.found(mutation) is not None


def test_every_mutation_is_of_another_kind() -> None:
    kinds = {mutation.inject for mutation in mutations.MUTATIONS}
    assert len(kinds) >= 24
