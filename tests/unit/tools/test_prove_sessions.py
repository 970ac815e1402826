"""Sessions that part: what is drawn goes wrong as it is called, and answers are held against it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from tools.prove_diagnose.sessions import evidence, judge, report, truth
from tools.prove_diagnose.sessions.case import INPUTS, Case, Fault, Rollback
from tools.prove_diagnose.sessions.draw import Drawn, drawn
from tools.prove_diagnose.sessions.input_faults import fault_of, rows_of
from tools.prove_diagnose.sessions.play import Log, column, played, scalars
from tools.prove_diagnose.sessions.subjects import SUBJECTS
from tools.prove_diagnose.truth import differing

import samebits as sb

BOATS = SUBJECTS["boats"].simulation()
FRAMES = 40


@cache
def inputs() -> np.ndarray[Any, Any]:
    source = SUBJECTS["boats"].source("regatta", 3, FRAMES)
    return next(iter(source.blocks())).inputs


def log_of(*faults: Fault, back: Rollback | None = None) -> Log:
    return played(BOATS, 3, inputs(), () if back is None else (back,), faults)


def changed(log: Log, frame: int) -> list[str]:
    """What became another before a frame."""
    return [*differing(BOATS.state_type, log.end_before(frame), log.starts[frame])]


def test_a_case_comes_again_by_its_number() -> None:
    first, again = drawn(10, 5), drawn(10, 5)
    assert first.case == again.case
    assert first.theirs.ends == again.theirs.ends
    assert drawn(33, 5).case != replace(first.case, number=33)


@pytest.mark.parametrize("kind", INPUTS)
def test_a_fault_of_inputs_changes_the_frames_and_players_that_it_names(kind: str) -> None:
    ours, draws = rows_of(inputs()), Random(7)
    tries = ((theirs := ours.copy(), fault_of(kind, BOATS, ours, theirs, draws)) for _ in range(40))
    theirs, fault = next(found for found in tries if found[1] is not None)
    assert fault is not None
    assert fault.kind == kind
    differ = (ours != theirs).any(axis=2)
    frames, players = (set(map(int, part)) for part in differ.nonzero())
    assert frames
    assert frames <= set(range(fault.frame, fault.frame + fault.count))
    assert players <= set(fault.players)


def test_a_rollback_that_is_right_leaves_no_trace() -> None:
    assert log_of(back=Rollback(12, 6, 2)).ends == log_of().ends


def test_a_poke_changes_one_scalar_between_two_frames() -> None:
    log = log_of(Fault("poke", 20, field="boats[4].pos.x", bits="0000c842"))
    assert changed(log, 20) == ["boats[4].pos.x"]
    assert log.ends[:20] == log_of().ends[:20]
    assert log.ends[20] != log_of().ends[20]


def test_a_poke_is_put_right_again() -> None:
    log = log_of(Fault("poke put right", 20, by=5, field="boats[4].pos.x", bits="0000c842"))
    assert log.ends[24] != log_of().ends[24]
    assert log.ends[25:] == log_of().ends[25:]


def test_a_lost_field_is_what_the_guess_left() -> None:
    fault = Fault("lost field", 12, 6, field="boats[].heading", bits="kept")
    log = log_of(fault, back=Rollback(12, 6, 2))
    assert changed(log, 12)
    assert {column(path) for path in changed(log, 12)} == {"boats[].heading"}
    assert not any(changed(log, frame) for frame in range(13, FRAMES))


def test_a_lost_tail_is_the_last_half() -> None:
    fault = Fault("lost tail", 12, 6, field="boats[].heading", bits="zero")
    log = log_of(fault, back=Rollback(12, 6, 2))
    assert changed(log, 12) == [f"boats[{n}].heading" for n in range(4, 8)]
    assert len(scalars(BOATS, "boats[].pos")) == 16


def test_a_frame_that_is_not_played_again_leaves_the_state_alone() -> None:
    log = log_of(Fault("one frame short", 12, 6), back=Rollback(12, 6, 2))
    assert log.ends[17] == log.starts[17] == log_of().ends[16]
    assert len(log.ends) == FRAMES


def test_another_frames_state_is_restored() -> None:
    log = log_of(Fault("wrong frame", 12, 6, by=-2), back=Rollback(12, 6, 2))
    assert log.starts[12] == log_of().starts[10]


def known(form: str, keyframes: int, folder: Path) -> truth.Truth:
    fault = Fault("poke", 20, field="boats[4].pos.x", bits="0000c842")
    case = Case(0, "boats", "regatta", 3, FRAMES, keyframes, form, (fault,))
    ours, theirs = log_of(), log_of(fault)
    first = truth.first_difference(ours, theirs)
    given = evidence.Given(case, ours, theirs, first, folder)
    return truth.known(Drawn(case, ours, theirs, (ours,)), given)


def test_what_no_keyframe_shows_is_not_asked_for(tmp_path: Path) -> None:
    shown = known("two replays", 10, tmp_path)
    assert shown.frames == (20,)
    assert shown.fields[20] is not None
    assert shown.needed == ("state",)
    assert [(c.frame, c.fields, c.shown) for c in shown.changes] == [
        (20, ("boats[4].pos.x",), True)
    ]
    assert known("two replays", 15, tmp_path).fields[20] is None
    assert known("replay and hashes", 10, tmp_path).is_same  # a second run has no poke in it


def test_a_replay_has_what_was_played(tmp_path: Path) -> None:
    log = log_of(Fault("poke", 20, field="boats[4].pos.x", bits="0000c842"))
    case = Case(0, "boats", "regatta", 3, FRAMES, 10, "two replays", ())
    path = evidence.Given(case, log_of(), log, 20, tmp_path).replay(log, "theirs.mcap")
    replay = sb.Replay.open(path, BOATS)
    assert replay.hashes is not None
    assert replay.hashes.tolist() == log.hashes()
    assert np.array_equal(replay.inputs, inputs())


def stretch(**given: Any) -> dict[str, Any]:
    return {"frame": 10, "last": 10, "players": [1], "shape": "dropped", "frames": 0,
            "other": None, "fields": [], **given}  # fmt: skip


def test_what_is_said_of_inputs_is_held_against_them() -> None:
    ours = np.arange(1, 81, dtype=np.uint8).reshape(20, 4, 1)
    theirs = ours.copy()
    theirs[10, 1] = ours[7, 1]
    facts = truth.Truth((10,), {}, ("inputs",), (), 20, ours, theirs, shapes_known=True)
    assert truth.is_true(stretch(shape="late", frames=3), facts)
    assert not truth.is_true(stretch(shape="late", frames=4), facts)
    assert not truth.is_true(stretch(shape="dropped"), facts)
    assert not truth.is_true(stretch(shape="another's", other=2), facts)
    assert not truth.is_true(stretch(frame=9, shape="late", frames=3), facts)


def test_an_answer_that_is_wrong_and_certain_shows() -> None:
    right = judge.Verdict(0, "boats", ["poke"], "two replays", answer=True, frame=True, fields=True,
                          cause=True, every_cause=True, cpu_seconds=1.0)  # fmt: skip
    wrong = replace(right, cause=False, every_cause=False, said="nothing")
    assert report.kept([right])
    assert report.kept([right] * 99 + [wrong])
    assert not report.kept([right] * 99 + [replace(wrong, falsely_certain=True)])
    assert "said (0): nothing" in report.line(wrong)
    assert "| poke | 2 | 2 | 2 | 1 | 0 | 1.0 |" in report.section([right, wrong], 1)
