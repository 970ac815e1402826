"""Built exports for the tests of them: the arena and a small simulation, for this machine."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from samebits.export.build import build, choose_targets, host_row
from samebits.export.platforms import platform_of
from samebits.replay import read_replay
from samebits.runtime.zig import zig_command
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from tests.support.folders import EXAMPLES, SIMULATIONS
from tests.support.limits import HANG_SECONDS

ARENA = EXAMPLES / "arena"
DUEL = ARENA / "replays" / "duel.mcap"
SMALL = SIMULATIONS / "small_simulation.py"


@cache
def arena() -> Simulation:
    return load_simulation(str(ARENA / "arena.py"))


@cache
def small() -> Simulation:
    return load_simulation(str(SMALL))


def made(simulation: Simulation, out: Path, *targets: str) -> Path:
    """The folder after a build for `targets`."""
    build(simulation, choose_targets(targets), out)
    return out


def leave_out_shared_libraries(patch: pytest.MonkeyPatch) -> None:
    """Builds from now on have the static library alone: its C files are compiled once more for the
    shared one, which `test_export_verifier` has made for every processor."""
    patch.setattr(
        "samebits.export.build.platform_of", lambda target: replace(platform_of(target), shared="")
    )


def host_folder(out: Path) -> Path:
    return out / host_row()


def duel_inputs() -> tuple[int, np.ndarray[Any, Any], str]:
    """Seed, inputs and the final hash of a replay of the arena."""
    replay = read_replay(DUEL)
    assert replay.hashes is not None
    inputs = arena().inputs.from_bytes(replay.inputs, replay.frames)
    return replay.header.seed, inputs, f"{int(replay.hashes[-1]):016x}"


def compiled(folder: Path, source: str, language: str, *link: Path) -> Path:
    """A program out of one C or C++ file, by the system's compiler where there is one."""
    name, standard = {"c": ("cc", "c99"), "c++": ("c++", "c++11")}[language]
    system = shutil.which(name)
    compiler = [system] if system else [*zig_command(), name]
    file = folder / ("client.c" if language == "c" else "client.cpp")
    file.write_text(source)
    strict = ["-Wall", "-Wextra", "-Werror", "-pedantic-errors", "-O1"]
    program = folder / f"client-{len(list(folder.iterdir()))}"
    done = subprocess.run(
        [*compiler, f"-std={standard}", *strict, "-I", str(folder), str(file),
         *map(str, link), "-o", str(program)],
        capture_output=True, text=True, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return program


def output(program: Path, *arguments: object) -> str:
    """What a program prints; it must succeed."""
    done = subprocess.run(
        [program, *map(str, arguments)], capture_output=True, text=True, timeout=HANG_SECONDS
    )
    assert done.returncode == 0, (done.returncode, done.stderr)
    return done.stdout


needs_zig = pytest.mark.skipif(
    __import__("importlib.util").util.find_spec("ziglang") is None,
    reason="the ziglang package is not installed: pip install samebits[targets]",
)
