"""The inputs in which two sides differ: whose, in which fields and frames, and in which shape.

Owns how a stretch of frames is explained by one shape, and what is said where none fits.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from samebits.bits import value_of
from samebits.diagnosis.before.input_rows import InputRows, differing
from samebits.diagnosis.before.input_shapes import Shape, changes, shapes
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.report.findings import FieldFact, InputFact
from samebits.sim.inputs import Inputs
from samebits.sim.state.columns import columns
from samebits.sim.state.difference import shown
from samebits.types import BOOL

MOST_FACTS = 8
"""Stretches of frames that are described."""
LEFT_FRAMES = 30
"""Frames, up to the last one, without anything new from a player who has left."""


@dataclass(frozen=True, eq=False)
class OtherInputs:
    """What is found: the facts, the frames that differ, how many were compared, and side b's inputs
    by frame, where a shape gives their hash."""

    facts: tuple[InputFact, ...]
    frames: tuple[int, ...]
    compared: int
    found: dict[int, Inputs]


def other_inputs(a: InputRows, b: InputRows, frames: int) -> OtherInputs:
    """The inputs of the first `frames` frames in which the sides differ."""
    frames_differing, compared = differing(a, b, frames)
    facts: list[InputFact] = []
    found: dict[int, Inputs] = {}
    left = frames_differing
    while left and len(facts) < MOST_FACTS:
        stretches = _stretches(a, b, left, frames)
        for stretch in stretches:
            facts.append(stretch.fact())
            found |= stretch.found()
        end = max(stretch.end for stretch in stretches)
        left = [frame for frame in left if frame >= end]
    return OtherInputs(tuple(facts), tuple(frames_differing), compared, found)


def _stretches(a: InputRows, b: InputRows, left: Sequence[int], frames: int) -> list[_Stretch]:
    """The stretches that begin at the first of `left`: one of all players whose inputs may differ,
    if a shape fits all of them, or else one of each."""
    mine, theirs = a.row(left[0]), b.row(left[0])
    if mine is None:
        return [_Stretch(a, b, left, frames, ())]
    players = range(len(mine))
    if theirs is None:
        return [_Stretch(a, b, left, frames, tuple(players))]
    apart = [p for p in players if not np.array_equal(mine[p], theirs[p])]
    each = [_Stretch(a, b, left, frames, (p,)) for p in apart]
    if len(apart) < 2:
        return each
    together = _Stretch(a, b, left, frames, tuple(apart))
    return [together] if together.fits and together.end >= max(s.end for s in each) else each


class _Stretch:
    """Frames from the first of `left` on, in which the inputs of some players are others in one
    shape; up to `end`."""

    def __init__(
        self, a: InputRows, b: InputRows, left: Sequence[int], frames: int, players: tuple[int, ...]
    ) -> None:
        self._a, self._b = a, b
        self._first, self._frames, self._players = left[0], frames, players
        every = shapes(a, left[0], players)
        if b.row(left[0]) is not None:  # a shape of all of them, or it is not of these
            every = (shape for shape in every if len(shape.players) == len(players))
        found = [shape for shape in every if shape.fits(b, left[0])]
        # A value that was given seconds before may be given once more, by chance.
        tried = [shape for shape in found if not shape.is_far or self._count(shape, left) > 1]
        if not tried and players and b.row(left[0]) is None:
            changed = changes(a, left[0], frames)
            tried = [shape for shape in changed if shape.fits(b, left[0])][:1] or found
        # Frames that are alike on both sides speak for no shape.
        counts = [self._count(shape, left) for shape in tried]
        best = counts.index(max(counts)) if counts else 0
        self.end = self._end(tried[best]) if tried else left[0] + 1
        if not tried and b.row(left[0]) is None:  # nothing is known of any of these
            self.end = left[0] + sum(n == left[0] + k for k, n in enumerate(left))
        self._shape = tried[best] if tried else None
        self._last = max(frame for frame in left if frame < self.end)

    @property
    def fits(self) -> bool:
        """Whether a shape gives side b's inputs."""
        return self._shape is not None

    def _end(self, shape: Shape) -> int:
        """The first frame that the shape does not give."""
        frame = self._first + 1
        while frame < self._frames and shape.fits(self._b, frame):
            frame += 1
        return frame

    def _count(self, shape: Shape, left: Sequence[int]) -> int:
        """The frames of `left` that the shape gives."""
        return bisect_left(left, self._end(shape))

    def found(self) -> dict[int, Inputs]:
        """Side b's inputs, where only their hashes were known."""
        if self._shape is None:
            return {}
        frames = [n for n in range(self._first, self.end) if self._b.row(n) is None]
        rows = {n: self._shape.made(n) for n in frames}
        return {n: self._b.inputs(row) for n, row in rows.items() if row is not None}

    def fact(self) -> InputFact:
        shape, first = self._shape, self._first
        players = self._players if shape is None else shape.players
        theirs = self._b.row(first) if shape is None else shape.made(first)
        mine = self._a.row(first)
        if mine is None or theirs is None:
            return InputFact(first, self._last, (), "unknown")
        player = players[0]
        fields = differences(self._a.type, mine[player].tobytes(), theirs[player].tobytes()).first
        if shape is None or shape.name == "changed":
            name, least, most = _kind(self._a, self._frames, fields)
            return InputFact(first, self._last, players, name, 0, None, fields, least, most)
        has_left = (
            shape.name in ("dropped", "repeated")
            and self.end >= self._frames
            and self._last - first + 1 >= LEFT_FRAMES
        )
        name = "left" if has_left else shape.name
        return InputFact(first, self._last, players, name, shape.frames, shape.other, fields)


def _kind(a: InputRows, frames: int, fields: Sequence[FieldFact]) -> tuple[str, str, str]:
    """The shape of values that follow from no input of side a; and the range of side a's, where
    one is far outside of it."""
    texts = {field.b.text for field in fields}
    for name, values in (("nan", {"nan"}), ("infinite", {"inf", "-inf"})):
        if texts & values:
            return name, "", ""
    for field in fields:
        found = _range(a, frames, field)
        if found is not None:
            return "range", *found
    return "changed", "", ""


def _range(a: InputRows, frames: int, field: FieldFact) -> tuple[str, str] | None:
    """The least and the most that all players' inputs have in a field, in words, where b's value is
    outside of that by more than they span."""
    column, flat = next(
        (column, flat)
        for column in columns(a.type)
        for flat in range(column.count)
        if column.path(flat) == field.path
    )
    t = column.type
    if t is BOOL:
        return None
    rows = (row for n in range(frames) if (row := a.row(n)) is not None)
    patterns = {int(column.patterns(part.tobytes())[flat]) for row in rows for part in row}
    ordered = sorted(patterns, key=lambda pattern: value_of(t, pattern))
    least, most = value_of(t, ordered[0]), value_of(t, ordered[-1])
    value = value_of(t, int(field.b.bits, 16))
    if least - (most - least) <= value <= most + (most - least):
        return None
    return shown(t, ordered[0]), shown(t, ordered[-1])
