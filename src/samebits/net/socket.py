"""One connection of a relay: whole messages in and out without a task or a queue for each.

Owns where a frame begins and ends: plain binary ones are read and written here, at a part of what
websockets takes for them. All others, the handshake and the closing are websockets' own, which is
given them whole.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from websockets.asyncio.server import ServerConnection
from websockets.frames import Frame, Opcode
from websockets.protocol import State

from samebits.net import limits

try:
    from websockets.speedups import apply_mask
except ImportError:
    from websockets.utils import apply_mask

SLICE = 2 << 10
"""Bytes that websockets reads at once: between two such parts a flood is noticed."""
_DATA = (Opcode.TEXT, Opcode.BINARY, Opcode.CONT)
_PLAIN = 0x80 | Opcode.BINARY
"""The first byte of a message in one frame, without reserved bits."""
_MASKED = 0x80
_HEAD_END = b"\r\n\r\n"
_CODES = frozenset(Opcode)
_FLOOD = "messages come faster than the match plays"
_SHORT, _LONG = 126, 127
"""Sizes that say that the real one is in the next two or eight bytes."""
_HEADS = [bytes((_PLAIN, size)) for size in range(_SHORT)]
"""Heads of short frames from a relay, by size."""
_RATE, _BURST = float(limits.SOCKET_FRAMES), float(limits.SOCKET_BURST)


class RelaySocket(ServerConnection):
    """A connection whose messages go to a function as they come: the first one to `first`, later
    ones to what `attach` was given."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.first: asyncio.Future[bytes | None] = self.loop.create_future()
        """The first message; None where there is none, or it is text."""
        self.over: asyncio.Future[str] = self.loop.create_future()
        """Why the connection should be closed, once it should; no message is taken then."""
        self._take: Callable[[bytes], None] | None = None
        self._early: list[bytes] = []
        self._parts: list[bytes] = []
        self._frames = _BURST
        """Frames that may still come, at the time of `_counted`."""
        self._counted = self.loop.time()
        self._late = 0
        """Bytes that came when the connection was closing."""
        self._head: bytes | None = b""
        """The last bytes of the handshake so far; None once frames follow, all of them whole."""
        self._rest = bytearray()
        """The beginning of a frame, until `_needed` bytes of it are there."""
        self._needed = 0

    @property
    def waiting(self) -> int:
        """Bytes that wait to be sent."""
        return self.transport.get_write_buffer_size()

    def attach(self, take: Callable[[bytes], None]) -> None:
        """Give `take` each message that comes, and those that came behind the first."""
        early, self._early = self._early, []
        if not self.over.done():
            self._take = take
            for data in early:
                take(data)

    def put(self, frame: bytes) -> None:
        """Send a message, as `framed`; nothing where the connection is closing."""
        if self.protocol.state is State.OPEN:
            self.transport.write(frame)

    def end(self, reason: str) -> None:
        """Let the connection be closed, for the first reason that is given."""
        self._take = None
        if not self.over.done():
            self.over.set_result(reason)
        if not self.first.done():
            self.first.set_result(None)

    def data_received(self, data: bytes) -> None:
        """Bytes came; of who floods no more of them are looked at."""
        protocol, size = self.protocol, len(data) - 6
        if (
            self._take is not None
            and 0 <= size < _SHORT
            and data[0] == _PLAIN
            and data[1] == _MASKED | size
            and not self._rest
            and self._head is None
            and protocol.state is State.OPEN
            and protocol.current_size is None
        ):
            # As nearly all do: a short message in one frame.
            self._refill()
            if self._frames >= 0:
                self._frames -= 1
                self._take(apply_mask(data[6:], data[2:6]))
                return
        if self._head is not None or self.protocol.state is State.CONNECTING:
            self._shake(data)
            self._hand_over(data)
            return
        if self._rest:
            self._rest += data
            if len(self._rest) < self._needed:
                return
            data = bytes(self._rest)
            self._rest.clear()
        self._refill()
        self._read(data)

    def _shake(self, data: bytes) -> None:
        """Note where the handshake ends. Frames that come with it, which no honest client sends
        before it has the answer, may not be whole: websockets reads all of that connection's."""
        joined = (_HEAD_END if self._head is None else self._head) + data
        end = joined.find(_HEAD_END)
        if end < 0:
            self._head = joined[-3:]
        elif end + 4 == len(joined):
            self._head = None
        else:
            self._head = _HEAD_END

    def _hand_over(self, data: bytes) -> None:
        """Let websockets read some bytes."""
        for at in range(0, len(data), SLICE):
            if self._frames < 0:
                self.end(_FLOOD)
                return
            if self.protocol.state in (State.CLOSING, State.CLOSED):
                self._late += SLICE
                if self._late > limits.MESSAGE:
                    self.transport.abort()
                    return
            super().data_received(data[at : at + SLICE])

    def _read(self, data: bytes) -> None:
        """Read whole frames, and keep the beginning of another one."""
        at, end = 0, len(data)
        while at < end:
            if self._frames < 0:
                self.end(_FLOOD)
                return
            if self.protocol.state is not State.OPEN:
                self._hand_over(data[at:])
                return
            if end - at >= 6 and data[at] == _PLAIN and _MASKED <= data[at + 1] < _MASKED | _SHORT:
                start = at + 6
                stop = start + (data[at + 1] & 0x7F)
                if stop <= end and self.protocol.current_size is None:
                    self._frames -= 1
                    self._message(apply_mask(data[start:stop], data[at + 2 : start]))
                    at = stop
                    continue
            start, stop = _frame(data, at, end)
            if self._is_vain(data, at, start, stop):
                self._hand_over(data[at:])
                return
            if stop > end:
                self._rest += data[at:]
                self._needed = stop - at
                return
            if data[at] == _PLAIN and self.protocol.current_size is None:
                self._frames -= 1
                self._message(apply_mask(data[start:stop], data[start - 4 : start]))
            else:
                self._hand_over(data[at:stop])
            at = stop

    def _is_vain(self, data: bytes, at: int, start: int, stop: int) -> bool:
        """Whether the head of a frame ends the connection: websockets says why."""
        if stop - start > limits.CHUNK_UP - (self.protocol.current_size or 0):
            return True
        if at + 1 >= len(data):
            return False
        return data[at + 1] < _MASKED or data[at] & 0x0F not in _CODES

    def process_event(self, event: Any) -> None:
        """A handshake, or a frame that came."""
        if self.request is not None:
            self._count()
        if not isinstance(event, Frame) or event.opcode not in _DATA:
            super().process_event(event)
            return
        if event.opcode is Opcode.TEXT:
            self._refuse()
        elif event.fin and not self._parts:
            self._message(bytes(event.data))
        else:
            # A message's size is limited over all of its frames, and so is their number.
            self._parts.append(bytes(event.data))
            if event.fin:
                parts, self._parts = self._parts, []
                self._message(b"".join(parts))
            elif len(self._parts) > 64:
                self._refuse()

    def connection_lost(self, exc: Exception | None) -> None:
        """The transport is gone."""
        super().connection_lost(exc)
        self.end("")

    def _count(self) -> None:
        self._refill()
        self._frames -= 1

    def _refill(self) -> None:
        if self._frames < 0:
            return  # who has flooded is not looked at again
        now = self.loop.time()
        frames = self._frames + (now - self._counted) * _RATE
        self._frames = frames if frames < _BURST else _BURST
        self._counted = now

    def _message(self, data: bytes) -> None:
        if self._take is not None:
            self._take(data)
        elif self.over.done():
            return
        elif not self.first.done():
            self.first.set_result(data)
        elif len(self._early) < 64:
            self._early.append(data)
        else:
            self.end(_FLOOD)

    def _refuse(self) -> None:
        self.end("messages are binary, and of few frames")


def _frame(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Where the message of the frame at `at` starts and stops, as far as its head tells: beyond
    `end` while that is not whole."""
    if end - at < 2:
        return at + 2, at + 2
    size, start = data[at + 1] & 0x7F, at + 2
    if size >= _SHORT:
        start += 2 if size == _SHORT else 8
        if start > end:
            return start, start
        size = int.from_bytes(data[at + 2 : start], "big")
    start += 4 * (data[at + 1] >= _MASKED)
    return start, start + size


def framed(data: bytes) -> bytes:
    """The frame of a message from a relay."""
    size = len(data)
    if size < _SHORT:
        return _HEADS[size] + data
    if size <= 0xFFFF:
        return bytes((_PLAIN, _SHORT)) + size.to_bytes(2, "big") + data
    return bytes((_PLAIN, _LONG)) + size.to_bytes(8, "big") + data
