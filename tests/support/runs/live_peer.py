"""A peer in a program of its own that plays a match now: its messages go over a real socket."""

from __future__ import annotations

import asyncio
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from samebits.net.events import MatchEvent
from samebits.net.limits import SECOND
from tests.support.runs.driven_peer import Driven, read_driven

_RECEIVE, _TICK = 0, 1


class LivePeer:
    """A driver's process and a connection for it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    async def play(self, url: str, given: Callable[[], bytes]) -> list[MatchEvent]:
        """Play to the end, which ends the program too; `given` is the player's input of now."""
        try:
            return await self._play(url, given)
        finally:
            self._process.kill()
            await self._process.wait()

    async def _play(self, url: str, given: Callable[[], bytes]) -> list[MatchEvent]:
        events: list[MatchEvent] = []
        async with connect(url, compression=None, ping_interval=None, max_size=1 << 17) as socket:
            while True:
                self._call(_TICK, given())
                said = await self._tick()
                events += said.outputs[0].events
                with suppress(ConnectionClosed):  # it was told before that the match is over
                    for message in said.outputs[0].messages:
                        await socket.send(message)
                wake = said.outputs[0].wake
                if wake is None:
                    return events
                try:
                    async with asyncio.timeout(max(0, wake - time.monotonic_ns()) / SECOND):
                        message = await socket.recv()
                except (TimeoutError, ConnectionClosed):
                    continue
                assert isinstance(message, bytes)
                self._call(_RECEIVE, message)

    def _call(self, what: int, data: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(struct.pack("<BqI", what, time.monotonic_ns(), len(data)) + data)

    async def _tick(self) -> Driven:
        out = self._process.stdout
        assert out is not None
        data = bytearray()

        async def more(size: int) -> bytes:
            found = await out.readexactly(size)
            data.extend(found)
            return found

        async def sized() -> None:
            await more(int.from_bytes(await more(4), "little"))

        while True:
            match await more(1):
                case b"T":
                    await more(8)
                case b"M":
                    await sized()
                case b"E":
                    await more(32)
                    for _ in range(4):
                        await sized()
                    await more(20 * int.from_bytes(await more(4), "little"))
                case kind:
                    assert kind == b"Z", kind
                    return read_driven(bytes(data))


async def live(command: Sequence[str], ticket: str, window: int, kept: int = 900) -> LivePeer:
    """A driver's process that has been told its options."""
    process = await asyncio.create_subprocess_exec(
        *command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdin is not None
    process.stdin.write(struct.pack("<IIBI", window, kept, 0, len(ticket)) + ticket.encode())
    return LivePeer(process)
