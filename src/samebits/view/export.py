"""A replay played again, and written as an MCAP file whose messages viewers decode.

Topics: `/state`, what holds after each frame and before the first; `/inputs`, a frame's of all
players; `/hash`; and `/scene` where the simulation has one. Times are those of the simulation.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samebits.errors import ReplayError, Trap
from samebits.output import Output, holds_foreign_file, os_reason, remedy
from samebits.replay.reader import ReplayReader
from samebits.sim.session import Session
from samebits.sim.simulation import Simulation
from samebits.types import UINT64, FixedArrayType, StructType
from samebits.view.mcap_file import McapFile
from samebits.view.messages import Messages, packed
from samebits.view.scene_update import grid, scene_update, schema

_BLOCK_BYTES = 8 << 20
"""Messages of so many bytes are made at once, or of one frame."""
STATE, INPUTS, HASH, SCENE = "/state", "/inputs", "/hash", "/scene"
_PROFILE, _LIBRARY = "protobuf", "samebits"
_MARK = b"".join(len(t).to_bytes(4, "little") + t.encode() for t in (_PROFILE, _LIBRARY))
"""MCAP's header, by which a file of this module is known."""
_MOST = (1 << 31) - 1
"""Most bytes of a message."""
Progress = Callable[[int], None]


@dataclass(frozen=True)
class Exported:
    """Whole frames that were written; why there are no more, or the first whose hash differs."""

    frames: int
    damage: str | None
    trap: Trap | None
    differs: int | None
    has_scene: bool


def export_protobuf(
    simulation: Simulation,
    replay: str | os.PathLike[str],
    out: str | os.PathLike[str],
    limit: int | None = None,
    scene: bool = True,
    progress: Progress | None = None,
) -> Exported:
    """Write the first `limit` frames, or all whole ones, as Protobuf messages into an MCAP file,
    with the simulation's scene, if it has one, unless `scene` is false.

    A file at `out` is replaced only by a complete one. Raises ReplayError if the replay has no
    header or no frames, is of another simulation, or if `out` cannot be written; SimulationError
    for a scene's mistakes.
    """
    if os.path.exists(out) and os.path.exists(replay) and os.path.samefile(out, replay):
        raise ReplayError(f"{out} is the replay", fix="give another name")
    if holds_foreign_file(out, _MARK):
        raise ReplayError(
            f"{out} exists already and is no such file of messages", fix="give another name"
        )
    with ReplayReader(replay) as reader:
        simulation.require(reader.header, os.fspath(replay))
        try:
            with Output(out) as output:
                return _Writing(simulation, reader, output, limit, scene, progress).run()
        except OSError as error:
            raise ReplayError(
                f"cannot write {out}: {os_reason(error)}", fix=remedy(error)
            ) from None


