"""The float modes and precisions as tables: what each allows and what it promises."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Precision(Enum):
    """Accuracy of the math functions; every precision has the same bits everywhere."""

    HIGH = "HIGH"
    """Correctly rounded."""
    MEDIUM = "MEDIUM"
    """At most 1 ULP off, as each function states."""
    LOW = "LOW"
    """At most 350 ULP off on the range that each function states; the fastest."""

    __hash__ = object.__hash__  # Enum's own is written in Python, and this is part of hot keys


@dataclass(frozen=True, slots=True)
class Mode:
    """One row of the mode table. `implemented` is False for a mode that is only reserved."""

    name: str
    promise: str
    implemented: bool


STRICT = Mode("STRICT", "the bits of the managed run, on every target", True)
DETERMINISTIC = Mode("DETERMINISTIC", "the bits of the rewritten IR, on every target", False)
FAST = Mode("FAST", "no promise", False)
MODES = {mode.name: mode for mode in (STRICT, DETERMINISTIC, FAST)}
HIGH = Precision.HIGH
MEDIUM = Precision.MEDIUM
LOW = Precision.LOW
