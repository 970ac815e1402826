"""`samebits minimise`: what is left of a replay shows the same, and nothing of it can go."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.support.command_line import Run, called, refused
from tests.support.folders import SIMULATIONS

from samebits.minimise import search as search_module
from samebits.minimise.minimise import MinimiseError, minimise, write
from samebits.minimise.question import DifferenceQuestion, Question, TrapQuestion
from samebits.minimise.search import leaves
from samebits.replay import read_replay
from samebits.sides.side import parse_side
from samebits.sim.load import load_simulation
from samebits.sim.players import player
from samebits.sim.recording import Replay
from samebits.sim.session import SimulationTrap
from samebits.sim.sources import PlayerSource

PATH = SIMULATIONS / "fragile_simulation.py"
FRAGILE = load_simulation(str(PATH))
FMA = "hazard=fma"


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The command line: status, stdout, stderr."""

    def run(*arguments: object) -> tuple[int, str, str]:
        code = called(*arguments)
        out, err = capsys.readouterr()
        return code, out, err

    return run


def source(frames: int = 200) -> PlayerSource:
    return PlayerSource(FRAGILE, "press", 1, frames)


@pytest.fixture(scope="module")
def replay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("minimise") / "long.mcap"
    with FRAGILE.record(path, seed=1) as recording, pytest.raises(SimulationTrap):
        recording.run(player(FRAGILE, "press", 1)(0, 200))
    return path


def test_a_trap_keeps_the_inputs_that_it_needs_and_no_other_frame(tmp_path: Path) -> None:
    found = minimise(source(), parse_side("", FRAGILE), None)
    assert found.is_minimal
    assert found.shown.what.startswith("assert")
    assert (found.of_frames, len(found.inputs), found.set) == (200, 3, 3)
    assert found.inputs["fire"].tolist() == [[False, True]] * 3
    assert not found.inputs["push"].any()
    write(FRAGILE, found, str(tmp_path / "small.mcap"))
    kept = read_replay(tmp_path / "small.mcap")
    assert (kept.frames, kept.damage) == (3, None)
    assert (
        called("verify", PATH, tmp_path / "small.mcap", "--targets", "x86-64-v1-O3,evaluate") == 0
    )


def test_a_difference_keeps_the_field_that_differs_first() -> None:
    a, b = parse_side("", FRAGILE), parse_side(FMA, FRAGILE)
    found = minimise(source(150), a, b)
    assert found.is_minimal
    assert found.first_shown.what == found.shown.what == "cells[].cold"
    assert found.set <= 4  # a press or two: whether, and how hard
    assert len(found.inputs) < 30
    question = DifferenceQuestion(1, a, b)
    assert question.shown(found.inputs) == found.shown
    for frame in range(len(found.inputs)):
        less = question.shown(np.delete(found.inputs, frame, axis=0))
        assert less is None or less.what != found.shown.what
    question.close()


