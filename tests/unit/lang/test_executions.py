"""The language layer is told how calls are run, and imports nothing that runs them."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from importlib import import_module
from pathlib import Path

import pytest

from samebits.errors import CompileError
from samebits.lang.executions import Executions, executions
from samebits.wiring import FIELDS

OF_JOBS = {"check_use", "check_array_use", "check_appender_use"}
FRESH = Executions()


def test_all_fields_are_filled_when_samebits_is_imported_but_those_of_jobs() -> None:
    filled = {*FIELDS, "with_room", "on_own_thread"}
    assert {field.name for field in fields(Executions)} == filled | OF_JOBS
    assert all(getattr(executions, name) is not getattr(FRESH, name) for name in filled)


@pytest.mark.parametrize("field", FIELDS)
def test_what_fills_a_field_exists(field: str) -> None:
    module, name = FIELDS[field]
    assert callable(getattr(import_module(module), name))


def test_without_executions_nothing_runs() -> None:
    with pytest.raises(CompileError, match="nothing is installed that runs calls"):
        FRESH.native(None, (), {})


PROGRAM = """
import sys
import samebits as sb
from samebits import float32
from samebits.lang.executions import executions

@sb.kernel
def k(x: float32) -> float32:
    return x * 2

before = executions.managed
assert "samebits.frontend" not in sys.modules and "samebits.runtime" not in sys.modules
assert k.managed(3.0) == 6.0
from samebits.managed import run as managed
assert before is not executions.managed is managed.call
"""


def test_what_runs_calls_loads_with_the_first_call_and_is_called_directly_from_then_on(
    tmp_path: Path,
) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    subprocess.run([sys.executable, program], check=True)
