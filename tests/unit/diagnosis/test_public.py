"""`sb.diagnose`, `sb.make_report`, `sb.explain` and `sb.evaluate`: what they take and refuse."""

from __future__ import annotations

import io
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import float32, uint64


@sb.struct
class State:
    x: float32


@sb.struct
class Push:
    by: float32


@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.x = 1.0


@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Push]) -> None:
    state.x += inputs[0].by * 0.1


@sb.kernel
def scaled(x: float32, by: float32) -> float32:
    return x * by + 1


DRIFT = sb.Simulation(
    name="drift", version="1", state=State, input=Push, players=1, init=init, step=step
)
FMA = "evaluate,hazard=fma"


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replays") / "drift.mcap"
    inputs = np.zeros((60, 1), [("by", np.float32)])
    inputs["by"][:, 0] = np.linspace(0, 1, 60)
    with DRIFT.record(path, seed=1) as recording:
        recording.run(inputs)
    return path


def report_of(replay: Path, side: str, frames: range | int | None) -> Any:
    return sb.make_report(DRIFT, replay, frames, side=side)


def test_two_ways_to_run_are_compared_over_a_replay(replay: Path) -> None:
    found = sb.diagnose(DRIFT, replay, a="evaluate", b=FMA)
    assert not found.same
    assert (found.frame, found.causes[0].hazard) == (49, "fma")
    assert sb.diagnose(DRIFT, replay, a="evaluate", b=FMA, frames=49).same


def test_without_a_replay_players_play() -> None:
    seen: list[str] = []
    found = sb.diagnose(
        DRIFT, a="evaluate", b="managed", frames=20, players="random", seed=7,
        progress=lambda what, done, total: seen.append(what),
    )  # fmt: skip
    assert found.same
    assert (found.frames, found.seed) == (20, 7)
    assert seen


def test_a_report_is_compared_with_a_run_and_with_a_report(replay: Path, tmp_path: Path) -> None:
    path = tmp_path / "theirs.desync"
    mine, other = report_of(replay, "evaluate", range(48, 51)), report_of(replay, "managed", 49)
    sb.write_report(mine, path)
    theirs = sb.read_report(path)
    assert sb.diagnose(DRIFT, replay, a="managed", b=theirs).same
    assert sb.diagnose(DRIFT, replay, a=FMA, b=theirs).frame == 49
    assert sb.diagnose(theirs, other).same


def test_a_report_without_frames_holds_the_hashes_of_the_whole_run(replay: Path) -> None:
    assert report_of(replay, "evaluate", None).frames == 60
    assert list(report_of(replay, "evaluate", 49).asked) == [49]


_sb: Any = sb
"""Not looked at by the type checker, which refuses most of these calls too."""
REFUSED: list[tuple[Callable[[Path], Any], str]] = [
    (lambda r: _sb.diagnose(3, r, b="managed"), "is an int, not a Simulation"),
    (lambda r: _sb.diagnose(DRIFT, r), "side b is not given"),
    (lambda r: _sb.diagnose(DRIFT, r, b="managed", seed=1), "seed= does not go with this"),
    (lambda r: _sb.diagnose(DRIFT, r, b="managed", frames=0), "frames=0 is no whole number from 1"),
    (lambda r: _sb.diagnose(DRIFT, r, b="manged"), "'manged' does not name an execution"),
    (lambda r: _sb.diagnose(report_of(r, "managed", 1), r), "with a report, not with"),
    (lambda r: _sb.diagnose(DRIFT, report_of(r, "managed", 1), b="managed"), "where the replay"),
    (lambda r: _sb.diagnose(DRIFT, b=report_of(r, "managed", 1)), "with a run of its replay"),
    (lambda r: report_of(r, "managed", range(0, 8, 2)), "no range of consecutive frames"),
    (lambda r: report_of(r, "managed", range(50, 70)), "frames"),
    (lambda r: _sb.make_report(DRIFT, r, 3, trace=4), "frame 4 is not among"),
    (lambda r: _sb.make_report(step, r), "not a Simulation"),
    (lambda r: _sb.evaluate(len, 1), "is no kernel"),
    (lambda r: _sb.evaluate(scaled, 1.0), "scaled"),
    (lambda r: _sb.explain("a+b", {"a": 1, "b": [2]}, 3), "b is [2]"),
    (lambda r: _sb.diagnose(DRIFT, r, b=Path("theirs.desync")), "No such file"),
    (lambda r: _sb.diagnose(DRIFT, r, a=Path("theirs.desync"), b="opt=0"), "give the file as b"),
    (lambda r: _sb.diagnose(DRIFT, r, b=str(r)), "b is the name of a file, .*drift.mcap"),
    (lambda r: _sb.diagnose(DRIFT, r, a=3, b="managed"), "a is an int, not text"),
    (lambda r: _sb.diagnose(DRIFT, DRIFT, b="managed"), "the replay is a Simulation"),
    (lambda r: _sb.diagnose(DRIFT, b="managed", frames=10**30), "no whole number from 1"),
    (lambda r: _sb.diagnose(DRIFT, r, b="managed", frames=1e6), "no whole number from 1"),
    (lambda r: _sb.diagnose(DRIFT, r, b="managed", progress=3), "progress is an int"),
    (lambda r: _sb.make_report(DRIFT, r, "5:9"), "frames='5:9' is no whole number"),
    (lambda r: _sb.make_report(DRIFT, r, 7.0), "frames=7.0 is no whole number"),
    (lambda r: _sb.make_report(DRIFT, r, trace=float("nan")), "trace=nan is no whole number"),
    (lambda r: _sb.make_report(DRIFT, None), "the replay is None, not a path"),
    (lambda r: _sb.make_report(DRIFT, r, side=3), "side is an int, not text"),
    (lambda r: _sb.read_report(None), "a NoneType is neither a path nor a binary stream"),
    (lambda r: _sb.read_report(io.StringIO("text")), "gives text, not bytes"),
    (lambda r: _sb.read_report("a\0b"), "cannot read"),
    (lambda r: _sb.write_report("a.desync", report_of(r, "managed", 1)), "is no report"),
    (lambda r: _sb.write_report(report_of(r, "managed", 1), None), "None is no path"),
    (lambda r: _sb.explain("a+b", None, 3), "values is None"),
    (lambda r: _sb.explain("a+1", {"a": 10**400}, 3), "a is no float"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "message"), REFUSED)
