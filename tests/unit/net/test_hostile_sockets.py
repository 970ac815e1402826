"""What strangers do at a relay's door, and what its other players notice of it: nothing."""

from __future__ import annotations

import asyncio
import base64
import os
import signal
import socket
import ssl
import subprocess
import sys
import textwrap
import time
from collections.abc import Coroutine
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tests.support.limits import HANG_SECONDS
from tests.support.simulations.crowd_simulation import crowd
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from samebits.net import limits
from samebits.net.client import join
from samebits.net.events import Ended, Refused
from samebits.net.identity import hello_of
from samebits.net.input_codec import InputCodec
from samebits.net.messages import Ping, Ready, Refuse, decode, encode
from samebits.net.relay.rules import MatchRules
from samebits.net.server import Relay
from samebits.net.simnet.soak import player
from samebits.net.tickets import make_ticket

SECRET = b"a secret of these tests"
CROWD = crowd(2)
FRAMES = 150


def ticket(relay: Relay, slot: int, match: str = "m") -> str:
    return make_ticket(SECRET, match, slot, now_ns=relay.now())


def hello(relay: Relay, text: str) -> bytes:
    return encode(
        hello_of(CROWD, InputCodec(CROWD), window=0, confirmed=0, ticket=text, resume=b"")
    )


async def honest(relay: Relay, slot: int, match: str = "m", scheme: str = "ws") -> Ended:
    """An honest player, to the end of the match."""
    url = f"{scheme}://127.0.0.1:{relay.port}/{match}"
    inputs = player(CROWD, slot, 5, 2000)
    async with join(CROWD, url, ticket(relay, slot, match), play=inputs) as peer:
        async for frame in peer.frames():
            for event in frame.events:
                if isinstance(event, Ended):
                    return event
    raise AssertionError("the match did not end")


def beside(stranger: Any, **given: Any) -> Relay:
    """A match of two honest players while `stranger(relay)` does its worst."""

    async def run() -> Relay:
        relay = Relay(CROWD, SECRET, rules=MatchRules(seed=4, frames=FRAMES), **given)
        async with relay.running():
            async with asyncio.timeout(120):
                work: Coroutine[Any, Any, Any] = stranger(relay)
                first, second, _ = await asyncio.gather(honest(relay, 0), honest(relay, 1), work)
            assert first == second
            assert first.frames == FRAMES
            return relay

    return asyncio.run(run())


async def until_closed(socket: Any) -> str:
    """Why the relay closed a connection."""
    try:
        while True:
            await socket.recv()
    except ConnectionClosed as error:
        return "" if error.rcvd is None else error.rcvd.reason


def test_a_flood_ends_its_sender_alone() -> None:
    reasons: list[str] = []

    async def flood(relay: Relay) -> None:
        async with connect(f"ws://127.0.0.1:{relay.port}/m", compression=None) as found:
            watch = make_ticket(SECRET, "m", role="spectator", now_ns=relay.now())
            await found.send(hello(relay, watch))
            with suppress(ConnectionClosed):
                for n in range(20_000):
                    await found.send(encode(Ping(n)))
            reasons.append(await until_closed(found))

    relay = beside(flood)
    assert reasons == ["messages come faster than the match plays"]
    assert len(relay.matches["m"].core.seats) == 2


def test_one_who_reads_nothing_costs_bounded_memory_and_is_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "BACKLOG", 4 << 10)
    most: list[int] = []
    left: list[int] = []

    async def deaf(relay: Relay) -> None:
        # A plain socket with the smallest buffer that there is, which reads its handshake alone.
        with socket.socket() as plain:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)
            plain.setblocking(False)
            loop = asyncio.get_running_loop()
            await loop.sock_connect(plain, ("127.0.0.1", relay.port))
            key = base64.b64encode(os.urandom(16)).decode()
            head = (
                f"GET /m HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
            )
            await loop.sock_sendall(plain, head.encode())
            await loop.sock_recv(plain, 4096)
            watch = make_ticket(SECRET, "m", role="spectator", now_ns=relay.now())

            def framed(data: bytes) -> bytes:
                return b"\x82\xfe" + len(data).to_bytes(2, "big") + bytes(4) + data

            await loop.sock_sendall(
                plain, framed(hello(relay, watch)) + framed(encode(Ready(0, 0)))
            )
            # Each PING is answered, and nobody takes the answers.
            while "m" not in relay.matches:
                await asyncio.sleep(0.01)
            match = relay.matches["m"]
            while len(match.sockets) < 3:
                await asyncio.sleep(0.01)
            # The system's own buffer would hold more than the whole match sends.
            own = plain.getsockname()
            (found,) = (s for s in match.sockets.values() if s.remote_address == own)
            end = found.transport.get_extra_info("socket")
            end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
            pings = framed(b"".join(encode(Ping(n)) for n in range(60)))
            with suppress(OSError):
                await loop.sock_sendall(plain, pings * 200)
                while match.core.ended is None and len(match.sockets) > 2:
                    await loop.sock_sendall(plain, pings)
                    most.append(max(s.waiting for s in match.sockets.values()))
                    await asyncio.sleep(0.01)
            left.append(len(match.sockets))

    beside(deaf)
    assert left == [2]
    assert max(most) <= 2 * limits.BACKLOG + 2 * limits.MESSAGE


