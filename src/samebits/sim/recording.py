"""Recording a session into a replay file, and opening a replay as arrays."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.bits import canonical_size, from_canonical
from samebits.errors import ReplayError
from samebits.lang.signal_safe import keeps_flags
from samebits.replay import ReplayHeader, ReplayWriter, read_replay
from samebits.replay.header import PART_BYTES
from samebits.sim.definition import SimulationDefinition
from samebits.sim.session import BLOCK_FRAMES, Session, SimulationTrap
from samebits.sim.state.schema import from_json
from samebits.types import StructType

KEYFRAME_FRAMES = 600
"""Frames from one keyframe to the next, where nothing else is asked for."""


class Recording:
    """A session whose frames are recorded: inputs, hashes, and periodic keyframes.

    Used in a `with` block. Leaving it normally gives the file its name; an exception leaves the
    frames so far in `<path>.partial`, or a similar name if that is taken. A frame that traps is
    written with its inputs and no hash, so that the replay repeats the trap. After an interrupt
    recording goes on from `frame`.
    """

    def __init__(
        self, start: Callable[[], Session], path: str | os.PathLike[str], keyframe_every: int
    ) -> None:
        if type(keyframe_every) is not int or keyframe_every < 0:
            raise ReplayError(
                f"a keyframe every {keyframe_every!r} frames", fix="give a count, or 0 for none"
            )
        self.session = start()
        self._every = keyframe_every
        self._writer = ReplayWriter(path, self.session.simulation.header(self.session.seed))
        self._part: np.ndarray[Any, Any] | None = None
        """Inputs of the block that runs, until its frames are written."""

    @keeps_flags
    def step(self, inputs: Any) -> None:
        """As `Session.step`, and recorded."""
        self._run(self.session.simulation.inputs.frame(inputs))

    @keeps_flags
    def run(self, inputs: Any) -> NDArray[np.uint64]:
        """As `Session.run`, and recorded."""
        return self._run(self.session.simulation.inputs.frames(inputs))

    @property
    def state(self) -> Any:
        """The session's state. Changing it by hand makes a replay that does not verify."""
        return self.session.state

    @property
    def frame(self) -> int:
        """The number of whole frames recorded."""
        with suppress(ReplayError):  # the file has ended; `run` reports it
            self._catch_up()
        return min(self._writer.frames, self.session.frame)

    def _catch_up(self) -> None:
        """Write the frames of a block that was interrupted after it ran."""
        missing = self.session.frame - self._writer.frames
        hashes, part = self.session.latest, self._part
        if part is not None and 0 < missing <= min(len(hashes), len(part)):
            self._add(part[len(hashes) - missing : len(hashes)], hashes[len(hashes) - missing :])
        self._part = None

    def _run(self, frames: np.ndarray[Any, Any]) -> NDArray[np.uint64]:
        self._catch_up()
        if self._writer.frames != self.session.frame:
            raise ReplayError(
                f"{self._writer.frames} frames are recorded, and the session is at frame "
                f"{self.session.frame}",
                note="a recording is one run without `restore`, and a trap ends it",
                fix="start another recording",
            )
        parts: list[NDArray[np.uint64]] = []
        first = 0
        while first < len(frames):
            due = self._every and self.session.frame % self._every == 0
            if due and not self._writer.has_keyframe:  # it has one if an interrupt came after it
                self._writer.keyframe(self.session.canonical_state())
            # A block ends where the next keyframe is due, and is written before the next one
            # begins, so that an interrupt loses none of it.
            left = self._every - self.session.frame % self._every if self._every else len(frames)
            part = frames[first : first + min(left, BLOCK_FRAMES)]
            self._part = part
            try:
                hashes = self.session.run(part)
            except SimulationTrap as trap:
                whole = len(trap.hashes)
                self._add(part[:whole], trap.hashes)
                self._add(part[whole : whole + 1], None)
                raise
            self._add(part, hashes)
            self._part = None
            parts.append(hashes)
            first += len(part)
        return np.concatenate(parts) if parts else np.zeros(0, np.uint64)

    def _add(self, inputs: np.ndarray[Any, Any], hashes: NDArray[np.uint64] | None) -> None:
        data = self.session.simulation.inputs.to_bytes(inputs)
        values = None if hashes is None else [int(value) for value in hashes]
        self._writer.add_block(data, values, frames=len(inputs))

    @keeps_flags
    def close(self) -> None:
        """Finish the file. Closing twice is fine."""
        self._catch_up()
        self._writer.close()

    def discard(self) -> None:
        """End without a file: what its path held before stays there. Does nothing once closed."""
        self._part = None
        self._writer.discard()

    def __enter__(self) -> Recording:
        return self

    @keeps_flags
    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        try:
            with suppress(ReplayError):  # the writer reports it
                self._catch_up()
        finally:
            with suppress(ReplayError):
                self._catch_up()  # where an interrupt left the first
            self._writer.__exit__(kind, error, trace)


@dataclass(frozen=True, eq=False)
class Replay:
    """A recorded replay, whole, in memory.

    `inputs` is a structured array of shape (frames, players). `hashes` holds the hash of the state
    after each frame, or is None where some are missing. `damage` says what is wrong with a file
    whose end is missing or damaged; the frames before the damage are here.
    """

    header: ReplayHeader
    inputs: np.ndarray[Any, Any]
    hashes: NDArray[np.uint64] | None
    damage: str | None

    @classmethod
    @keeps_flags
    def open(
        cls, path: str | os.PathLike[str], simulation: SimulationDefinition | None = None
    ) -> Replay:
        """Read a replay; with `simulation`, it must be a replay of exactly that.

        Raises ReplayError if the file has no readable header, or is another simulation's.
        """
        found = read_replay(path)
        header = found.header
        if simulation is not None:
            simulation.require(header, os.fspath(path))
            t = simulation.input_type
        else:
            t = _input_type(header, os.fspath(path))
        inputs = from_canonical(t, found.inputs, found.frames * header.players)
        shaped = inputs.reshape(found.frames, header.players)
        return cls(header, shaped, found.hashes, found.damage)

    def __len__(self) -> int:
        return len(self.inputs)

    def _repr_html_(self) -> str:
        """What notebooks show: whose replay it is, how long, and how it ends."""
        from samebits.sim.notebook import table

        header = self.header
        frames = f"{len(self):,}, {len(self) / header.tick_rate:,.1f} s"
        rows = [("frames", frames), ("players", f"{header.players:,}"), ("seed", header.seed)]
        if self.hashes is not None and len(self.hashes):
            rows.append(("last hash", f"{int(self.hashes[-1]):016x}"))
        rows.append(("digest", header.digest))
        return table(f"replay of {header.simulation} {header.version}", rows, self.damage or "")


def _input_type(header: ReplayHeader, name: str) -> StructType:
    try:
        t = from_json(header.schema.get("input"), PART_BYTES)
    except ReplayError as error:
        raise ReplayError(f"{name}: {error.message}", fix="record it again") from None
    if not isinstance(t, StructType) or canonical_size(t) != header.input_size:
        raise ReplayError(
            f"{name}: the schema of its inputs does not fit their size", fix="record it again"
        )
    return t
