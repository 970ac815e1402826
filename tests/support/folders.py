"""Folders of the repository, and the data beside it."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
SIMULATIONS = Path(__file__).with_name("simulations")
SHARED_DATA = ROOT.parent / "shared" / "data"
"""Published test vectors and hard cases; tests that need them are skipped without."""
