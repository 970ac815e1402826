"""Two replays are compared: what each machine was given, and what came of it."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from tests.support.command_line import Run, refused
from tests.support.runs.compared import FRAMES, SMALL

from samebits.desync.of_replay import report_of_replay
from samebits.replay import ReplayReader, ReplayWriter
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource, ReplaySource

SIMULATION = load_simulation(SMALL)


@pytest.fixture
def late(run: Run) -> str:
    """A replay in which the second player's inputs are late."""
    played = PlayerSource(SIMULATION, "push", 1, FRAMES)
    (block,) = played.blocks()
    rows = block.inputs.copy()
    rows[20:30, 1] = block.inputs[18:28, 1]
    with SIMULATION.record("late.mcap", seed=1, keyframe_every=16) as recording:
        recording.run(rows)
    return "late.mcap"


def test_the_inputs_of_two_replays_are_compared(run: Run, late: str) -> None:
    code, out, err = run(SMALL, "push.mcap", late, "--a", "opt=0")
    assert (code, err) == (1, "")
    said = "player 1's inputs are 2 frames late from frame 20 to 29"
    answer, fix, *_ = out.splitlines()
    assert answer.startswith("frame 20 · bodies[")
    assert answer.endswith(f" · {said} (certain)")
    assert fix == "fix: give each input the frame that it is for, and one input delay on all peers"
    found = json.loads(run(SMALL, "push.mcap", late, "--json")[1])
    assert (found["inputs"][0]["players"], found["causes"][0]["hazard"]) == ([1], "changed-input")


def test_a_replay_alone_is_compared_with_what_it_recorded(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap")
    assert (code, out.splitlines()[0], err) == (0, f"the same: no frame of {FRAMES} differs", "")
    with SIMULATION.record("poked.mcap", seed=1) as recording:
        (block,) = PlayerSource(SIMULATION, "push", 1, FRAMES).blocks()
        recording.run(block.inputs[:20])
        recording.state.bodies[1].charge += 50
        recording.run(block.inputs[20:])
    code, out, err = run(SMALL, "poked.mcap")
    assert (code, out.split(" ·")[0], err) == (1, "frame 20", "")


def test_a_replay_alone_without_hashes_is_refused(run: Run) -> None:
    (block,) = PlayerSource(SIMULATION, "push", 1, FRAMES).blocks()
    with ReplayWriter("bare.mcap", SIMULATION.header(1)) as writer:
        writer.add_block(SIMULATION.inputs.to_bytes(block.inputs), None, FRAMES)
    said = refused(run, SMALL, "bare.mcap")
    assert said.startswith(
        "side b is not given\n  note: bare.mcap holds no hashes to compare with\n  fix: give --b, "
    )


def test_replays_of_two_seeds_are_told_as_such(run: Run) -> None:
    code, out, _ = run(SMALL, "push.mcap", "seed2.mcap")
    assert (code, out.splitlines()[0]) == (1, "init · random · another seed (likely)")
    assert "  seed 2, everywhere, over side b's inputs, which differ too\n" in out


def test_the_same_replay_twice_is_the_same(run: Run) -> None:
    shutil.copy("push.mcap", "copy.mcap")
    code, out, _ = run(SMALL, "push.mcap", "copy.mcap")
    assert (code, out.splitlines()[0]) == (0, f"the same: no frame of {FRAMES} differs")


def test_only_the_first_frames_of_two_replays_are_compared_on_request(run: Run, late: str) -> None:
    assert run(SMALL, "push.mcap", late, "--frames", 20)[0] == 0
    assert run(SMALL, "push.mcap", late, "--frames", 21)[0] == 1


def test_another_version_of_the_simulation_is_a_suspect(run: Run) -> None:
    code, out, _ = run(SMALL, "push.mcap", "second.mcap")
    assert code == 0  # the version is all that differs
    assert "  version  a 1, b 2\n" in out


def test_a_replay_as_a_report_has_all_that_it_holds(run: Run, late: str) -> None:
    made = report_of_replay(late)
    source = ReplaySource(SIMULATION, late)
    blocks = list(source.blocks())
    rows = [row for block in blocks for row in block.inputs]
    hashes = [hash_ for block in blocks for hash_ in np.asarray(block.hashes)]
    assert made.frames == FRAMES == len(rows) == len(hashes)
    for frame in range(FRAMES):
        given = made.inputs_array(frame)
        assert given is not None
        assert np.array_equal(given, rows[frame])
        assert made.hash_after(frame) == hashes[frame]
    with ReplayReader(late) as reader:
        kept = dict(reader.keyframes())
    assert made.states == sorted(kept)
    assert all(made.state(n) == state for n, state in kept.items())
    assert made.damage == ()
