"""An experiment that does otherwise than the other side did is given up at that operation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.simulations.traced_simulation import TRACED

from samebits.bits import to_canonical, xxh64
from samebits.diagnosis.cause.experiment import Agreement, Experiment
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import Trace, record
from samebits.hazards.text import inject_texts
from samebits.ir.analysis.budget import Budget
from samebits.sim.execution import EvaluateExecution
from samebits.sim.program import Program
from samebits.sim.sources import PlayerSource

PLAIN = TRACED.program
FRAMES = 3


@pytest.fixture(scope="module")
def differing() -> Experiment:
    """Frames of a program with fused operations, the first of them traced."""
    execution = EvaluateExecution(PLAIN)
    execution.start(1)
    (block,) = PlayerSource(TRACED, "push", 1, 9 + FRAMES).blocks()
    execution.advance(block.inputs[:9])
    before, rows = execution.save(), block.inputs[9:]
    fused = inject_texts(PLAIN, ("fma",))
    run = EvaluateExecution(fused)
    run.restore(before)
    hashes = run.advance(rows).hashes
    trace = record(Model.of(fused, PLAIN), before, rows[0])
    assert np.uint64(xxh64(to_canonical(PLAIN.state, trace.memory))) == hashes[0]
    return Experiment(before, rows, hashes, interpreted=True, trace=trace)


def tried(experiment: Experiment, program: Program, trace: Trace | None) -> tuple[Agreement, int]:
    """What an experiment shows, and the operations that it takes."""
    budget = Budget()
    found = replace(experiment, trace=trace, budget=budget).run(program)
    return found, Budget().operations - budget.operations


def test_what_does_the_same_is_followed_through_all_frames(differing: Experiment) -> None:
    fused = inject_texts(PLAIN, ("fma",))
    found, cost = tried(differing, fused, differing.trace)
    assert found == Agreement(FRAMES, FRAMES)
    assert (found, cost) == tried(differing, fused, None)


@pytest.mark.parametrize("hazard", ["x87", "double-rounding"])
def test_what_does_otherwise_ends_there(differing: Experiment, hazard: str) -> None:
    other = inject_texts(PLAIN, (hazard,))
    found, cost = tried(differing, other, differing.trace)
    refuted, whole = tried(differing, other, None)
    assert found == refuted == Agreement(0, FRAMES)
    assert cost < whole


def test_a_frame_that_goes_on_after_its_trace_is_another(differing: Experiment) -> None:
    trace = differing.trace
    assert trace is not None
    fused = inject_texts(PLAIN, ("fma",))
    for numbers in (trace.numbers[:-1], np.append(trace.numbers, trace.numbers[-1])):
        values = np.append(trace.values, trace.values[-1:])
        other = replace(trace, numbers=numbers, values=values)
        assert tried(differing, fused, other)[0].same == 0
