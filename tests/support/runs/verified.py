"""The small simulation, rows and frames with which tests of `samebits verify` are quick."""

from __future__ import annotations

from samebits.verify.executions import all_rows
from tests.support.folders import SIMULATIONS

SMALL = str(SIMULATIONS / "small_simulation.py")
NATIVE = next(r.name for r in all_rows() if r.reason is None and r.name.endswith("-O3"))
QUICK = ("--targets", f"{NATIVE},evaluate", "--frames", "40")
