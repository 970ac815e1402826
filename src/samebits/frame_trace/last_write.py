"""The last write that a load reads from, found by evaluating the frame again.

Copies are followed to their source. Knows one frame of one side alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from samebits.frame_trace.observer import FrameInput, Memory, Observer
from samebits.ir.grammar import Op
from samebits.ir.interp.closures import Frame, Step, Steps
from samebits.ir.interp.memory import Buffer
from samebits.ir.refs import OpRef
from samebits.types import RefType

WRITES = ("store", "zero", "copy")


@dataclass(frozen=True, slots=True)
class Write:
    """A write to memory. `event` is None if the operation is not visible."""

    place: OpRef
    opcode: str
    event: int | None
    memory: Buffer
    start: int
    end: int
    copied: tuple[Buffer, int] | None
    """The start of a copy's source."""


@dataclass(frozen=True, slots=True)
class Origin:
    """The origin of bytes: the last write, None if there was none, and the kind of memory:
    "state", "inputs", "local" or "table"."""

    write: Write | None
    memory: str


class _Writes(Observer):
    """Collects all writes before event `event`, and the address that its operation loads from."""

    def __init__(self, event: int | None) -> None:
        self.writes: list[Write] = []
        self.read: tuple[Buffer, int] | None = None
        self.state: Memory
        self.inputs: Memory
        self._event = event
        self._count = 0

    def begin(self, memory: Memory, inputs: Memory) -> None:
        self.state, self.inputs = memory, inputs

    def observe(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        if op.opcode in WRITES:
            step = self._writing(steps, op, number, step)
        if number is None:
            return step
        ref = steps.read(op.args[0]) if op.opcode == "load" else None

        def run(frame: Frame) -> None:
            step(frame)
            if self._count == self._event:
                self.read = None if ref is None else frame[ref]
                raise _Enough
            self._count += 1

        return run

    def _writing(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        t = op.args[0].type
        assert isinstance(t, RefType)
        place, size = OpRef(steps.function.name, op.id), t.target.size
        target = steps.read(op.args[0])
        source = steps.read(op.args[1]) if op.opcode == "copy" else None

        def run(frame: Frame) -> None:
            step(frame)
            event = None if number is None else self._count
            memory, start = frame[target]
            copied = None if source is None else frame[source]
            write = Write(place, op.opcode, event, memory, start, start + size, copied)
            self.writes.append(write)

        return run


class _Enough(Exception):
    """The event is reached."""


def origin_of_load(given: FrameInput, event: int) -> Origin:
    """The origin of the first byte that the load at an event reads."""
    writes = _written(given, event)
    assert writes.read is not None
    return _origin(writes, *writes.read)


def origin_in_state(given: FrameInput, offset: int) -> Origin:
    """The origin of a byte of the state at the end of the frame."""
    return origins_in_state(given, [offset])[0]


def origins_in_state(given: FrameInput, offsets: Sequence[int]) -> list[Origin]:
    """As `origin_in_state`, of several bytes."""
    writes = _written(given, None)
    found = [w for w in writes.writes if np.shares_memory(_bytes(w.memory), writes.state)]
    if not found:
        return [Origin(None, "state") for _ in offsets]
    return [_origin(writes, found[0].memory, offset) for offset in offsets]


def _written(given: FrameInput, event: int | None) -> _Writes:
    writes = _Writes(event)
    with suppress(_Enough):
        given.run(writes)
    return writes


def _origin(writes: _Writes, memory: Buffer, offset: int) -> Origin:
    for write in reversed(writes.writes):
        if write.memory is memory and write.start <= offset < write.end:
            if write.copied is None:
                return Origin(write, _kind(writes, memory))
            memory, offset = write.copied[0], write.copied[1] + offset - write.start
    return Origin(None, _kind(writes, memory))


def _kind(writes: _Writes, memory: Buffer) -> str:
    if isinstance(memory, bytearray):
        return "local"
    if np.shares_memory(_bytes(memory), writes.state):
        return "state"
    return "inputs" if np.shares_memory(_bytes(memory), writes.inputs) else "table"


def _bytes(memory: Buffer) -> Memory:
    return np.frombuffer(memory, np.uint8)
