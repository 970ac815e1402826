"""Debuggers in compiled kernels: where GDB stops, what it steps through, and what it reads."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.support.kernels import debugged
from tests.support.limits import HANG_SECONDS

_PROGRAM = Path(debugged.__file__)
_LINES = _PROGRAM.read_text().splitlines()
_GDB = shutil.which("gdb")
pytestmark = [
    pytest.mark.skipif(_GDB is None, reason="gdb is not installed"),
    pytest.mark.skipif(
        sys.platform != "linux" or platform.machine() not in ("x86_64", "aarch64"),
        reason="debuggers are told of code on Linux on x86-64 and AArch64",
    ),
]
_BEFORE = ("set breakpoint pending on", "set pagination off", "set debuginfod enabled off",
           "set auto-load python-scripts off", "set width 0")  # fmt: skip


def line_of(text: str) -> int:
    return next(k for k, line in enumerate(_LINES, 1) if line.strip() == text)


def session(tmp_path: Path, *commands: str) -> str:
    """What GDB says to the commands, with a program that runs in it, its objects in no cache."""
    assert _GDB is not None
    script = tmp_path / "script.gdb"
    script.write_text("\n".join([*_BEFORE, *commands]) + "\n")
    done = subprocess.run(
        [_GDB, "-q", "-nx", "-batch", "-x", str(script), "--args", sys.executable, _PROGRAM],
        capture_output=True, text=True, timeout=HANG_SECONDS, check=False,
        env={"XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": ":".join(sys.path), "HOME": "/"},
    )  # fmt: skip
    return done.stdout


def test_gdb_stops_at_a_line_and_reads_parameters_locals_fields_and_elements(
    tmp_path: Path,
) -> None:
    here = line_of("ball.y = ball.y + ball.v * dt")
    said = session(
        tmp_path, f"break {_PROGRAM.name}:{here}", "run", "backtrace 1", "print dt", "print ball",
        "print ball.last[2]", "print a.data[1]", "print a.shape[0]", "print *a.data@3", "print w",
        "print w.y", "print i", "print up", "print total",
    )  # fmt: skip
    assert f"#0  fall (ball=..., a=..., dt=0.75) at {_PROGRAM}:{here}" in said
    assert re.findall(r"^\$\d+ = (.*)$", said, re.M) == [
        "0.75", "{y = 1, v = -1, hits = 7, last = {1, 2, 3, 4}}", "3", "2.5", "3",
        "{1.5, 2.5, 3.5}", "{x = 1, y = 2, z = 3}", "2", "0", "false", "0",
    ]  # fmt: skip


def test_gdb_steps_through_a_loop_line_by_line_and_into_a_kernel_that_is_called(
    tmp_path: Path,
) -> None:
    said = session(tmp_path, "break fall", "run", "print dt", *["step"] * 16)
    assert "$1 = 0.75" in said
    begin = said[said.index("Breakpoint 1, fall") :]
    texts = [
        "total = 0.0", "w = float3(1.0, 2.0, 3.0)", "up = False",
        *["for i in range(3):", "ball.y = ball.y + ball.v * dt", "if ball.y < 0.0:",
          "total = total + a[i]"],
        *["for i in range(3):", "ball.y = ball.y + ball.v * dt", "if ball.y < 0.0:",
          "ball.v = bounced(ball.v)", "w = -v", "return w", "up = True", "total = total + a[i]"],
    ]  # fmt: skip
    stops = [_LINES[int(n) - 1].strip() for n in re.findall(r"^(\d+)\t", begin, re.M)]
    # Whether a line is stopped at twice, or again after a call in it, is the debugger's choice.
    once = [text for k, text in enumerate(stops) if k == 0 or stops[k - 1] != text]
    back = once.index("return w") + 1
    if once[back:][:1] == ["ball.v = bounced(ball.v)"]:
        del once[back]
    assert once[: len(texts)] == texts[: len(once)]
    assert len(once) > 12