def test_half_open_connections_and_such_without_a_hello_are_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(limits, "HELLO", limits.SECOND // 2)
    closed: list[bool] = []

    async def silent(relay: Relay) -> None:
        async def half_open(first: bytes) -> None:
            reader, writer = await asyncio.open_connection("127.0.0.1", relay.port)
            writer.write(first)
            while await reader.read(1000):
                pass
            writer.close()
            closed.append(True)

        async def mute() -> None:
            async with connect(f"ws://127.0.0.1:{relay.port}/m") as found:
                await until_closed(found)
            closed.append(True)

        await asyncio.gather(half_open(b""), half_open(b"GET /m HT"), mute())

    beside(silent)
    assert closed == [True] * 3


def test_a_used_ticket_is_refused_also_by_a_relay_that_was_started_again(tmp_path: Path) -> None:
    reasons: list[str] = []

    async def show(relay: Relay, text: str, match: str) -> None:
        async with connect(f"ws://127.0.0.1:{relay.port}/{match}") as found:
            await found.send(hello(relay, text))
            answer = decode(await found.recv(), "relay")[0]  # type: ignore[arg-type]
            reasons.append(answer.reason if isinstance(answer, Refuse) else "welcome")
            await found.send(encode(Ready(0, 0)))
            await found.send(encode(Ping(1)))
            await found.recv()

    async def run() -> None:
        text = ""
        for n in range(2):
            relay = Relay(CROWD, SECRET, rules=MatchRules(), store=tmp_path)
            async with relay.running():
                text = text or ticket(relay, 0)
                for _ in range(2 - n):
                    with suppress(ConnectionClosed):
                        await show(relay, text, "m")

    asyncio.run(run())
    assert reasons[0] == "welcome"
    assert reasons[1:] == ["the ticket was used before"] * 2


def test_pages_of_other_sites_get_no_connection() -> None:
    statuses: list[int] = []

    async def browse(relay: Relay) -> None:
        for origin in ("https://evil.example", "null"):
            with pytest.raises(InvalidStatus) as caught:
                async with connect(f"ws://127.0.0.1:{relay.port}/m", origin=origin):  # type: ignore[arg-type]
                    pass
            statuses.append(caught.value.response.status_code)

    beside(browse)
    assert statuses == [403, 403]


def test_an_address_has_so_many_connections_and_no_more() -> None:
    statuses: list[int] = []

    async def crowded(relay: Relay) -> None:
        url = f"ws://127.0.0.1:{relay.port}/m"
        async with connect(url), connect(url), connect(url):
            with pytest.raises(InvalidStatus) as caught:
                async with connect(url):
                    pass
            statuses.append(caught.value.response.status_code)

    beside(crowded, per_address=5)
    assert statuses == [429]


@pytest.mark.parametrize(
    "data",
    [
        "a text", b"", b"\x00", b"\x01\x00", b"\x7f" + bytes(40), bytes(5000), os.urandom(300),
        b"\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    ],
    ids=["text", "empty", "zero", "empty hello", "unknown", "long", "noise", "size"],
)  # fmt: skip
def test_what_is_no_hello_is_refused(data: str | bytes) -> None:
    answers: list[Any] = []

    async def strange(relay: Relay) -> None:
        async with connect(f"ws://127.0.0.1:{relay.port}/m") as found:
            await found.send(data)
            try:
                answers.append(decode(await found.recv(), "relay")[0])  # type: ignore[arg-type]
                await until_closed(found)
            except ConnectionClosed:
                answers.append(None)

    beside(strange)
    assert isinstance(answers[0], Refuse | None)


def test_a_message_in_many_frames_is_taken_and_one_in_too_many_is_not() -> None:
    found: list[Any] = []

    async def slow(relay: Relay) -> None:
        watch = make_ticket(SECRET, "m", role="spectator", now_ns=relay.now())
        data = hello(relay, watch)
        url = f"ws://127.0.0.1:{relay.port}/m"
        async with connect(url) as first:
            await first.send([data[:10], data[10:20], data[20:]])
            found.append(type(decode(await first.recv(), "relay")[0]).__name__)  # type: ignore[arg-type]
        async with connect(url) as second:
            with suppress(ConnectionClosed):
                await second.send([bytes([n % 7]) for n in range(2000)])
            found.append(await until_closed(second))

    beside(slow)
    assert found == ["Welcome", "messages are binary, and of few frames"]


def test_a_match_over_tls(tmp_path: Path) -> None:
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    made = subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj",
         "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", str(key), "-out",
         str(cert)], capture_output=True,
    )  # fmt: skip
    assert made.returncode == 0, made.stderr

    async def run() -> list[Ended]:
        relay = Relay(CROWD, SECRET, rules=MatchRules(seed=4, frames=60))
        trusted = ssl.create_default_context(cafile=str(cert))
        async with relay.running(tls=(str(cert), str(key))):

            async def one(slot: int) -> Ended:
                url, inputs = f"wss://127.0.0.1:{relay.port}/m", player(CROWD, slot, 5, 2000)
                async with join(CROWD, url, ticket(relay, slot), play=inputs, tls=trusted) as peer:
                    async for frame in peer.frames():
                        for event in frame.events:
                            if isinstance(event, Ended):
                                return event
                raise AssertionError("the match did not end")

            return list(await asyncio.gather(one(0), one(1)))

    first, second = asyncio.run(run())
    assert first == second
    assert first.frames == 60


