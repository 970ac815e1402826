"""The report of a running session: the frames that it holds, and what a diagnosis makes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.runs.compared import SMALL

import samebits as sb
from samebits.cli import status
from samebits.desync.format import INPUTS, STATES, Key
from samebits.desync.of_session import session_report
from samebits.desync.reader import read_report, report_from_bytes
from samebits.desync.report import Report
from samebits.desync.writer import report_bytes
from samebits.sim.kept_session import KeptSession
from samebits.sim.load import load_simulation
from samebits.sim.session import Session
from samebits.sim.sources import PlayerSource

SIMULATION = load_simulation(SMALL)
FRAMES, KEEP = 40, 12


def rows(players: str = "push") -> np.ndarray:
    (block,) = PlayerSource(SIMULATION, players, 1, FRAMES).blocks()
    return block.inputs


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("replay") / "push.mcap"
    with SIMULATION.record(path, seed=1) as recording:
        recording.run(rows())
    return path


def played(poke: int | None = None, lossy: int | None = None) -> KeptSession:
    """A session with a rollback every five frames. Before frame `poke` a field is changed by hand,
    and in the restore to frame `lossy` it is lost."""
    session, given = SIMULATION.start(1, keep=KEEP), rows()
    assert isinstance(session, KeptSession)
    saved: dict[int, bytes] = {}
    for frame in range(FRAMES):
        saved[frame] = session.save()
        if frame == poke:
            session.state.bodies[1].charge = 77
        session.step(given[frame])
        if frame % 5 == 4:
            first = frame - 2
            blob = saved[first]
            if first == lossy:
                other = SIMULATION.start(1)
                other.restore(blob)
                other.state.bodies[1].charge = 0
                blob = other.save()
            session.restore(blob)
            for again in range(first, frame + 1):
                saved[again] = session.save()
                session.step(given[again])
    return session


def written(session: Session, path: Path, **more: Any) -> Report:
    assert session.report(path, **more) == path.stat().st_size
    return read_report(path)


def test_a_report_has_what_the_session_did(tmp_path: Path, replay: Path) -> None:
    session = played()
    report = written(session, tmp_path / "session.desync")
    whole = sb.make_report(SIMULATION, replay, range(FRAMES - KEEP, FRAMES))
    assert report.damage == ()
    assert report.known == whole.known
    assert (report.asked, report.states) == (whole.asked, whole.states)
    assert all(report.state(n) == whole.state(n) for n in whole.states)
    assert all(report.inputs(n) == whole.inputs(n) for n in whole.asked)
    assert report.input_hashes.values.tolist() == whole.input_hashes.values.tolist()
    assert report.program_text == whole.program_text
    assert len(report.contents.restores) == 8
    with pytest.raises(sb.ReportError, match="exists already"):
        session.report(tmp_path / "session.desync")


def test_frames_in_detail_and_final_ones_are_chosen(tmp_path: Path) -> None:
    session = played()
    report = written(session, tmp_path / "a.desync", frames=range(30, 33))
    assert (report.asked, report.states, report.frames) == (range(30, 33), [30, 31, 32, 33], 40)
    report = written(session, tmp_path / "b.desync", confirmed=37)
    assert (report.frames, report.asked) == (37, range(28, 37))
    assert written(session, tmp_path / "c.desync", frames=39).asked == range(39, 40)
    for frames in (range(20, 30), range(38, 41), range(30, 36, 2), 41, range(0)):
        with pytest.raises(sb.ReportError, match="the session has those of 28 to 39"):
            session.report(tmp_path / "d.desync", frames)
    for confirmed in (41, -1, 2.5):
        with pytest.raises(sb.ReportError, match="is not among the frames 0 to 40"):
            session.report(tmp_path / "d.desync", confirmed=confirmed)  # type: ignore[arg-type]


def test_sessions_that_did_the_same_are_the_same(tmp_path: Path, replay: Path) -> None:
    one, other = SIMULATION.start(1, keep=KEEP), played(poke=33)  # which a rollback undoes
    one.run(rows())
    reports = [written(s, tmp_path / n) for s, n in ((one, "a.desync"), (other, "b.desync"))]
    assert sb.diagnose(*reports).same
    assert all(sb.diagnose(SIMULATION, replay, b=report).same for report in reports)


def test_a_restore_that_lost_a_field_is_found(tmp_path: Path, replay: Path) -> None:
    report = written(played(lossy=32), tmp_path / "lossy.desync")
    (change,) = report.contents.changes
    assert (change.number, change.by, change.scalars) == (
        32, "restore", (("bodies[1].charge", "0x0020", "0x0000"),),
    )  # fmt: skip
    whole = written(played(), tmp_path / "whole.desync")
    for found in (
        sb.diagnose(SIMULATION, replay, b=report),
        sb.diagnose(whole, report),
        sb.diagnose(report, whole),
    ):
        assert found.frame == 32
        assert [fact.path for fact in found.fields] == ["bodies[1].charge"]
        assert (found.causes[0].hazard, found.certainty) == ("changed-state", "certain")
        assert found.causes[0].title == "a restore that lost something"
        assert "bodies[1].charge 0x0020 became 0x0000" in found.causes[0].evidence
        assert any("from the state before frame 35 to that before frame 32" in note
                   for note in found.notes)  # fmt: skip


def test_a_state_changed_by_hand_is_found_long_after(tmp_path: Path, replay: Path) -> None:
    report = written(played(poke=5), tmp_path / "poked.desync")
    found = sb.diagnose(SIMULATION, replay, b=report)
    assert (found.frame, found.certainty) == (5, "certain")
    assert [fact.path for fact in found.fields] == ["bodies[1].charge"]
    assert found.causes[0].title == "a state changed by hand"


def test_a_peer_who_joined_late_is_compared_from_there(tmp_path: Path, replay: Path) -> None:
    other = SIMULATION.start(1)
    other.run(rows()[:25])
    session = SIMULATION.start(1, keep=KEEP)
    session.restore(other.save())
    session.run(rows()[25:31])
    session.state.bodies[1].charge = 7
    session.run(rows()[31:])
    report = written(session, tmp_path / "late.desync")
    assert report.damage == ()
    assert (report.contents.first, list(report.known)) == (25, list(range(24, FRAMES)))
    found = sb.diagnose(SIMULATION, replay, b=report)
    assert (found.frame, found.since, found.certainty) == (31, 30, "certain")


@pytest.mark.parametrize("first", [0, 3])
def test_long_runs_are_read_back(tmp_path: Path, first: int) -> None:
    """More hashes than a part holds, from any frame on."""
    given = np.repeat(rows(), 40, axis=0).reshape(-1, 2)[:1500]
    other = SIMULATION.start(1)
    other.run(given[:first])
    session = SIMULATION.start(1, keep=KEEP)
    if first:
        session.restore(other.save())
    session.run(given[first:])
    report = written(session, tmp_path / "long.desync")
    assert (report.damage, report.missing, len(report.known)) == ((), [], 1501 - first)
    assert report.states == list(range(1500 - KEEP, 1501))


def test_a_trap_is_reported(tmp_path: Path) -> None:
    session = SIMULATION.start(1, keep=KEEP)
    with pytest.raises(sb.Trap):
        session.run(rows("crash"))
    report = written(session, tmp_path / "trap.desync")
    assert (report.frames, report.asked, report.damage) == (12, range(12, 13), ())
    assert report.contents.trap is not None
    assert "index" in report.contents.trap.message


def test_what_a_session_tells_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    played(lossy=32).report(tmp_path / "lossy.desync")
    assert status(["report", "--show", str(tmp_path / "lossy.desync")]) == 0
    out = capsys.readouterr().out
    assert "before frame 32, by restore: bodies[1].charge 0x0020 to 0x0000; 1 scalar" in out
    assert "restores      5 to 2, 10 to 7, " in out


def test_of_a_late_peer_a_state_that_its_hash_contradicts_is_dropped() -> None:
    other = SIMULATION.start(1)
    other.run(rows()[:3])
    session = SIMULATION.start(1, keep=KEEP)
    assert isinstance(session, KeptSession)
    session.restore(other.save())
    session.run(rows()[3:])
    report = session_report(session)
    key, inputs = Key(STATES, 35), Key(INPUTS, 28)
    for changed, said in ((key, "the state before frame 35"), (inputs, "the inputs of frame 28")):
        parts = {**report.parts, changed: bytes(len(report.parts[changed]))}
        found = report_from_bytes(report_bytes(replace(report, parts=parts)))
        assert len(found.damage) == 1
        assert found.damage[0].startswith(f"{said} do")
        assert changed not in found.parts
