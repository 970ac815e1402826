"""Where nothing differs `samebits diagnose` says so, and how much it compared."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.support.command_line import Run
from tests.support.runs.compared import FUSED, PLAIN, SMALL

from samebits.sides.words import default_words


def test_runs_that_do_not_differ_end_with_0(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "--b", PLAIN)
    assert (code, err) == (0, "")
    assert out == (
        "the same: no frame of 40 differs\n\n"
        f"small 1, seed 1\n  a  {default_words()}\n  b  opt=0\n\n"
    )
    code, out, _ = run(SMALL, "push.mcap", "--b", PLAIN, "--json", "--html", "page.html")
    found = json.loads(out)
    assert (code, found["same"], found["frame"], found["causes"]) == (0, True, None, [])
    assert "The same: no frame of 40 differs." in Path("page.html").read_text("utf-8")


def test_reports_that_do_not_differ_end_with_0(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "push.desync", "--a", PLAIN)
    assert (code, err) == (0, "")
    assert out.startswith("the same: no frame of ")
    told = "\nnote: a and b are the same report: there can be no difference\n"
    assert told not in out
    shutil.copy("push.desync", "copy.desync")
    for other in ("push.desync", "copy.desync"):
        code, out, err = run("push.desync", other)
        assert (code, err) == (0, "")
        assert out.startswith("the same: no frame of ")
        assert out.endswith(told)


def test_a_hazard_that_acts_and_changes_no_hash_is_the_same(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "--a", PLAIN, "--b", "opt=0,hazard=flush")
    assert (code, err) == (0, "")
    assert out.startswith("the same: no frame of 40 differs\n")


def test_a_side_that_is_never_another_compares_nothing(run: Run) -> None:
    given = (SMALL, "push.mcap", "--b", "opt=0,hazard=fma,from=40", "--a", PLAIN)
    code, out, err = run(*given)
    assert (code, err) == (2, "")
    assert out.startswith("nothing was compared: side b changes from frame 40 on, after the last\n")
    assert "the same" not in out
    code, out, _ = run(*given, "--json")
    assert (code, json.loads(out)["same"]) == (2, False)


def test_one_way_to_run_it_on_both_sides_is_reported(run: Run) -> None:
    code, out, _ = run(SMALL, "push.mcap", "--b", "opt=3")
    assert code == 0
    assert out.startswith("the same: no frame of 40 differs\n")
    assert out.endswith(
        "note: a and b run it the same way: only nondeterminism could make a difference\n"
    )


def test_runs_that_trap_alike_say_why_they_end(run: Run) -> None:
    code, out, _ = run(SMALL, "--a", PLAIN, "--b", "opt=3", "--players", "crash")
    assert code == 0
    assert out.startswith("the same: no frame of 12 differs\n")
    assert out.endswith(
        "note: the same trap ends both runs there, before all 600 frames were compared\n"
    )


def test_only_the_first_frames_are_compared_on_request(run: Run) -> None:
    given = (SMALL, "push.mcap", "--a", PLAIN, "--b", FUSED, "--frames")
    assert "from frame 10 on, after the last" in run(*given, 10)[1]
    assert "frame 10 of 11 is the first that differs\n" in run(*given, 11)[1]


def test_without_a_replay_it_plays(run: Run) -> None:
    given = (SMALL, "--a", PLAIN, "--b", "opt=3", "--json")
    found = json.loads(run(*given)[1])
    assert (found["seed"], found["frames"], found["same"]) == (1, 600, True)
    found = json.loads(run(*given, "--seed", 5, "--players", "push", "--frames", 40)[1])
    assert (found["seed"], found["frames"]) == (5, 40)
    code, out, _ = run(*given, "--players", "crash")  # which traps in frame 12
    assert (code, json.loads(out)["frames"]) == (0, 12)
