"""The shapes in which one side's inputs are others: dropped, late, repeated, another player's.

A shape says what the other side's inputs are, made from this side's own. It is checked by their
bytes, or by their hash alone. Owns the shapes and their order; the most plausible are first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

import numpy as np

from samebits.bits import CANONICAL_NAN, INFINITY, xxh64
from samebits.diagnosis.before.input_rows import InputRows, Row
from samebits.diagnosis.before.input_values import plausible
from samebits.sim.state.columns import Column, columns

LITTLE_LATE = 12
"""Frames by which an input is rather late than another player's."""
MOST_LATE = 120
"""Frames by which inputs may be late: two seconds at 60 frames a second."""
MOST_EARLY = 16
MOST_READ = 4096
"""Frames whose inputs are read for the values that they have."""
MOST_VALUES = 4096
"""Values of side a's inputs that are tried of one scalar."""
MOST_TRIED = 200_000
"""Values that are tried of all scalars of a frame: some seconds."""

Made = Callable[[int], "Row | None"]
"""The other side's inputs of a frame; None where what they are made from is not known."""


@dataclass(frozen=True, eq=False)
class Shape:
    """One way in which the inputs of some players are others, from a frame on."""

    name: str
    """A key of `findings.INPUT_SHAPES`."""
    players: tuple[int, ...]
    made: Made
    frames: int = 0
    """By how many frames they are late or early."""
    other: int | None = None
    """The player whose inputs they are."""

    @property
    def is_far(self) -> bool:
        """Whether it is late by more than a little."""
        return self.name == "late" and self.frames > LITTLE_LATE

    def fits(self, b: InputRows, frame: int) -> bool:
        """Whether the other side's inputs of a frame are made so. Where they are known, those of
        other players do not count."""
        made = self.made(frame)
        if made is None:
            return False
        theirs = b.row(frame)
        if theirs is None:
            return xxh64(made.tobytes()) == b.hash(frame)
        return all(np.array_equal(made[p], theirs[p]) for p in self.players)


def shapes(a: InputRows, first: int, players: Sequence[int]) -> Iterator[Shape]:
    """All shapes that begin at frame `first` for each of some players, and for all of them."""
    every = tuple(players)
    some = [(p,) for p in every] + ([every] if len(every) > 1 else [])
    for who in some:
        yield Shape("dropped", who, partial(_with, a, who, lambda n, p: _zeros(a, n, p)))
    for who in some:
        yield Shape("repeated", who, partial(_with, a, who, lambda n, p: _of(a, first - 1, p)))
    yield from _late(a, some, range(1, LITTLE_LATE + 1))
    for p in every:
        for q in range(_count(a, first)):
            if q != p:
                theirs = partial(_others, a, q)
                yield Shape("another's", (p,), partial(_with, a, (p,), theirs), other=q)
    for p, q in ((p, q) for p in every for q in every if p < q):
        yield Shape("exchanged", (p, q), partial(_exchanged, a, p, q))
    yield from _late(a, some, range(LITTLE_LATE + 1, MOST_LATE + 1))
    for frames in range(1, MOST_EARLY + 1):
        for who in some:
            early = partial(_earlier, a, -frames)
            yield Shape("early", who, partial(_with, a, who, early), frames)
    for p in every:
        for column in columns(a.type):
            if column.type.is_ieee:
                for name, pattern in _no_numbers(column.type.bits):
                    value = pattern.to_bytes(column.type.size, "little")
                    for flat in range(column.count):
                        made = partial(_set, a, _part(column, flat), value)
                        yield Shape(name, (p,), partial(_with, a, (p,), made))


def _late(a: InputRows, some: Sequence[tuple[int, ...]], by: range) -> Iterator[Shape]:
    for frames in by:
        for who in some:
            late = partial(_earlier, a, frames)
            yield Shape("late", who, partial(_with, a, who, late), frames)


def _no_numbers(bits: int) -> tuple[tuple[str, int], ...]:
    """NaN and both infinities: the shape's name, and the pattern."""
    infinity = INFINITY[bits]
    return (
        ("nan", CANONICAL_NAN[bits]),
        ("infinite", infinity),
        ("infinite", infinity | 1 << (bits - 1)),
    )


def changes(a: InputRows, first: int, frames: int) -> Iterator[Shape]:
    """One scalar of one player's that is another in frame `first`: one that side a's inputs have in
    some frame, or a `plausible` one."""
    given = [row for n in range(min(frames, MOST_READ)) if (row := a.row(n)) is not None]
    row = a.row(first)
    parts = [(column, _part(column, k)) for column in columns(a.type) for k in range(column.count)]
    if row is not None:
        every = (
            Shape("changed", (p,), partial(_with, a, (p,), partial(_set, a, part, value)))
            for tried in (_given, _plausible)
            for column, part in parts
            for p in range(len(row))
            for value in tried(column, row[p, part], [each[:, part] for each in given])
        )
        yield from islice(every, MOST_TRIED)


def _given(column: Column, own: Row, given: Sequence[Row]) -> list[bytes]:
    """The values that side a's inputs have of a scalar."""
    values = {part.tobytes() for row in given for part in row}
    return sorted(values)[:MOST_VALUES]


def _plausible(column: Column, own: Row, given: Sequence[Row]) -> Iterator[bytes]:
    pattern = int.from_bytes(own.tobytes(), "little")
    for found in plausible(column.type, pattern):
        yield found.to_bytes(column.type.size, "little")


def _part(column: Column, flat: int) -> slice:
    """The bytes of a scalar in a player's input."""
    at = int(column.offsets(np.array([flat]))[0])
    return slice(at, at + column.type.size)


def _count(a: InputRows, frame: int) -> int:
    row = a.row(frame)
    return 0 if row is None else len(row)


def _with(
    a: InputRows, players: Sequence[int], part: Callable[[int, int], Row | None], frame: int
) -> Row | None:
    """A frame's inputs with other ones for some players."""
    row = a.row(frame)
    if row is None:
        return None
    made = row.copy()
    for p in players:
        new = part(frame, p)
        if new is None:
            return None
        made[p] = new
    return made


def _of(a: InputRows, frame: int, player: int) -> Row | None:
    row = a.row(frame)
    return None if row is None else row[player]


def _zeros(a: InputRows, frame: int, player: int) -> Row | None:
    row = _of(a, frame, player)
    return None if row is None else np.zeros_like(row)


def _earlier(a: InputRows, frames: int, frame: int, player: int) -> Row | None:
    """What the player gave before; nothing, where that is before the first frame."""
    return _zeros(a, 0, player) if frame < frames else _of(a, frame - frames, player)


def _others(a: InputRows, other: int, frame: int, player: int) -> Row | None:
    return _of(a, frame, other)


def _exchanged(a: InputRows, p: int, q: int, frame: int) -> Row | None:
    row = a.row(frame)
    if row is None:
        return None
    made = row.copy()
    made[[p, q]] = row[[q, p]]
    return made


def _set(a: InputRows, part: slice, value: bytes, frame: int, player: int) -> Row | None:
    """The player's input with other bytes in one part."""
    row = _of(a, frame, player)
    if row is None:
        return None
    made = row.copy()
    made[part] = np.frombuffer(value, np.uint8)
    return made
