"""An experiment that does otherwise than the other side did is given up at that operation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.support.simulations.traced_simulation import TRACED

import samebits as sb
from samebits import float32, int32, uint64
from samebits.bits import to_canonical, xxh64
from samebits.diagnosis.cause.experiment import Agreement, Experiment
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import Trace, record
from samebits.hazards.text import inject_texts
from samebits.ir.analysis.budget import Budget
from samebits.sim.execution import EvaluateExecution
from samebits.sim.outcome import TrapFact
from samebits.sim.program import Program
from samebits.sim.sources import PlayerSource

PLAIN = TRACED.program


@sb.struct
class Row:
    x: sb.FixedArray[float32, 4]


@sb.struct
class At:
    index: int32


@sb.kernel
def empty(state: Row, seed: uint64) -> None:
    state.x[0] = float32(seed)


@sb.kernel
def mark(state: Row, inputs: sb.ReadOnly[At]) -> None:
    state.x[inputs[0].index] += 1.0


ROW = sb.Simulation(
    name="row", version="1", state=Row, input=At, players=1, init=empty, step=mark
)  # fmt: skip
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


@pytest.mark.parametrize("interpreted", [False, True])
def test_a_trap_with_another_value_is_not_the_other_sides(interpreted: bool) -> None:
    rows = np.zeros((3, 1), ROW.input_type.dtype)
    rows["index"] = [[3], [7], [9]]
    run = EvaluateExecution(ROW.program)
    run.start(1)
    before = run.save()
    first = run.advance(rows[:2])
    assert first.trap is not None
    theirs = Experiment(
        before, rows[:2], first.hashes, TrapFact.of(first.trap), interpreted=interpreted
    )
    assert theirs.run(ROW.program) == Agreement(2, 2)
    other = replace(theirs, inputs=rows[::2])
    assert other.run(ROW.program) == Agreement(1, 2)
