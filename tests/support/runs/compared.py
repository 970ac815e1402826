"""The comparisons that tests of `samebits diagnose` make: two simulations, two sides of one."""

from __future__ import annotations

from tests.support.folders import SIMULATIONS

SMALL = str(SIMULATIONS / "small_simulation.py")
OTHER = str(SIMULATIONS / "traced_simulation.py")
PLAIN, FUSED = "opt=0", "opt=0,hazard=fma,from=10"
FRAMES = 40
