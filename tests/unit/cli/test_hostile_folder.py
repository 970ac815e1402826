"""Modules that lie in the current folder, or beside a script, are not taken for the library's."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.folders import SIMULATIONS
from tests.support.limits import HANG_SECONDS

PACKAGE = Path(__file__).parents[3] / "src" / "samebits"
NAMES = (
    "sitecustomize", "usercustomize", "samebits", "numpy", "llvmlite", "json", "html", "typer",
    "rich", "mcap", "xxhash", "wasmtime", "ziglang", "colorsys", "pathlib", "threading", "re",
)  # fmt: skip
KERNEL = """
import samebits as sb
from samebits import Array, float32

@sb.kernel
def scale(x: Array[float32], k: float32) -> None:
    for i in range(len(x)):
        x[i] *= k
"""
PROGRAM = "import struct\nprint(struct.pack('<f', 1.0))\n"


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A folder whose modules leave a mark when they are imported."""
    folder = tmp_path / "hostile"
    folder.mkdir()
    mark = f"open({str(tmp_path / 'mark')!r}, 'a').write(__name__ + ' ')\n"
    for name in NAMES:
        (folder / f"{name}.py").write_text(f"{mark}raise SystemExit('hostile {name}')\n")
    return folder


def run(folder: Path, *arguments: object) -> str:
    """The command in a folder, as the installed script runs it: without that on the path."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "samebits", *map(str, arguments)],
        cwd=folder, capture_output=True, text=True, timeout=HANG_SECONDS,
        env={k: v for k, v in os.environ.items() if k != "PYTHONPATH"},
    )  # fmt: skip
    mark = folder.parent / "mark"
    assert not mark.exists(), f"imported: {mark.read_text()}"
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("where", ["elsewhere", "beside"])
def test_inspect_imports_nothing_of_the_folder(hostile: Path, where: str) -> None:
    path = (hostile if where == "beside" else hostile.parent) / "shapes.py"
    path.write_text(KERNEL)
    out = run(hostile, "inspect", f"{path}:scale", "--show", "remarks,llvm")
    assert "vectorised" in out or "vectorized" in out


def test_doctor_imports_nothing_of_the_folder(hostile: Path) -> None:
    (hostile.parent / "program.py").write_text(PROGRAM)
    run(hostile, "doctor", hostile.parent / "program.py")


def test_verify_imports_nothing_of_the_folder(hostile: Path) -> None:
    pytest.importorskip("wasmtime")
    pytest.importorskip("ziglang")
    small = SIMULATIONS / "small_simulation.py"
    options = ("--players", "push", "--frames", 20, "--targets", "evaluate,wasm32")
    out = run(hostile, "verify", small, *options)
    assert "same" in out


def children(path: Path) -> list[str]:
    """Every list or tuple that begins with this interpreter."""
    return [
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.List | ast.Tuple)
        and node.elts
        and ast.unparse(node.elts[0]) == "sys.executable"
    ]


def test_every_other_python_is_started_without_the_current_folder() -> None:
    found = {path: children(path) for path in PACKAGE.rglob("*.py")}
    assert sum(map(len, found.values())) >= 6
    for path, commands in found.items():
        for command in commands:
            assert command[1:].startswith(("sys.executable, '-P'", "sys.executable, '-I'")), path
        assert path.read_text().count("sys.executable") == len(commands), path
