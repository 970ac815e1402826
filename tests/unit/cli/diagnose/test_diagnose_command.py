"""`samebits diagnose` narrows a difference down and says what it found, and how it ends."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.support.command_line import Run
from tests.support.runs.compared import FUSED, PLAIN, SMALL

from samebits.cli.diagnose import doing
from samebits.diagnosis.report.findings import Diagnosis, ExposedFact, Place
from samebits.diagnosis.report.text import as_lines


def test_two_sides_are_narrowed_to_frame_field_line_and_cause(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "--a", PLAIN, "--b", FUSED)
    assert (code, err) == (1, "")
    answer, fix, *_ = out.splitlines()
    assert answer.startswith("frame 10 · bodies[1].pos.x · step, small_simulation.py:59 · fused")
    assert fix == "fix: build with -ffp-contract=off; write fma where you mean it"
    assert (
        "\n\nsmall 1, seed 1\n"
        f"  a  {PLAIN}\n"
        f"  b  {FUSED}\n"
        "\n"
        "frame: frame 10 of 40 is the first that differs\n"
        "  a  81b23c3beb1e12a8\n"
        "  b  78d1a622c5601bd9\n"
        "  does not heal in the 29 frames that follow\n"
        "\n"
        "field: bodies[1].pos.x; 2 scalars differ after the frame\n"
        "  bodies[1].pos.x  float32, 1 ULP apart\n"
    ) in out
    operation = out[out.index("operation: ") :]
    assert operation.startswith(f"operation: sum in step, {SMALL}:59:20\n")
    assert (
        "  in iteration i = 1\n"
        "      body.pos = body.pos * 0.999 + body.vel * 0.016\n"
        "                 ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^\n"
    ) in operation
    assert re.search(r"\n    a +0xbce7eee8  -0.028312162\n    b +0xbce7eee7  ", operation)
    assert "\ncause: fused multiply-add (fma), " in out
    assert "gives b's hash in all 30 frames from there on" in out
    assert "\nexposed: " in out


def test_a_report_is_compared_with_a_replay(run: Run) -> None:
    code, out, err = run(SMALL, "push.mcap", "fused.desync", "--a", PLAIN)
    assert (code, err) == (1, "")
    assert f"  a  {PLAIN}\n  b  fused.desync, {FUSED}, " in out
    assert "frame: frame 10 of 14 is the first that differs" in out
    assert f"operation: sum in step, {SMALL}:59:20\n" in out
    assert "\ncause: fused multiply-add (fma), " in out


@pytest.mark.parametrize("names", [("push", "fused"), ("fused", "push")])
def test_two_reports_are_compared_whichever_comes_first(run: Run, names: tuple[str, str]) -> None:
    code, out, err = run(*[f"{name}.desync" for name in names])
    assert (code, err) == (1, "")
    assert "  a  push.desync, opt=0, " in out
    assert f"  b  fused.desync, {FUSED}, " in out
    assert "operation: sum in step, small_simulation.py:59:20\n" in out
    assert "\ncause: fused multiply-add (fma), " in out
    told = "note: push.desync stands as side a: its own program, evaluated, gives its bits\n"
    assert (told in out) == (names[0] == "fused")


def test_a_report_is_known_by_what_is_in_it(run: Run) -> None:
    Path("fused.desync").rename("fused")
    code, out, _ = run("push.desync", "fused")
    assert code == 1
    assert "  b  fused, " in out


def test_components_of_a_vector_are_one_row() -> None:
    place = Place("game.py", 60, 4, 20, "step", "")
    rows = [ExposedFact(place, "add", 1, changed, 5) for changed in (1, 2)]
    rows += [ExposedFact(place, "sub", None, 0, 0)]
    found = Diagnosis(
        simulation="game", version="1", seed=1, a="a", b="b", frames=9, frame=3,
        exposed=tuple(rows), exposed_left=4,
    )  # fmt: skip
    said = [text for _, text in as_lines(found)]
    title = "exposed: other operations that the same hazard acts on, nearest to the state first"
    assert said[said.index(title)
                + 1 :][:3] == [
        "  game.py:60:5  2 × sum in step: 1 step, changes 3 of 10 results in the frame",
        "  game.py:60:5  difference in step: no path, not reached in the frame",
        "  and 4 more (--json has some of them)",
    ]  # fmt: skip
    found.exposed = (rows[2],)  # of a hazard whose results nobody counts
    assert "  game.py:60:5  difference in step: no path" in [text for _, text in as_lines(found)]


def test_files_below_the_working_folder_are_named_from_there(run: Run) -> None:
    shutil.copy(SMALL, "small.py")
    out = run("small.py", "push.mcap", "--a", PLAIN, "--b", FUSED)[1]
    assert "\noperation: sum in step, small.py:59:20\n" in out
    assert str(Path.cwd()) not in out


@pytest.mark.parametrize(
    ("what", "shown"),
    [
        ("fused multiply-add in this function", "trying fused multiply-add in this function"),
        ("comparing frames", "comparing frames"),
    ],
)
def test_progress_tells_experiments_from_other_steps(what: str, shown: str) -> None:
    assert doing(what) == shown


def test_an_interrupt_while_a_command_is_loaded_ends_with_130(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from samebits.cli import commands

    def interrupted(arguments: list[str]) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(commands, "app", interrupted)
    assert run(SMALL, "push.mcap", "--b", PLAIN) == (130, "", "interrupted\n")
