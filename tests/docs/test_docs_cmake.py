"""The tutorial of CMake: every command of the page, on the project that it is about."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from tests.support.folders import ROOT
from tests.support.program_sides import need
from tests.support.runs.exported import needs_zig
from tools.prove_day.shell import Shell
from tools.prove_day.steps import Command, Saved, missing, steps_of

from samebits.testing.runs import rows_of

PAGE = ROOT / "docs" / "tutorials" / "cmake.md"
BUILD_ALL = "samebits build --math-library --target x86-64-v1 -o sbmath"
BUILD_SOME = """python -P -c "
from pathlib import Path
from samebits.export.build import choose_targets
from samebits.export.math_library.build import build_math_library
from samebits.export.math_library.functions import FUNCTIONS
used = [f for f in FUNCTIONS if f.name in {'sin', 'cos', 'sincos', 'atan2'}]
build_math_library(choose_targets(['x86-64-v1']), Path('sbmath'), functions=used)
\""""
"""What the page's command does for all functions, for those that the project calls."""
FUSING = rows_of(["x86-64-v3-O3"])[0]


def compilers(folder: Path) -> Path:
    """A folder with a clang++ by that name, of what version is there."""
    need("g++", "cmake", "ctest", "make", "git", "bash")
    named = ("clang++", *(f"clang++-{version}" for version in range(22, 14, -1)))
    found = next((path for name in named if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip("clang++ is not here")
    folder.mkdir()
    (folder / "clang++").symlink_to(found)
    return folder


def of_this_machine(workflow: str) -> list[str]:
    """What the workflow's first job runs, but what is installed and built already."""
    job = workflow.partition("  arm64:")[0]
    typed = re.findall(r"^ *- run: (.*)$", job, re.MULTILINE)
    assert typed[1] == BUILD_ALL
    return typed[2:]


@needs_zig
@pytest.mark.skipif(FUSING.reason is not None, reason="this processor has no fma")
def test_the_page_goes_as_it_says(tmp_path: Path) -> None:
    programs = compilers(tmp_path / "bin")
    project = tmp_path / "regatta"
    shutil.copytree(ROOT / "examples" / "regatta", project)
    page = PAGE.read_text("utf-8")
    assert BUILD_ALL in page
    shell = Shell(project)
    try:
        shell.run(f"PATH={programs}:$PATH")
        for step in steps_of(page):
            if isinstance(step, Saved):
                (project / step.name).write_text(step.text)
                continue
            assert isinstance(step, Command)
            said, status = shell.run(BUILD_SOME if step.typed == BUILD_ALL else step.typed)
            said = said.replace(f"{project}/", "")
            assert status == step.status, f"{step.typed} ends with {status}\n{said}"
            line = missing(step.shown, said, numbers=True)
            assert line is None, f"{step.typed} does not print: {line}\n{said}"
        for typed in of_this_machine((project / "bits.yml").read_text()):
            said, status = shell.run(typed)
            assert status == 0, f"{typed} ends with {status}\n{said}"
    finally:
        shell.close()
