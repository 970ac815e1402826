"""Constants of the package's modules do not follow the rounding of the thread that imports them."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest
from tests.support.limits import HANG_SECONDS

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


def test_the_default_is_recognised() -> None:
    assert importing.is_default()
    with importing.default_environment():
        assert importing.is_default()
