"""What the command line says and how it ends: exact messages on stderr, statuses 0, 1, 2."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import samebits
from samebits.backend.llvm import engine
from samebits.cli import status
from samebits.cli import verify as verify_command
from samebits.sim.execution import Advance, Execution, NativeExecution
from samebits.sim.simulation import Simulation
from samebits.verify import executions as targets
from samebits.verify.executions import Row
from samebits.verify.golden import read_golden, write_golden
from tests.support.folders import SIMULATIONS

SMALL = str(SIMULATIONS / "small_simulation.py")
NATIVE = next(r.name for r in targets.all_rows() if r.reason is None and r.name.endswith("-O3"))
QUICK = ("--targets", f"{NATIVE},evaluate", "--frames", "40")

Run = Any


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line in this process: status, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = status([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return run


@pytest.fixture
def replay(tmp_path: Path, run: Run) -> Path:
    path = tmp_path / "push.mcap"
    assert run("record", SMALL, "--players", "push", "--frames", 40, "--out", path)[0] == 0
    return path


def refused(run: Run, *arguments: object) -> str:
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "Traceback" not in err
    return str(err).rstrip("\n")


def source(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


def test_the_same_bits_end_with_0(run: Run, replay: Path) -> None:
    code, out, err = run("verify", SMALL, replay, *QUICK)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == f"small 1, {replay}, seed 1"
    assert lines[1].split() == [
        "target", "frames", "final", "hash", "result", "first", "difference", "frames/s",
    ]  # fmt: skip
    assert lines[2].split()[:2] == ["evaluate", "40"]
    assert lines[3].split()[:2] == [NATIVE, "40"]
    assert lines[4].split()[:2] == ["recorded", "40"]
    assert [line.split()[3] for line in lines[2:5]] == ["same"] * 3
    assert len({line.split()[2] for line in lines[2:5]}) == 1


def wrong(simulation: Simulation) -> Execution:
    """Compiled, and in frame 17 a float comes out one bit too high."""
    program = simulation.program
    level = next(level for level in engine.available_targets() if level.reason is None)

    class Wrong(NativeExecution):
        def advance(self, inputs: Any) -> Any:
            hashes: list[Any] = []
            for i in range(len(inputs)):
                if self.memory["frame"] == 17:
                    self.memory["bodies"]["pos"][0, 4, 1:].view(np.uint32)[...] += 1
                hashes.append(super().advance(inputs[i : i + 1]).hashes)
            return Advance(np.concatenate(hashes), None)

    return Wrong(program, program.compiled(level.target, 0))


def plant(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = (*targets.all_rows(), Row("wrong", "wrong", "wrong on purpose", wrong))
    monkeypatch.setattr(verify_command.targets, "all_rows", lambda: rows)


def test_a_difference_ends_with_1_and_names_frame_field_bits_and_distance(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    code, out, _ = run("verify", SMALL, *QUICK, "--targets", "managed,wrong")
    assert code == 1
    lines = [line.rstrip() for line in out.splitlines()]
    assert lines[0] == "small 1, players push, seed 1"
    assert lines[2].split()[3] == "same"
    assert lines[3].split()[3:7] == ["differs", "frame", "17,", "bodies[4].pos.y"]
    expected, found = lines[5].split(), lines[6].split()
    apart = int(found[1], 16) - int(expected[1], 16)
    assert lines[4] == (
        f"wrong differs from managed, frame 17, bodies[4].pos.y (float32), {apart} ULP apart"
    )
    assert (expected[0], found[0]) == ("managed", "wrong")
    for row in (expected, found):
        assert np.uint32(int(row[1], 16)).view(np.float32) == np.float32(row[2])


def test_json_has_the_same_facts(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch)
    code, out, err = run("verify", SMALL, *QUICK, "--targets", "managed,wrong", "--json")
    assert (code, err) == (1, "")
    found = json.loads(out)
    assert list(found) == ["format", "simulation", "result", "runs", "errors"]
    assert (found["format"], found["result"]) == (1, "differs")
    assert list(found["simulation"]) == ["name", "version", "digest"]
    (one,) = found["runs"]
    assert list(one) == [
        "replay", "players", "seed", "frames", "result", "interrupted", "damage", "note",
        "targets", "compared",
    ]  # fmt: skip
    assert (one["replay"], one["players"], one["seed"], one["frames"]) == (None, "push", 1, 40)
    same, differs = one["targets"]
    assert list(same) == [
        "name", "result", "reason", "failure", "frames", "compared", "prefix", "final_hash", "trap",
        "first_difference", "frames_per_second",
    ]  # fmt: skip
    assert (same["name"], same["result"], same["first_difference"]) == ("managed", "same", None)
    first = differs["first_difference"]
    assert list(first) == ["frame", "reference", "expected", "found", "field", "note"]
    assert (first["frame"], first["reference"]) == (17, "managed")
    assert list(first["field"]) == [
        "path", "type", "expected", "found", "expected_bits", "found_bits", "ulps", "others",
    ]  # fmt: skip
    field = first["field"]
    assert (field["path"], field["type"], field["others"]) == ("bodies[4].pos.y", "float32", 0)
    assert field["ulps"] == int(field["found_bits"], 16) - int(field["expected_bits"], 16)


def test_the_same_trap_everywhere_ends_with_0_and_is_told(run: Run) -> None:
    code, out, _ = run("verify", SMALL, "--players", "crash", *QUICK)
    assert code == 0
    assert out.splitlines()[-2] == (f"trap in frame 12: index out of range, at {SMALL}:55:13")


def test_a_golden_file_is_written_and_compared(run: Run, replay: Path, tmp_path: Path) -> None:
    golden = tmp_path / "push.golden"
    code, _, err = run("verify", SMALL, replay, *QUICK, "--golden", golden, "--update-golden")
    assert (code, err) == (0, f"{golden}: 3 hashes written\n")
    said = read_golden(golden)
    assert [frame for frame, _ in said.hashes] == [0, 30, 39]
    code, out, _ = run("verify", SMALL, replay, *QUICK, "--golden", golden)
    assert code == 0
    assert "golden: hashes of 3 of these 40 frames\n" in out
    other = [(frame, 0 if frame == 30 else value) for frame, value in said.hashes]
    write_golden(golden, said.simulation, said.digest, other)
    code, out, _ = run("verify", SMALL, replay, *QUICK, "--golden", golden)
    assert code == 1
    assert "golden differs from this run, frame 30" in out
    assert out.splitlines()[-2].split() == ["golden", "0000000000000000"]


def test_new_code_with_the_old_bits_passes_its_golden_file(
    run: Run, replay: Path, tmp_path: Path
) -> None:
    golden = tmp_path / "push.golden"
    run("verify", SMALL, replay, *QUICK, "--golden", golden, "--update-golden")
    said = read_golden(golden)
    write_golden(golden, said.simulation, "0" * 32, said.hashes)
    code, out, _ = run("verify", SMALL, replay, *QUICK, "--golden", golden)
    assert code == 0
    assert f"note: the simulation's code has changed since {golden} was written" in out


def test_a_cut_golden_file_is_never_the_same(run: Run, replay: Path, tmp_path: Path) -> None:
    golden = tmp_path / "push.golden"
    run("verify", SMALL, replay, *QUICK, "--golden", golden, "--update-golden")
    lines = golden.read_bytes().splitlines(keepends=True)
    for count in range(len(lines)):
        golden.write_bytes(b"".join(lines[:count]))
        assert refused(run, "verify", SMALL, replay, *QUICK, "--golden", golden)


def test_a_golden_file_of_another_simulation_is_refused(run: Run, tmp_path: Path) -> None:
    golden = tmp_path / "g"
    write_golden(golden, "big", "0" * 32, [(0, 0)])
    assert refused(run, "verify", SMALL, *QUICK, "--golden", golden) == (
        f"{golden} is a golden file of another simulation: 'big', not 'small'"
    )


def test_a_file_that_is_not_there_is_refused(run: Run) -> None:
    assert refused(run, "verify", "nowhere.py") == (
        "there is no file nowhere.py\n  fix: give path.py, path.py:Name or package.module:Name"
    )


def test_a_device_is_refused(run: Run) -> None:
    assert refused(run, "verify", "/dev/null").startswith("/dev/null is no regular file\n")


def test_a_module_that_is_not_there_is_refused(run: Run) -> None:
    assert refused(run, "verify", "no.such:Thing") == (
        "there is no module 'no.such'\n  fix: give path.py, path.py:Name or package.module:Name"
    )


def test_a_simulation_that_does_not_import_shows_its_own_line(run: Run, tmp_path: Path) -> None:
    path = source(tmp_path, "broken_import.py", "import math\n\nWIDTH = math.sqroot(2)\n")
    assert refused(run, "verify", path) == (
        "broken_import.py does not import: "
        "AttributeError: module 'math' has no attribute 'sqroot'\n"
        f"  at {path}:3:1 in <module>\n"
        "  3 | WIDTH = math.sqroot(2)\n"
        "    | ^^^^^^^^^^^^^^^^^^^^^^"
    )


def test_a_syntax_error_shows_its_own_line(run: Run, tmp_path: Path) -> None:
    path = source(tmp_path, "broken_syntax.py", "x = 1\nif x\n    y = 2\n")
    assert refused(run, "verify", path) == (
        "broken_syntax.py does not import: SyntaxError: expected ':'\n"
        f"  at {path}:2:1 in <module>\n"
        "  2 | if x\n"
        "    | ^^^^"
    )


def test_an_error_in_a_struct_shows_its_own_line(run: Run, tmp_path: Path) -> None:
    text = "import samebits as sb\n\n\n@sb.struct\nclass State:\n    a: int\n"
    path = source(tmp_path, "broken_struct.py", text)
    err = refused(run, "verify", path)
    assert err.splitlines()[0].startswith("broken_struct.py does not import: field State.a: ")
    assert err.splitlines()[1] == f"  at {path}:4:1 in <module>"


def test_a_file_without_a_simulation_is_refused(run: Run, tmp_path: Path) -> None:
    path = source(tmp_path, "plain_module.py", "x = 1\n")
    assert refused(run, "verify", path) == (
        f"{path} has no simulation\n"
        "  fix: make one in it: NAME = sb.Simulation(name=..., version=..., state=..., ...)"
    )


def test_a_file_with_two_simulations_asks_which(run: Run, tmp_path: Path) -> None:
    text = (
        "import sys\n"
        f"sys.path.insert(0, {str(Path(SMALL).parent)!r})\n"
        "from small_simulation import SMALL\n"
        "import samebits as sb\n"
        "S = SMALL\n"
        "OTHER = sb.Simulation(name='other', version='2', state=S.state, input=S.input,\n"
        "                      players=2, init=S.init, step=S.step)\n"
    )
    path = source(tmp_path, "two_simulations.py", text)
    assert refused(run, "verify", path) == (
        f"{path} has 2 simulations: OTHER, SMALL\n  fix: name one of them: {path}:OTHER"
    )
    assert run("verify", f"{path}:OTHER", *QUICK)[0] == 0
    assert refused(run, "verify", f"{path}:sb") == (
        f"{path}: sb is module, no simulation\n  fix: its simulations are OTHER, S, SMALL"
    )
    assert refused(run, "verify", f"{path}:GONE") == (
        f"{path}: GONE is not there\n  fix: its simulations are OTHER, S, SMALL"
    )


def test_a_simulation_with_a_wrong_step_is_refused_at_its_line(run: Run, tmp_path: Path) -> None:
    text = (
        "import samebits as sb\n\n\n"
        "@sb.struct\nclass State:\n    a: sb.int32\n\n\n"
        "@sb.kernel\ndef init(state: State, seed: sb.uint64) -> None:\n    state.a = 1\n\n\n"
        "GAME = sb.Simulation(name='g', version='1', state=State, input=State, players=1,\n"
        "                     init=init, step=init)\n"
    )
    path = source(tmp_path, "wrong_step.py", text)
    assert refused(run, "verify", path) == (
        "wrong_step.py does not import: simulation 'g': step takes (State, uint64), "
        "where (State, ReadOnly[State]) is due\n"
        f"  at {path}:14:1 in <module>\n"
        "  14 | GAME = sb.Simulation(name='g', version='1', state=State, input=State, players=1,\n"
        f"     | {'^' * 80}\n"
        "  fix: write `def step(state: State, inputs: sb.ReadOnly[State]) -> None:`"
    )


def test_an_unknown_target_is_refused(run: Run) -> None:
    lines = refused(run, "verify", SMALL, "--targets", "managed,z80").splitlines()
    assert lines[0] == "there is no target 'z80'"
    assert lines[1].startswith("  note: the targets are managed, evaluate, x86-64-v1, ")
    assert lines[2] == ("  fix: choose among them, or among the rows that `samebits targets` lists")


def test_a_replay_of_another_simulation_is_refused(run: Run, replay: Path, tmp_path: Path) -> None:
    path = source(tmp_path, "renamed.py", Path(SMALL).read_text().replace('"small"', '"big"'))
    assert refused(run, "verify", path, replay) == (
        f"{replay} is a replay of another simulation: 'small', not 'big'\n"
        "  fix: give a replay of 'big', or name the simulation that recorded it"
    )


def test_a_replay_of_another_version_is_refused(run: Run, replay: Path, tmp_path: Path) -> None:
    text = Path(SMALL).read_text().replace('version="1"', 'version="2"')
    path = source(tmp_path, "newer.py", text)
    assert refused(run, "verify", path, replay) == (
        f"{replay} is a replay of version 1 of 'small'; this is version 2\n"
        "  fix: check out the version that recorded it, or record a new replay"
    )


def test_a_replay_of_changed_code_is_refused(run: Run, replay: Path, tmp_path: Path) -> None:
    path = source(tmp_path, "edited.py", Path(SMALL).read_text().replace("0.999", "0.998"))
    lines = refused(run, "verify", path, replay).splitlines()
    assert (
        lines[0] == f"{replay} is a replay of other code that also calls itself 'small' version 1"
    )
    assert lines[1].startswith("  note: recorded with digest ")
    assert lines[2] == (
        "  fix: check out the code that recorded it, or raise the version and record a new replay"
    )


def test_a_comment_does_not_make_a_replay_invalid(run: Run, replay: Path, tmp_path: Path) -> None:
    text = Path(SMALL).read_text().replace("@sb.kernel\n", "# moved\n\n@sb.kernel\n")
    assert run("verify", source(tmp_path, "commented.py", text), replay, *QUICK)[0] == 0


def test_an_empty_replay_is_refused(run: Run, tmp_path: Path) -> None:
    from samebits.sim.load import load_simulation

    path = tmp_path / "empty.mcap"
    with load_simulation(SMALL).record(path):
        pass
    lines = refused(run, "verify", SMALL, path).splitlines()
    assert lines[0] == f"{path} is an empty replay: it has no frames"


def test_a_cut_replay_is_verified_to_its_last_whole_frame_and_ends_with_2(
    run: Run, tmp_path: Path
) -> None:
    path = tmp_path / "cut.mcap"
    run("record", SMALL, "--players", "push", "--frames", 2000, "--out", path)
    path.write_bytes(path.read_bytes()[:-20_000])
    code, out, _ = run("verify", SMALL, path, "--targets", NATIVE)
    assert code == 2
    assert f"{path} is damaged at byte " in out.splitlines()[-2]
    assert "whole frames precede it" in out.splitlines()[-2]


@pytest.fixture
def cut(run: Run, tmp_path: Path) -> Path:
    """A replay of 2,000 frames without its end."""
    path = tmp_path / "cut.mcap"
    run("record", SMALL, "--players", "push", "--frames", 2000, "--out", path)
    path.write_bytes(path.read_bytes()[:-20_000])
    return path


def test_damage_is_the_result_of_a_replay_whose_rest_agrees(run: Run, cut: Path) -> None:
    for frames in ((), ("--frames", 40)):
        code, out, err = run("verify", SMALL, cut, "--targets", NATIVE, *frames, "--json")
        found = json.loads(out)
        assert (code, err, found["result"]) == (2, "", "damaged")
        (one,) = found["runs"]
        assert one["result"] == "damaged"
        assert one["damage"].startswith("damaged at byte ")
        assert {row["result"] for row in (*one["targets"], *one["compared"])} == {"same"}


def test_a_difference_in_a_damaged_replay_is_a_difference(
    run: Run, cut: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plant(monkeypatch)
    code, out, _ = run("verify", SMALL, cut, "--targets", f"{NATIVE},wrong", "--json")
    found = json.loads(out)
    assert (code, found["result"], found["runs"][0]["result"]) == (1, "differs", "differs")
    assert found["runs"][0]["damage"] is not None


@pytest.mark.parametrize("what", ["cut", "not there", "other code"])
def test_a_replay_that_cannot_be_read_leaves_the_others_results(
    run: Run, replay: Path, tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, other = tmp_path / "broken.mcap", tmp_path / "other.mcap"
    other.write_bytes(replay.read_bytes())
    if what == "cut":
        broken.write_bytes(replay.read_bytes()[:100])
    elif what == "other code":
        text = Path(SMALL).read_text().replace("0.999", "0.998")
        edited = source(tmp_path, "edited.py", text)
        run("record", edited, "--players", "push", "--frames", 4, "--out", broken)
    given = ("verify", SMALL, replay, broken, other, *QUICK)
    code, out, err = run(*given)
    assert code == 2
    assert err.startswith(f"{'cannot read ' * (what == 'not there')}{broken}")
    assert "  fix: " in err
    for path in (replay, other):
        assert f"{path}, seed 1" in out
    code, out, again = run(*given, "--json")
    found = json.loads(out)
    assert (code, again, found["result"]) == (2, err, "error")
    assert [one["replay"] for one in found["runs"]] == [str(replay), str(other)]
    assert {one["result"] for one in found["runs"]} == {"same"}
    assert found["errors"] == [{"replay": str(broken), "error": err.rstrip("\n")}]
    if what == "cut":
        plant(monkeypatch)
        code, out, _ = run(*given, "--targets", f"{NATIVE},wrong", "--json")
        assert (code, json.loads(out)["result"]) == (1, "differs")


def test_no_golden_file_is_written_from_a_damaged_replay(
    run: Run, cut: Path, tmp_path: Path
) -> None:
    golden = tmp_path / "g"
    code, _, err = run(
        "verify", SMALL, cut, "--targets", NATIVE, "--golden", golden, "--update-golden"
    )
    assert (code, err) == (2, f"{golden} is not written: the replay is damaged\n")
    assert not golden.exists()


@pytest.mark.parametrize("frames", [(), ("--frames", 40)])
def test_what_is_whole_of_a_damaged_replay_is_exported_with_2(
    run: Run, cut: Path, tmp_path: Path, frames: tuple[object, ...]
) -> None:
    code, out, err = run("replay", "export", cut, "--out", tmp_path / "cut.inputs", *frames)
    assert code == 2
    assert out.startswith(f"{tmp_path / 'cut.inputs'}: inputs of small, ")
    assert err.startswith(f"{cut} is damaged at byte ")
    assert (tmp_path / "cut.inputs").exists()


def test_a_whole_replay_is_exported_with_0(run: Run, replay: Path, tmp_path: Path) -> None:
    assert run("replay", "export", replay, "--out", tmp_path / "a.inputs") == (
        0,
        f"{tmp_path / 'a.inputs'}: inputs of small, 40 frames, with a hash each\n",
        "",
    )


WRONG_OPTIONS: list[tuple[list[str], str]] = [
    (
        ["--frames", "soon"],
        "--frames soon is neither a count of frames, from 1 to 1,000,000,000, nor all\n"
        "  fix: write --frames 600 or --frames all",
    ),
    (
        ["--update-golden"],
        "--update-golden does not say which file\n  fix: add --golden FILE, the file to write",
    ),
    (
        ["a.mcap", "b.mcap", "--golden", "g"],
        "--golden holds the hashes of one run, and several replays are given\n"
        "  fix: verify the replays one by one, each with its golden file",
    ),
    (
        ["a.mcap", "--seed", "3"],
        "--seed is given beside a replay, which has its own inputs and seed\n"
        "  fix: leave out --seed, or the replay",
    ),
    (
        ["--golden", "gone.golden"],
        "there is no golden file gone.golden\n  fix: write it with --update-golden",
    ),
    (
        ["--players", "nobody"],
        "simulation 'small' has no players 'nobody'\n"
        "  fix: choose one of push, crash, broken, random",
    ),
    (
        ["--seed", "-1"],
        "the seed is -1, not an int from 0 to 2**64 - 1\n  fix: give seed=1",
    ),
    (
        ["gone.mcap"],
        "cannot read gone.mcap: No such file or directory\n"
        "  fix: give the path of a replay that this user may read",
    ),
]


@pytest.mark.parametrize(("options", "message"), WRONG_OPTIONS, ids=lambda v: " ".join(v)[:40])
def test_wrong_options_are_refused(run: Run, options: list[str], message: str) -> None:
    assert refused(run, "verify", SMALL, *options) == message


def test_an_unknown_option_and_a_missing_argument_end_with_2(run: Run) -> None:
    assert run("verify", SMALL, "--colour")[0] == 2
    assert run("verify")[0] == 2
    assert run("fly")[0] == 2
    assert run()[0] == 2


def test_what_a_simulation_prints_while_it_loads_stays_out_of_the_json(
    run: Run, tmp_path: Path
) -> None:
    path = source(tmp_path, "talkative.py", Path(SMALL).read_text() + "\nprint('hello')\n")
    code, out, err = run("verify", path, *QUICK, "--json")
    assert (code, err) == (0, "hello\n")
    assert json.loads(out)["result"] == "same"


def test_help_and_version_end_with_0(run: Run) -> None:
    assert run("--version") == (0, f"samebits {samebits.__version__}\n", "")
    for command in ([], ["verify"], ["record"], ["targets"]):
        code, out, _ = run(*command, "--help")
        assert code == 0
        assert "Usage: samebits" in out
        assert not command or "Examples:" in out


def test_a_recording_that_traps_keeps_its_frames_and_ends_with_1(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "crash.mcap"
    code, out, err = run("record", SMALL, "--players", "crash", "--frames", 50, "--out", path)
    assert code == 1
    assert err.splitlines()[0] == "index out of range"
    assert err.splitlines()[-1] == "  note: in frame 12; the state is that of the last whole frame"
    assert out.startswith(f"{path}: small 1, seed 1, 12 frames, hash ")
    code, out, _ = run("verify", SMALL, path, *QUICK)
    assert code == 0
    assert "trap in frame 12: index out of range" in out


def test_a_recording_is_the_same_bytes_every_time(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b"):
        path = tmp_path / name
        run("record", SMALL, "--players", "random", "--frames", 30, "--seed", 7, "--out", path)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_an_interrupt_ends_with_130_and_says_how_far(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    from samebits.sim.sources import PlayerSource

    blocks = PlayerSource.blocks

    def interrupted(self: Any) -> Any:
        yield next(blocks(self))
        raise KeyboardInterrupt

    monkeypatch.setattr(PlayerSource, "blocks", interrupted)
    code, out, err = run("verify", SMALL, "--targets", NATIVE)
    assert (code, err) == (130, "interrupted: 256 frames compared\n")
    assert NATIVE in out


def test_targets_lists_what_runs_and_why_the_rest_does_not(run: Run) -> None:
    code, out, _ = run("targets", "--json")
    assert code == 0
    rows = {row["name"]: row for row in json.loads(out)["targets"]}
    assert list(rows)[:2] == ["managed", "evaluate"]
    assert rows["managed"]["runs"]
    assert {name.rpartition("-")[2] for name in list(rows)[2:]} == {"O0", "O3"}
    for row in rows.values():
        assert row["runs"] == (row["reason"] is None)
    assert run("targets")[1].splitlines()[1].split()[:2] == ["managed", "yes"]


def test_importing_samebits_loads_neither_the_compiler_nor_the_tools() -> None:
    code = (
        "import samebits, sys; print([m for m in ('llvmlite', 'mcap', 'typer', 'rich', "
        "'samebits.sim.simulation') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_defining_a_simulation_loads_neither_the_compiler_nor_the_replay_library() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import small_simulation; "
        "print([m for m in ('llvmlite', 'mcap', 'typer', 'rich') if m in sys.modules])"
    )
    arguments = [sys.executable, "-c", code, str(Path(SMALL).parent)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
