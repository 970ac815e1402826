"""The zig of the wheel is started by itself, and none that lies in the current folder."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from samebits.runtime.zig import zig_command

pytest.importorskip("ziglang", reason="ziglang is missing: pip install samebits[targets]")


@pytest.fixture(autouse=True)
def _asked_anew() -> Iterator[None]:
    zig_command.cache_clear()
    yield
    zig_command.cache_clear()


def _planted(folder: Path, *, program: bool = True) -> Path:
    """A wheel of that name in a folder, with a program or without."""
    package = folder / "ziglang"
    package.mkdir(parents=True)
    (package / "__init__.py").touch()
    if program:
        (package / "zig").write_text("#!/bin/sh\n")
        (package / "zig").chmod(0o755)
    return package / "zig"


def test_it_is_the_program_that_the_wheels_module_becomes() -> None:
    (program,) = zig_command()
    asked = [
        subprocess.run([*words, "version"], capture_output=True, text=True, check=True).stdout
        for words in ((program,), (sys.executable, "-P", "-m", "ziglang"))
    ]
    assert asked[0] == asked[1] != ""


@pytest.mark.parametrize("entry", ["", "."])
def test_one_in_the_current_folder_is_not_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, entry: str
) -> None:
    planted = _planted(tmp_path)
    (own,) = zig_command()
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(entry)
    zig_command.cache_clear()
    assert zig_command() == (own,) != (str(planted),)


def test_one_of_a_folder_of_pythons_path_is_taken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planted = _planted(tmp_path / "wheels")
    monkeypatch.syspath_prepend(tmp_path / "wheels")
    assert zig_command() == (str(planted),)


def test_a_wheel_without_its_program_is_asked_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _planted(tmp_path / "wheels", program=False)
    monkeypatch.syspath_prepend(tmp_path / "wheels")
    assert zig_command() == (sys.executable, "-P", "-m", "ziglang")
