"""Wherever a signal handler raises, a session's state is its frame's, and so are recordings."""

from __future__ import annotations

import contextlib
import gc
import warnings
from pathlib import Path

import numpy as np
import pytest
from tests.support.interrupting import Alarm, Interrupt, at_each
from tests.support.simulations.small_simulation import SMALL

import samebits as sb
from samebits.replay.writer import partial_path
from samebits.sim import session as sessions
from samebits.sim.players import player
from samebits.sim.recording import Recording

FRAMES = 12
INPUTS = player(SMALL, "push", 3)(0, 100)
CRASH = player(SMALL, "crash", 3)(0, 40)


def hashes_of(inputs: np.ndarray) -> dict[int, int]:
    """The hash of the state at each frame."""
    session = SMALL.start(7)
    found = {0: session.hash()}
    for row in inputs:
        try:
            session.step(row)
        except sb.Trap:
            break
        found[session.frame] = session.hash()
    return found


KNOWN = hashes_of(INPUTS)


@pytest.mark.parametrize("error", [Interrupt, Alarm])
def test_an_interrupt_at_any_bytecode_leaves_the_state_of_the_frame(
    error: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "BLOCK_FRAMES", 3)
    session = SMALL.start(7)
    start = session.save()

    def play() -> None:
        session.restore(start)
        session.step(INPUTS[0])
        session.run(INPUTS[1:8])
        saved = session.save()
        session.run(INPUTS[8:FRAMES])
        session.restore(saved)
        session.run(INPUTS[8:FRAMES])

    seen: set[int] = set()

    def check() -> None:
        seen.add(session.frame)
        assert session.hash() == KNOWN[session.frame]
        at = session.frame
        assert session.run(INPUTS[at : at + 2])[-1] == KNOWN[at + 2]
        assert session.seed == 7
        session.restore(start)

    assert at_each(play, check, error, stride=1 if error is Interrupt else 3) > 100
    assert {1, 4, 7, 8, 11, FRAMES} <= seen


def test_an_interrupt_around_a_trap_leaves_the_state_of_the_frame() -> None:
    session, known = SMALL.start(7), hashes_of(CRASH)
    start = session.save()

    def play() -> None:
        session.restore(start)
        try:
            session.run(CRASH)
        except sb.Trap:
            return
        raise AssertionError

    def check() -> None:
        assert session.hash() == known[session.frame]

    assert at_each(play, check) > 20


@pytest.mark.parametrize("every", [0, 4])
def test_an_interrupted_recording_keeps_whole_frames(
    every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("samebits.sim.recording.BLOCK_FRAMES", 3)
    path = tmp_path / "game.mcap"
    whole = set[bool]()
    made: list[Recording] = []

    def play() -> None:
        path.unlink(missing_ok=True)
        partial_path(path).unlink(missing_ok=True)
        made[:] = [recording := SMALL.record(path, seed=7, keyframe_every=every)]
        with recording:
            recording.run(INPUTS[:5])
            recording.step(INPUTS[5])
            recording.run(INPUTS[6:FRAMES])

    def check() -> None:
        gc.collect(0)
        found = path if path.exists() else partial_path(path)
        try:
            replay = sb.Replay.open(found, SMALL)
        except (sb.ReplayError, FileNotFoundError):  # not even its header was written
            return
        whole.add(found == path)
        if replay.hashes is None:
            assert not len(replay)
            return
        assert len(replay.hashes) == len(replay)
        frames = range(1, len(replay) + 1)
        assert [KNOWN[k] for k in frames] == [int(value) for value in replay.hashes]
        assert np.array_equal(replay.inputs, INPUTS[: len(replay)])
        assert found != path or len(replay) == FRAMES

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        assert at_each(play, check, stride=307) > 5
        made.clear()
        gc.collect()  # here, where what an interrupted `open` left may be told
    assert False in whole


@pytest.mark.parametrize("every", [0, 4])
def test_a_recording_goes_on_after_an_interrupt_from_its_frame(
    every: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every frame that `frame` counts is in the file once, also where writing it was cut."""
    monkeypatch.setattr("samebits.sim.recording.BLOCK_FRAMES", 3)
    path = tmp_path / "game.mcap"
    made: list[Recording] = []
    ends: set[str] = set()

    def begin() -> None:
        path.unlink(missing_ok=True)
        for partial in tmp_path.glob("*.partial*"):
            partial.unlink()
        made[:] = [SMALL.record(path, seed=7, keyframe_every=every)]

    def play() -> None:
        made[0].run(INPUTS[:7])
        made[0].step(INPUTS[7])
        made[0].run(INPUTS[8:FRAMES])

    def go_on() -> None:
        recording = made[0]
        at = recording.frame
        assert recording.session.hash() == KNOWN[recording.session.frame]
        recording.run(INPUTS[at : FRAMES + 2])
        recording.close()
        assert whole_frames(path) == FRAMES + 2
        ends.add("begun" if at < FRAMES else "over")
        begin()

    begin()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        assert at_each(play, go_on, stride=23) > 20
    made[0].close()
    assert ends == {"begun", "over"}


@pytest.mark.parametrize("every", [0, 1])
@pytest.mark.parametrize("error", [Interrupt, Alarm])
def test_an_interrupt_that_the_block_catches_leaves_the_frames_until_then(
    every: int, error: type[BaseException], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What has its name is whole and has the frames that `frame` counts, wherever it came, and in
    the `close` that gives the name too."""
    monkeypatch.setattr("samebits.sim.recording.BLOCK_FRAMES", 3)
    path = tmp_path / "game.mcap"
    counted: list[int] = []

    def play() -> None:
        counted.clear()
        path.unlink(missing_ok=True)
        with SMALL.record(path, seed=7, keyframe_every=every) as recording:
            with contextlib.suppress(error):
                recording.run(INPUTS[:7])
            counted.append(recording.frame)

    def check() -> None:
        if counted and path.exists():
            assert whole_frames(path) == counted[0]
        for partial in tmp_path.glob("*.partial*"):
            partial.unlink()

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        assert at_each(play, check, error, stride=29) > 5


@pytest.mark.parametrize("error", [Interrupt, Alarm])
def test_an_interrupt_in_the_end_of_a_recording_leaves_it_whole_under_its_name(
    error: type[BaseException], tmp_path: Path
) -> None:
    path = tmp_path / "game.mcap"
    made: list[Recording] = []

    def begin() -> None:
        path.unlink(missing_ok=True)
        made[:] = [SMALL.record(path, seed=7)]
        made[0].run(INPUTS[:7])

    def leave() -> None:
        made[0].__exit__(None, None, None)

    def check() -> None:
        if not path.exists():  # it came before the first line
            leave()
        assert whole_frames(path) == 7
        begin()

    begin()
    assert at_each(leave, check, error, stride=3) > 20
    made[0].close()


def whole_frames(path: Path) -> int:
    """The frames of a replay that is whole and has the simulation's hashes."""
    replay = sb.Replay.open(path, SMALL)
    count = len(replay)
    assert replay.damage is None or (not count and replay.damage.startswith("no frames"))
    assert (replay.hashes is not None) == bool(count)
    if replay.hashes is not None:
        assert replay.hashes.tolist() == [KNOWN[k] for k in range(1, count + 1)]
    assert np.array_equal(replay.inputs, INPUTS[:count])
    return count
