"""The sim.toml of the guide of other programs, as it stands there, on a program of these tests."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from tests.support.folders import PENDULUM, ROOT
from tests.support.program_sides import need

from samebits.diagnosis.programs.driver import diagnose_program
from samebits.foreign.programs.description import filled, read_program
from samebits.foreign.programs.workshop import Workshop

GUIDE = ROOT / "docs" / "guides" / "foreign-programs.md"


def test_the_guides_sim_toml_is_read_and_runs(tmp_path: Path) -> None:
    need("gcc")
    shutil.copytree(PENDULUM, tmp_path, dirs_exist_ok=True)
    text, _ = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    (tmp_path / "sim.toml").write_text(text)
    program = read_program(str(tmp_path / "sim.toml"))
    assert [side.name for side in program.sides] == ["strict", "fast", "arm"]
    assert diagnose_program(program, "strict", "strict").same


def test_the_guides_sides_of_a_build_of_ones_own_are_read(tmp_path: Path) -> None:
    _, text = re.findall(r"```toml\n(.*?)```", GUIDE.read_text(), re.DOTALL)
    (tmp_path / "sim.toml").write_text(text)
    program = read_program(str(tmp_path / "sim.toml"))
    with Workshop(program) as shop:
        places = shop.places(program.side("native"), tmp_path)
    words = filled(program.build[0], places)
    assert words[-2:] == ["-DCMAKE_CXX_COMPILER=g++", "-DCMAKE_CXX_FLAGS=-march=native"]
