"""A running switchboard: frames of a program under settings, from any state on its way."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm.engine import host_target
from samebits.errors import Trap
from samebits.hazards.switchboard import Switchboard
from samebits.sides.input_stream import InputStream
from samebits.sim.execution import NativeExecution
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program

Settings = NDArray[np.uint8]
"""Which variant acts, one number a switch; 0 is none."""
MOST_FRAMES = 4096
"""Frames that are compared at most."""
INIT = -1
_CHUNK = 64


@dataclass(frozen=True, slots=True)
class Point:
    """Memory before the step of `frame`; before `init`, which needs none, `frame` is -1."""

    frame: int
    memory: bytes


class BoardRun:
    """One board of one program over some inputs, against the hashes that are known by frame: -1 is
    the state that `init` leaves."""

    def __init__(
        self, program: Program, board: Switchboard, inputs: InputStream, known: Mapping[int, int]
    ) -> None:
        changed = program.with_kernels(board.kernels)
        self.board = board
        self.known = known
        self._execution = NativeExecution(changed, changed.compiled(host_target(), 0))
        self._seed = inputs.seed
        self._inputs: Inputs = inputs.between(0, MOST_FRAMES)
        self.trials = 0
        """Runs of frames so far."""

    @property
    def frames(self) -> int:
        """The frames that can be run."""
        return len(self._inputs)

    def off(self) -> Settings:
        """No variant acts."""
        return np.zeros(len(self.board.settings), np.uint8)

    def hash_after(self, point: Point, frame: int, settings: Settings) -> int | None:
        """The hash that the frames from a point on, up to `frame`, leave; None where one traps."""
        self.trials += 1
        self.board.settings[:] = settings
        if not self._restored(point):
            return None
        if frame == INIT:
            return self._execution.hash()
        rows = self._inputs[max(0, point.frame) : frame + 1]
        hashes = self._execution.advance(rows).hashes
        return int(hashes[-1]) if len(hashes) == len(rows) else None

    def state_after(self, point: Point, frame: int, settings: Settings) -> bytes | None:
        """The canonical state that the frames from a point on, up to `frame`, leave; None where one
        traps."""
        found = self.hash_after(point, frame, settings)
        return None if found is None else self._execution.save()

    def point(self, frame: int, state: bytes) -> Point:
        """The point before `frame` of a canonical state."""
        self._execution.restore(state)
        return Point(frame, self._execution.save_memory())

    def parting(self, point: Point, settings: Settings, end: int | None = None) -> int | None:
        """The first frame from a point on, before `end`, whose known hash the settings do not
        give; None if they give all."""
        self.trials += 1
        self.board.settings[:] = settings
        if not self._restored(point):
            return point.frame
        at, end = point.frame, min(self.frames, self.frames if end is None else end)
        if at == INIT:
            if self._differs(INIT, self._execution.hash()):
                return INIT
            at = 0
        size = 1
        while at < end:
            rows = self._inputs[at : min(at + size, end)]
            size = min(2 * size, _CHUNK)
            done = self._execution.advance(rows).hashes
            for number, found in enumerate(done, at):
                if self._differs(number, int(found)):
                    return number
            at += len(done)
            if len(done) < len(rows):
                return at if any(frame >= at for frame in self.known) else None
        return None

    def events(self, settings: Settings, most: int) -> int:
        """The frames in which the settings leave another hash than none would, from the state that
        they came to; `most` at most."""
        off, found, point = self.off(), 0, Point(INIT, b"")
        for frame in range(INIT, self.frames):
            point = self.before(frame, point, settings)
            on = self.hash_after(point, frame, settings)
            found += on != self.hash_after(point, frame, off)
            if found == most or on is None:
                break
        return found

    def before(self, frame: int, point: Point, settings: Settings) -> Point:
        """The point before `frame`, which settings come to from an earlier one."""
        if frame == point.frame or frame == INIT:
            return Point(frame, point.memory)
        self.board.settings[:] = settings
        self._restored(point)
        at = max(0, point.frame)
        while at < frame:
            rows = self._inputs[at : min(at + _CHUNK, frame)]
            self._execution.advance(rows)
            at += len(rows)
        return Point(frame, self._execution.save_memory())

    def known_before(self, frame: int, first: int = INIT) -> int:
        """The frame after the last one from `first` on, before `frame`, whose hash is known."""
        return next((n + 1 for n in range(frame - 1, first - 1, -1) if n in self.known), INIT)

    def needed(self, settings: Settings, end: int | None) -> Settings:
        """The settings without those that no known hash before frame `end` needs."""
        start = Point(INIT, b"")
        return self._without(settings, lambda some: self.parting(start, some, end) is None)

    def needed_in(self, frame: int, settings: Settings) -> Settings:
        """The settings without those that the hash of a frame does not need, from the state that
        the whole of them come to: the first that gives it alone, if one does."""
        point = self.before(self.known_before(frame), Point(INIT, b""), settings)
        goal = self.known[frame]
        for number in np.flatnonzero(settings):
            alone = self.off()
            alone[number] = settings[number]
            if self.hash_after(point, frame, alone) == goal:
                return alone
        return self._without(settings, lambda some: self.hash_after(point, frame, some) == goal)

    def _without(self, settings: Settings, enough: Callable[[Settings], bool]) -> Settings:
        settings = settings.copy()
        for number in np.flatnonzero(settings):
            form, settings[number] = settings[number], 0
            if not enough(settings):
                settings[number] = form
        return settings

    def _differs(self, frame: int, found: int) -> bool:
        known = self.known.get(frame)
        return known is not None and known != found

    def _restored(self, point: Point) -> bool:
        """Whether the state before a point's frame is there; for `init`, the state after it."""
        if point.frame != INIT:
            self._execution.restore_memory(point.memory)
            return True
        try:
            self._execution.start(self._seed)
        except Trap:
            return False
        return True
