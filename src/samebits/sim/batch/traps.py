"""A trap in worlds of a batch, which stops these alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samebits.errors import Trap

_NAMED = 8


class WorldTrap(Trap):
    """Traps in a call of a batch, which went on for all other worlds; it reads as the one of the
    lowest world.

    `worlds` maps the index of each world that trapped in this call to its trap, `frames` to the
    frame that it ended, -1 for `init`. These stand still until they are reset or restored.
    """

    def __init__(self, worlds: dict[int, Trap], frames: dict[int, int], count: int) -> None:
        first = min(worlds)
        trap = worlds[first]
        super().__init__(trap.kind, trap.span, trap.detail, trap.said)
        self.worlds = worlds
        self.frames = frames
        self.count = count
        self.hashes: NDArray[np.uint64] | None = None
        """The hashes of a `run`, of shape (frames, n)."""
        place = f"frame {frames[first]}" if frames[first] >= 0 else "init"
        others = sorted(worlds)[1:]
        named = ", ".join(map(str, others[:_NAMED])) + ", ..." * (len(others) > _NAMED)
        also = f"; so did worlds {named}" if others else ""
        self.note = f"in {place} of world {first} of {count}{also}"
        if len(worlds) < count:
            self.note += "; the others went on"

    def __reduce__(self) -> tuple[object, ...]:
        return WorldTrap, (self.worlds, self.frames, self.count)
