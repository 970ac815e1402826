"""Frames that a relay's connection reads and writes itself, held against websockets' own."""

from __future__ import annotations

import asyncio
import random
import struct
from types import SimpleNamespace
from typing import Any

import pytest
from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from samebits.net import limits
from samebits.net.socket import RelaySocket, framed

REQUEST = (
    b"GET /m HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
)
SIZES = (0, 1, 2, 125, 126, 127, 300, 4096, limits.CHUNK_UP)


def frame(
    data: bytes, *, first: int = 0x82, mask: bytes | None = b"\x01\x80\xff\x00",
    form: int | None = None, size: int | None = None,
) -> bytes:  # fmt: skip
    """A client's frame; `form` is 7, 16 or 64 bits of size, `size` one that may lie."""
    size = len(data) if size is None else size
    form = form or (7 if size < 126 else 16 if size < 1 << 16 else 64)
    code = {7: size & 0x7F, 16: 126, 64: 127}[form]
    more = {7: b"", 16: struct.pack("!H", size & 0xFFFF), 64: struct.pack("!Q", size)}[form]
    head = bytes([first, code | (0x80 if mask is not None else 0)]) + more
    if mask is None:
        return head + data
    return head + mask + bytes(b ^ mask[n & 3] for n, b in enumerate(data))


class _Transport(asyncio.Transport):
    """Keeps what is written."""

    def __init__(self) -> None:
        super().__init__()
        self.written = bytearray()
        self.ended = self.aborted = False

    def write(self, data: Any) -> None:
        self.written += data

    def is_closing(self) -> bool:
        return False

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.ended = True

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        pass

    def abort(self) -> None:
        self.aborted = True


async def relay_reads(segments: list[bytes], *before: bytes) -> tuple[Any, ...]:
    """Messages, bytes written, end of the stream and the reason to close, of a relay's socket.
    What is `before` comes before it answers the handshake."""

    async def handler(_socket: Any) -> None:
        pass

    server: Any = SimpleNamespace(handler=handler, handler_tasks=set(), is_serving=lambda: True)
    found = RelaySocket(ServerProtocol(max_size=limits.CHUNK_UP), server, ping_interval=None)
    transport = _Transport()
    found.connection_made(transport)
    for part in before or (REQUEST,):
        found.data_received(part)
    await found.handshake(server_header=None)
    transport.written.clear()
    messages: list[bytes] = []
    for segment in segments:
        found.data_received(segment)
        if found.first.done() and not messages and found.first.result() is not None:
            messages.append(found.first.result() or b"")
            found.attach(messages.append)
    reason = found.over.result() if found.over.done() else None
    if not found.first.done():
        found.first.cancel()
    return messages, bytes(transport.written), transport.ended, reason


def websockets_reads(segments: list[bytes]) -> tuple[Any, ...]:
    """The same of websockets' protocol, where a text and too many parts end the taking."""
    protocol = ServerProtocol(max_size=limits.CHUNK_UP)
    protocol.receive_data(REQUEST)
    (request,) = protocol.events_received()
    assert isinstance(request, Request)
    protocol.send_response(protocol.accept(request))
    protocol.data_to_send()
    messages: list[bytes] = []
    parts: list[bytes] = []
    written, ended, over = bytearray(), False, False
    for segment in segments:
        protocol.receive_data(segment)
        for data in protocol.data_to_send():
            written += data
            ended = ended or not data
        for event in protocol.events_received():
            if not isinstance(event, Frame) or event.opcode not in (0, 1, 2):
                continue
            over = over or event.opcode is Opcode.TEXT
            parts.append(bytes(event.data))
            if event.fin:
                if not over:
                    messages.append(b"".join(parts))
                parts.clear()
            over = over or len(parts) > 64
    return (
        messages,
        bytes(written),
        ended,
        "messages are binary, and of few frames" if over else None,
    )


def cut(data: bytes, draw: random.Random, most: int) -> list[bytes]:
    """Data in segments of 1 to `most` bytes."""
    found: list[bytes] = []
    while data:
        size = draw.randint(1, most)
        found.append(data[:size])
        data = data[size:]
    return found


@pytest.mark.parametrize("most", [1, 7, 1500, 1 << 18], ids=lambda n: f"up to {n} bytes")
def test_plain_frames_are_read_however_they_are_cut(most: int) -> None:
    draw = random.Random(most)
    sizes = [size for size in SIZES if most > 1 or size <= 4096] * 2
    messages = [draw.randbytes(size) for size in sizes]
    data = b"".join(frame(m, mask=draw.randbytes(4)) for m in messages)
    found, written, ended, reason = asyncio.run(relay_reads(cut(data, draw, most)))
    assert found == messages
    assert (written, ended, reason) == (b"", False, None)


