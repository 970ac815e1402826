"""Two reports with the source beside them: a run here says which of them is right."""

from __future__ import annotations

import pytest
from tests.support.command_line import Run, refused
from tests.support.runs.compared import FUSED, OTHER, PLAIN, SMALL

import samebits as sb
from samebits.sim.load import load_simulation

SIMULATION = load_simulation(SMALL)
OPERATION = "step, small_simulation.py:59"


def write(name: str, side: str, frames: range | None, trace: int | None = None) -> None:
    report = sb.make_report(SIMULATION, "push.mcap", frames, side=side, trace=trace)
    sb.write_report(report, f"{name}.desync")


@pytest.fixture
def reports(run: Run) -> None:
    """`good`, `bad` from frame 10 on, and others, of frames 5 to 39 or of hashes alone."""
    write("good", PLAIN, range(5, 40))
    write("bad", FUSED, range(5, 40))
    write("hashes-of-bad", FUSED, None)
    write("all", PLAIN, range(40))
    write("late", PLAIN, range(12, 20))


@pytest.mark.usefixtures("reports")
@pytest.mark.parametrize("names", [("good", "bad"), ("bad", "good")])
def test_the_one_that_departs_from_the_source_is_side_b(run: Run, names: tuple[str, str]) -> None:
    code, out, err = run(SMALL, *[f"{name}.desync" for name in names], "--a", PLAIN)
    assert (code, err) == (1, "")
    assert out.startswith(f"frame 10 · bodies[1].pos.x · {OPERATION} · fused multiply-add (")
    assert "\n  a  good.desync, opt=0, " in out
    assert "\n  b  bad.desync, opt=0,hazard=fma,from=10, " in out
    assert (
        "note: good.desync is right: a run here, opt=0, from the state before frame 10 on has its "
        "hash after frame 10, and not that of bad.desync\n"
    ) in out
    assert "note: of the 29 frames that follow it has good.desync's hash in all\n" in out


@pytest.mark.usefixtures("reports")
def test_hashes_alone_are_judged_by_the_inputs_of_the_other(run: Run) -> None:
    code, out, _ = run(SMALL, "hashes-of-bad.desync", "all.desync", "--a", PLAIN)
    assert code == 1
    assert "note: all.desync is right: a run here, " in out
    assert "\n  b  hashes-of-bad.desync, " in out
    assert out.startswith("frame 10 · ")
    reports = [sb.read_report(f"{name}.desync") for name in ("hashes-of-bad", "all")]
    found = sb.diagnose(SIMULATION, reports[0], a=PLAIN, b=reports[1])
    assert (found.frame, found.a[:10], found.b[:13]) == (10, "all.desync", "hashes-of-bad")


@pytest.mark.usefixtures("reports")
def test_where_both_depart_a_note_says_so(run: Run) -> None:
    code, out, _ = run(SMALL, "good.desync", "bad.desync", "--a", "opt=0,fpenv=up")
    assert (code, out.startswith("frame 10 · bodies[1].pos.x · ")) == (1, True)
    assert "note: a run here, opt=0,fpenv=up, has neither report's hash after frame 10, but " in out
    assert "the source is another, or both machines depart from it" in out


@pytest.mark.usefixtures("reports")
def test_where_nothing_can_be_run_they_are_compared_as_they_are(run: Run) -> None:
    code, out, _ = run(SMALL, "late.desync", "hashes-of-bad.desync")
    assert (code, out.startswith("frame 10 · ")) == (1, True)
    assert (
        "note: the source cannot tell which of them is right: they do not hold a state before "
        in out
    )
    code, out, _ = run(SMALL, "good.desync", "all.desync")
    assert (code, out.splitlines()[0]) == (0, "the same: no frame of 40 differs")


@pytest.mark.usefixtures("reports")
def test_what_does_not_go_with_two_reports_and_a_source_is_refused(run: Run) -> None:
    both = ("good.desync", "bad.desync")
    for option, value in (("--b", "opt=0"), ("--frames", 3), ("--seed", 2), ("--state", "1=a")):
        assert refused(run, SMALL, *both, option, value) == (
            f"{option} does not go with this: two reports have their own inputs and seed\n"
            f"  fix: leave out {option}"
        )
    assert refused(run, OTHER, *both) == (
        "traced is of simulation 'traced', and good.desync of 'small'\n"
        "  fix: give two of the same simulation"
    )
    one, other = (sb.read_report(path) for path in both)
    with pytest.raises(sb.ArgumentError, match="frames= does not go with this"):
        sb.diagnose(SIMULATION, one, b=other, frames=3)
    with pytest.raises(sb.ArgumentError, match="a report stands where the replay does"):
        sb.diagnose(SIMULATION, one, b="opt=0")
