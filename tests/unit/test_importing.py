"""Modules are found as Python finds them, and computed in the default environment by any thread."""

from __future__ import annotations

import importlib.util
import pkgutil
import platform
import subprocess
import sys
import zipfile
import zipimport
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS

import samebits
from samebits import importing

C_ROUNDINGS = {"up": 0x800, "zero": 0xC00}
"""What C calls them on x86."""

_PROGRAM = """
import ctypes, sys
from samebits import importing
library = ctypes.CDLL(None)
assert importing.is_default()
library.fesetround(int(sys.argv[1]))
assert not importing.is_default()
from samebits.mathlib.float64 import exp_f64, log_f64
assert library.fegetround() == int(sys.argv[1])
assert not importing.is_default()
library.fesetround(0)
print(exp_f64.ROUNDER.hex(), log_f64.SMALLEST.hex())
"""


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() != "x86_64",
    reason="the numbers are those of C on Linux and x86",
)
@pytest.mark.parametrize("rounding", C_ROUNDINGS.values(), ids=C_ROUNDINGS)
def test_a_thread_that_rounds_otherwise_imports_the_same_constants(rounding: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM, str(rounding)],
        capture_output=True,
        text=True,
        timeout=HANG_SECONDS,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0x1.8000000000000p+52", "0x1.0000000000000p-1022"]


def test_modules_are_found_as_python_finds_them() -> None:
    names = [found.name for found in pkgutil.walk_packages(samebits.__path__, "samebits.")]
    finder = importing._Finder("samebits")
    assert len(names) > 1000
    for name in names:
        parent = importlib.util.find_spec(name.rpartition(".")[0])
        assert parent is not None
        path = parent.submodule_search_locations
        ours, wanted = finder.find_spec(name, path), PathFinder.find_spec(name, path)
        assert ours is not None
        assert wanted is not None
        assert _facts(ours) == _facts(wanted), name


def _facts(spec: ModuleSpec) -> tuple[object, ...]:
    assert isinstance(spec.loader, SourceFileLoader)
    where = spec.submodule_search_locations
    loader = spec.loader.name, spec.loader.path
    folders = None if where is None else list(where)
    return spec.name, spec.origin, spec.cached, spec.has_location, spec.parent, folders, loader


def test_modules_of_an_archive_and_missing_ones_are_pythons(tmp_path: Path) -> None:
    archive = tmp_path / "a.zip"
    with zipfile.ZipFile(archive, "w") as made:
        made.writestr("samebits/own.py", "NUMBER = 1")
    finder = importing._Finder("samebits")
    found = finder.find_spec("samebits.own", [str(archive / "samebits")])
    assert found is not None
    assert isinstance(found.loader, zipimport.zipimporter)
    assert finder.find_spec("samebits.none", list(samebits.__path__)) is None
    assert finder.find_spec("numpy", None) is None


def test_the_default_is_recognised() -> None:
    assert importing.is_default()
    with importing.default_environment():
        assert importing.is_default()
