"""A mistyped name of an output costs an error, never a source, a replay or a file of one's own."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.folders import SIMULATIONS

from samebits.cli import status

SOURCE = SIMULATIONS / "small_simulation.py"

Run = Callable[..., tuple[int, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a simulation, two replays of it and a text."""
    folder = tmp_path_factory.mktemp("made")
    game = shutil.copy(SOURCE, folder / "game.py")
    (folder / "mine.txt").write_text("of mine\n")
    for seed, name in ((1, "one.mcap"), (2, "two.mcap")):
        given = ["record", str(game), "--players", "push", "--frames", "3", "--seed", str(seed)]
        assert status([*given, "--out", str(folder / name)]) == 0
    return folder


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    made: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Run:
    """The command line in a folder of the test's own, with what was made."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)
    capsys.readouterr()

    def run(*arguments: str) -> tuple[int, str]:
        return status(arguments), capsys.readouterr().err

    return run


@pytest.mark.parametrize("there", ["game.py", "one.mcap", "mine.txt"])
@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ("record game.py --frames 2 --out {}", "replay"),
        ("verify game.py one.mcap --targets evaluate --golden {} --update-golden", "golden file"),
        ("report game.py one.mcap --force -o {}", "report"),
        ("replay export one.mcap --out {}", "file of inputs"),
    ],
)
def test_what_is_of_another_kind_is_not_replaced(
    run: Run, arguments: str, kind: str, there: str
) -> None:
    if (kind, there) == ("replay", "one.mcap"):
        pytest.skip("a recording may replace a replay")
    before = Path(there).read_bytes()
    code, said = run(*arguments.format(there).split())
    assert (code, Path(there).read_bytes()) == (2, before)
    assert f"{there} exists already and is not a {kind}" in said or f"{there} is the replay" in said


@pytest.mark.parametrize(
    ("arguments", "there"),
    [
        ("record game.py --frames 2 --seed 7 --out {}", "one.mcap"),
        ("verify game.py two.mcap --targets evaluate --golden {} --update-golden", "g.txt"),
        ("report game.py two.mcap --force -o {}", "r.desync"),
        ("replay export two.mcap --out {}", "i.bin"),
    ],
)
def test_what_is_of_the_same_kind_is(run: Run, arguments: str, there: str) -> None:
    first = arguments.replace("two", "one").replace("7", "6").format(there).split()
    once = run(*first)
    before = Path(there).read_bytes()
    assert (once[0], run(*arguments.format(there).split())[0]) == (0, 0)
    assert Path(there).read_bytes() != before


@pytest.mark.parametrize("name", ["README.md", "game.h", "game.cmake"])
def test_a_build_replaces_no_file_that_no_build_wrote(run: Run, name: str, tmp_path: Path) -> None:
    Path(name).write_text("of mine\n")
    code, said = run("build", "game.py", "--name", "game", "--out", ".")
    assert (code, Path(name).read_text()) == (2, "of mine\n")
    assert f"{name} exists already and was not written by a build" in said
    assert not any(path.is_dir() for path in tmp_path.iterdir() if path.name != "__pycache__")


def test_a_name_that_goes_on_in_another_line_is_refused(run: Run) -> None:
    shutil.copy("one.mcap", "one\nx86-64-v1-O3  600  same\n.mcap")
    code, said = run("verify", "game.py", "one\nx86-64-v1-O3  600  same\n.mcap")
    assert code == 2
    assert said == "'one\\nx86-64-v1-O3  600  same\\n.mcap' has a line break: rename the file\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ("verify game.py one.mcap --targets evaluate --frames 4", 0),
        ("diagnose game.py one.mcap --b precision=LOW --frames 4", 0),
        ("replay export one.mcap --frames 4 --out one.inputs", 0),
    ],
)
def test_a_replay_with_fewer_frames_than_asked_for_is_reported(
    run: Run, arguments: str, code: int
) -> None:
    told = "one.mcap has 3 frames, fewer than the 4 asked for"
    found, said = run(*arguments.split())
    assert (found, told in said) == (code, True)
    assert told not in run(*arguments.replace("--frames 4", "--frames 3").split())[1]


def test_a_colon_with_nothing_behind_it_is_reported(run: Run) -> None:
    code, said = run("verify", "game.py:", "--targets", "evaluate")
    assert code == 2
    assert said.startswith("game.py: names no simulation after the colon\n  fix: give ")


def test_a_file_where_a_folder_is_to_be_made_is_reported(run: Run) -> None:
    code, said = run("build", "game.py", "--out", "mine.txt")
    assert code == 2
    assert "give another name: this one is taken" in said
