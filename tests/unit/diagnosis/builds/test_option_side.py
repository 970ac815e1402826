"""A subnormal number that a processor flushes heals as a changed state does, and is told apart."""

from __future__ import annotations

from pathlib import Path

import pytest

import samebits as sb
from samebits.desync.record import ReportRequest, record_report
from samebits.diagnosis.driver import run_and_report
from samebits.diagnosis.report.findings import Diagnosis
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.sources import PlayerSource

DECAY = load_simulation("tools/prove_diagnose/foreign/simulations/decay.py")
FRAMES = 300


def told(folder: Path) -> Diagnosis:
    source = PlayerSource(DECAY, "random", 4099569088, FRAMES)
    flushed = parse_side("fpenv=flush", DECAY)
    known = record_report(flushed, source, ReportRequest(None, None)).known
    folder.mkdir(exist_ok=True)
    theirs, replay = folder / "theirs.txt", folder / "game.mcap"
    theirs.write_text("".join(f"{n} {value:016x}\n" for n, value in known.items() if n >= 0))
    with DECAY.record(replay, seed=4099569088) as recording:
        for block in source.blocks():
            recording.run(block.inputs)
    return sb.diagnose(DECAY, replay, b=theirs)


def test_a_number_that_is_flushed_is_no_changed_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(tmp_path)
    assert found.causes[0].hazard == "flush"
    assert found.certainty in ("certain", "likely")
    assert [each.path for each in found.fields] == ["tanks[1].echo"]
    assert not found.changes
    monkeypatch.setattr(run_and_report, "flushing_gives_all", lambda *_: False)
    assert told(tmp_path / "again").causes[0].hazard == "changed-state"
