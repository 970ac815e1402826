"""A running side of which only the part of the state is seen that another version has as well."""

from __future__ import annotations

import numpy as np

from samebits.sides.common_layout import CommonLayout
from samebits.sides.run import SideRun, Snapshot
from samebits.sides.side import Side
from samebits.sim.execution import Advance
from samebits.sim.inputs import Inputs


class CommonRun(SideRun):
    """As `SideRun`; hashes and canonical states are those of `layout`. Raises what that does."""

    def __init__(self, side: Side, layout: CommonLayout) -> None:
        super().__init__(side)
        self._layout = layout
        self._part = layout.of(side.plain.state)
        self._whole: dict[tuple[int, bytes], bytes] = {}
        """Whole states by frame and shared part: the last that was kept."""

    def another(self) -> CommonRun:
        return CommonRun(self.side.next_run(), self._layout)

    def advance(self, inputs: Inputs) -> Advance:
        hashes: list[int] = []
        for frame in range(len(inputs)):
            done = super().advance(inputs[frame : frame + 1])
            if done.trap is not None:
                return Advance(np.array(hashes, np.uint64), done.trap)
            hashes.append(self.hash())
        return Advance(np.array(hashes, np.uint64), None)

    def hash(self) -> int:
        return self._part.hash(super().save())

    def save(self) -> bytes:
        return self._part.taken(super().save())

    def snapshot(self) -> Snapshot:
        whole = super().save()
        part = self._part.taken(whole)
        self._whole = {(self.frame, part): whole}
        return Snapshot(self.frame, part, self.execution.save_memory())

    def restore_canonical(self, frame: int, state: bytes) -> None:
        """Continue from a shared state; what only this version has is as it was kept with it, or
        else as it is."""
        whole = self._whole.get((frame, state)) or self._part.put(super().save(), state)
        super().restore_canonical(frame, whole)
