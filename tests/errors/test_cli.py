"""What the command line says and how it ends: exact messages on stderr, statuses 0, 1, 2."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import samebits
from tests.support.command_line import Run, refused, source
from tests.support.runs.injected_faults import inject_wrong_row
from tests.support.runs.verified import NATIVE, QUICK, SMALL


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


def test_a_difference_ends_with_1_and_names_frame_field_bits_and_distance(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    inject_wrong_row(monkeypatch)
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
    inject_wrong_row(monkeypatch)
    code, out, err = run("verify", SMALL, *QUICK, "--targets", "managed,wrong", "--json")
    assert (code, err) == (1, "")
    found = json.loads(out)
    assert list(found) == ["format", "simulation", "result", "runs", "errors"]
    assert (found["format"], found["result"]) == (2, "differs")
    assert list(found["simulation"]) == ["name", "version", "digest"]
    (one,) = found["runs"]
    assert list(one) == [
        "replay", "players", "seed", "frames", "result", "interrupted", "damage", "note",
        "traps", "targets", "compared",
    ]  # fmt: skip
    assert one["traps"] == []
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
    for name in ("expected_bits", "found_bits"):
        assert re.fullmatch("0x[0-9a-f]{8}", field[name])
    assert field["ulps"] == int(field["found_bits"], 16) - int(field["expected_bits"], 16)


def test_the_same_trap_everywhere_ends_with_0_and_is_reported(run: Run) -> None:
    code, out, _ = run("verify", SMALL, "--players", "crash", *QUICK)
    assert code == 0
    assert out.splitlines()[-2] == (
        f"trap in frame 12: index 5 is out of range for an array of 5, at {SMALL}:55:13"
    )


def test_json_says_which_trap_ended_the_rows_and_in_which_frame(run: Run) -> None:
    code, out, _ = run("verify", SMALL, "--players", "crash", *QUICK, "--json")
    found = json.loads(out)
    assert (code, found["result"]) == (0, "same")
    (one,) = found["runs"]
    ran = [row for row in one["targets"] if row["result"] != "not run"]
    assert len(ran) > 1
    assert {row["result"] for row in ran} == {"same trap"}
    trap = {
        "frame": 12,
        "kind": "index",
        "message": "index out of range",
        "place": f"{SMALL}:55:13",
        "said": "index 5 is out of range for an array of 5",
    }
    assert all(row["trap"] == trap for row in ran)
    assert one["traps"] == [trap | {"targets": [row["name"] for row in ran]}]


EARLY = """\
import samebits as sb
from samebits import int32, uint64

@sb.struct
class State:
    cells: sb.FixedArray[int32, 4]

@sb.struct
class Input:
    at: int32

@sb.kernel
def init(state: State, seed: uint64) -> None:
    state.cells[int(seed)] = 1

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.cells[0] += 1

early = sb.Simulation(
    name="early", version="1", state=State, input=Input, players=1, init=init, step=step
)
"""


def test_a_trap_in_init_is_no_trap_of_frame_0(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "early.py"
    path.write_text(EARLY)
    code, out, _ = run("verify", path, "--seed", "9", *QUICK)
    assert code == 0
    place = f"{path}:14:5"
    said = "index 9 is out of range for an array of 4"
    assert f"trap in init: {said}, at {place}\n" in out
    code, out, _ = run("verify", path, "--seed", "9", *QUICK, "--json")
    (trap,) = json.loads(out)["runs"][0]["traps"]
    assert (trap["frame"], trap["kind"], trap["said"]) == (-1, "index", said)


def test_an_unknown_target_is_refused(run: Run) -> None:
    lines = refused(run, "verify", SMALL, "--targets", "managed,z80").splitlines()
    assert lines[0] == "there is no target 'z80'"
    assert lines[1].startswith("  note: the targets are managed, evaluate, x86-64-v1, ")
    assert lines[2] == ("  fix: choose among them, or among the rows that `samebits targets` lists")


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
        "--seed does not go with a replay, which has its own inputs and seed\n"
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
    assert err.splitlines()[0] == "index 5 is out of range for an array of 5"
    assert err.splitlines()[-1] == "  note: in frame 12; the state is that of the last whole frame"
    assert out.startswith(f"{path}: small 1, seed 1, 12 frames, hash ")
    code, out, _ = run("verify", SMALL, path, *QUICK)
    assert code == 0
    assert "trap in frame 12: index 5 is out of range for an array of 5" in out
    assert " same trap " in out


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
