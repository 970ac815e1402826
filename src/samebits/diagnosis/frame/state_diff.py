"""Every scalar in which two states differ: which, how far apart, where in the state, and how that
grows frame by frame.

Owns the comparison of canonical states as columns, so that large arrays cost no loop, and which
frames a timeline shows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.bits import INFINITY
from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.report.findings import Datum, FieldFact, HeatFact, TimelineFact
from samebits.sides.run import SideRun
from samebits.sim.inputs import Inputs
from samebits.sim.state.columns import Column, Patterns, columns
from samebits.sim.state.difference import hexadecimal, shown
from samebits.types import Kind, ScalarType, StructType

MOST = 64
"""Fields that are described, unless more are asked for."""
BLOCKS = 16
"""Parts that an array is cut into where it is told which of its elements differ."""
_PIECE = 1 << 16
"""Scalars that are compared at a time."""
_NAN = np.inf
"""How far a NaN is from any other bits."""


@dataclass(frozen=True, eq=False)
class Differences:
    """What differs between canonical states `a` and `b`.

    `first` are the first differing scalars in declared order, `largest` those that are furthest
    apart: NaNs, then by representable floats or, for integers, by units between the two. `heat` has
    a row for each column of the state, `blocks` one for each part of the arrays that differ.
    """

    differing: int
    first: tuple[FieldFact, ...]
    largest: tuple[FieldFact, ...]
    heat: tuple[HeatFact, ...]
    blocks: tuple[HeatFact, ...]
    farthest: tuple[int, str] | None
    """The floats that are furthest apart, NaN left out: the distance in ULP, and which they are."""

    def timeline(self, frame: int) -> TimelineFact:
        """These as a row of the timeline of divergence."""
        ulps, path = self.farthest or (None, "")
        return TimelineFact(frame, self.differing, ulps, path)


@dataclass(frozen=True, eq=False)
class _Part:
    """Scalars of a column that differ: their flat indices, both patterns, and how far apart."""

    column: Column
    flat: NDArray[np.intp]
    a: Patterns
    b: Patterns
    distance: NDArray[np.float64]
    """Rounded: for comparing alone."""
    ulps: NDArray[np.uint64] | None
    """Of floats; 0 where either is NaN."""

    def farthest(self, chosen: Any = slice(None)) -> int | None:
        """The most ULP that two of its floats are apart; None where they are none, or NaN."""
        if self.ulps is None:
            return None
        real = self.distance[chosen] != _NAN
        return int(self.ulps[chosen][real].max()) if real.any() else None


@dataclass(slots=True)
class _Count:
    """How many scalars differ, and the most ULP that two of them are apart."""

    differing: int = 0
    ulps: int | None = None

    def add(self, differing: int, ulps: int | None) -> None:
        self.differing += differing
        if ulps is not None and (self.ulps is None or ulps > self.ulps):
            self.ulps = ulps

    def heat(self, path: str, scalars: int) -> HeatFact:
        return HeatFact(path, self.differing, scalars, self.ulps)


_Row = tuple[Any, int, int, FieldFact]
"""A scalar's key, its offset and its column's number, by which they are sorted, and the scalar."""


def differences(t: StructType, a: bytes, b: bytes, most: int = MOST) -> Differences:
    """What differs between two canonical states, with at most `most` fields described in each
    order. ValueError where a length is not the type's."""
    rows: list[HeatFact] = []
    blocks: list[HeatFact] = []
    first: list[_Row] = []
    largest: list[_Row] = []
    farthest: tuple[int, str] | None = None
    for number, column in enumerate(columns(t)):
        whole, counts, most_apart = _Count(), dict[int, _Count](), None
        for part in _parts(column, a, b):
            ulps = part.farthest()
            if ulps is not None and (whole.ulps is None or ulps > whole.ulps):
                assert part.ulps is not None
                most_apart = ulps, column.path(int(part.flat[int(part.ulps.argmax())]))
            whole.add(len(part.flat), ulps)
            _count_blocks(part, counts)
            first = _least(first, part, part.flat, number, most)
            largest = _least(largest, part, -part.distance, number, most)
        rows.append(whole.heat(column.title, column.count))
        blocks += _blocks(column, whole, counts)
        farthest = max((f for f in (farthest, most_apart) if f is not None), default=None)
    differing = sum(row.differing for row in rows)
    shown = [tuple(fact for *_, fact in found) for found in (first, largest)]
    return Differences(differing, shown[0], shown[1], tuple(rows), tuple(blocks), farthest)


def _parts(column: Column, a: bytes, b: bytes) -> Iterator[_Part]:
    """The column in pieces, those in which something differs: what is made of one takes several
    times its bytes."""
    left, right = column.patterns(a), column.patterns(b)
    for start in range(0, column.count, _PIECE):
        stop = start + _PIECE
        flat = start + np.flatnonzero(left[start:stop] != right[start:stop])
        if not len(flat):
            continue
        one, other = left[flat], right[flat]
        if column.type.is_ieee:
            ulps, nan = _ulps(column.type, one, other)
            distance = np.where(nan, _NAN, ulps.astype(np.float64))
            yield _Part(column, flat, one, other, distance, ulps)
        else:
            x, y = (_numbers(column.type, p) for p in (one, other))
            yield _Part(column, flat, one, other, np.abs(x - y), None)


