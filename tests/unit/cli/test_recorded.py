"""A run beside what its replay holds of it: `report` and `diagnose` say where it departs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.folders import SIMULATIONS

from samebits.cli import status
from samebits.desync.reader import read_report
from samebits.diagnosis.frame.recorded import recorded_in
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.players import player
from samebits.sim.recording import Recording
from samebits.sim.sources import ReplaySource
from samebits.verify import executions as targets

SMALL = str(SIMULATIONS / "small_simulation.py")
NATIVE = next(r.name for r in targets.all_rows() if r.reason is None and r.name.endswith("-O0"))
FRAMES = 40
CAUSE = (
    "  the state was changed, or restored badly, while it was recorded; or the machine that "
    "recorded it has other bits"
)

Run = Any


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command line in a folder of its own: status, stdout, stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        code = status([str(a) for a in arguments])
        return code, *capsys.readouterr()

    return run


def poke(recording: Recording) -> None:
    recording.state.bodies[1].charge = 77


def restore_badly(recording: Recording) -> None:
    """All but one of the fields come back as they were."""
    recording.state.grid[2, 3] = 0
    recording.state.grid[1, 1] += 5


def recorded(change: Any = None, before: int = -1, every: int = 10, frames: int = FRAMES) -> str:
    """A replay during whose recording the state was changed by hand before a frame."""
    simulation = load_simulation(SMALL)
    inputs = player(simulation, "push", 1)(0, frames)
    with simulation.record("game.mcap", seed=1, keyframe_every=every) as recording:
        for frame in range(frames):
            if frame == before:
                change(recording)
            recording.step(inputs[frame])
    return "game.mcap"


def report(run: Run, *options: object) -> tuple[int, list[str]]:
    code, out, err = run(
        "report", SMALL, "game.mcap", "-o", "o", "--force", "--a", NATIVE, *options
    )
    assert err == ""
    assert read_report("o").frames
    return code, out.splitlines()


def hashes_of(source: ReplaySource) -> np.ndarray[Any, Any]:
    """Those of every state, from what `init` leaves on."""
    first = np.array([load_simulation(SMALL).start(1).hash()], np.uint64)
    blocks = [block.hashes for block in source.blocks()]
    return np.concatenate([first, *(hashes for hashes in blocks if hashes is not None)])


def facts(run: Run, *options: object) -> dict[str, Any]:
    code, lines = report(run, "--json", *options)
    found = json.loads("\n".join(lines))["recorded"]
    assert found is not None
    assert code == (found["departure"] is not None)
    return found


def test_a_run_as_it_was_recorded_counts_what_was_compared(run: Run) -> None:
    recorded()
    code, lines = report(run)
    assert code == 0
    assert lines[0] == "as recorded: 40 hashes and 4 keyframes of game.mcap compared"
    assert lines[1] == f"next: compare elsewhere: samebits diagnose {SMALL} game.mcap o"
    found = facts(run)
    assert (found["hashes"], found["keyframes"], found["departure"]) == (40, 4, None)


def test_only_frames_that_are_run_are_compared(run: Run) -> None:
    recorded(poke, 17)
    assert report(run, "--frames", "8:12")[1][0] == (
        "as recorded: 12 hashes and 2 keyframes of game.mcap compared"
    )


@pytest.mark.parametrize("change", [poke, restore_badly])
def test_a_state_changed_between_keyframes_is_reported_with_frame_and_field(
    run: Run, change: Any
) -> None:
    recorded(change, 17)
    code, lines = report(run)
    assert code == 1
    assert lines[:3] == [
        "the run departs from game.mcap: the state that frame 17 leaves is not the one recorded",
        f"next: find out why: samebits diagnose {SMALL} game.mcap --a {NATIVE}", "",
    ]  # fmt: skip
    assert CAUSE in lines
    assert lines[-1] == f"compare elsewhere: samebits diagnose {SMALL} game.mcap o"
    found = facts(run)
    departure = found["departure"]
    assert (departure["frame"], departure["since"], departure["between"]) == (17, 16, False)
    assert lines[3:5] == [
        f"  here      {departure['here']}", f"  recorded  {departure['recorded']}",
    ]  # fmt: skip
    assert (departure["keyframe"], found["hashes"], found["keyframes"]) == (20, 18, 2)
    assert departure["differing"] == len(departure["fields"]) > 0
    paths = {field["path"] for field in departure["fields"]}
    assert paths == {"bodies[1].charge"} if change is poke else any("grid" in p for p in paths)


def test_a_state_changed_just_before_a_keyframe_is_known_by_that(run: Run) -> None:
    recorded(poke, 20)
    code, lines = report(run)
    assert code == 1
    assert lines[0] == (
        "the run departs from game.mcap: between frames 19 and 20 the state that was recorded "
        "becomes another"
    )
    assert lines[5:9] == [
        "  the keyframe before frame 20 differs in 1 scalar",
        "    bodies[1].charge  int16",
        "      here      0x0014  20",
        "      recorded  0x004d  77",
    ]
    departure = facts(run)["departure"]
    assert (departure["frame"], departure["since"], departure["between"]) == (19, 19, True)


def test_a_state_changed_behind_init_is_known_by_the_first_keyframe(run: Run) -> None:
    recorded(poke, 0)
    departure = facts(run)["departure"]
    assert (departure["frame"], departure["keyframe"]) == (-1, 0)
    (field,) = departure["fields"]
    assert (field["path"], field["b"]["bits"]) == ("bodies[1].charge", "0x004d")


def test_without_keyframes_the_frame_is_reported(run: Run) -> None:
    recorded(poke, 17, every=0)
    code, lines = report(run)
    assert code == 1
    assert lines[0].endswith("the state that frame 17 leaves is not the one recorded")
    found = facts(run)
    assert (found["departure"]["frame"], found["departure"]["fields"]) == (17, [])
    assert found["keyframes"] == 0


def test_what_init_leaves_has_no_frame_number(run: Run) -> None:
    recorded(poke, 0, every=0)
    lines = report(run)[1]
    assert lines[0] == (
        "the run departs from game.mcap: the state that frame 0 leaves is not the one recorded"
    )
    assert lines[5] == "  nothing is recorded of what init leaves"


def test_two_sides_that_agree_on_what_was_not_recorded_are_not_called_the_same(run: Run) -> None:
    recorded(poke, 17)
    sides = ("--a", NATIVE, "--b", "evaluate")
    code, out, err = run("diagnose", SMALL, "game.mcap", *sides, "--html", "page.html")
    assert (code, err) == (1, "")
    answer = "the same: no frame of 40 differs, but both depart from what game.mcap records\n"
    assert out.startswith(answer)
    assert "\nrecorded: both depart from game.mcap: " in out
    assert "bodies[1].charge" in Path("page.html").read_text()
    found = json.loads(run("diagnose", SMALL, "game.mcap", *sides, "--json")[1])
    assert (found["same"], found["recorded"]["departure"]["frame"]) == (True, 17)


def test_a_report_that_agrees_on_what_was_not_recorded_is_not_called_the_same(run: Run) -> None:
    recorded(poke, 17)
    report(run)
    code, out, _ = run("diagnose", SMALL, "game.mcap", "o", "--a", "evaluate")
    assert code == 1
    assert "\nrecorded: both depart from game.mcap: the state that frame 17 leaves" in out


def test_sides_that_give_what_was_recorded_are_the_same(run: Run) -> None:
    recorded()
    code, out, _ = run("diagnose", SMALL, "game.mcap", "--a", NATIVE, "--b", "evaluate", "--json")
    assert code == 0
    found = json.loads(out)["recorded"]
    assert (found["hashes"], found["keyframes"], found["departure"]) == (40, 4, None)


@pytest.mark.parametrize("every", [0, 10])
def test_a_trap_before_what_was_recorded_is_another_end(run: Run, every: int) -> None:
    source = ReplaySource(load_simulation(SMALL), recorded(every=every))
    hashes = hashes_of(source)
    beside = recorded_in(source)
    assert beside is not None
    beside.see(0, hashes[:6])
    beside.see_trap("index out of range")
    found = beside.fact(parse_side(NATIVE, load_simulation(SMALL))).departure
    assert found is not None
    assert (found.frame, found.since, found.here) == (5, 4, "trap: index out of range")
    assert found.recorded == f"{hashes[6]:016x}"


def test_a_trap_behind_what_was_recorded_is_its_end(run: Run) -> None:
    source = ReplaySource(load_simulation(SMALL), recorded(every=0, frames=5))
    hashes = hashes_of(source)
    beside = recorded_in(source)
    assert beside is not None
    beside.see(0, hashes)
    beside.see_trap("index out of range")
    found = beside.fact(parse_side(NATIVE, load_simulation(SMALL)))
    assert (found.hashes, found.departure) == (5, None)
