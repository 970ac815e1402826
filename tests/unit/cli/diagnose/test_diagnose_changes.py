"""States that were changed outside of the frames of a second replay: when, in which fields."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.command_line import Run
from tests.support.runs.compared import FRAMES, SMALL

from samebits.replay import ReplayReader, ReplayWriter
from samebits.sim.inputs import Inputs
from samebits.sim.load import load_simulation
from samebits.sim.session import Session
from samebits.sim.sources import PlayerSource

SIMULATION = load_simulation(SMALL)
(_BLOCK,) = PlayerSource(SIMULATION, "push", 1, FRAMES).blocks()
Change = Callable[[Session], None]


def played(
    changes: Mapping[int, Change], every: int = 0, skipped: tuple[int, ...] = (),
    inputs: Inputs = _BLOCK.inputs,
) -> str:  # fmt: skip
    """The replay of a session, with what is done to it before some frames, and without the steps
    of some."""
    session = SIMULATION.start(1)
    with ReplayWriter("theirs.mcap", SIMULATION.header(1)) as writer:
        for frame, row in enumerate(inputs):
            changes.get(frame, lambda session: None)(session)
            if every and frame % every == 0:
                writer.keyframe(session.canonical_state())
            if frame not in skipped:
                session.step(row)
            writer.add(SIMULATION.inputs.to_bytes(inputs[frame : frame + 1]), session.hash())
    return "theirs.mcap"


def charged(session: Session) -> None:
    session.state.bodies[1].charge += 50


def found_in(run: Run, *given: object) -> tuple[dict[str, Any], str]:
    """The JSON of a comparison that differs, and the first line of its text."""
    code, out, err = run(SMALL, *given, "--json")
    assert (code, err) == (1, "")
    return json.loads(out), run(SMALL, *given)[1].splitlines()[0]


def test_a_poke_before_a_keyframe_is_told_with_its_field(run: Run) -> None:
    found, answer = found_in(run, "push.mcap", played({20: charged}, every=10))
    assert answer == (
        "frame 20 · bodies[1].charge · the state was changed between frames 19 and 20, in "
        "bodies[1].charge (certain)"
    )
    (change,) = found["changes"]
    assert (change["frame"], change["shape"], change["keyframe"]) == (20, "fields", 20)
    (field,) = change["fields"]
    assert int(field["b"]["text"]) - int(field["a"]["text"]) == 50
    assert found["causes"][0]["hazard"] == "changed-state"
    assert (found["fields"][0]["path"], found["certainty"]) == ("bodies[1].charge", "certain")
    out = run(SMALL, "push.mcap", "theirs.mcap")[1]
    assert "\nfix: save and restore the whole state, and change it in step alone\n" in out
    assert "\nstate: the state was changed between frames 19 and 20, in bodies[1].charge\n" in out
    assert "\n    became  " in out


def test_a_poke_is_told_of_a_replay_alone(run: Run) -> None:
    found, answer = found_in(run, played({20: charged}, every=10))
    assert answer.startswith("frame 20 · bodies[1].charge · the state was changed between ")
    assert found["recorded"]["departure"]["between"]


def test_a_poke_that_only_a_later_keyframe_follows_is_likely(run: Run) -> None:
    found, answer = found_in(run, "push.mcap", played({17: charged}, every=10))
    assert answer == "frame 17 · the state was changed between frames 16 and 17 (likely)"
    assert [(c["shape"], c["keyframe"]) for c in found["changes"]] == [("unknown", 20)]


def test_a_poke_without_any_keyframe_is_possible(run: Run) -> None:
    found, answer = found_in(run, "push.mcap", played({20: charged}))
    assert answer == "frame 20 · cause unknown"
    assert found["changes"] == []
    assert found["notes"][-1] == (
        "between frames 19 and 20 the state may have been changed, or restored badly; or that "
        "machine computes frame 20 otherwise: keyframes would tell which"
    )


def test_a_small_poke_is_known_by_one_hash(run: Run) -> None:
    def nudged(session: Session) -> None:
        session.state.bodies[3].charge += 1

    found, answer = found_in(run, "push.mcap", played({20: nudged}))
    assert answer == (
        "frame 20 · bodies[3].charge · the state was changed between frames 19 and 20, in "
        "bodies[3].charge (likely)"
    )
    assert found["changes"][0]["keyframe"] is None


def test_a_field_that_a_restore_lost_is_known_by_one_hash(run: Run) -> None:
    def lost(session: Session) -> None:
        session.state.memory["grid"][1:] = 0

    found, _ = found_in(run, "push.mcap", played({20: lost}))
    assert {field["path"][:6] for field in found["changes"][0]["fields"]} <= {"grid[1", "grid[2"}
    assert found["certainty"] == "certain"


def test_a_state_that_is_put_right_again_is_likely(run: Run) -> None:
    def discharged(session: Session) -> None:
        session.state.bodies[1].charge -= 50

    found, answer = found_in(run, "push.mcap", played({20: charged, 24: discharged}))
    assert answer == "frame 20 · the state was changed between frames 19 and 20 (likely)"
    assert found["heals"] == 24


@pytest.mark.parametrize("every", [0, 10])
@pytest.mark.parametrize("off", [-2, 3])
def test_the_state_of_another_frame_is_known_by_one_hash(run: Run, off: int, every: int) -> None:
    other = SIMULATION.start(1)
    other.run(_BLOCK.inputs[: 20 + off])

    def restored(session: Session) -> None:
        session.state.memory[...] = other.state.memory

    found, answer = found_in(run, "push.mcap", played({20: restored}, every))
    said = f"between frames 19 and 20 the state became that before frame {20 + off} (certain)"
    assert answer.endswith(f" · {said}")
    assert found["changes"][0]["of"] == 20 + off
    assert found["fields"]


def test_a_frame_that_was_not_played_is_known_by_one_hash(run: Run) -> None:
    found, answer = found_in(run, "push.mcap", played({}, skipped=(20,)))
    assert answer.endswith(" · frame 20 was not played: the state after it is that before it "
                           "(certain)")  # fmt: skip
    assert found["changes"][0]["shape"] == "skipped"


def test_inputs_and_a_change_behind_them_are_told_both(run: Run) -> None:
    inputs = _BLOCK.inputs.copy()
    inputs["turn"][12, 0] = 101
    given = ("push.mcap", played({20: charged}, 10, inputs=inputs))
    found, answer = found_in(run, *given)
    assert answer.startswith("frame 12 · ")
    assert answer.endswith(
        "; the state was changed between frames 19 and 20, in bodies[1].charge (certain)"
    )
    assert found["causes"][0]["hazard"] == "changed-input"
    assert found["causes"][0]["evidence"][1:] == [
        "the state was changed between frames 19 and 20, in bodies[1].charge"
    ]
    played({20: charged}, inputs=inputs)  # without keyframes, nothing is certain
    found, answer = found_in(run, *given)
    assert answer.endswith(" (likely)")
    assert found["notes"][-1].startswith("between frames 19 and 20 the state may have been ")


def test_a_poke_that_the_same_frame_overwrites_is_told(run: Run) -> None:
    def revived(session: Session) -> None:
        session.state.bodies[0].alive = True  # until player 0 fires, in this frame

    found, answer = found_in(run, "push.mcap", played({24: revived}, every=8))
    assert (found["same"], found["frame"]) == (True, None)
    assert answer == (
        f"the same: no frame of {FRAMES} differs, but the state was changed between frames 23 and "
        "24, in bodies[0].alive"
    )


def test_arithmetic_of_another_machine_is_no_change_of_the_state(run: Run) -> None:
    session = SIMULATION.start(1)
    with ReplayWriter("theirs.mcap", SIMULATION.header(1)) as writer:
        for frame, row in enumerate(_BLOCK.inputs):
            writer.keyframe(session.canonical_state())
            session.step(row)
            if frame == 20:  # within the frame, which keyframes on both sides of it show
                charged(session)
            writer.add(SIMULATION.inputs.to_bytes(_BLOCK.inputs[frame : frame + 1]), session.hash())
    found, answer = found_in(run, "push.mcap", "theirs.mcap")
    assert answer == "frame 20 · bodies[1].charge · cause unknown"
    assert found["changes"] == []


def test_beside_a_bare_list_of_hashes_a_change_is_never_certain(run: Run) -> None:
    played({}, skipped=(20,))  # which an input that pauses would do, too
    with ReplayReader("theirs.mcap") as reader:
        blocks = [block.hashes for block in reader.blocks() if block.hashes is not None]
    lines = [f"{frame} {value:016x}\n" for frame, value in enumerate(np.concatenate(blocks))]
    Path("theirs.txt").write_text("".join(lines))
    answer = found_in(run, "push.mcap", "theirs.txt")[1]
    assert answer.endswith("frame 20 was not played: the state after it is that before it (likely)")
