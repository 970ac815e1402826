"""An experiment: a changed program run natively from the state before the differing frame, and how
long its hashes are the other side's.

Owns the comparison alone; what is changed in the program is the caller's business.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm import host_target
from samebits.sim.execution import NativeExecution
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import Outcome, TrapFact
from samebits.sim.program import Program

FRAMES = 4096
"""Frames that an experiment runs at most."""
_FIRST = 16
_OPTIMISATION = 0
"""No bits depend on it, and compiling takes longer than running."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How many frames from the first on gave the other side's hash, of how many compared."""

    same: int
    compared: int

    @property
    def whole(self) -> bool:
        """Whether all of them did."""
        return 0 < self.compared == self.same


@dataclass(frozen=True, eq=False)
class Experiment:
    """What there is to be reproduced: from canonical state `before`, over `inputs` of shape
    (frames, players), the other side's `hashes`, and the trap after them, if there was one."""

    before: bytes
    inputs: Inputs
    hashes: NDArray[np.uint64]
    trap: TrapFact | None = None

    def run(self, program: Program, frames: int = FRAMES) -> Agreement:
        """Run `program` until it gives another hash, or for so many frames."""
        execution = NativeExecution(program, program.compiled(host_target(), _OPTIMISATION))
        execution.restore(self.before)
        goal = self.hashes[:frames]
        trapped = self.trap is not None and len(self.hashes) < frames
        compared = len(goal) + trapped
        done, size = 0, 1
        while done < compared:
            count = min(size, compared - done)
            advance = execution.advance(self.inputs[done : done + count])
            trap = None if advance.trap is None else TrapFact.of(advance.trap)
            made = Outcome(advance.hashes, trap)
            same = _leading(made.hashes, goal[done : done + count])
            if same < count:
                ends_alike = trapped and done + same == len(goal) == done + len(made.hashes)
                return Agreement(done + same + (ends_alike and trap == self.trap), compared)
            done += count
            size = min(max(_FIRST, 4 * size), FRAMES)
        return Agreement(done, compared)


def _leading(found: NDArray[np.uint64], goal: NDArray[np.uint64]) -> int:
    """How many of the first are the same."""
    shared = min(len(found), len(goal))
    unequal = np.flatnonzero(found[:shared] != goal[:shared])
    return int(unequal[0]) if len(unequal) else shared
