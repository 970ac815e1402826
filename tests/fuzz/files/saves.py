"""Saved sessions: come back exactly, or are refused."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

from samebits.bits import from_canonical, xxh64
from samebits.errors import ReplayError
from samebits.sim.saved import MAX_FRAME, Saved, read_saved
from tests.fuzz.files.engine import Read, Target
from tests.fuzz.files.mutate import mutated
from tests.fuzz.files.tiny_simulation import TINY


class Saves(Target):
    name = "saves"
    errors = (ReplayError,)
    words = (b"samebits state 1", b"samebits state 2", b"samebits state 3")

    def __init__(self, folder: Path) -> None:
        self._simulation = TINY
        self._size = self._simulation.header(0).state_size

    def seeds(self) -> list[bytes]:
        saved = (
            Saved(1, 0, bytes(self._size)),
            Saved(2**64 - 1, MAX_FRAME, bytes(i % 256 for i in range(self._size))),
        )
        return [one.to_bytes(self._simulation) for one in saved]

    def read(self, data: bytes) -> Read:
        saved = read_saved(data, self._simulation)
        assert len(saved.state) == self._size
        assert saved.to_bytes(self._simulation) == data, "bytes that nobody saved"
        from_canonical(self._simulation.state_type, saved.state)
        return Read(saved, True)

    def forged(self, data: bytes, others: list[bytes], chance: Random) -> bytes:
        """Changed, and under a checksum that holds; mostly of the length that it says."""
        body = bytearray(mutated(data[:-8], others, self.words, chance))
        if len(body) >= 56 and chance.random() < 0.7:
            body[48:56] = struct.pack("<Q", len(body) - 56)
        return bytes(body) + struct.pack("<Q", xxh64(bytes(body)))
