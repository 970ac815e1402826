"""Players of many matches who send what was recorded of one, in real time, over real sockets.

Owns WebSocket clients that cost as little as can be: frames are made beforehand, with a mask of
zeros. What a relay answers is looked at for the frames' numbers alone.
"""

from __future__ import annotations

import asyncio
import base64
import os
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.net.traffic import Traffic
from samebits.net.limits import SECOND
from samebits.net.messages import Hello, Input, Ping, Ready, decode, encode
from samebits.net.tickets import make_ticket
from samebits.net.wire import get_varint

SECRET = b"the secret of measured relays"
_BUNDLE, _WELCOME = 0x07, 0x02


def framed(message: bytes) -> bytes:
    """A client's WebSocket frame."""
    size = len(message)
    head = bytes([0x82, 0x80 | size]) if size < 126 else b"\x82\xfe" + size.to_bytes(2, "big")
    return head + bytes(4) + message


@dataclass(frozen=True)
class Part:
    """What one player sends: a HELLO without a ticket, and frames with the nanoseconds from when
    frame 0 is due to when they come, and how many closed frames they say that the player has."""

    hello: Hello
    frames: tuple[tuple[int, bytes, int], ...]


def parts(traffic: Traffic) -> list[Part]:
    """Each player's part of recorded traffic."""
    hellos: dict[int, Hello] = {}
    sent: dict[int, list[tuple[int, bytes, int]]] = {}
    for now, number, message in traffic.calls:
        if number is None or message is None:
            continue
        records = decode(message, "peer")
        if isinstance(records[0], Hello):
            hellos[number], sent[number] = records[0], []
            continue
        kept = [r for r in records if not isinstance(r, (Ready, Ping)) or now > traffic.began]
        if kept:
            held = max((r.confirmed for r in kept if isinstance(r, Input)), default=0)
            sent[number].append((now - traffic.began, framed(encode(*kept)), held))
    return [Part(hellos[number], tuple(rows)) for number, rows in sorted(sent.items())]


@dataclass
class Load:
    """Matches at one relay, and how late their frames came."""

    port: int
    matches: int
    players: list[Part]
    origins: dict[str, int] = field(default_factory=dict[str, int])
    """When frame 0 of each match is due."""
    lateness: list[int] = field(default_factory=list[int])
    """Nanoseconds from when a frame was due to when a player had it."""
    frames: int = 0
    closed: list[str] = field(default_factory=list[str])

    async def run(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        for n in range(self.matches):
            for slot, part in enumerate(self.players):
                name = f"m{n}"
                await loop.create_connection(
                    lambda name=name, slot=slot, part=part: _Player(self, name, slot, part),
                    "127.0.0.1", self.port,
                )  # fmt: skip
            await asyncio.sleep(0.01)
        await asyncio.sleep(seconds)


class _Player(asyncio.Protocol):
    def __init__(self, load: Load, match: str, slot: int, part: Part) -> None:
        self._load, self._match, self._slot, self._part = load, match, slot, part
        self._data = b""
        self._open = False
        self._next = 0
        self._origin = 0
        self._held = 0
        self._sending = False

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        transport.write(
            f"GET /{self._match} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
            .encode()
        )  # fmt: skip

    def connection_lost(self, exc: Exception | None) -> None:
        if self._next < len(self._part.frames):
            self._load.closed.append(f"{self._match} {self._slot}")

    def data_received(self, data: bytes) -> None:
        data = self._data + data
        if not self._open:
            head, found, data = data.partition(b"\r\n\r\n")
            if not found:
                self._data = head
                return
            assert b" 101 " in head, head
            self._open = True
            hello = self._part.hello
            hello.ticket = make_ticket(SECRET, self._match, self._slot, now_ns=time.time_ns())
            self._transport.write(framed(encode(hello)))
        at = 0
        while len(data) - at >= 2:
            size, start = data[at + 1], at + 2
            if size == 126:
                size, start = int.from_bytes(data[start : start + 2], "big"), start + 2
            if start + size > len(data) or start > len(data):
                break
            self._message(data, start, start + size)
            at = start + size
        self._data = data[at:]

    def _message(self, data: bytes, at: int, end: int) -> None:
        while at < end:
            code = data[at]
            size, at = get_varint(data, at + 1, end, 1 << 20)
            if code == _BUNDLE:
                self._bundle(data, at + 1, at + size)
            elif code == _WELCOME:
                self._transport.write(framed(encode(Ready(0, 0))))
                self._begin()
            at += size

    def _bundle(self, data: bytes, at: int, end: int) -> None:
        load = self._load
        first, at = get_varint(data, at, end, 1 << 48)
        count, _ = get_varint(data, at, end, 1 << 48)
        load.frames += count
        self._held = first + count
        if self._origin and not self._sending:
            self._send()
        if self._origin:
            due = self._origin + (first + count - 1) * SECOND // 60
            load.lateness.append(time.monotonic_ns() - due)

    def _begin(self) -> None:
        self._origin = self._load.origins.get(self._match, 0)
        loop = asyncio.get_running_loop()
        if not self._origin:
            loop.call_later(0.02, self._begin)
        else:
            self._send()

    def _send(self) -> None:
        """Send what is due, up to what tells of a closed frame that has not come yet: a relay
        under load closes later than the one that the traffic is of."""
        frames = self._part.frames
        now = time.monotonic_ns() - self._origin
        self._sending = False
        while self._next < len(frames) and frames[self._next][2] <= self._held:
            wait = frames[self._next][0] - now
            if wait > 0:
                self._sending = True
                asyncio.get_running_loop().call_later(wait / SECOND, self._send)
                return
            self._transport.write(frames[self._next][1])
            self._next += 1
