"""Going back and playing again gives the bits of a run that never went back."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.support.simulations.small_simulation import SMALL, Input

from samebits.errors import ArgumentError, Trap
from samebits.sim.load import load_simulation
from samebits.sim.players import random_inputs
from samebits.sim.rollback import Rollback
from samebits.sim.simulation import Simulation

EXAMPLES = Path(__file__).parents[3] / "examples"
NAMES = ("arena", "cloth", "flock", "maze", "outer_planets", "pendulum", "pinball", "racing")
FRAMES = 24


def example(name: str) -> Simulation:
    return load_simulation(str(EXAMPLES / name / f"{name}.py"))


@pytest.mark.parametrize("name", NAMES)
def test_frames_played_again_with_other_inputs_have_the_bits_of_a_plain_run(name: str) -> None:
    simulation = example(name)
    inputs = random_inputs(simulation, 0, FRAMES, 3)
    wrong = random_inputs(simulation, 500, FRAMES, 4)
    session = simulation.start(7)
    expected = session.run(inputs)
    rollback = Rollback(simulation, 5, 7)
    for frame in range(FRAMES - 5):
        rollback.play(frame, wrong[frame : frame + 5])
        assert rollback.frame == frame + 5
        done = rollback.play(frame, inputs[frame : frame + 1])
        assert done.tolist() == [expected[frame]]
    rollback.play(FRAMES - 5, inputs[FRAMES - 5 :])
    assert rollback.canonical_state() == session.canonical_state()
    assert rollback.hash() == session.hash()


def test_states_before_frames_are_kept_as_far_as_the_window_and_no_further() -> None:
    inputs = random_inputs(SMALL, 0, 12, 1)
    inputs["at"] = 0
    session, before = SMALL.start(2), list[bytes]()
    for row in inputs:
        before.append(session.canonical_state())
        session.step(row)
    rollback = Rollback(SMALL, 4, 2)
    rollback.play(0, inputs)
    assert (rollback.oldest, rollback.frame) == (8, 12)
    assert [rollback.canonical_state(f) for f in range(8, 12)] == before[8:]
    with pytest.raises(ArgumentError, match=r"frame 7 is outside those .* 8 to 12"):
        rollback.play(7, inputs[7:])
    # Going back leaves no more frames than there were: rows of earlier ones were taken since.
    rollback.play(9, inputs[9:10])
    assert (rollback.oldest, rollback.frame) == (8, 10)
    assert rollback.canonical_state(8) == before[8]
    with pytest.raises(ArgumentError, match="frame 11 is outside"):
        rollback.play(11, inputs[11:])


def test_a_trap_is_reported_with_its_frame_and_leaves_the_last_whole_frame() -> None:
    inputs = np.zeros((10, 2), Input.dtype)
    inputs["push"] = 1
    bad = inputs.copy()
    bad["at"][6, 1] = 99
    plain = SMALL.start(1)
    hashes = plain.run(inputs[:6])
    rollback = Rollback(SMALL, 6, 1)
    rollback.play(0, inputs[:4])
    with pytest.raises(Trap, match="nobody is at 99") as caught:
        rollback.play(2, bad[2:])
    assert vars(caught.value)["frame"] == rollback.frame == 6
    assert vars(caught.value)["hashes"].tolist() == hashes[2:].tolist()
    assert rollback.canonical_state() == plain.canonical_state()
    assert rollback.play(6, inputs[6:]).tolist() == plain.run(inputs[6:]).tolist()


def test_a_restored_state_goes_on_as_the_run_that_it_is_from() -> None:
    inputs = random_inputs(SMALL, 0, 20, 1)
    inputs["at"] = 1
    session = SMALL.start(1)
    session.run(inputs[:10])
    rollback = Rollback(SMALL, 8)
    rollback.restore(10, session.canonical_state())
    assert (rollback.oldest, rollback.frame, rollback.hash()) == (10, 10, session.hash())
    assert rollback.play(10, inputs[10:]).tolist() == session.run(inputs[10:]).tolist()
    for frame, state in ((-1, session.canonical_state()), (3, b"short")):
        with pytest.raises(ArgumentError):
            rollback.restore(frame, state)
    assert rollback.hash() == session.hash()


def test_a_window_of_none_plays_lockstep() -> None:
    inputs = random_inputs(SMALL, 0, 6, 1)
    inputs["at"] = 1
    rollback, session = Rollback(SMALL, 0, 3), SMALL.start(3)
    for frame in range(6):
        row = inputs[frame : frame + 1]
        assert rollback.play(frame, row).tolist() == session.run(row).tolist()
    assert rollback.oldest == 6
    with pytest.raises(ArgumentError, match="the window is -1"):
        Rollback(SMALL, -1)
