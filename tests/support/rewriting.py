"""Bytecode of test modules, written ahead of collection, each by one worker.

Every worker of pytest-xdist collects every module, and where none has bytecode yet, as on a fresh
clone, each compiles all of them with their assertions rewritten. Here each first writes its share
of pytest's own bytecode files, which all then read. Knows no test.
"""

# pyright: reportPrivateUsage=false

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest
from _pytest.assertion import rewrite


def share(config: pytest.Config, number: int, workers: int) -> list[Path]:
    """Write the bytecode that worker `number` of `workers`, from 0, owes the others: of every n-th
    test module of the command line that has none. Returns the modules written."""
    if sys.dont_write_bytecode:
        return []
    mine = modules_of(config.args)[number::workers]
    return [module for module in mine if write(module, config)]


def modules_of(args: Sequence[str]) -> list[Path]:
    """The test modules in files and folders as pytest's command line names them, sorted."""
    return sorted({module for arg in args for module in _below(Path(arg.partition("::")[0]))})


def _below(path: Path) -> Iterable[Path]:
    return [path] if path.suffix == ".py" else path.rglob("test_*.py")


def write(module: Path, config: pytest.Config) -> bool:
    """Write a module's bytecode where pytest reads it, unless it is there; whether it was not. A
    module that cannot be read or compiled is left to pytest, which says why."""
    folder = rewrite.get_cache_dir(module)
    place = folder / f"{module.stem}{rewrite.PYC_TAIL}"
    if rewrite._read_pyc(module, place) is not None:
        return False
    try:
        version, code = rewrite._rewrite_test(module, config)
    except (OSError, SyntaxError, ValueError):
        return False
    state = config.stash[rewrite.assertstate_key]
    return rewrite.try_makedirs(folder) and rewrite._write_pyc(state, code, version, place)
