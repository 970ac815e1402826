"""Every scalar in which two states differ: which, how far apart, and where in the state they lie.

Owns the comparison of canonical states as columns, so that large arrays cost no loop. Knows nothing
of how the states came about.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.diagnose.finding import Datum, FieldFact, HeatFact, TimelineFact
from samebits.sim.columns import Column, Patterns, columns
from samebits.sim.difference import hexadecimal, shown
from samebits.types import Kind, ScalarType, StructType

MOST = 64
"""Fields that are described, unless more are asked for."""
BLOCKS = 16
"""Parts that an array is cut into where it is told which of its elements differ."""
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
    """A column in which scalars differ: their flat indices, both patterns, and how far apart."""

    column: Column
    flat: NDArray[np.intp]
    a: Patterns
    b: Patterns
    distance: NDArray[np.float64]
    """Rounded: for comparing alone."""
    ulps: NDArray[np.uint64] | None
    """Of floats; 0 where either is NaN."""


def differences(t: StructType, a: bytes, b: bytes, most: int = MOST) -> Differences:
    """What differs between two canonical states, with at most `most` fields described in each
    order. ValueError where a length is not the type's."""
    rows: list[HeatFact] = []
    parts: list[_Part] = []
    for column in columns(t):
        part = _part(column, a, b)
        rows.append(_heat(column.title, part, column.count))
        if part is not None:
            parts.append(part)
    blocks = tuple(row for part in parts for row in _blocks(part))
    total = sum(len(part.flat) for part in parts)
    first = _chosen(parts, [part.column.offsets(part.flat) for part in parts], most)
    offsets = [part.column.offsets(part.flat) for part in parts]
    largest = _chosen(parts, [-part.distance for part in parts], most, offsets)
    farthest = max((f for part in parts if (f := _farthest(part))), default=None)
    return Differences(total, first, largest, tuple(rows), blocks, farthest)


def _farthest(part: _Part) -> tuple[int, str] | None:
    if part.ulps is None or not (part.distance != _NAN).any():
        return None
    most = int(part.ulps.argmax())
    return int(part.ulps[most]), part.column.path(int(part.flat[most]))


def _part(column: Column, a: bytes, b: bytes) -> _Part | None:
    left, right = column.patterns(a), column.patterns(b)
    flat = np.flatnonzero(left != right)
    if not len(flat):
        return None
    left, right = left[flat], right[flat]
    if column.type.is_float:
        ulps, nan = _ulps(column.type, left, right)
        distance = np.where(nan, _NAN, ulps.astype(np.float64))
        return _Part(column, flat, left, right, distance, ulps)
    x, y = (_numbers(column.type, p) for p in (left, right))
    return _Part(column, flat, left, right, np.abs(x - y), None)


def _ulps(t: ScalarType, a: Patterns, b: Patterns) -> tuple[NDArray[np.uint64], NDArray[np.bool_]]:
    """Representable floats from `a` to `b`, -0 and +0 being 1 apart; and where either is NaN,
    for which it is 0."""
    sign, infinity = {32: (1 << 31, 0x7F800000), 64: (1 << 63, 0x7FF0000000000000)}[t.bits]
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


def _heat(path: str, part: _Part | None, scalars: int, chosen: Any = slice(None)) -> HeatFact:
    if part is None:
        return HeatFact(path, 0, scalars, None)
    ulps = None
    if part.ulps is not None:
        real = part.distance[chosen] != _NAN
        if real.any():
            ulps = int(part.ulps[chosen][real].max())
    return HeatFact(path, len(part.flat[chosen]), scalars, ulps)


def _blocks(part: _Part) -> Iterator[HeatFact]:
    """The column, or parts of its outermost array, in which something differs."""
    column = part.column
    if not column.levels:
        yield _heat(column.title, part, 1)
        return
    elements = column.outer_count
    inside = column.count // elements
    size = -(-elements // BLOCKS)
    numbers = part.flat // (inside * size)
    for number in np.unique(numbers):
        first = int(number) * size
        last = min(first + size, elements) - 1
        path = column.part_title(first, last)
        yield _heat(path, part, (last - first + 1) * inside, numbers == number)


def _chosen(
    parts: list[_Part],
    keys: list[NDArray[Any]],
    most: int,
    ties: list[NDArray[Any]] | None = None,
) -> tuple[FieldFact, ...]:
    """The scalars of the least keys, described."""
    rows: list[tuple[Any, Any, int, int]] = []
    for number, key in enumerate(keys if most > 0 else ()):
        places = np.arange(len(key))
        if len(key) > most:
            limit = np.partition(key, most - 1)[most - 1]
            least = np.flatnonzero(key < limit)
            equal = np.flatnonzero(key == limit)[: most - len(least)]
            places = np.concatenate([least, equal])
        for i in places:
            tie = 0 if ties is None else ties[number][i]
            rows.append((key[i], tie, number, int(i)))
    rows.sort()
    return tuple(_described(parts[number], i) for _, _, number, i in rows[:most])


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
