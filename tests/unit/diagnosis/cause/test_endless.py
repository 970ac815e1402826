"""Programs that never end: evaluation for a diagnosis gives them up."""

from __future__ import annotations

import numpy as np
import pytest

import samebits as sb
from samebits import uint32, uint64
from samebits.diagnosis.cause.experiment import Agreement, Experiment
from samebits.errors import TraceError
from samebits.frame_trace import observer as watching
from samebits.frame_trace import record as trace
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import record
from samebits.ir.text import parse_module, print_module
from samebits.sim.program import Program


@sb.struct
class State:
    count: uint32


@sb.struct
class Input:
    more: uint32


@sb.kernel
def settled(count: uint32, more: uint32) -> uint32:
    while count != 7:
        count += more
    return count


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.count = 3


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.count = settled(state.count, inputs[0].more) - 4


COUNT = sb.Simulation(
    name="count", version="1", state=State, input=Input, players=1, init=init, step=step
)


def program(library: bool) -> Program:
    """The simulation's, or the same with a loop in what is named as samebits' own functions are."""
    plain = COUNT.program
    name = next(name for name in plain.kernels.functions if name.endswith(".settled"))
    text = print_module(plain.kernels)
    if library:
        text = text.replace(f'"{name}"', '"samebits.mathlib.settled"')
    return plain.with_kernels(parse_module(text))


def inputs(*steps: int) -> np.ndarray[tuple[int, int], np.dtype[np.void]]:
    """A frame a step; by 3 the loop goes past 7, round and round."""
    rows = np.zeros((len(steps), 1), Input.dtype)
    rows["more"][:, 0] = steps
    return rows


BEFORE = (3).to_bytes(4, "little")


@pytest.fixture
def bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LIMIT", 10_000)
    monkeypatch.setattr(trace, "LIMIT", 10_000)


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("library", [False, True], ids=["own", "library"])
def test_a_trace_is_given_up(library: bool) -> None:
    model = Model.of(program(library))
    assert record(model, BEFORE, inputs(1)[0]).after == BEFORE
    message = "the frame does not end" if library else "the frame has more than 10000 operations"
    with pytest.raises(TraceError, match=message):
        record(model, BEFORE, inputs(3)[0])


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("library", [False, True], ids=["own", "library"])
def test_an_experiment_is_given_up_in_that_frame(library: bool) -> None:
    hashes = np.full(4, sb.bits.xxh64(BEFORE), np.uint64)
    experiment = Experiment(BEFORE, inputs(1, 1, 3, 1), hashes, interpreted=True)
    assert experiment.run(program(library)) == Agreement(2, 4)
    ending = Experiment(BEFORE, inputs(1, 4, 2, 1), hashes, interpreted=True)
    assert ending.run(program(library)) == Agreement(4, 4)


def test_the_bound_is_far_above_what_frames_do() -> None:
    assert watching.LIMIT == trace.LIMIT == 1 << 24
