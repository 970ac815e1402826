"""What notebooks show of simulations, replays and verifications: tables, escaped."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from tests.support.simulations.small_simulation import SMALL

import samebits as sb
from samebits.sim.notebook import table
from samebits.sim.sources import PlayerSource
from samebits.verify.executions import all_rows
from samebits.verify.verification import Verification


def test_a_simulation_shows_its_fields() -> None:
    shown = SMALL._repr_html_()
    for text in ("state.bodies", "Body[5]", "input.push", "float32", SMALL.digest):
        assert text in shown


def test_a_replay_shows_its_length_and_damage(tmp_path: Path) -> None:
    path = tmp_path / "one.mcap"
    with SMALL.record(path, seed=7) as recording:
        hashes = recording.run(np.zeros((90, SMALL.players), SMALL.input_type.dtype))
    shown = sb.Replay.open(path)._repr_html_()
    assert f"90, {90 / SMALL.tick_rate:.1f} s" in shown
    assert f"{int(hashes[-1]):016x}" in shown
    path.write_bytes(path.read_bytes()[:-30])
    assert "damaged at byte" in sb.Replay.open(path)._repr_html_()


def test_what_is_shown_is_escaped_and_bounded() -> None:
    shown = table("<b>", [("<script>", k) for k in range(100)], "a & b")
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert "a &amp; b" in shown
    assert shown.count("<tr>") == 41
    assert "60 more" in shown


def test_a_verification_shows_its_rows() -> None:
    every = [row for row in all_rows() if row.name in ("evaluate", "managed")]
    done = Verification(SMALL, PlayerSource(SMALL, "random", 1, 5), every)
    done.run(lambda what, frames: None)
    shown = done._repr_html_()
    assert "same" in shown
    for row in done.rows:
        assert row.name in shown
        assert f"{row.final_hash:016x}" in shown
