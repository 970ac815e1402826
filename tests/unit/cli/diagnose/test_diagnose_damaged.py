"""What is damaged, or tells too little, serves `samebits diagnose` as far as it goes."""

from __future__ import annotations

import re
from pathlib import Path

from tests.support.command_line import Run
from tests.support.runs.compared import PLAIN, SMALL

from samebits.cli import status


def test_a_damaged_report_is_used_as_far_as_it_goes(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "cut.desync", "--a", PLAIN)
    assert code == 1
    first, second = err.splitlines()
    assert first.startswith("cut.desync is damaged: at byte ")
    assert second.startswith("hashes of frames 0-")
    assert second.endswith(" not")
    assert "frame: frame 10 of 14 is the first that differs" in out
    assert "field: bodies[1].pos.x; 2 scalars differ after the frame\n" in out
    assert (
        "note: cut.desync has no trace of frame 10; on that machine, write "
        "another: samebits report SIM REPLAY --frames 8:13 --trace 10\n"
    ) in out


def test_what_is_left_of_a_damaged_report_that_agrees_is_not_called_the_same(run: Run) -> None:
    data = Path("push.desync").read_bytes()
    Path("push.desync").write_bytes(data[: len(data) * 2 // 3])
    code, out, err = run(SMALL, "push.mcap", "push.desync", "--a", PLAIN)
    assert code == 2
    assert err.startswith("push.desync is damaged: at byte ")
    assert out.startswith("the same: no frame of ")


def test_a_damaged_replay_serves_up_to_the_damage(run: Run) -> None:
    given = ("--players", "push", "--frames", 600, "--out", "long.mcap")
    assert status(["record", SMALL, *[str(a) for a in given]]) == 0
    data = Path("long.mcap").read_bytes()
    Path("long.mcap").write_bytes(data[: len(data) * 3 // 4])
    code, out, err = run(SMALL, "long.mcap", "--b", PLAIN)
    assert code == 2
    said = re.search(r"the same: no frame of (\d+) differs\n", out)
    assert said is not None
    assert 0 < int(said[1]) < 600
    assert err.splitlines()[0].startswith("long.mcap is damaged at byte ")


def test_reports_that_tell_no_frame_in_detail_say_how_to_write_ones_that_do(run: Run) -> None:
    given = ("report", SMALL, "push.mcap", "--a", PLAIN, "-o", "whole.desync")
    assert status(list(given)) == 0
    code, out, err = run("whole.desync", "hashes.desync")
    assert (code, err) == (1, "")
    assert "frame: frame 10 of 40 is the first that differs\n" in out
    assert "\ncause: unknown: the first differing operation is not known\n" in out
    assert (
        "note: whole.desync and hashes.desync share no frame in detail; write both again: "
        "samebits report SIM REPLAY --frames 5:16 --trace 10\n"
    ) in out
