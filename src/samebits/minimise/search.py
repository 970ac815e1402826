"""Delta debugging of a replay: frames first, then inputs toward zero, until nothing can go.

Owns the order of what is tried. What a candidate must show is the question's. After Zeller and
Hildebrandt's ddmin (IEEE Transactions on Software Engineering 28, 2002), from the end to the
start, since what a candidate shares with the best replay is not run again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samebits.minimise.question import Question, Shown
from samebits.sim.inputs import Inputs

Progress = Callable[[str, int, int], None]
"""`progress(what, frames, inputs)`: of the best replay so far."""


class OutOfTime(Exception):
    """The time given is over."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A field of one player's input, by its bytes in memory."""

    name: str
    first: int
    end: int


def leaves(dtype: np.dtype[np.void], name: str = "", first: int = 0) -> Iterator[Leaf]:
    """The fields of an input, those of structs in it one by one."""
    assert dtype.fields is not None
    for field, found in dtype.fields.items():
        inner, offset = found[0], found[1]
        path = f"{name}.{field}" if name else field
        if inner.fields is not None:
            yield from leaves(inner, path, first + offset)
        else:
            yield Leaf(path, first + offset, first + offset + inner.itemsize)


class Search:
    """One search. `best` is the shortest replay so far, `shown` what it shows; `is_minimal` says
    that no frame and no input alone can be left out of it."""

    def __init__(
        self,
        question: Question,
        inputs: Inputs,
        clock: Callable[[], float],
        until: float,
        progress: Progress,
        same: bool = True,
    ) -> None:
        self._question, self._clock, self._until = question, clock, until
        self._progress, self._same = progress, same
        self._leaves = tuple(leaves(inputs.dtype))
        self.best = inputs
        self.is_minimal = False
        self.shown: Shown | None = question.shown(inputs)
        if self.shown is not None:
            self._take(inputs, self.shown, 0)

    @property
    def inputs(self) -> int:
        """How many fields of inputs aren't zero."""
        return sum(int(self._set(player, leaf).sum()) for player, leaf in self._columns())

    def run(self) -> None:
        """Shorten the replay until nothing can go, or the time is over. An interrupt leaves the
        best one in place."""
        try:
            before = -1, -1
            self._silence()  # cheap, and makes every later run shorter or simpler
            while before != (len(self.best), self.inputs):
                before = len(self.best), self.inputs
                self._shorten()
                self._quieten()
            self.is_minimal = True
        except OutOfTime:
            return

    def _shorten(self) -> None:
        """Leave out frames: halves, then quarters, and so on to single ones."""
        size = max(1, len(self.best) // 2)
        while True:
            changed, end = False, len(self.best)
            while end > 0:
                first = max(0, end - size)
                kept = np.ones(len(self.best), bool)
                kept[first:end] = False
                changed |= self._passes(self.best[kept], first, "frames")
                end = min(first, len(self.best))
            if size == 1 and not changed:
                return
            size = max(1, size // 2)

    def _silence(self) -> None:
        """Make all inputs of a player zero, and all of one field."""
        for player in range(self.best.shape[1]):
            self._zeroed([(player, leaf) for leaf in self._leaves], slice(None))
        for player, leaf in self._columns():
            self._zeroed([(player, leaf)], slice(None))

    def _quieten(self) -> None:
        """Make inputs zero: a field's in some frames, then in single ones."""
        for player, leaf in self._columns():
            size = len(self.best)
            while True:
                changed = False
                frames = np.flatnonzero(self._set(player, leaf))
                for end in range(len(frames), 0, -size):
                    some = frames[max(0, end - size) : end]
                    some = some[some < len(self.best)]
                    changed |= len(some) > 0 and self._zeroed([(player, leaf)], some)
                if size == 1 and not changed:
                    break
                size = max(1, min(size, len(frames)) // 2)
                if not len(frames):
                    break

    def _zeroed(self, columns: list[tuple[int, Leaf]], frames: slice | NDArray[np.intp]) -> bool:
        """Whether the replay shows the same with some inputs zero; it is then the best."""
        candidate = self.best.copy()
        raw = _raw(candidate)
        changed = np.zeros(len(candidate), bool)
        for player, leaf in columns:
            part = raw[frames, player, leaf.first : leaf.end]
            changed[frames] |= (part != 0).any(axis=1)
            raw[frames, player, leaf.first : leaf.end] = 0
        first = int(changed.argmax())
        return bool(changed.any()) and self._passes(candidate, first, "inputs")

    def _passes(self, candidate: Inputs, shared: int, what: str) -> bool:
        if not len(candidate):
            return False
        if self._clock() >= self._until:
            raise OutOfTime
        assert self.shown is not None
        found = self._question.shown(candidate, shared)
        if found is None or (self._same and found.what != self.shown.what):
            return False
        self._take(candidate, found, shared)
        self._progress(what, len(self.best), self.inputs)
        return True

    def _take(self, candidate: Inputs, shown: Shown, shared: int) -> None:
        """Make it the best, without the frames that come after what it shows."""
        self.best = candidate[: max(shown.frame, 0) + 1].copy()
        self.shown = shown
        self._question.adopt(len(self.best), min(shared, len(self.best)))

    def _columns(self) -> list[tuple[int, Leaf]]:
        return [(player, leaf) for player in range(self.best.shape[1]) for leaf in self._leaves]

    def _set(self, player: int, leaf: Leaf) -> NDArray[np.bool_]:
        """The frames in which a field isn't zero."""
        return (_raw(self.best)[:, player, leaf.first : leaf.end] != 0).any(axis=1)


def _raw(inputs: Inputs) -> NDArray[np.uint8]:
    """The bytes of inputs, by frame and player; writing to them changes the inputs."""
    frames, players = inputs.shape
    return inputs.view(np.uint8).reshape(frames, players, inputs.dtype.itemsize)
