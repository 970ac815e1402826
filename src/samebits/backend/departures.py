"""How code may depart from what every build keeps to. Diagnosis alone asks for any of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from samebits.modes import Goal


@dataclass(frozen=True, slots=True)
class Departures:
    """`environment` are words of `fp_environments`: what entries set in the place of the default
    floating-point environment.

    `fast` are the operations of FAST functions that keep fast-math flags, by function and id, with
    those flags as LLVM writes them; None: every operation has all of them.

    `plan` is the goal whose passes LLVM runs, whatever the goal that the code is made for. What
    FAST code gives may depend on it, and nothing else.
    """

    environment: tuple[str, ...] = ()
    fast: Mapping[str, Mapping[int, str]] | None = None
    plan: Goal | None = None


NONE = Departures()
