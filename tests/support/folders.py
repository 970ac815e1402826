"""Folders of the repository, and the data beside it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SIMULATIONS = Path(__file__).with_name("simulations")
SHARED_DATA = ROOT.parent / "shared" / "data"
"""Published test vectors and hard cases; tests that need them are skipped without."""
HARBOUR = Path(__file__).with_name("harbour")
"""A simulation in C++ that samebits did not make, with twenty differences to plant."""
PENDULUM = Path(__file__).with_name("pendulum")
"""A simulation in C of four small files, with a sim.toml whose sides differ in one thing each."""
