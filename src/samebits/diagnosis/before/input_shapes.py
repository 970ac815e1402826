"""The shapes in which one side's inputs are others: dropped, late, repeated, another player's.

A shape says what the other side's inputs are, made from this side's own. It is checked by their
bytes, or by their hash alone. Owns the shapes and their order; the most plausible are first.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice

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

Changed = tuple[int, slice, bytes]
"""A player, a scalar's bytes in the input, and their value."""
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
    row = a.row(first)
    if row is None:
        return
    given = [each for n in range(min(frames, MOST_READ)) if (each := a.row(n)) is not None]
    parts = [(column, _part(column, k)) for column in columns(a.type) for k in range(column.count)]
    players = range(len(row))
    seen = ((p, part, value) for _, part in parts for value in _seen(given, part) for p in players)
    guessed = _in_turn([_guessed(column, p, part, row) for column, part in parts for p in players])
    for p, part, value in islice(chain(seen, guessed), MOST_TRIED):
        yield Shape("changed", (p,), partial(_with, a, (p,), partial(_set, a, part, value)))


def _seen(given: Sequence[Row], part: slice) -> list[bytes]:
    """The values that side a's inputs have of a scalar."""
    return sorted({player[part].tobytes() for row in given for player in row})[:MOST_VALUES]


def _guessed(column: Column, p: int, part: slice, row: Row) -> Iterator[Changed]:
    own = int.from_bytes(row[p, part].tobytes(), "little")
    for pattern in plausible(column.type, own):
        yield p, part, pattern.to_bytes(column.type.size, "little")


def _in_turn(some: Iterable[Iterator[Changed]]) -> Iterator[Changed]:
    """One of each, then the next of each: no scalar of many values leaves none to the others."""
    left = deque(some)
    while left:
        each = left.popleft()
        for changed in islice(each, 1):
            yield changed
            left.append(each)


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