STRANGE = {
    "unmasked": frame(b"abc", mask=None),
    "unmasked and empty": frame(b"", mask=None),
    "RSV1": frame(b"abc", first=0xC2),
    "RSV2": frame(b"abc", first=0xA2),
    "RSV3": frame(b"abc", first=0x92),
    "opcode 3": frame(b"abc", first=0x83),
    "opcode 15": frame(b"abc", first=0x8F),
    "text": frame(b"abc", first=0x81),
    "a continuation of nothing": frame(b"abc", first=0x80),
    "a part": frame(b"abc", first=0x02),
    "two parts": frame(b"abc", first=0x02) + frame(b"def", first=0x80),
    "a ping between parts": frame(b"a", first=0x02) + frame(b"p", first=0x89)
    + frame(b"b", first=0x80),
    "a message between parts": frame(b"a", first=0x02) + frame(b"b"),
    "a large ping": frame(bytes(126), first=0x89),
    "a ping in parts": frame(b"p", first=0x09),
    "pong": frame(b"p", first=0x8A),
    "close": frame(b"\x03\xe8bye", first=0x88),
    "close of one byte": frame(b"\x03", first=0x88),
    "close with a reserved code": frame(b"\x03\xed", first=0x88),
    "too long": frame(b"", size=limits.CHUNK_UP + 1),
    "half of all": frame(b"", size=1 << 63, form=64),
    "as long as can be said": frame(b"", size=(1 << 64) - 1, form=64),
    "too long in parts": frame(bytes(30000), first=0x02) + frame(bytes(30000), first=0x80),
    "short in two bytes": frame(b"abc", form=16),
    "short in eight bytes": frame(b"abc", form=64),
    "longer than it is": frame(b"abc", size=100) + frame(b"d"),
    "shorter than it is": frame(b"abcdefghij" * 3, size=4),
}  # fmt: skip


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("most", [1, 5, 1 << 18], ids=lambda n: f"up to {n} bytes")
def test_strange_frames_are_what_websockets_takes_them_for(name: str, most: int) -> None:
    if most == 1 and len(STRANGE[name]) > 1000:
        most = 1000
    data = frame(b"before") + STRANGE[name] + frame(b"after") + frame(bytes(200))
    segments = cut(data, random.Random(3), most)
    assert asyncio.run(relay_reads(segments)) == websockets_reads(segments)


def test_mutated_streams_are_what_websockets_takes_them_for() -> None:
    draw = random.Random(18)
    ends = 0

    async def all_of_them() -> None:
        nonlocal ends
        for _ in range(400):
            rows = [
                frame(draw.randbytes(draw.choice((0, 3, 60, 125, 126, 500))), first=draw.choice(
                    (0x82, 0x82, 0x82, 0x02, 0x80, 0x89, 0x8A)), mask=draw.randbytes(4))
                for _ in range(draw.randint(1, 6))
            ]  # fmt: skip
            data = bytearray(b"".join([frame(b"first"), *rows]))
            for _ in range(draw.randint(0, 2)):
                at = draw.randrange(9, len(data))
                data[at] ^= 1 << draw.randrange(8)
            segments = cut(bytes(data), draw, draw.choice((3, 40, 1 << 16)))
            found = await relay_reads(segments)
            assert found == websockets_reads(segments), bytes(data)
            ends += found[1] != b""

    asyncio.run(all_of_them())
    assert ends > 100


def test_many_frames_in_one_segment_end_their_sender_when_they_are_too_many() -> None:
    few = b"".join(frame(bytes([n & 0xFF])) for n in range(limits.SOCKET_BURST // 2))
    messages, _, _, reason = asyncio.run(relay_reads([frame(b"first"), few]))
    assert (len(messages), reason) == (1 + limits.SOCKET_BURST // 2, None)
    many = frame(b"") * 40_000
    messages, _, _, reason = asyncio.run(relay_reads([frame(b"first"), many]))
    assert reason == "messages come faster than the match plays"
    assert 100 < len(messages) <= limits.SOCKET_BURST + 1


@pytest.mark.parametrize("size", [5, 11, 17])
@pytest.mark.parametrize("apart", [False, True], ids=["with it", "behind it"])
def test_frames_that_come_before_the_handshake_is_answered_are_read_too(
    size: int, apart: bool
) -> None:
    inner = frame(b"no message") + b"\r\n\r\n"
    data = frame(b"early") + frame(inner, mask=bytes(4)) + frame(b"late")
    before = (REQUEST, data[:size]) if apart else (REQUEST + data[:size],)
    found = asyncio.run(relay_reads([data[size:37], data[37:], frame(b"")], *before))
    assert found == ([b"early", inner, b"late", b""], b"", False, None)


def test_websockets_client_reads_what_is_written() -> None:
    sizes = [*SIZES, limits.MESSAGE - 1, limits.MESSAGE]

    async def run() -> list[bytes]:
        async def serving(found: Any) -> None:
            assert isinstance(found, RelaySocket)
            await found.first
            found.attach(lambda data: found.put(framed(data * 2)))
            for size in sizes:
                found.put(framed(bytes(size)))
            await found.over

        async with serve(
            serving, "127.0.0.1", 0, compression=None, max_size=limits.CHUNK_UP,
            ping_interval=None, create_connection=RelaySocket,
        ) as server:  # fmt: skip
            port = server.sockets[0].getsockname()[1]
            async with connect(f"ws://127.0.0.1:{port}/", compression=None) as client:
                await client.send(b"begin")
                found = [await client.recv(False) for _ in sizes]
                for size in SIZES:
                    await client.send(random.Random(size).randbytes(size))
                found += [await client.recv(False) for _ in SIZES]
                await (await client.ping())
                return found

    found = asyncio.run(run())
    assert found[: len(sizes)] == [bytes(size) for size in sizes]
    assert found[len(sizes) :] == [random.Random(size).randbytes(size) * 2 for size in SIZES]
