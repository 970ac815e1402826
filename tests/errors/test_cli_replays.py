"""Replays on the command line: those of something else are refused, damaged ones partly used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command_line import Run, refused, source
from tests.support.runs.injected_faults import inject_wrong_row
from tests.support.runs.verified import NATIVE, QUICK, SMALL


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
    inject_wrong_row(monkeypatch)
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
        inject_wrong_row(monkeypatch)
        code, out, _ = run(*given, "--targets", f"{NATIVE},wrong", "--json")
        assert (code, json.loads(out)["result"]) == (1, "differs")


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
