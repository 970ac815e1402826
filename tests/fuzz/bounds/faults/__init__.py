"""Unsound rules to inject into the passes, one at a time: what the fuzzer must find.

Owns what each says wrongly. A fault is injected into a process that ends with its use.
"""

from __future__ import annotations

# Each of these says which rules it has.
from tests.fuzz.bounds.faults import flow, guards, numbers
from tests.fuzz.bounds.faults.registry import FAULTS

__all__ = ["FAULTS", "flow", "guards", "inject", "numbers"]


def inject(name: str) -> None:
    """Make the passes of this process wrong in the way that has this name."""
    FAULTS[name]()