class _Writing:
    """One file while it is written."""

    def __init__(
        self,
        simulation: Simulation,
        reader: ReplayReader,
        output: Output,
        limit: int | None,
        scene: bool,
        progress: Progress | None,
    ) -> None:
        self._simulation = simulation
        self._scene = simulation.scene if scene else None
        self._grid = 0.0 if self._scene is None else grid(self._scene)
        self._reader = reader
        self._limit = limit
        self._progress = progress
        self._session = simulation.start(reader.header.seed)
        self._time = reader.header.log_time
        messages = Messages()
        state, self._state = messages.add(simulation.state_type)
        players = FixedArrayType(simulation.input_type, (simulation.players,))
        inputs, self._inputs = messages.add(StructType("Inputs", (("players", players),)))
        hashes, self._hash = messages.add(StructType("Hash", (("state", UINT64),)))
        for layout, what in ((self._state, "state"), (self._inputs, "inputs")):
            if len(layout.template) > _MOST:
                raise ReplayError(f"a {what} makes a message of more than 2 GiB")
        self._mcap = McapFile(output.file, _PROFILE, _LIBRARY)
        about = messages.described()
        self._channels = {
            topic: self._mcap.channel(topic, STATE, name, about)
            for topic, name in ((STATE, state), (INPUTS, inputs), (HASH, hashes))
        }
        if self._scene is not None:
            self._channels[SCENE] = self._mcap.channel(SCENE, SCENE, *schema())

    def run(self) -> Exported:
        """Play the frames and write them."""
        session = self._session
        self._write(0, np.zeros((0, self._simulation.players), np.uint8), self._row(session))
        frames, differs, trap = 0, None, None
        for inputs, hashes in self._pieces():
            rows = _Rows()
            try:
                for k in range(len(inputs)):
                    session.run(inputs[k : k + 1])
                    self._row(session, rows)
                    if hashes is not None and differs is None and hashes[k] != rows.hashes[-1]:
                        differs = frames + k
            except Trap as stopped:
                trap = stopped
            self._write(frames, inputs[: len(rows.states)], rows)
            frames += len(rows.states)
            if self._progress is not None:
                self._progress(frames)
            if trap is not None:
                break
        if not frames and trap is None:
            raise ReplayError(
                f"{self._reader.header.simulation}: the replay has no frames",
                note=self._reader.damage,
                fix="record it again",
            )
        self._mcap.finish()
        return Exported(frames, self._reader.damage, trap, differs, SCENE in self._channels)

    def _pieces(self) -> Iterator[tuple[np.ndarray, NDArray[np.uint64] | None]]:
        """Inputs of a few frames, with their hashes if there are any."""
        most = max(1, _BLOCK_BYTES // len(self._state.template))
        left = self._limit
        for block in self._reader.blocks():
            inputs = self._simulation.inputs.from_bytes(block.inputs, block.frames)
            for first in range(0, block.frames, most):
                count = min(most, block.frames - first)
                count = count if left is None else min(count, left)
                if not count:
                    continue  # to the file's end, for what it says of damage
                end = first + count
                yield inputs[first:end], None if block.hashes is None else block.hashes[first:end]
                left = None if left is None else left - count

    def _row(self, session: Session, rows: _Rows | None = None) -> _Rows:
        """Add what is written of the session's frame."""
        rows = rows or _Rows()
        rows.states.append(session.canonical_state())
        rows.hashes.append(session.hash())
        if self._scene is not None:
            shapes = self._scene.shapes(session.state)
            rows.scenes.append(scene_update(shapes, self._time(session.frame), self._grid))
        return rows

    def _write(self, first: int, inputs: np.ndarray, rows: _Rows) -> None:
        """Write frames from `first` on; without inputs, the state before the first one."""
        count = len(rows.states)
        data = np.frombuffer(b"".join(rows.states), np.uint8).reshape(count, -1)
        hashes = np.array(rows.hashes, "<u8").view(np.uint8).reshape(count, -1)
        states, told = packed(self._state, data), packed(self._hash, hashes)
        given = self._packed_inputs(inputs)
        for k in range(count):
            if given is not None:
                self._message(INPUTS, first + k, given[k].tobytes())
            after = first + k + (given is not None)
            self._message(STATE, after, states[k].tobytes())
            self._message(HASH, after, told[k].tobytes())
            if rows.scenes:
                self._message(SCENE, after, rows.scenes[k])

    def _packed_inputs(self, inputs: np.ndarray) -> NDArray[np.uint8] | None:
        if not len(inputs):
            return None
        data = np.frombuffer(self._simulation.inputs.to_bytes(inputs), np.uint8)
        return packed(self._inputs, data.reshape(len(inputs), -1))

    def _message(self, topic: str, frame: int, data: bytes) -> None:
        self._mcap.add(self._channels[topic], self._time(frame), data)


@dataclass
class _Rows:
    """What is written of frames that follow one another."""

    states: list[bytes] = field(default_factory=list[bytes])
    hashes: list[int] = field(default_factory=list[int])
    scenes: list[bytes] = field(default_factory=list[bytes])
