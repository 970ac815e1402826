"""The first statement that makes the difference of a build by a compiler.

Both builds log what their statements give to names and memory, in the frame that differs first. The
logs hold where the build that logs still has the other machine's hash. What b's log has otherwise
is put into side a's program, value by value, until its hash is another.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
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
_MOST_IDLE = 64
"""Steps that may differ before one that matters."""
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
    begins: bytes | None = None
    """The foreign one's state after `init`, where it is not its own."""

    def first(self, frame: int) -> OperationFact | None:
        """The first statement that makes the difference of a frame, or of those before it of which
        no hash is known; None where the logs do not hold. Raises RunnerError.

        Statements may give another value that no state depends on: where side a's program has its
        hash with that value too, the next statement that differs from it is asked for.
        """
        since = max((n for n in self.known if n < frame), default=-2) + 1
        if self.begins is not None:
            since = max(since, 0)
        with closing(
            BuiltExecution(self.program, self.foreign, self.seconds, self.begins)
        ) as built:
            theirs = _Frames(built, self.seed, self.rows, since, frame).logged({})
        if theirs.hash != self.known[frame]:
            return None
        with closing(BuiltExecution(self.program, self.strict, self.seconds)) as built:
            return self._first(_Frames(built, self.seed, self.rows, since, frame), theirs)

    def _first(self, own: _Frames, theirs: _Log) -> OperationFact | None:
        given: dict[int, int] = {}
        plain = log = own.logged(given)
        for _ in range(_MOST_IDLE):
            place = _parting(log, theirs, given)
            if place is None:
                return None
            mine, its = log.steps[place].tolist(), theirs.steps[place].tolist()
            if mine[0] != its[0]:
                return self._told(mine, its)
            given[place] = its[1]
            log = own.logged(dict(sorted(given.items())))
            if log.hash != plain.hash:
                return self._told(mine, its)
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


@dataclass(frozen=True)
class _Log:
    """Rows of a step's number and the bits of what it gave, and the hash after the last frame."""

    steps: NDArray[np.uint64]
    hash: int


class _Frames:
    """A program's frames from `since` to `frame`, run again and again."""

    def __init__(
        self, built: BuiltExecution, seed: int, rows: Inputs, since: int, frame: int
    ) -> None:
        self._built = built
        self._seed = seed
        self._rows = rows[max(0, since) : frame + 1]
        self._memory: bytes | None = None
        if since >= 0:
            built.start(seed)
            built.advance(rows[:since])
            self._memory = built.save_memory()

    def logged(self, given: Mapping[int, int]) -> _Log:
        """What they log, and come to, with other values `given` to steps by their places in it."""
        built = self._built
        built.force(given)
        built.log_steps(_MOST)
        if self._memory is None:
            built.start(self._seed)
        else:
            built.restore_memory(self._memory)
        found = built.first_hash
        if len(self._rows):
            found = int(built.advance(self._rows).hashes[-1])
        return _Log(built.logged(_MOST), found)


def _parting(one: _Log, other: _Log, but: Mapping[int, int]) -> int | None:
    """The first place at which both logs have a step and these differ."""
    count = min(len(one.steps), len(other.steps))
    differ = np.flatnonzero((one.steps[:count] != other.steps[:count]).any(axis=1))
    return next((int(place) for place in differ if int(place) not in but), None)


def _value(bits: int) -> float:
    return float(np.uint64(bits).view(np.float64))
