"""Differences of builds that heal as a changed state does are told apart from one."""

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

FADING = "tools/prove_diagnose/foreign/simulations/decay.py", "random", 4099569088, 300
DRIVING = "examples/racing/racing.py", "drift", 1026112350, 80


def told(run: tuple[str, str, int, int], words: str, folder: Path) -> Diagnosis:
    """What a list of hashes of side `words`, without that of `init`, gives."""
    file, script, seed, frames = run
    game = load_simulation(file)
    source = PlayerSource(game, script, seed, frames)
    known = record_report(parse_side(words, game), source, ReportRequest(None, None)).known
    folder.mkdir(exist_ok=True)
    theirs, replay = folder / "theirs.txt", folder / "game.mcap"
    theirs.write_text("".join(f"{n} {value:016x}\n" for n, value in known.items() if n >= 0))
    with game.record(replay, seed=seed) as recording:
        for block in source.blocks():
            recording.run(block.inputs)
    return sb.diagnose(game, replay, b=theirs)


def test_a_number_that_is_flushed_is_no_changed_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = told(FADING, "fpenv=flush", tmp_path)
    assert found.causes[0].hazard == "flush"
    assert found.certainty in ("certain", "likely")
    assert [each.path for each in found.fields] == ["tanks[1].echo"]
    assert not found.changes

    def heals(*_: object) -> bool:
        return False

    monkeypatch.setattr(run_and_report, "_heals", heals)
    assert told(FADING, "fpenv=flush", tmp_path / "again").causes[0].hazard == "changed-state"


def test_a_zero_of_another_sign_is_no_changed_state(tmp_path: Path) -> None:
    found = told(DRIVING, "hazard=min-max#1", tmp_path)
    assert found.causes[0].hazard == "min-max"
    assert [each.path for each in found.fields] == ["cars[3].brake"]
    assert found.operation is not None
    assert "car.brake = math.clamp(" in found.operation.place.source
    assert not found.changes