def _ulps(t: ScalarType, a: Patterns, b: Patterns) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Representable floats from `a` to `b`, -0 and +0 being 1 apart; and where either is NaN,
    for which it is 0."""
    sign, infinity = 1 << (t.bits - 1), INFINITY[t.bits]
    x, y = (p.astype(np.uint64) for p in (a, b))
    nan = (x & np.uint64(sign - 1) > infinity) | (y & np.uint64(sign - 1) > infinity)
    mask = np.uint64(2 * sign - 1)

    def rank(p: NDArray[np.uint64]) -> NDArray[np.uint64]:
        return np.where(p & np.uint64(sign) != 0, ~p & mask, p | np.uint64(sign))

    low, high = rank(x), rank(y)
    distance = np.maximum(low, high) - np.minimum(low, high)
    return np.where(nan, np.uint64(0), distance), nan


def _numbers(t: ScalarType, patterns: Patterns) -> NDArray[np.float64]:
    if t.kind is Kind.BOOL:
        return (patterns != 0).astype(np.float64)
    kind = "i" if t.is_signed else "u"
    return patterns.view(f"<{kind}{t.size}").astype(np.float64)


def _block_size(column: Column) -> int:
    """Elements of the column's outermost array in one of the parts that it is cut into."""
    return -(-column.outer_count // BLOCKS)


def _count_blocks(part: _Part, counts: dict[int, _Count]) -> None:
    column = part.column
    inside = column.count // column.outer_count
    numbers = part.flat // (inside * _block_size(column))
    for number in np.unique(numbers):
        chosen = numbers == number
        count = counts.setdefault(int(number), _Count())
        count.add(int(np.count_nonzero(chosen)), part.farthest(chosen))


def _blocks(column: Column, whole: _Count, counts: dict[int, _Count]) -> Iterator[HeatFact]:
    """The column, or parts of its outermost array, in which something differs."""
    if not column.levels:
        if whole.differing:
            yield whole.heat(column.title, 1)
        return
    inside, size = column.count // column.outer_count, _block_size(column)
    for number, count in sorted(counts.items()):
        first = number * size
        last = min(first + size, column.outer_count) - 1
        yield count.heat(column.part_title(first, last), (last - first + 1) * inside)


def _least(known: list[_Row], part: _Part, key: NDArray[Any], number: int, most: int) -> list[_Row]:
    """The scalars of the least keys among those known and those of a part, described. Where keys
    are the same, what comes first in the state does."""
    if most <= 0:
        return []
    places = np.arange(len(key))
    if len(key) > most:
        limit = np.partition(key, most - 1)[most - 1]
        least = np.flatnonzero(key < limit)
        equal = np.flatnonzero(key == limit)[: most - len(least)]
        places = np.concatenate([least, equal])
    offsets = part.column.offsets(part.flat[places])
    is_first = key is part.flat
    rows = [
        (offset if is_first else key[i], offset, number, i)
        for i, offset in zip(places.tolist(), offsets.tolist(), strict=True)
    ]
    if len(known) >= most:
        rows = [row for row in rows if row[:3] < known[-1][:3]]
    described = [(*row[:3], _described(part, row[3])) for row in rows]
    return sorted([*known, *described], key=lambda row: row[:3])[:most]


def _described(part: _Part, i: int) -> FieldFact:
    t = part.column.type
    a, b = int(part.a[i]), int(part.b[i])
    ulps = None
    if part.ulps is not None and part.distance[i] != _NAN:
        ulps = int(part.ulps[i])
    return FieldFact(part.column.path(int(part.flat[i])), datum(t, a), datum(t, b), ulps)


def datum(t: ScalarType, pattern: int, name: str = "") -> Datum:
    """A scalar of type `t` with a bit pattern."""
    return Datum(t.name, hexadecimal(t, pattern), shown(t, pattern), name)


BEFORE = 12
"""Frames that are shown from before."""
AFTER = 120


def timeline(
    t: StructType, found: FirstFrame, a: SideRun, b: SideRun, inputs: Inputs
) -> tuple[TimelineFact, ...]:
    """A row a frame, from some before the differing one to `AFTER` behind it, or to a trap.

    `inputs` are those from the differing frame on. Leaves both sides elsewhere.
    """
    if found.a.before is None or found.b.before is None:
        return ()
    start = max(0, found.frame - BEFORE)
    rows = [TimelineFact(frame, 0, None) for frame in range(start, found.frame)]
    a.restore(found.a.before)
    b.restore(found.b.before)
    for k in range(min(AFTER, len(inputs))):
        done = [run.advance(inputs[k : k + 1]) for run in (a, b)]
        if any(advance.trap is not None for advance in done):
            break
        rows.append(differences(t, a.save(), b.save(), most=0).timeline(found.frame + k))
    return tuple(rows)
