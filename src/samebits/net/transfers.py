"""Transfers of snapshots and reports in chunks that the receiver asks for, one after another.

Owns both ends. The receiver asks again after a while, so that a lost chunk costs time alone; what
comes is no larger than what was expected.
"""

from __future__ import annotations

from samebits.bits import xxh64
from samebits.errors import ProtocolError
from samebits.net import limits
from samebits.net.messages import Chunk, Want

SNAPSHOT, REPORT = 0, 1
"""What is transferred."""
AGAIN = limits.SECOND // 2
"""Time after which a chunk is asked for again."""


class Outgoing:
    """One blob that the other end takes chunk by chunk. `hash` is that of a snapshot's state, 0 of
    a report."""

    def __init__(self, what: int, request: int, frame: int, data: bytes) -> None:
        self.what, self.request, self.frame, self._data = what, request, frame, data
        self._hash = xxh64(data) if what == SNAPSHOT else 0

    @property
    def key(self) -> tuple[int, int]:
        """What tells it from the sender's other ones."""
        return self.what, self.request

    def chunk(self, offset: int) -> Chunk:
        """The chunk at an offset; an empty one past the end."""
        part = self._data[offset : offset + limits.CHUNK]
        total = len(self._data)
        return Chunk(self.what, self.request, self.frame, self._hash, total, offset, part)


class Incoming:
    """One blob that comes. `most` is its largest size."""

    def __init__(self, what: int, request: int, frame: int, most: int, now_ns: int) -> None:
        self.what, self.request, self.frame, self._most = what, request, frame, most
        self.hash = 0
        self.begun = now_ns
        self._data = bytearray()
        self._total: int | None = None
        self._asked = now_ns - AGAIN

    @property
    def key(self) -> tuple[int, int]:
        """What tells it from the receiver's other ones."""
        return self.what, self.request

    @property
    def whole(self) -> bool:
        """Whether all of it is there."""
        return self._total is not None and len(self._data) == self._total

    @property
    def data(self) -> bytes:
        """What has come so far."""
        return bytes(self._data)

    def take(self, chunk: Chunk, now_ns: int) -> None:
        """Add a chunk; one that was not asked for is dropped. Raises ProtocolError if it does not
        fit what came before."""
        if chunk.total > self._most:
            raise ProtocolError(
                f"a transfer of {chunk.total:,} bytes, where at most {self._most:,} are expected"
            )
        if self._total is None:
            self._total, self.frame, self.hash = chunk.total, chunk.frame, chunk.hash
        elif (chunk.total, chunk.frame, chunk.hash) != (self._total, self.frame, self.hash):
            raise ProtocolError("a chunk is of another blob than the ones before")
        if chunk.offset != len(self._data):
            return
        if len(self._data) + len(chunk.body) > self._total or (not chunk.body and not self.whole):
            raise ProtocolError("a chunk does not fit its blob")
        self._data += chunk.body
        self._asked = now_ns - AGAIN

    def want(self, now_ns: int) -> Want | None:
        """What to ask for now, if anything."""
        if self.whole or now_ns - self._asked < AGAIN:
            return None
        self._asked = now_ns
        return Want(self.what, self.request, self.frame, len(self._data))
