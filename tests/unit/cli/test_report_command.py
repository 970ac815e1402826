"""`samebits report`: what it writes, shows and refuses, and how it ends."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from tests.support.folders import EXAMPLES, SIMULATIONS

from samebits.cli import status
from samebits.desync.reader import read_report
from samebits.frame_trace import restore as replayed
from samebits.frame_trace.encoding import decode
from samebits.verify import executions as targets

SMALL = str(SIMULATIONS / "small_simulation.py")
NATIVE = next(r.name for r in targets.all_rows() if r.reason is None and r.name.endswith("-O0"))
QUICK = ("--a", NATIVE)

Run = Any


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line in a folder of its own: status, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        code = status([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def replay(run: Run) -> str:
    options = ("--players", "push", "--frames", 40, "--out", "push.mcap")
    assert run("record", SMALL, *options)[0] == 0
    return "push.mcap"


def refused(run: Run, *arguments: object) -> str:
    code, out, err = run("report", *arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    return str(err).rstrip("\n")


def test_a_report_is_written_and_its_size_printed(run: Run, replay: str) -> None:
    code, out, err = run("report", SMALL, replay, "--frames", "10:14", *QUICK)
    assert (code, err) == (0, "")
    size = Path("small-10-13.desync").stat().st_size
    assert out == (
        f"as recorded: 14 hashes and 1 keyframe of {replay} compared\n"
        f"next: compare elsewhere: samebits diagnose {SMALL} {replay} small-10-13.desync\n"
        "\n"
        f"small-10-13.desync: small 1, seed 1, {NATIVE}, frames 10 to 13 of 14 run, "
        f"{size:,} bytes\n"
        "everything it discloses: samebits report --show small-10-13.desync\n"
    )
    report = read_report("small-10-13.desync")
    assert (report.asked, report.frames, report.damage) == (range(10, 14), 14, ())


def test_its_hashes_are_those_that_the_replay_recorded(run: Run, replay: str) -> None:
    from samebits.replay import read_replay

    code, out, _ = run("report", SMALL, replay, "-o", "all.desync", "--a", "evaluate")
    assert code == 0
    assert "all.desync: small 1, seed 1, evaluate, hashes of 40 frames, " in out
    recorded = read_replay(replay).hashes
    assert recorded is not None
    report = read_report("all.desync")
    assert [report.hash_after(frame) for frame in range(40)] == recorded.tolist()


def test_the_default_is_this_machines_best_target(run: Run, replay: str) -> None:
    from samebits.backend.llvm.engine import host_target

    assert run("report", SMALL, replay, "--frames", "7")[0] == 0
    assert read_report("small-7.desync").contents.side == f"{host_target().name}-O3"


def test_two_runs_write_the_same_bytes(run: Run, replay: str) -> None:
    for name in ("a", "b"):
        assert run("report", SMALL, replay, "--frames", "10:14", "-o", name, *QUICK)[0] == 0
    assert Path("a").read_bytes() == Path("b").read_bytes()


def test_a_frame_is_traced_on_request(run: Run, replay: str) -> None:
    code, _, err = run("report", SMALL, replay, "--trace", "12", *QUICK)
    assert (code, err) == (0, "")
    report = read_report("small-12.desync")
    assert (report.asked, report.contents.traced) == (range(12, 13), 12)
    assert report.trace_is_faithful
    before, inputs = report.state(12), report.inputs_array(12)
    assert report.trace is not None
    assert report.program is not None
    assert before is not None
    assert inputs is not None
    found = replayed.restore_trace(
        report.model_of(report.program), decode(report.trace), before, inputs
    )
    assert found.after == report.state(13)
    said = refused(run, SMALL, replay, "--frames", "3:9", "--trace", "12", *QUICK)
    assert said == (
        "--trace 12 is not among the frames that --frames 3:9 names\n"
        "  fix: write --trace 3, or frames that hold 12"
    )


def test_a_trace_that_does_not_show_what_ran_is_reported(run: Run, replay: str) -> None:
    told = "the traced evaluation left another state than the run: the trace does not show what ran"
    code, out, _ = run(
        "report", SMALL, replay, "--trace", 4, "--a", "opt=0,fpenv=flush+up", "-o", "a"
    )
    assert code == 1  # nor does the run give what was recorded
    assert told in out.splitlines()
    assert f"  {told}" in run("report", "--show", "a")[1].splitlines()
    assert run("report", SMALL, replay, "--trace", 4, *QUICK, "-o", "b")[0] == 0
    assert told not in run("report", "--show", "b")[1]


ARENA = EXAMPLES / "arena"


def test_a_frame_of_the_arena_with_its_trace_can_be_mailed(run: Run) -> None:
    replay = ARENA / "replays" / "duel.mcap"
    given = (ARENA / "arena.py", replay, "--trace", "3599", "-o", "a", *QUICK)
    assert run("report", *given)[0] == 0
    assert Path("a").stat().st_size < 200_000
    report = read_report("a")
    assert report.trace_is_faithful
    assert len(report.states) == 2


def test_json_has_the_facts(run: Run, replay: str) -> None:
    code, out, err = run("report", SMALL, replay, "--frames", "10:14", *QUICK, "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert list(found) == [
        "format", "report", "bytes", "damage", "machine", "simulation", "side", "seed", "frames",
        "asked", "states", "traced", "trace_is_faithful", "trap", "first", "changes", "restores",
        "inputs", "parts", "names", "recorded",
    ]  # fmt: skip
    assert found.pop("recorded")["hashes"] == 14
    assert (found["asked"], found["frames"], found["side"]) == ([10, 14], 14, NATIVE)
    assert found["bytes"] == Path(found["report"]).stat().st_size
    code, out, err = run("report", "--show", "small-10-13.desync", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == found


def test_show_prints_all_that_is_in_it(run: Run, replay: str) -> None:
    assert run("report", SMALL, replay, "--frames", "10:14", *QUICK)[0] == 0
    code, out, err = run("report", "--show", "small-10-13.desync")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 100
    report = read_report("small-10-13.desync")
    text = " ".join(out.split())
    for value in (
        report.machine.processor, report.machine.cpu, report.machine.numpy,
        report.machine.fingerprint, report.header.digest, "seed 1", "nobody is at 99",
        "turn: int8", "grid: int32[3, 4]", "small_simulation.py", "small_simulation.step",
        "hashes of frames 0-13", "inputs of frames 10-13", "states before frames 10-14",
        "Merkle trees after frames 10-13", "the program",
    ):  # fmt: skip
        assert value in text
    assert lines[-1] == (
        "not in it: names of the host or of a user, paths, environment variables, clock times, "
        "the source"
    )


def test_a_trap_is_reported(run: Run) -> None:
    code, *_ = run("record", SMALL, "--players", "crash", "--frames", 40, "--out", "crash.mcap")
    assert code == 1
    code, out, _ = run("report", SMALL, "crash.mcap", "--frames", "12", *QUICK)
    assert code == 0
    assert "frame 12 of 12 run" in out
    assert "trap in frame 12: index out of range, at small_simulation.py:55:13\n" in out


def test_a_file_that_is_there_stays_unless_forced(run: Run, replay: str) -> None:
    Path("a.desync").write_bytes(b"precious")
    given = (SMALL, replay, "--frames", "3", "-o", "a.desync", *QUICK)
    for forced in ((), ("--force",)):  # which is not offered where it does not help
        assert refused(run, *given, *forced) == (
            "a.desync exists already and is not a report\n  fix: give another name with -o"
        )
    assert Path("a.desync").read_bytes() == b"precious"
    assert run("report", *given[:4], "-o", "b.desync", *QUICK)[0] == 0
    Path("b.desync").replace("a.desync")
    given = (*given[:2], "--frames", "4", *given[4:])
    assert refused(run, *given) == (
        "a.desync exists already\n  fix: give another name with -o, or --force to replace it"
    )
    assert run("report", *given, "--force")[0] == 0
    assert read_report("a.desync").asked == range(4, 5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--frames", "41"), "frame 41 is requested, and push.mcap has 40 frames\n"
         "  fix: select frames below 40, or give a longer replay"),
        (("--frames", "30:41"), "frame 40 is requested, and push.mcap has 40 frames\n"
         "  fix: select frames below 40, or give a longer replay"),
        (("--frames", "9:9"), "--frames '9:9' is not a frame or a range of frames\n"
         "  fix: write --frames 124 for one, or --frames 120:130 for frames 120 to 129"),
        (("--frames", "all"), "--frames 'all' is not a frame or a range of frames\n"
         "  fix: write --frames 124 for one, or --frames 120:130 for frames 120 to 129"),
        (("--a", "pdp11"), "'pdp11' does not name an execution or an option\n"),
        (("-o", "none/a"), "there is no folder none\n  fix: make it, or give another name"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_refused(
    run: Run, replay: str, given: tuple[str, ...], message: str
) -> None:
    said = refused(run, SMALL, replay, *given)
    assert said.startswith(message)
    assert list(Path().glob("*.desync*")) == []


def test_missing_arguments_are_reported(run: Run) -> None:
    for given in ((), (SMALL,)):
        assert refused(run, *given) == (
            "a simulation and a replay of it are needed\n"
            "  fix: write `samebits report game.py duel.mcap --frames 120:130`, or --show FILE to "
            "see what a report holds"
        )
    assert refused(run, SMALL, "none.mcap").startswith("cannot read none.mcap: No such file")
    assert refused(run, "--show", "none").startswith("cannot read none: No such file")
    assert refused(run, SMALL, "--show", "x") == (
        "--show does not go with sim\n  fix: write `samebits report --show x` alone"
    )


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_cannot_be_written_is_reported(run: Run, replay: str) -> None:
    folder = Path("locked")
    folder.mkdir()
    folder.chmod(stat.S_IRUSR | stat.S_IXUSR)
    said = refused(run, SMALL, replay, "--frames", "3", "-o", "locked/a", *QUICK)
    assert said.startswith("cannot write locked/a: Permission denied\n  fix: ")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="no folder that nobody can write to")
def test_a_place_that_cannot_be_written_is_refused_before_the_run(
    run: Run, replay: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from samebits.cli import report

    monkeypatch.delattr(report, "record_report")
    said = refused(run, SMALL, replay, "--frames", "3", "-o", "/proc/a", *QUICK)
    assert said.startswith("cannot write /proc/a: ")
    assert said.endswith("\n  fix: give a path that this user may write to, with -o")


def test_a_report_never_takes_the_replays_place(run: Run, replay: str) -> None:
    before = Path(replay).read_bytes()
    said = refused(run, SMALL, replay, "-o", f"./{replay}", "--force", *QUICK)
    assert said == f"{replay} is the replay\n  fix: give the report another name with -o"
    assert Path(replay).read_bytes() == before
    said = refused(run, SMALL, replay, "-o", ".", "--force", *QUICK)
    assert said == ". is a folder\n  fix: name a file in it with -o"


def test_a_place_under_a_file_is_reported(run: Run, replay: str) -> None:
    Path("a").touch()
    said = refused(run, SMALL, replay, "--frames", "3", "-o", "a/b", *QUICK)
    assert said == "a is a file, not a folder\n  fix: give another name, in a folder"
    deeper = refused(run, SMALL, replay, "--frames", "3", "-o", "a/b/c/d", *QUICK)
    assert deeper == said


def test_what_is_called_partial_is_left_alone(run: Run, replay: str) -> None:
    Path("a.partial").mkdir()
    assert run("report", SMALL, replay, "--frames", "3", "-o", "a", *QUICK)[0] == 0
    assert sorted(path.name for path in Path().iterdir() if path.name[0] == "a") == [
        "a", "a.partial",
    ]  # fmt: skip


def test_a_damaged_replay_serves_up_to_the_damage(run: Run) -> None:
    options = ("--players", "push", "--frames", 600, "--out", "cut.mcap")
    assert run("record", SMALL, *options)[0] == 0
    data = Path("cut.mcap").read_bytes()
    Path("cut.mcap").write_bytes(data[: len(data) * 3 // 4])
    code, out, err = run("report", SMALL, "cut.mcap", *QUICK)
    assert code == 2
    whole = read_report("small.desync").frames
    assert 0 < whole < 600
    assert f"{NATIVE}, hashes of {whole} frames, " in out
    assert out.startswith(f"as recorded up to frame {whole - 1}, where cut.mcap is damaged: ")
    assert out.splitlines()[1] == "next: copy cut.mcap again from where it was recorded"
    assert err.startswith("cut.mcap is damaged at byte ")
    assert run("report", SMALL, "cut.mcap", "--frames", whole - 1, *QUICK)[0] == 2
    said = refused(run, SMALL, "cut.mcap", "--frames", whole)
    assert said.startswith(f"frame {whole} is requested, and cut.mcap has {whole} frames\n  note: "
                           "damaged at byte")  # fmt: skip


def test_a_damaged_report_says_what_is_still_usable(run: Run, replay: str) -> None:
    assert run("report", SMALL, replay, "--frames", "10:14", *QUICK, "-o", "a")[0] == 0
    data = Path("a").read_bytes()
    Path("b").write_bytes(data[: len(data) // 2])
    code, out, err = run("report", "--show", "b")
    assert code == 2
    assert out.startswith("b: a desync report of ")
    first, second = err.splitlines()
    assert first.startswith("b is damaged: at byte ")
    assert second.startswith("hashes of frames 0-13, ")
    assert second.endswith((" the program is not", " are not"))


def test_a_replay_is_no_report(run: Run, replay: str) -> None:
    assert refused(run, "--show", replay) == (
        "push.mcap is a replay, not a desync report\n"
        "  fix: write a report from it: samebits report SIM REPLAY --frames 120:130"
    )


def test_help_has_examples(run: Run) -> None:
    code, out, _ = run("report", "--help")
    assert code == 0
    assert "samebits report game.py duel.mcap --frames 120:130" in " ".join(out.split())
