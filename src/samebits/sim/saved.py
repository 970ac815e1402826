"""The bytes of a saved session: seed, frame and state under one checksum.

Owns their layout. Bytes of another length, simulation or format are refused before any of them
reaches a session.
"""

from __future__ import annotations

import ctypes
import struct
from dataclasses import dataclass
from typing import Any, cast

from samebits.bits import xxh64
from samebits.errors import ArgumentError, ReplayError
from samebits.sim.definition import SimulationDefinition

MARK = b"samebits state "
"""How the bytes of a saved session begin."""
_FORMAT = b"2"
_HEAD = struct.Struct("<15s1s16sQQQ")
"""Mark, format, the simulation's digest, seed, frame, bytes of state. The state follows."""
_NUMBERS = struct.Struct("<QQQ")
"""The head's last three fields."""
_NUMBERS_AT = _HEAD.size - _NUMBERS.size
_MARKED = struct.Struct(f"<{_NUMBERS_AT}sQQQ")
"""The head, with all before those in one."""
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
    length, and the same head but for seed and frame."""

    def __init__(self, simulation: SimulationDefinition) -> None:
        size = simulation.state_size
        whole = Saved(0, 0, bytes(size)).to_bytes(simulation)
        self._mark, self._length, self._size = whole[:_NUMBERS_AT], len(whole), size
        self._sum_at = len(whole) - _SUM.size
        self._out = bytearray(whole)
        self._in = memoryview(bytearray(whole))
        self._out_body = memoryview(self._out)[: self._sum_at]
        self._out_state = self._out_body[_HEAD.size :]
        self._in_body = self._in[: self._sum_at]
        self._in_state = self._in_body[_HEAD.size :]
        self._out_sum = _LITTLE.from_buffer(self._out, self._sum_at)
        self._in_sum = _LITTLE.from_buffer(self._in, self._sum_at)

    def fill(self, seed: int, frame: int, state: memoryview) -> bytes:
        """As `Saved.to_bytes`."""
        out = self._out
        _NUMBERS.pack_into(out, _NUMBERS_AT, seed, frame, self._size)
        self._out_state[:] = state
        self._out_sum.value = xxh64(self._out_body)
        return bytes(out)

    def read(self, blob: object) -> tuple[int, int, memoryview] | None:
        """Seed, frame and state, until the next call, of bytes that `read_saved` reads. None of any
        others, and of what is no plain `bytes`."""
        if type(blob) is not bytes or len(blob) != self._length:
            return None
        held = self._in
        held[:] = blob
        mark, seed, frame, size = _MARKED.unpack_from(held)
        good = mark == self._mark and size == self._size and frame <= MAX_FRAME
        if not good or self._in_sum.value != xxh64(self._in_body):
            return None
        return seed, frame, self._in_state


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
