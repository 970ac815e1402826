"""Programs in C for tests of `diagnose --foreign`: copied, with sides of the test's own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest

from samebits.diagnosis.programs.driver import diagnose_sides
from samebits.diagnosis.report.findings import Diagnosis
from samebits.foreign.programs.description import Program, read_program
from samebits.foreign.programs.workshop import Workshop
from tests.support.folders import PENDULUM


def pendulum(folder: Path, sides: Mapping[str, str] | None = None, more: str = "") -> Program:
    """The pendulum in a folder; `sides` are the flags of others, built by gcc."""
    shutil.copytree(PENDULUM, folder, dirs_exist_ok=True)
    path = folder / "sim.toml"
    text = more + path.read_text()
    for name, flags in (sides or {}).items():
        text += f'\n[sides.{name}]\ncompiler = "gcc"\nflags = "{flags}"\n'
    path.write_text(text)
    return read_program(os.fspath(path))


def diagnosed(shop: Workshop, a: str, b: str) -> Diagnosis:
    """The diagnosis of two sides, of which what was built before is built no more."""
    return diagnose_sides(shop, shop.program.side(a), shop.program.side(b))


def need(*programs: str) -> None:
    """Skip the test where one of them is not installed."""
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not here")


def by_cmake(folder: Path, generator: str, listed: str) -> Program:
    """The pendulum in a folder, with sides `strict` and `fused` that CMake builds; `listed` is ON
    where its commands are in compile_commands.json too."""
    shutil.copytree(PENDULUM, folder, dirs_exist_ok=True)
    (folder / "sim.toml").write_text(f"""\
build = [
  ["cmake", "-S", ".", "-B", "{{out}}", "-G", "{generator}", "-DCMAKE_C_COMPILER={{compiler}}",
   "-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_EXPORT_COMPILE_COMMANDS={listed}", "{{flags}}"],
  ["cmake", "--build", "{{out}}"],
]
program = "{{out}}/pendulum"
[sides.strict]
compiler = "gcc"
[sides.fused]
compiler = "gcc"
flags = ["-DPENDULUM_FUSED=ON"]
""")
    return read_program(os.fspath(folder / "sim.toml"))
