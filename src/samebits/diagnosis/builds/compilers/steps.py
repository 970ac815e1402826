"""The first statement of which a build by a compiler gives another value than the strict one.

Both builds log what their statements give to names and memory, in the frame that differs first. The
logs hold where the build that logs still has the other machine's hash.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samebits.bits import pattern_of, ulp_distance
from samebits.diagnosis.builds.compilers.execution import BuiltExecution
from samebits.diagnosis.frame.state_diff import datum
from samebits.diagnosis.report.findings import OperationFact, Place
from samebits.ir.grammar import Op
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program
from samebits.types import ScalarType

_MOST = 1 << 19
_VALIDATION = "both builds log what their statements give, and the one of b's has its hash"


@dataclass(frozen=True)
class LoggedRuns:
    """Programs of side a's C that log their steps: `strict` and built as side b's is."""

    program: Program
    strict: Path
    foreign: Path
    steps: list[Op]
    seed: int
    rows: Inputs
    known: Mapping[int, int]
    seconds: float

    def first(self, frame: int) -> OperationFact | None:
        """The first statement that differs in a frame, or in those before it of which no hash is
        known; None where the logs do not hold. Raises RunnerError."""
        since = max((n for n in self.known if n < frame), default=-2) + 1
        one, _ = self._logged(self.strict, since, frame)
        other, found = self._logged(self.foreign, since, frame)
        if found != self.known[frame]:
            return None
        for mine, theirs in zip_longest(one.tolist(), other.tolist()):
            if mine != theirs:
                return None if mine is None or theirs is None else self._told(mine, theirs)
        return None

    def _told(self, mine: list[int], theirs: list[int]) -> OperationFact:
        op = self.steps[mine[0]]
        place = Place.of(op.span)
        if mine[0] != theirs[0]:
            return OperationFact("path", "line", place, (), (), (), None, None, None, _VALIDATION)
        t = op.args[-1].type
        assert isinstance(t, ScalarType)
        a, b = (pattern_of(t, _value(bits)) for _, bits in (mine, theirs))
        return OperationFact(
            "result", "line", place, (), (), (), datum(t, a), datum(t, b),
            ulp_distance(a, b, t.bits), _VALIDATION,
        )  # fmt: skip

    def _logged(self, file: Path, since: int, frame: int) -> tuple[NDArray[np.uint64], int]:
        """What a program logs from one frame on, up to another, and that one's hash."""
        with closing(BuiltExecution(self.program, file, self.seconds)) as built:
            if since < 0:
                built.log_steps(_MOST)
            built.start(self.seed)
            found = built.first_hash
            if frame >= 0:
                if since >= 0:
                    built.advance(self.rows[:since])
                    built.log_steps(_MOST)
                found = int(built.advance(self.rows[max(0, since) : frame + 1]).hashes[-1])
            return built.logged(_MOST), found


def _value(bits: int) -> float:
    return float(np.uint64(bits).view(np.float64))
