"""The bytes of a saved session: seed, frame and state under one checksum.

Owns their layout. Bytes of another length, simulation or format are refused before any of them
reaches a session.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from xxhash import xxh64_intdigest

from samebits.bits import xxh64
from samebits.errors import ArgumentError, ReplayError
from samebits.lang.values.storage import bytes_of
from samebits.sim.definition import SimulationDefinition

if TYPE_CHECKING:
    from samebits.sim.execution import NativeExecution

MARK = b"samebits state "
"""How the bytes of a saved session begin."""
_FORMAT = b"2"
_HEAD = struct.Struct("<15s1s16sQQQ")
"""Mark, format, the simulation's digest, seed, frame, bytes of state. The state follows."""
_NUMBERS = struct.Struct("<QQ")
"""Seed and frame."""
_NUMBERS_AT = _HEAD.size - 24
_SUM = struct.Struct("<Q")
"""XXH64 of every byte before it; the last field."""
_LITTLE: Any = ctypes.c_uint64.__ctype_le__
"""The same in memory, read and written in place."""

MAX_FRAME = 1 << 62
"""The most frames of a session: 146,000 years at a million a second."""

_WRONG = "give the bytes that save() returned"


@dataclass(frozen=True, slots=True)
class Saved:
    """A session's seed, its count of whole frames, and the canonical state after them."""

    seed: int
    frame: int
    state: bytes

    def to_bytes(self, simulation: SimulationDefinition) -> bytes:
        """The bytes that `read_saved` reads."""
        digest = bytes.fromhex(simulation.digest)
        head = _HEAD.pack(MARK, _FORMAT, digest, self.seed, self.frame, len(self.state))
        return head + self.state + _SUM.pack(xxh64(head + self.state))


class SavedBuffer:
    """Memory for the bytes of one session after another of a simulation, which all have the same
    length, and the same head but for seed and frame.

    The state's canonical words are filled, and read, by compiled code where they lie in them.
    """

    def __init__(self, simulation: SimulationDefinition, execution: NativeExecution) -> None:
        whole = Saved(0, 0, bytes(simulation.state_size)).to_bytes(simulation)
        self._mark, self._length = whole[:_NUMBERS_AT], len(whole)
        self._size = simulation.state_size
        sum_at = len(whole) - _SUM.size
        held = [np.zeros(len(whole) // 8 + 1, np.uint64) for _ in range(2)]
        out, given = (a.view(np.uint8)[_HEAD.size :] for a in held)
        self._pack, self._unpack, self._places = execution.prepare_saves(out, given)
        self._trap = execution.trap
        self._out, self._in = (bytes_of(a)[: len(whole)] for a in held)
        self._out[:] = whole
        self._out_body, self._in_body = self._out[:sum_at], self._in[:sum_at]
        self._out_sum = _LITTLE.from_buffer(self._out, sum_at)
        parts = struct.Struct(f"<{_NUMBERS_AT}sQQQ{simulation.state_size}xQ")
        self._read = parts.unpack
        """Of the whole: the mark, seed, frame, bytes of state, and the sum."""

    def saved(self, seed: int, frame: int) -> bytes:
        """As `Saved.to_bytes`, of the execution's state."""
        status = self._pack()
        if status:
            raise self._trap(status)
        _NUMBERS.pack_into(self._out, _NUMBERS_AT, seed, frame)
        self._out_sum.value = xxh64_intdigest(self._out_body)
        return self._out.tobytes()

    def restored(self, blob: object) -> tuple[int, int] | None:
        """Restore the execution's state of bytes that `read_saved` reads: seed and frame. None of
        any others, and of what is no plain `bytes`: then nothing is done.

        The last step, which no signal handler follows before the caller goes on, changes the state.
        """
        if type(blob) is bytes and len(blob) == self._length:
            self._in[:] = blob
            mark, seed, frame, size, total = self._read(blob)
            if mark == self._mark and size == self._size and frame <= MAX_FRAME \
                    and total == xxh64_intdigest(self._in_body):  # fmt: skip
                memory, shadow, zeros = self._places
                if zeros:
                    shadow[:] = zeros
                status = self._unpack()
                if status:
                    raise self._trap(status)
                memory[:] = shadow
                return seed, frame
        return None


def read_saved(blob: object, simulation: SimulationDefinition) -> Saved:
    """The session that `to_bytes` wrote for exactly this simulation.

    Raises ReplayError if the bytes are anything else, ArgumentError if `blob` is not bytes.
    """
    if not isinstance(blob, bytes | bytearray | memoryview):
        raise ArgumentError(
            f"a saved session is bytes, not {type(blob).__name__}", fix="give what save() returned"
        )
    data = bytes(cast("memoryview[int]", blob))
    if not data.startswith(MARK):
        raise ReplayError("these bytes are not a saved session", fix=_WRONG)
    _check_format(data[len(MARK) : len(MARK) + 1])
    if len(data) < _HEAD.size + _SUM.size:
        raise _damaged(f"it ends after {len(data)} bytes, within its head")
    _, _, digest, seed, frame, size = _HEAD.unpack_from(data)
    body, state = data[: -_SUM.size], data[_HEAD.size : -_SUM.size]
    if size != len(state):
        raise _damaged(f"it has {len(state)} bytes of state, and declares {size}")
    if _SUM.unpack_from(data, len(body))[0] != xxh64(body):
        raise _damaged("its checksum does not hold")
    if digest.hex() != simulation.digest:
        raise ReplayError(
            f"the session was saved by another simulation than '{simulation.name}' "
            f"version {simulation.version}",
            note=f"saved with digest {digest.hex()}; this code has {simulation.digest}",
            fix="restore it with the code that saved it",
        )
    if frame > MAX_FRAME:
        raise ReplayError(
            f"the saved session contradicts itself: it claims {frame:,} frames, "
            f"and no session runs more than {MAX_FRAME:,}",
            fix=_WRONG,
        )
    if size != (expected := simulation.state_size):
        raise ReplayError(
            "the saved session contradicts itself: its digest is this simulation's, but its state "
            f"has {size} bytes, not {expected}",
            fix=_WRONG,
        )
    return Saved(seed, frame, state)


def _check_format(found: bytes) -> None:
    if found == _FORMAT:
        return
    if found == b"1":
        raise ReplayError(
            "the session was saved in format 1, which this samebits does not restore",
            note="its checksum covers neither the frame nor the seed: errors there stay unnoticed",
            fix="run the simulation to that frame again, or its replay, and save it there",
        )
    raise ReplayError(
        f"the session was saved in format {found.decode('latin-1')!a}; this samebits reads "
        f"{_FORMAT.decode()!r}",
        fix="restore it with the samebits that saved it",
    )


def _damaged(what: str) -> ReplayError:
    return ReplayError(f"the saved session is damaged: {what}", fix=_WRONG)