def test_what_is_continued_from_kept_states_is_what_is_run_whole(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    a, b = parse_side("", FRAGILE), parse_side(FMA, FRAGILE)
    second = DifferenceQuestion(1, a, b)
    asked: list[bool] = []
    shown = Question.shown

    def both(self: Question, inputs: Any, shared: int = 0) -> Any:
        found = shown(self, inputs, shared)
        if self is not second:
            asked.append(shared > 0)
            assert shown(second, inputs) == found
        return found

    monkeypatch.setattr(Question, "shown", both)
    minimise(source(150), a, b)
    second.close()
    assert sum(asked) > 10


def test_the_time_given_ends_it_with_the_shortest_so_far() -> None:
    ticks = iter(range(10_000))
    found = minimise(source(), parse_side("", FRAGILE), None, seconds=8, clock=lambda: next(ticks))
    assert not found.is_minimal
    assert not found.interrupted
    assert 3 <= len(found.inputs) <= 152
    question = TrapQuestion(1, parse_side("", FRAGILE))
    assert question.shown(found.inputs) == found.shown
    question.close()


def test_an_interrupt_keeps_the_shortest_so_far(
    replay: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    left = [6]
    before: Callable[..., bool] = search_module.Search._passes  # pyright: ignore[reportPrivateUsage]

    def passes(self: Any, *given: Any) -> bool:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return before(self, *given)

    monkeypatch.setattr(search_module.Search, "_passes", passes)
    out = tmp_path / "small.mcap"
    code, said, err = run("minimise", PATH, replay, "--trap", "--out", out, "--json")
    found = json.loads(said)
    assert (code, found["interrupted"], found["minimal"]) == (130, True, False)
    assert err == "interrupted: the shortest replay so far is kept\n"
    assert len(Replay.open(out, FRAGILE)) == found["frames"] <= 152


def test_the_command_says_what_is_left_and_what_to_do_next(
    replay: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    code, out, err = run("minimise", PATH, replay, "--b", FMA)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("long.small.mcap: ")
    assert " of 152 frames, " in lines[0]
    assert "cells[].cold" in lines[1]
    assert lines[2].endswith("no frame and no input can be left out")
    assert lines[3] == f"next: samebits diagnose {PATH} long.small.mcap --b {FMA}"
    assert (tmp_path / "long.small.mcap").is_file()


def test_the_next_command_can_be_typed_whatever_the_names_are(
    replay: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a b's \u00e4.mcap").write_bytes(replay.read_bytes())
    code, out, _ = run("minimise", PATH, "a b's \u00e4.mcap", "--b", FMA, "--seconds", 0.01)
    assert code == 0
    (line,) = (line for line in out.splitlines() if line.startswith("next: "))
    words = ["samebits", "diagnose", str(PATH), "a b's \u00e4.small.mcap", "--b", FMA]
    assert shlex.split(line.removeprefix("next: ")) == words


def test_what_a_damaged_replay_still_shows_is_written_and_its_damage_told(
    replay: Path, tmp_path: Path, run: Run
) -> None:
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(replay.read_bytes()[:-60])
    code, _, err = run(
        "minimise", PATH, cut, "--trap", "--out", tmp_path / "small.mcap", "--seconds", 0.01
    )
    assert code == 2
    assert f"{cut} is " in err
    assert (tmp_path / "small.mcap").is_file()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((), "it is not said what the replay must still show"),
        (("--trap", "--b", FMA), f"--trap and --b {FMA} are both given"),
        (("--trap", "--seconds", 0), "--seconds 0 is no time"),
        (("--b", "opt=0"), "do not differ over this replay"),
    ],
)
def test_what_cannot_be_asked_is_refused(
    replay: Path, tmp_path: Path, run: Run, given: Any, said: str
) -> None:
    out = tmp_path / "small.mcap"
    assert said in refused(run, "minimise", PATH, replay, "--out", out, *given)
    assert not out.exists()


def test_the_replay_itself_is_never_written_over(replay: Path, run: Run) -> None:
    before = replay.read_bytes()
    assert "is the replay itself" in refused(
        run, "minimise", PATH, replay, "--trap", "--out", replay
    )
    assert replay.read_bytes() == before


def test_a_run_without_a_trap_is_refused() -> None:
    with pytest.raises(MinimiseError, match="no trap ends the run"):
        minimise(source(20), parse_side("", FRAGILE), None)


def test_the_fields_of_inputs_cover_all_their_bytes_but_padding() -> None:
    inner = np.dtype([("x", np.float32), ("y", np.int8)], align=True)
    dtype = np.dtype([("a", np.int16), ("b", inner), ("c", np.float32, (3,))], align=True)
    found = [(leaf.name, leaf.first, leaf.end) for leaf in leaves(dtype)]
    assert found == [("a", 0, 2), ("b.x", 4, 8), ("b.y", 8, 9), ("c", 12, 24)]