def test_a_process_that_stands_still_for_seconds_delays_nobody_and_catches_up(
    tmp_path: Path,
) -> None:
    """The frames meanwhile are substituted for it; afterwards it is in time again."""
    script = tmp_path / "peer.py"
    script.write_text(
        textwrap.dedent(
            """
            import asyncio, sys
            from samebits.net.client import join
            from samebits.net.simnet.soak import player
            from tests.support.simulations.crowd_simulation import crowd

            async def main():
                simulation = crowd(2)
                inputs = player(simulation, 1, 5, 2000)
                async with join(simulation, sys.argv[1], sys.argv[2], play=inputs) as peer:
                    async for frame in peer.frames():
                        for event in frame.events:
                            if type(event).__name__ == "Ended":
                                print(event.hash)

            asyncio.run(main())
            """
        )
    )

    async def run() -> tuple[Ended, int, list[int]]:
        relay = Relay(CROWD, SECRET, rules=MatchRules(seed=4, frames=600))
        substituted: list[int] = []
        async with relay.running():
            url = f"ws://127.0.0.1:{relay.port}/m"
            process = await asyncio.create_subprocess_exec(
                sys.executable, "-P", str(script), url, ticket(relay, 1),
                stdout=asyncio.subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
            )  # fmt: skip
            first = asyncio.create_task(honest(relay, 0))
            while "m" not in relay.matches or relay.matches["m"].core.log.closed < 60:
                await asyncio.sleep(0.01)
            core = relay.matches["m"].core
            process.send_signal(signal.SIGSTOP)
            stopped, begun = core.log.closed, time.monotonic()
            while core.log.closed < stopped + 180:
                await asyncio.sleep(0.01)
            assert time.monotonic() - begun < HANG_SECONDS
            process.send_signal(signal.SIGCONT)
            ended = await first
            out, _ = await process.communicate()
            substituted.append(core.seats[1].substituted)
            substituted.append(core.seats[1].repeated)
        return ended, int(out), substituted

    ended, other, substituted = asyncio.run(run())
    assert ended.hash == other
    assert 160 <= substituted[0] < 600
    assert substituted[1] == 0


def test_a_dropped_connection_resumes_its_slot() -> None:
    async def run() -> tuple[list[Ended], int, list[Any]]:
        relay = Relay(CROWD, SECRET, rules=MatchRules(seed=4, frames=240))
        async with relay.running():
            both = [asyncio.create_task(honest(relay, slot)) for slot in (0, 1)]
            while "m" not in relay.matches or relay.matches["m"].core.log.closed < 60:
                await asyncio.sleep(0.01)
            match = relay.matches["m"]
            for dropped in list(match.sockets.values()):
                dropped.transport.abort()
            done = await asyncio.gather(*both)
            return list(done), sum(s.epoch for s in match.core.seats), match.events

    ended, epochs, events = asyncio.run(run())
    assert ended[0] == ended[1]
    assert epochs == 4
    assert not [e for e in events if isinstance(e, Refused)]
