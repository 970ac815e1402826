"""Signals end a relay's loop wherever they come in it."""

from __future__ import annotations

import asyncio
import gc
import os
import signal

import pytest

from samebits.net.loops import run


@pytest.mark.parametrize("fast", [False, True])
def test_a_signal_within_a_protocol_s_callback_ends_the_work_in_order(fast: bool) -> None:
    steps: list[str] = []
    ends: list[asyncio.BaseTransport] = []

    class Killed(asyncio.Protocol):
        def connection_made(self, transport: asyncio.BaseTransport) -> None:
            ends.append(transport)

        def data_received(self, data: bytes) -> None:
            steps.append("signal")
            signal.raise_signal(signal.SIGINT)

    async def work() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(Killed, "127.0.0.1", 0)
        try:
            _, writer = await asyncio.open_connection(*server.sockets[0].getsockname()[:2])
            ends.append(writer.transport)
            writer.write(b"x")
            await loop.create_future()
        finally:
            steps.append("closed")
            server.close()
            for end in ends:
                end.close()

    with pytest.raises(KeyboardInterrupt):
        run(work(), fast=fast)
    assert steps == ["signal", "closed"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_what_the_work_gives_comes_back() -> None:
    async def work() -> int:
        await asyncio.sleep(0)
        return os.getpid()

    assert run(work()) == os.getpid()


def test_what_was_loaded_before_is_nothing_that_garbage_is_looked_for_in() -> None:
    async def work() -> tuple[int, int]:
        return gc.get_freeze_count(), len(gc.get_objects())

    frozen, others = run(work())
    assert frozen > 10 * others
    assert gc.get_freeze_count() == 0
