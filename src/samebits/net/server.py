"""A relay process: many matches behind one WebSocket address. A thin layer over `RelayCore`.

Owns sockets, the clock and the store. The path of a connection names its match; who may play is the
ticket's to say, in the first message.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from samebits.errors import MatchError, ProtocolError, SamebitsError
from samebits.net import limits
from samebits.net.events import Desynced, MatchEvent
from samebits.net.evidence import evidence
from samebits.net.messages import Hello, Refuse, decode, encode
from samebits.net.relay.core import RelayCore
from samebits.net.relay.rules import MatchRules
from samebits.net.store import MatchStore
from samebits.net.tickets import TicketBooth, read_ticket
from samebits.net.verdict import diagnosed
from samebits.sim.simulation import Simulation

_FREE = limits.BACKLOG // 4
"""Waiting bytes below which a slow connection gets frames again."""
ENDED = 30
"""Seconds that an ended match stays known."""


class _Channel:
    """What waits to be sent over one connection."""

    def __init__(self, connection: ServerConnection) -> None:
        self.connection = connection
        self.waiting = 0
        self.reason: str | None = None
        self._queue: deque[bytes] = deque()
        self._more = asyncio.Event()

    def put(self, data: bytes) -> None:
        self._queue.append(data)
        self.waiting += len(data)
        self._more.set()

    def close(self, reason: str) -> None:
        self.reason = reason
        self._more.set()

    async def run(self) -> None:
        """Send until the connection is over."""
        with suppress(ConnectionClosed):
            while True:
                while self._queue:
                    data = self._queue.popleft()
                    await self.connection.send(data)
                    self.waiting -= len(data)
                if self.reason is not None:
                    reason = self.reason.encode()[:100].decode("utf-8", "ignore")
                    await self.connection.close(1000, reason)
                    return
                self._more.clear()
                await self._more.wait()


class HostedMatch:
    """One match of a relay process."""

    def __init__(self, relay: Relay, name: str) -> None:
        self.relay, self.name = relay, name
        rules = relay.rules
        self.store: MatchStore | None = None
        if relay.store is not None:
            self.store = MatchStore(relay.store, name, relay.simulation, rules.seed)
            if self.store.saved.ended:
                self.store.close(True)
                raise MatchError(f"match '{name}' is over")
        self.core = RelayCore(relay.simulation, name, relay.booth, relay.secret, rules)
        if self.store is not None and self.store.saved.frames:
            self.core.resume(relay.now(), self.store.saved.frames, self.store.saved.epochs)
        self.events: list[MatchEvent] = []
        self.verdicts: dict[int, str] = {}
        self.late_polls = 0
        self._channels: dict[int, _Channel] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._soon = False
        self._diagnosed: set[int] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.ended = asyncio.Event()

    def connect(self, number: int, channel: _Channel) -> None:
        self._channels[number] = channel
        self.core.connect(self.relay.now(), number)

    def receive(self, number: int, data: bytes) -> None:
        self.core.receive(self.relay.now(), number, data)
        self.poll_soon()

    def disconnect(self, number: int) -> None:
        self._channels.pop(number, None)
        self.core.disconnect(self.relay.now(), number)
        self.poll_soon()

    def poll_soon(self) -> None:
        """Poll once, after what else came in this turn of the loop."""
        if not self._soon:
            self._soon = True
            asyncio.get_running_loop().call_soon(self._poll)

    def _poll(self) -> None:
        self._soon = False
        core, now = self.core, self.relay.now()
        for number, channel in self._channels.items():
            if channel.waiting > limits.BACKLOG:
                core.hold(number, True)
            elif channel.waiting < _FREE:
                core.hold(number, False)
        output = core.poll(now)
        for number, data in output.messages:
            channel = self._channels.get(number)
            if channel is not None:
                channel.put(data)
        for number, reason in output.closed:
            channel = self._channels.get(number)
            if channel is not None:
                channel.close(reason)
        if self.store is not None:
            if output.frames:
                self.store.add([frame for _, frame in output.frames])
            self.store.agreed(output.hashes)
            self.store.seats({s.slot: s.epoch for s in core.seats if s.occupied})
        self.relay.frames_closed += len(output.frames)
        self.events += output.events
        del self.events[:-1000]
        for event in output.events:
            self.relay.tell(self.name, event)
            if isinstance(event, Desynced) and len(core.desyncs) <= limits.REPORTS:
                self._start(self._judge(event))
        if core.ended is not None and not self.ended.is_set():
            self.ended.set()
            if self.store is not None:
                self.store.close(True)
            asyncio.get_running_loop().call_later(ENDED, self.relay.forget, self)
        if self._timer is not None:
            self._timer.cancel()
        wake = now + limits.SECOND // 2 if output.wake is None else output.wake
        delay = max(0, wake - self.relay.now()) / limits.SECOND
        self._timer = asyncio.get_running_loop().call_later(delay, self._poll)

    def _start(self, work: Any) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _judge(self, desync: Desynced) -> None:
        """Gather both sides' reports, diagnose, and tell everybody."""
        if self.store is None:
            return
        core, frame = self.core, desync.frame
        sides = sum(bool(group.slots) for group in desync.groups)
        paths: list[Path] = []
        if core.referee is not None:
            kept = {n: core.log[n].row for n in range(core.log.oldest, core.log.closed)}
            with suppress(SamebitsError):
                data = evidence(
                    self.relay.simulation, core.rules.seed, core.referee.keyframes, kept.get, frame
                )
                if data:
                    paths.append(self.store.keep(f"frame-{frame}-referee.desync", data))
        for _ in range(100):
            if sum(f == frame for f, _, _ in core.reports) >= sides:
                break
            await asyncio.sleep(0.05)
        wrong = set(desync.wrong)
        found = [(slot in wrong, slot, data) for f, slot, data in core.reports if f == frame]
        for _, slot, data in sorted(found, key=lambda item: item[:2]):
            path = self.store.keep(f"frame-{frame}-slot-{slot}.desync", data)
            if slot in wrong or len(paths) == 0 or not desync.decided:
                paths.append(path)
        if len(paths) < 2:
            what = "no verdict: there are not two reports of the frame"
        else:
            what = await diagnosed(self.store.path, self.relay.source, paths)
        self.verdicts[frame] = what
        self.store.keep(f"frame-{frame}.verdict.txt", f"{desync}\n{what}\n")
        core.say_verdict(frame, what)
        self.poll_soon()

    async def judged(self) -> None:
        """Wait until diagnoses that have begun are done."""
        await asyncio.gather(*self._tasks)

    async def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.store is not None:
            self.store.close(self.core.ended is not None)


