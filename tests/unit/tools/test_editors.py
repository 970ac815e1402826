"""What an editor offers and shows: completion and documentation, from pyright's server and jedi."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import jedi
import pytest
from tests.support.language_server import LanguageServer

import samebits as sb

SOURCE = Path(sb.__file__).parents[1]
PROGRAM = '''
import samebits as sb
from samebits import float2, float32, int32, math

@sb.struct
class Ship(sb.Struct):
    """A ship of the fleet."""
    pos: float2
    hp: int32 = 100

@sb.kernel
def heal(ship: Ship, by: int32) -> int32:
    """The ship's hit points, after a repair."""
    ship.hp += by
    return ship.hp

ship = Ship(float2(0))
'''
COMPLETED = {
    "sb.": {"kernel", "struct", "Array", "FixedArray", "float32", "job", "Simulation", "zero"},
    "math.": {"sin", "sqrt", "lerp", "pi", "dot"},
    "ship.": {"pos", "hp", "memory", "copy"},
    "ship.pos.": {"x", "y", "xy", "yx"},
    "heal.": {"managed", "check_races", "options", "mode", "precision"},
    "sb.quaternion.identity.": {"w", "xyz"},
}
SHOWN = {
    "heal": "The ship's hit points, after a repair.",
    "heal.managed": "Run the function in CPython over samebits' typed scalars",
    "sb.kernel": sb.kernel.__doc__,
    "sb.struct": sb.struct.__doc__,
    "sb.prange": sb.prange.__doc__,
    "sb.evaluate": sb.evaluate.__doc__,
    "sb.Simulation": sb.Simulation.__doc__,
    "sb.zero": "The default of a struct's field that is all zeros",
    "sb.float32": sb.float32.__doc__,
    "sb.float3": sb.float3.__doc__,
    "sb.noise.perlin_2d": sb.noise.perlin_2d.__doc__,
    "math.sin": sb.math.sin.__doc__,
    "math.lerp": sb.math.lerp.__doc__,
    "ship.memory": "A structured ndarray of shape () over the same memory.",
}
LINES = (PROGRAM + "\n".join([*COMPLETED, *SHOWN])).splitlines()


def first_line(text: str | None) -> str:
    assert text
    return text.strip().split("\n")[0]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LanguageServer, Path]]:
    pytest.importorskip("pyright")
    folder = tmp_path_factory.mktemp("user")
    options = {"extraPaths": [str(SOURCE)], "pythonVersion": "3.11"}
    (folder / "pyrightconfig.json").write_text(json.dumps(options))
    program = folder / "program.py"
    program.write_text("\n".join(LINES))
    with LanguageServer(folder) as started:
        started.open(program)
        yield started, program


@pytest.mark.parametrize("text", COMPLETED)
def test_pyright_completes(text: str, server: tuple[LanguageServer, Path]) -> None:
    found = server[0].complete(server[1], LINES.index(text), len(text))
    assert COMPLETED[text] <= found


@pytest.mark.parametrize("text", SHOWN)
def test_pyright_shows_the_documentation(text: str, server: tuple[LanguageServer, Path]) -> None:
    shown = server[0].hover(server[1], LINES.index(text), len(text) - 1)
    assert first_line(SHOWN[text]) in shown


def test_pyright_shows_a_kernel_with_its_parameters(server: tuple[LanguageServer, Path]) -> None:
    shown = server[0].hover(server[1], LINES.index("heal"), 1)
    assert "heal: Kernel[(ship: Ship, by: int32), int32]" in shown


def script(text: str) -> tuple[jedi.Script, int]:
    line = LINES.index(text)
    source = "\n".join([*PROGRAM.splitlines(), *[""] * (line - len(PROGRAM.splitlines())), text])
    return jedi.Script(source, project=jedi.Project(SOURCE)), line + 1


@pytest.mark.parametrize("text", COMPLETED)
def test_jedi_completes(text: str) -> None:
    found, line = script(text)
    assert COMPLETED[text] <= {completion.name for completion in found.complete(line, len(text))}


@pytest.mark.parametrize("text", [t for t in SHOWN if t not in ("sb.zero", "sb.float32")])
def test_jedi_shows_the_documentation(text: str) -> None:
    found, line = script(text)
    at = (line, len(text) - 1)
    names = [*found.goto(*at, follow_imports=True), *found.infer(*at, prefer_stubs=True)]
    assert any(first_line(SHOWN[text]) in name.docstring() for name in names)
