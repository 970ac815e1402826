"""Hazards of control flow, memory and inputs: legal kernels, whose bits are the same everywhere."""

from __future__ import annotations

from functools import cache
from itertools import islice
from random import Random

import pytest
from tests.support.folders import EXAMPLES
from tests.support.runs.other_kernels import (
    Outcome,
    everywhere,
    inputs_of,
    native,
    numbered,
    outcome,
)
from tests.support.simulations.workshop_simulation import WORKSHOP

from samebits.errors import HazardError
from samebits.hazards.catalogue import EXPRESSION_HAZARDS, PROGRAM_HAZARDS, ProgramHazard, by_name
from samebits.hazards.catalogue.hazard import ChangedKernels
from samebits.ir.grammar import Module
from samebits.ir.refs import OpRef, is_own
from samebits.ir.text import parse_module, print_module
from samebits.ir.verify import verify
from samebits.sim.execution import EvaluateExecution
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation

FRAMES = 260
KERNELS = WORKSHOP.program.kernels
INPUTS = inputs_of(WORKSHOP, FRAMES)


@cache
def plain() -> Outcome:
    return outcome(native(WORKSHOP.program, 3), INPUTS)


def named(name: str) -> ProgramHazard:
    found = by_name(name)
    assert isinstance(found, ProgramHazard)
    return found


def some_variants(
    hazard: ProgramHazard, kernels: Module, seed: int = 1
) -> list[tuple[OpRef, ChangedKernels]]:
    return [
        (place, variant)
        for place in hazard.places(kernels)
        for variant in hazard.variants(kernels, place, seed)
    ]


@pytest.mark.parametrize("hazard", PROGRAM_HAZARDS, ids=lambda h: h.name)
def test_ways_are_legal_and_keep_the_ids_of_what_stays(hazard: ProgramHazard) -> None:
    before = numbered(KERNELS)
    found = some_variants(hazard, KERNELS)
    assert found
    for place, (kernels, note) in found:
        verify(kernels)
        assert note
        assert is_own(place.function)
        after = numbered(kernels)
        for key, op in after.items():
            old = before.get(key)
            if old is not None:  # the id still stands for a result of the same kind
                assert [str(v.type) for v in op.results] == [str(v.type) for v in old.results]
                assert op.span == old.span
        gone = before.keys() - after.keys()
        assert not gone or note == "the statement is left out"
        for function, number in after.keys() - before.keys():
            assert number > max(n for f, n in before if f == function)


@pytest.mark.parametrize("hazard", PROGRAM_HAZARDS, ids=lambda h: h.name)
def test_a_way_that_changes_bits_gives_the_same_ones_wherever_it_runs(
    hazard: ProgramHazard,
) -> None:
    found = some_variants(hazard, KERNELS)
    Random(7).shuffle(found)
    others = (
        kernels
        for _, (kernels, _) in found
        if outcome(native(WORKSHOP.program.with_kernels(kernels), 0), INPUTS) != plain()
    )
    everywhere(WORKSHOP, next(others), INPUTS[:12])


def test_what_is_drawn_follows_from_a_seed_and_is_fresh_without_one() -> None:
    for hazard in PROGRAM_HAZARDS:
        places = hazard.places(KERNELS)

        def texts(
            seed: int | None, hazard: ProgramHazard = hazard, at: OpRef = places[-1]
        ) -> list[str]:
            return [print_module(kernels) for kernels, _ in hazard.variants(KERNELS, at, seed)]

        assert texts(3) == texts(3)
        if hazard.name in ("host", "lost-store", "uninitialised", "changed-input"):
            assert texts(None) != texts(None)
            assert texts(3) != texts(4)


@pytest.mark.parametrize("name", ["host", "lost-store"])
def test_what_varies_gives_other_bits_in_each_run(name: str) -> None:
    hazard = named(name)
    assert hazard.varies
    inputs = INPUTS[:60]

    def hashes(place: OpRef, variant: int, seed: int) -> tuple[int, ...]:
        kernels, _ = list(hazard.variants(KERNELS, place, seed))[variant]
        return tuple(outcome(native(WORKSHOP.program.with_kernels(kernels), 0), inputs)[0])

    place = next(
        place
        for place in hazard.places(KERNELS)
        if hashes(place, 0, 1) != tuple(plain()[0][: len(inputs) + 1])
    )
    for variant in range(2 if name == "lost-store" else 4):
        assert len({hashes(place, variant, seed) for seed in range(8)}) == 8


def test_injected_kernels_print_and_parse() -> None:
    for hazard in PROGRAM_HAZARDS:
        kernels, _ = next(hazard.variants(KERNELS, hazard.places(KERNELS)[-1], 1))
        assert print_module(parse_module(print_module(kernels))) == print_module(kernels)


@cache
def arena() -> Simulation:
    return load_simulation(str(EXAMPLES / "arena" / "arena.py"))


@cache
def tour() -> Simulation:
    from tests.support.simulations.tour_simulation import TOUR

    return TOUR


@pytest.mark.parametrize(("simulation", "frames"), [(arena, 4), (tour, 1)])
def test_hazards_together_give_the_same_bits_wherever_they_run(simulation, frames: int) -> None:
    # One build with one place of each: compiling this many is what takes time.
    program = simulation().program
    kernels, changed = program.kernels, 0
    draws = Random(5)
    for hazard in PROGRAM_HAZARDS:
        places = hazard.places(program.kernels)
        if places and hazard.name not in ("changed-operation", "changed-constant"):
            place = draws.choice(places)
            kernels, _ = draws.choice(list(islice(hazard.variants(kernels, place, 5), 4)))
            changed += 1
    assert changed >= 6
    inputs = inputs_of(simulation(), frames)
    found = everywhere(simulation(), kernels, inputs)
    assert found != outcome(EvaluateExecution(program), inputs)


def test_a_hazard_is_found_by_its_name() -> None:
    for hazard in (*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS):
        assert by_name(hazard.name) is hazard
    assert len({h.name for h in (*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS)}) == len(
        EXPRESSION_HAZARDS
    ) + len(PROGRAM_HAZARDS)
    with pytest.raises(HazardError, match="there is no hazard 'cosmic-ray'"):
        by_name("cosmic-ray")
