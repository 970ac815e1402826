"""The scalars in which two states differ: where, by how much, and how it grows by frame.

Owns the comparison of canonical states as columns, so that large arrays cost no loop, and which
frames a timeline shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from samebits.bits import INFINITY
from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.report.findings import ColumnFact, Datum, FieldFact, TimelineFact
from samebits.sides.run import SideRun
from samebits.sim.inputs import Inputs
from samebits.sim.state.columns import Column, Patterns, columns
from samebits.sim.state.difference import hexadecimal, shown
from samebits.types import ScalarType, StructType

MOST = 64
"""Fields that are described, unless more are asked for."""
_PIECE = 1 << 16
"""Scalars that are compared at a time."""


@dataclass(frozen=True, eq=False)
class Differences:
    """The differences between canonical states `a` and `b`. `first` are the first differing scalars
    in declared order; `columns` has a row for each column of the state."""

    differing: int
    first: tuple[FieldFact, ...]
    columns: tuple[ColumnFact, ...]
    farthest: tuple[int, str] | None
    """The floats that are furthest apart, NaN left out: the distance in ULP, and which they are."""


@dataclass(frozen=True, eq=False)
class _Part:
    """Scalars of a column that differ: their flat indices, and both patterns."""

    column: Column
    flat: NDArray[np.intp]
    a: Patterns
    b: Patterns

    @cached_property
    def ulps(self) -> NDArray[np.uint64] | None:
        """How far floats are apart; 0 where either is NaN."""
        t = self.column.type
        return _ulps(t, self.a, self.b) if t.is_ieee else None

    def farthest(self) -> tuple[int, str] | None:
        """The floats that are furthest apart; None where there are none, or NaN."""
        if self.ulps is None or not self.ulps.any():
            return None
        at = int(self.ulps.argmax())
        return int(self.ulps[at]), self.column.path(int(self.flat[at]))

    def described(self, i: int) -> FieldFact:
        t = self.column.type
        a, b = datum(t, int(self.a[i])), datum(t, int(self.b[i]))
        ulps = None if self.ulps is None else int(self.ulps[i]) or None
        return FieldFact(self.column.path(int(self.flat[i])), a, b, ulps)


def differences(t: StructType, a: bytes, b: bytes, most: int = MOST) -> Differences:
    """The differences between two canonical states, with at most `most` fields described.
    ValueError where a length is not the type's."""
    counted: list[ColumnFact] = []
    first: list[tuple[int, FieldFact]] = []
    farthest: tuple[int, str] | None = None
    for column in columns(t):
        count, apart = 0, None
        for part in _parts(column, a, b):
            count += len(part.flat)
            found = part.farthest()
            if found is not None and (apart is None or found[0] > apart[0]):
                apart = found
            first = _first(first, part, most)
        counted.append(ColumnFact(column.title, count, column.count, apart and apart[0]))
        farthest = max(filter(None, (farthest, apart)), default=None)
    differing = sum(row.differing for row in counted)
    return Differences(differing, tuple(fact for _, fact in first), tuple(counted), farthest)


def _parts(column: Column, a: bytes, b: bytes) -> Iterator[_Part]:
    """The column in pieces, those in which something differs: what is made of one takes several
    times its bytes."""
    left, right = column.patterns(a), column.patterns(b)
    for start in range(0, column.count, _PIECE):
        stop = start + _PIECE
        flat = start + np.flatnonzero(left[start:stop] != right[start:stop])
        if len(flat):
            yield _Part(column, flat, left[flat], right[flat])


def _first(
    known: list[tuple[int, FieldFact]], part: _Part, most: int
) -> list[tuple[int, FieldFact]]:
    """The scalars of the lowest offsets among those known and those of a part, described."""
    limit = known[-1][0] if known and len(known) >= most else None
    offsets = part.column.offsets(part.flat[:most]).tolist()
    rows = [
        (offset, part.described(i))
        for i, offset in enumerate(offsets)
        if limit is None or offset < limit
    ]
    return sorted([*known, *rows], key=itemgetter(0))[:most]


def _ulps(t: ScalarType, a: Patterns, b: Patterns) -> NDArray[np.uint64]:
    """Representable floats from `a` to `b`, -0 and +0 being 1 apart; 0 where either is NaN."""
    sign, infinity = 1 << (t.bits - 1), INFINITY[t.bits]
    x, y = (p.astype(np.uint64) for p in (a, b))
    nan = (x & np.uint64(sign - 1) > infinity) | (y & np.uint64(sign - 1) > infinity)
    mask = np.uint64(2 * sign - 1)

    def rank(p: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return np.where(p & np.uint64(sign) != 0, ~p & mask, p | np.uint64(sign))

    low, high = rank(x), rank(y)
    distance = np.maximum(low, high) - np.minimum(low, high)
    return np.where(nan, np.uint64(0), distance)


def datum(t: ScalarType, pattern: int, name: str = "") -> Datum:
    """A scalar of type `t` with a bit pattern."""
    return Datum(t.name, hexadecimal(t, pattern), shown(t, pattern), name)


BEFORE = 12
"""Frames that are shown from before."""
AFTER = 120


def timeline(
    t: StructType, found: FirstFrame, a: SideRun, b: SideRun, inputs: Inputs, seed: int
) -> tuple[TimelineFact, ...]:
    """A row a frame, from some before the differing one to `AFTER` behind it, or to a trap.

    `inputs` are those from the differing frame on, all of them where `init` differs. Leaves both
    sides elsewhere.
    """
    start = max(0, found.frame - BEFORE)
    rows = [TimelineFact(frame, 0, None) for frame in range(start, found.frame)]
    if found.frame < 0:
        if found.a.state is None or found.b.state is None:
            return ()
        a.start(seed)
        b.start(seed)
        rows.append(_row(t, -1, a, b))
    elif found.a.before is None or found.b.before is None:
        return ()
    else:
        a.restore(found.a.before)
        b.restore(found.b.before)
    for k in range(min(AFTER, len(inputs))):
        advances = [run.advance(inputs[k : k + 1]) for run in (a, b)]
        if any(advance.trap is not None for advance in advances):
            break
        rows.append(_row(t, max(found.frame, 0) + k, a, b))
    return tuple(rows)


def _row(t: StructType, frame: int, a: SideRun, b: SideRun) -> TimelineFact:
    done = differences(t, a.save(), b.save(), most=0)
    return TimelineFact(frame, done.differing, *(done.farthest or (None, "")))
