"""`samebits record` that is interrupted: frames are kept, and without one the file as it was."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Any

import pytest
import typer.core
from tests.support.folders import SIMULATIONS

import samebits_command
from samebits.cli import record, status
from samebits.replay import read_replay
from samebits.sim.players import player

SMALL = str(SIMULATIONS / "small_simulation.py")
FRAMES = 3 * record.BLOCK_FRAMES


def interrupted_at(frame: int) -> Any:
    """Players who are interrupted once they are asked for this frame."""

    def made(simulation: Any, players: str | None, seed: int) -> Any:
        play = player(simulation, players, seed)

        def inputs(first: int, count: int) -> Any:
            if first >= frame:
                raise KeyboardInterrupt
            return play(first, count)

        return inputs

    return made


def recorded(*more: str) -> int:
    return status(["record", SMALL, "--out", "game.mcap", "--players", "push", *more])


@pytest.mark.parametrize("before", [0, 50])
def test_without_a_frame_the_file_stays_as_it_was(
    before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    game = Path("game.mcap")
    if before:
        assert recorded("--frames", str(before)) == 0
    held = game.read_bytes() if before else None
    capsys.readouterr()
    monkeypatch.setattr(record, "player", interrupted_at(0))
    assert recorded("--frames", str(FRAMES), "--seed", "9") == 130
    assert "no frame was recorded, game.mcap is as it was" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["game.mcap"] * bool(before)
    assert held is None or game.read_bytes() == held


def test_the_frames_until_then_get_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(record, "player", interrupted_at(record.BLOCK_FRAMES))
    assert recorded("--frames", str(FRAMES)) == 130
    found = read_replay("game.mcap")
    assert (found.frames, found.damage) == (record.BLOCK_FRAMES, None)


@pytest.mark.parametrize(("number", "expected"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_what_asks_a_command_to_end_before_it_has_begun_is_told(
    number: str, expected: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    """While Typer reads the arguments and imports what the command needs."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(samebits_command, "_ended_by", [])

    def asked(*given: Any, **named: Any) -> None:
        samebits_command._interrupted(getattr(signal, number), None)

    monkeypatch.setattr(typer.core.TyperGroup, "parse_args", asked)
    assert recorded("--frames", "1") == expected
    assert capsys.readouterr().err.strip() == "terminated"