def test_what_does_not_go_together_is_refused(call: Any, message: str, replay: Path) -> None:
    with pytest.raises(sb.SamebitsError, match=message.replace("[", r"\[")):
        call(replay)


def test_evaluate_gives_the_bits_of_a_call() -> None:
    assert sb.evaluate(scaled, 0.1, by=3.0) == scaled(0.1, 3.0)


def test_explain_takes_floats_as_it_takes_text() -> None:
    as_text = sb.explain("a*b + c", {"a": "0.1", "b": "0.1", "c": "-0.01"}, "0x300f5c29")
    as_floats = sb.explain(
        "a*b + c", {"a": 0.1, "b": np.float32(0.1), "c": -0.01}, np.uint32(0x300F5C29).view("f4")
    )
    assert as_text == as_floats
    assert sb.explain("a*b", {"a": float("inf"), "b": 0}, float("nan")).causes


def test_what_a_progress_callback_raises_ends_the_diagnosis(replay: Path) -> None:
    calls: list[str] = []

    def diagnosed(stop: int) -> None:
        calls.clear()

        def progress(what: str, done: int, total: int) -> None:
            calls.append(what)
            if len(calls) == stop:
                raise LookupError("enough")

        sb.diagnose(DRIFT, replay, a="evaluate", b=FMA, progress=progress)

    diagnosed(0)
    for stop in (1, len(calls) // 2, len(calls)):  # the last while experiments are made
        with pytest.raises(LookupError, match="enough"):
            diagnosed(stop)


def test_a_report_without_a_usable_hash_is_refused(replay: Path, tmp_path: Path) -> None:
    path = tmp_path / "whole.desync"
    sb.write_report(report_of(replay, "managed", range(40, 50)), path)
    theirs = shortest_usable(path.read_bytes(), tmp_path / "cut.desync")
    assert theirs.damage
    assert not any(frame >= 0 for frame in theirs.known)
    with pytest.raises(sb.ReportError, match="has no hash of a frame of this run"):
        sb.diagnose(DRIFT, replay, a=FMA, b=theirs)


def shortest_usable(whole: bytes, cut: Path) -> sb.Report:
    """The shortest beginning of a report that says what it is of; how long that is depends on what
    its machine has to say of itself."""
    for size in range(1000, len(whole), 20):
        cut.write_bytes(whole[:size])
        with suppress(sb.ReportError):
            return sb.read_report(cut)
    raise AssertionError("not even the whole is")


def test_damage_is_among_the_notes(replay: Path, tmp_path: Path) -> None:
    path = tmp_path / "whole.desync"
    size = sb.write_report(report_of(replay, "managed", range(40, 50)), path)
    cut = tmp_path / "cut.desync"
    cut.write_bytes(path.read_bytes()[: size * 3 // 4])
    theirs = sb.read_report(cut)
    assert theirs.known
    found = sb.diagnose(DRIFT, replay, a="evaluate", b=theirs)
    assert any("is damaged: what it has lost is not compared" in note for note in found.notes)


def test_all_public_names_are_listed_before_they_are_loaded() -> None:
    assert {*sb.__all__} <= {*dir(sb)}
