"""pdb and breakpoint() stop in the lines of a kernel while a managed call runs them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.limits import HANG_SECONDS

import samebits as sb
from samebits import float32
from samebits.errors import CompileError

PROGRAM = """\
import samebits as sb
from samebits import float32, int32

@sb.kernel
def fall(y: float32, n: int32) -> float32:
    v = float32(0)
    for i in range(n):
        v = v - 1
        {stop}
        y = y / 2 + v
    return y

fall.managed(10, 3)
"""


def _said(path: Path, stop: str, flags: list[str], commands: str) -> list[str]:
    path.write_text(PROGRAM.format(stop=stop))
    done = subprocess.run(
        [sys.executable, *flags, str(path)], input=commands, text=True, capture_output=True,
        timeout=HANG_SECONDS, check=False,
        env={"PYTHONPATH": ":".join(sys.path), "PATH": "/usr/bin"},
    )  # fmt: skip
    return [line.removeprefix("(Pdb) ") for line in done.stdout.splitlines()]


def test_pdb_stops_at_a_line_of_a_kernel_and_shows_typed_values(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    commands = f"b {path}:10\nc\np v\np i\nn\np y\nc\np v\nq\n"
    said = _said(path, "pass", ["-m", "pdb"], commands)
    assert f"> {path}(10)fall()" in said
    assert "-> y = y / 2 + v" in said
    assert [line for line in said if line.startswith("float32(")] == [
        "float32(-1.0)", "float32(4.0)", "float32(-2.0)",
    ]  # fmt: skip
    assert "0" in said


def test_breakpoint_stops_in_a_managed_call(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    said = _said(path, "breakpoint()", [], "p v\nc\np v\nc\nc\n")
    assert any(line.startswith(f"> {path}(") for line in said)
    assert [line for line in said if line.startswith("float32(")] == [
        "float32(-1.0)", "float32(-2.0)",
    ]  # fmt: skip


@sb.kernel
def stops(y: float32) -> float32:
    breakpoint()
    return y


def test_a_compiled_call_refuses_breakpoint_and_says_where_it_works() -> None:
    with pytest.raises(CompileError) as caught:
        stops(1)
    assert "kernel.managed(...)" in str(caught.value)
