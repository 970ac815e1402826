"""The bytes of saved worlds: seeds, episodes, frames and states under one checksum.

Owns their layout. Bytes of another length, simulation or format are refused before any of them
reaches a batch.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.errors import ArgumentError, ReplayError
from samebits.sim.definition import SimulationDefinition
from samebits.sim.saved import MAX_FRAME

_MARK = b"samebits worlds"
_FORMAT = b"1"
_HEAD = struct.Struct("<15s1s16sQQ")
"""Mark, format, the simulation's digest, number of worlds, bytes of a state. Then a row of
`ROW` for each world, the states, and XXH64 of all before it."""
_SUM = struct.Struct("<Q")
_ROW = np.dtype([(name, "<u8") for name in ("world", "root", "seed", "episode", "frame")])
_WRONG = "give the bytes that save() of a batch returned"


@dataclass(frozen=True, eq=False)
class SavedWorlds:
    """Worlds as they were saved: `rows` has index, root, seed, episode and frame of each, `states`
    their canonical bytes, one behind another."""

    rows: NDArray[Any]
    states: bytes

    def to_bytes(self, simulation: SimulationDefinition) -> bytes:
        """The bytes that `read_worlds` reads."""
        digest = bytes.fromhex(simulation.digest)
        head = _HEAD.pack(_MARK, _FORMAT, digest, len(self.rows), simulation.state_size)
        body = head + self.rows.tobytes() + self.states
        return body + _SUM.pack(xxh64(body))


def rows_of(*columns: NDArray[np.uint64]) -> NDArray[Any]:
    """Rows of `SavedWorlds` from their columns."""
    rows = np.zeros(len(columns[0]), _ROW)
    for name, column in zip(_ROW.names or (), columns, strict=True):
        rows[name] = column
    return rows


def read_worlds(blob: object, simulation: SimulationDefinition) -> SavedWorlds:
    """The worlds that `to_bytes` wrote for exactly this simulation.

    Raises ReplayError if the bytes are anything else, ArgumentError if `blob` is not bytes.
    """
    if not isinstance(blob, bytes | bytearray | memoryview):
        raise ArgumentError(f"saved worlds are bytes, not {type(blob).__name__}", fix=_WRONG)
    data = bytes(cast("memoryview[int]", blob))
    if not data.startswith(_MARK):
        raise ReplayError("these bytes are not saved worlds of a batch", fix=_WRONG)
    if data[len(_MARK) : len(_MARK) + 1] != _FORMAT:
        raise ReplayError("these saved worlds have another format than this version of samebits")
    if len(data) < _HEAD.size + _SUM.size:
        raise _damaged(f"they end after {len(data)} bytes")
    _, _, digest, count, size = _HEAD.unpack_from(data)
    if digest != bytes.fromhex(simulation.digest):
        raise ReplayError(
            f"these worlds were saved by another simulation than '{simulation.name}' "
            f"version {simulation.version}, or by other code of it",
            fix=_WRONG,
        )
    whole = _HEAD.size + count * (_ROW.itemsize + size) + _SUM.size
    if size != simulation.state_size or len(data) != whole:
        raise _damaged(f"{len(data)} bytes where {whole} are due")
    if _SUM.unpack(data[-_SUM.size :])[0] != xxh64(data[: -_SUM.size]):
        raise _damaged("the checksum is of other bytes")
    end = _HEAD.size + count * _ROW.itemsize
    rows = np.frombuffer(data, _ROW, count, _HEAD.size)
    if count and int(rows["frame"].max()) > MAX_FRAME:
        raise _damaged("a frame is out of range")
    return SavedWorlds(rows, data[end : -_SUM.size])


def _damaged(why: str) -> ReplayError:
    return ReplayError(f"these saved worlds are damaged: {why}", fix=_WRONG)