class Relay:
    """Serves matches of one simulation. `secret` signs tickets; `store` is a folder that matches
    are kept in, a folder for each; `source` names the simulation's file for diagnoses.

    Raises ArgumentError and MatchError for what does not fit, CompileError where the referee can't
    run the simulation.
    """

    def __init__(
        self,
        simulation: Simulation,
        secret: bytes,
        *,
        rules: MatchRules | None = None,
        store: str | Path | None = None,
        name: str = "",
        source: str | None = None,
        matches: int = 1000,
    ) -> None:
        self.simulation, self.secret, self.rules = simulation, secret, rules or MatchRules()
        self.store = None if store is None else Path(store)
        self.source = str(Path(source).resolve()) if source else None
        self.booth = TicketBooth(secret, name)
        self.matches: dict[str, HostedMatch] = {}
        self.frames_closed = 0
        self.refused = 0
        self.listeners: list[Callable[[str, MatchEvent], None]] = []
        """Functions that are called with a match's name and each of its events."""
        self._most = matches
        self._numbers = 0
        self._server: Server | None = None
        self._begun = time.time_ns() - time.monotonic_ns()
        if self.rules.referee:
            _ = simulation.program

    def now(self) -> int:
        """Nanoseconds since 1970 that never go back."""
        return self._begun + time.monotonic_ns()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        assert self._server is not None
        return next(iter(self._server.sockets)).getsockname()[1]

    @asynccontextmanager
    async def running(
        self,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        tls: tuple[str, str] | None = None,
        origins: Sequence[str] | None = None,
    ) -> AsyncGenerator[Relay]:
        """Listen while the block runs. `tls` is a certificate's file and its key's; `origins` are
        the pages that browsers may come from, by default none but those without an origin."""
        context = None
        if tls is not None:
            context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            context.load_cert_chain(*tls)
        allowed: list[Any] = [None, *(origins or ())]
        async with serve(
            self._handle, host, port, ssl=context, origins=allowed, compression=None,
            max_size=limits.CHUNK_UP, max_queue=64, ping_interval=None,
            process_request=self._request, server_header=None,
        ) as self._server:  # fmt: skip
            try:
                yield self
            finally:
                for match in list(self.matches.values()):
                    await match.close()

    async def serve(self, host: str, port: int, **given: Any) -> None:
        """Serve until cancelled; the other arguments are those of `running`."""
        async with self.running(host, port, **given):
            await asyncio.get_running_loop().create_future()

    def tell(self, match: str, event: MatchEvent) -> None:
        for listener in self.listeners:
            listener(match, event)

    def forget(self, match: HostedMatch) -> None:
        if self.matches.get(match.name) is match:
            del self.matches[match.name]

    def status(self) -> dict[str, Any]:
        """What is played, as `samebits net status` shows it."""
        return {
            "simulation": self.simulation.name,
            "digest": self.simulation.digest,
            "matches": {
                name: {
                    "frames": match.core.log.closed,
                    "players": [s.slot for s in match.core.seats if s.connection is not None],
                    "away": [
                        s.slot for s in match.core.seats if s.occupied and s.connection is None
                    ],
                    "desyncs": [str(d) for d in match.core.desyncs],
                    "verdicts": {str(f): text for f, text in match.verdicts.items()},
                    "ended": match.core.ended.reason if match.core.ended else None,
                }
                for name, match in self.matches.items()
            },
        }

    def metrics(self) -> str:
        """Counters in the text format of Prometheus."""
        matches = self.matches.values()
        rows = {
            "samebits_matches": ("gauge", len(self.matches)),
            "samebits_connections": ("gauge", sum(len(m.core.connections) for m in matches)),
            "samebits_frames_closed_total": ("counter", self.frames_closed),
            "samebits_hashes_agreed_total": ("counter", sum(m.core.votes.counted for m in matches)),
            "samebits_desyncs_total": ("counter", sum(len(m.core.desyncs) for m in matches)),
            "samebits_inputs_substituted_total": (
                "counter", sum(s.substituted for m in matches for s in m.core.seats),
            ),
            "samebits_connections_refused_total": ("counter", self.refused),
        }  # fmt: skip
        return "".join(f"# TYPE {n} {kind}\n{n} {value}\n" for n, (kind, value) in rows.items())

    def _request(self, connection: ServerConnection, request: Request) -> Response | None:
        match request.path:
            case "/healthz":
                return connection.respond(HTTPStatus.OK, "ok\n")
            case "/metrics":
                return connection.respond(HTTPStatus.OK, self.metrics())
            case "/status":
                return connection.respond(HTTPStatus.OK, json.dumps(self.status()) + "\n")
            case _:
                return None

    async def _handle(self, connection: ServerConnection) -> None:
        request = connection.request
        name = request.path.strip("/") if request is not None else ""
        try:
            async with asyncio.timeout(limits.HELLO / limits.SECOND):
                first = await connection.recv()
            if isinstance(first, str):
                raise ProtocolError("a message is text")
            match = self._match_of(name, first)
        except (ConnectionClosed, TimeoutError):
            return
        except SamebitsError as error:
            self.refused += 1
            with suppress(ConnectionClosed):
                await connection.send(encode(Refuse("match", error.message[:300], "", "")))
            return
        self._numbers += 1
        number, channel = self._numbers, _Channel(connection)
        match.connect(number, channel)
        sender = asyncio.get_running_loop().create_task(channel.run())
        try:
            match.receive(number, first)
            async for data in connection:
                if isinstance(data, str):
                    break
                match.receive(number, data)
        except ConnectionClosed:
            pass
        finally:
            match.disconnect(number)
            sender.cancel()

    def _match_of(self, name: str, first: bytes) -> HostedMatch:
        """The match that a connection's path and first message name; a new one needs a ticket that
        is signed for it. Raises MatchError."""
        match = self.matches.get(name)
        if match is not None:
            return match
        records = decode(first, "peer")
        hello = records[0] if records else None
        if not isinstance(hello, Hello):
            raise ProtocolError("the first message is no HELLO")
        known = self.store is not None and (self.store / name / "match.json").is_file()
        if not (hello.resume and known and "/" not in name):
            ticket = read_ticket(self.secret, hello.ticket)
            if ticket.match != name:
                raise MatchError(f"the ticket is for match '{ticket.match}', not '{name:.60}'")
        if len(self.matches) >= self._most:
            raise MatchError("the relay is full")
        match = self.matches[name] = HostedMatch(self, name)
        return match
