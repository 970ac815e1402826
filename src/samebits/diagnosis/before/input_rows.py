"""Inputs of both sides as canonical bytes, frame by frame, each known whole or by its hash.

Owns which frames are compared, and in which of them the inputs differ.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samebits.bits import from_canonical, to_canonical, xxh64
from samebits.sim.inputs import Inputs
from samebits.types import StructType

Row = NDArray[np.uint8]
"""The canonical bytes of one frame's inputs, of shape (players, bytes)."""


@dataclass(frozen=True, eq=False)
class InputRows:
    """One side's inputs: `given` is a frame's, of shape (players,), and `hashed` its hash; None
    where that is not known."""

    type: StructType
    given: Callable[[int], Inputs | None]
    hashed: Callable[[int], int | None]
    _kept: dict[int, Row | None] = field(default_factory=dict[int, "Row | None"])

    def row(self, frame: int) -> Row | None:
        """A frame's inputs, whole."""
        if frame not in self._kept:
            found = self.given(frame) if frame >= 0 else None
            self._kept[frame] = None if found is None else _bytes(self.type, found)
        return self._kept[frame]

    def hash(self, frame: int) -> int | None:
        """XXH64 of a frame's inputs."""
        row = self.row(frame)
        return self.hashed(frame) if row is None else xxh64(row.tobytes())

    def inputs(self, row: Row) -> Inputs:
        """Canonical bytes as inputs of shape (players,)."""
        return from_canonical(self.type, row.tobytes(), len(row))


def _bytes(t: StructType, inputs: Inputs) -> Row:
    return np.frombuffer(to_canonical(t, inputs), np.uint8).reshape(len(inputs), -1)


def differing(a: InputRows, b: InputRows, frames: int) -> tuple[list[int], int]:
    """The frames whose inputs both sides know and which differ, and of how many both know them."""
    found: list[int] = []
    compared = 0
    for frame in range(frames):
        mine, theirs = a.hash(frame), b.hash(frame)
        if mine is not None and theirs is not None:
            compared += 1
            if mine != theirs:
                found.append(frame)
    return found, compared
