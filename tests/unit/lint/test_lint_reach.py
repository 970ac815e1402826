"""Of a simulation that is given, `samebits lint` tells what it can reach, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.support.command_line import status

import samebits as sb
from samebits.lint import check_reached

GAME = """
import random
import time
import samebits as sb
from samebits import float32
import tables
from helpers import paths as find
import plots

TABLE = tables.sines(64)
BIASES = []
for _ in range(4):
    BIASES.append(random.random())
NOISE = random.random()

@sb.struct
class State:
    x: float32

@sb.struct
class Input:
    push: float32

def bias():
    return BIASES[0]

class Level:
    def start(self):
        return time.time()

START = Level().start()

@sb.kernel
def init(state: State, seed: sb.uint64) -> None:
    state.x = START

@sb.kernel
def step(state: State, inputs: sb.ReadOnly[Input]) -> None:
    state.x += TABLE[0]

def chase(frame, player, seed):
    return {"push": bias() + len(find.around(set("ab")))}

def draw():
    return random.random()

GAME = sb.Simulation(name="game", version="1", state=State, input=Input, players=1,
                     init=init, step=step, scripts={"chase": chase})

if __name__ == "__main__":
    print(random.random())
"""
TABLES = """
import math

def sines(n):
    return [_one(i / n) for i in range(n)]

def _one(x):
    return math.sin(x)

def cosines(n):
    return [math.cos(i / n) for i in range(n)]
"""
PATHS = """
def around(names):
    return [n for n in names | {"c"}]

def beyond():
    return [n for n in {"a", "b"}]
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    (tmp_path / "helpers").mkdir()
    files = {
        "game.py": GAME, "tables.py": TABLES, "helpers/__init__.py": "",
        "helpers/paths.py": PATHS, "plots.py": "import math\nX = math.sin(0.5)\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return tmp_path / "game.py"


def found(path: Path, name: str) -> list[tuple[str, str]]:
    return sorted(
        (Path(each.path).name, Path(each.path).read_text().splitlines()[each.line - 1].strip())
        for result in check_reached(str(path), name)
        for each in result.findings
    )


def test_functions_tables_scripts_and_other_files_are_reached_and_nothing_else(game: Path) -> None:
    assert found(game, "GAME") == [
        ("game.py", "BIASES.append(random.random())"),
        ("game.py", "return time.time()"),
        ("paths.py", 'return [n for n in names | {"c"}]'),
        ("tables.py", "return math.sin(x)"),
    ]


def test_imports_of_a_package_relative_starred_and_renamed(tmp_path: Path) -> None:
    folder = tmp_path / "deep"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / "a.py").write_text("from .b import *\nfrom . import c as other\nG = [one(), other.f]")
    (folder / "b.py").write_text("import time\ndef one():\n    return time.time()\n")
    (folder / "c.py").write_text("import time\ndef f():\n    return time.time()\nX = time.time()\n")
    assert [name for name, _ in found(folder / "a.py", "G")] == ["b.py", "c.py"]


def test_circles_end(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import b\ndef f():\n    return b.g()\nG = f\n")
    (tmp_path / "b.py").write_text("import a, time\ndef g():\n    return a.f(), time.time()\n")
    assert found(tmp_path / "a.py", "G") == [("b.py", "return a.f(), time.time()")]


def test_an_unknown_name_lists_those_that_are_bound(game: Path) -> None:
    with pytest.raises(sb.ArgumentError, match="no name 'GAMES'") as raised:
        list(check_reached(str(game), "GAMES"))
    assert raised.value.note is not None
    assert "GAME" in raised.value.note


def test_the_command_takes_it(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert status(["lint", f"{game}:GAME"]) == 1
    said = capsys.readouterr().out
    assert "SB501" in said
    assert "math.cos" not in said
