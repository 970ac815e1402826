"""A relay process: many matches behind one WebSocket address. A thin layer over `RelayCore`.

Owns sockets, the clock and the store. The path of a connection names its match; who may play is the
ticket's to say, in the first message.
"""

from __future__ import annotations

import asyncio
import json
import ssl
import time
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from samebits.errors import MatchError, ProtocolError, SamebitsError
from samebits.net import limits
from samebits.net.events import Away, Desynced, Joined, MatchEvent, Paused
from samebits.net.evidence import AFTER, evidence
from samebits.net.input_codec import Event
from samebits.net.messages import Hello, Refuse, decode, encode
from samebits.net.relay.core import RelayCore
from samebits.net.relay.rules import MatchRules
from samebits.net.socket import RelaySocket, framed
from samebits.net.store import MatchStore
from samebits.net.tickets import TicketBooth, TicketError, is_match_name, read_ticket
from samebits.net.used_tickets import UsedTickets
from samebits.net.verdict import ALIKE, diagnosed
from samebits.output import os_reason
from samebits.sim.simulation import Simulation

Site = Callable[[ServerConnection, Request], Response | None]
"""Answers a request over HTTP, or says by None that the relay is to: it may be a connection."""

_FREE = limits.BACKLOG // 4
"""Waiting bytes below which a slow connection gets frames again."""
_EARLY = limits.SECOND // 1000
"""Time by which a timer is early that is on time: loops count in milliseconds."""
_FAREWELL = 2
"""Seconds in which a connection that is over must close."""
ENDED = 30
"""Seconds that an ended match stays known."""


_TOLD: dict[Event, Callable[[int, int], MatchEvent]] = {
    Event.JOIN: Joined,
    Event.AWAY: Away,
    Event.PAUSE: lambda _slot, frame: Paused(frame + 1),
}
"""What closed frames say that listeners hear of."""


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
        self.sockets: dict[int, RelaySocket] = {}
        """Its connections by number."""
        self._loop, self._begun = asyncio.get_running_loop(), relay.begun
        self._timer: asyncio.TimerHandle | None = None
        self._wake = self._told = 0
        """When it is to be polled again, and the latest time that the core was told in a poll."""
        self._soon = self._closed = False
        self._held: frozenset[int] = frozenset()
        """Connections that frames are kept back from."""
        self._tasks: set[asyncio.Task[None]] = set()
        self.ended = asyncio.Event()

    def connect(self, number: int, socket: RelaySocket) -> None:
        self.sockets[number] = socket
        self.core.connect(self.relay.now(), number)

    def receive(self, number: int, data: bytes) -> None:
        now, core = max(self._begun + time.monotonic_ns(), self._told), self.core
        core.receive(now, number, data)
        if core.due <= now:
            self.poll_soon()
        elif core.due < self._wake:
            self._poll_at(core.due, now)

    def disconnect(self, number: int) -> None:
        self.sockets.pop(number, None)
        self.core.disconnect(self.relay.now(), number)
        if self._is_vain():
            self._vanish()
        else:
            self.poll_soon()

    def poll_soon(self) -> None:
        """Poll once, after what else came in this turn of the loop."""
        if not self._soon:
            self._soon = True
            self._loop.call_soon(self._poll)

    def _is_vain(self) -> bool:
        """Whether nobody was ever let in, and nobody is at the door."""
        core = self.core
        return not (core.log.closed or core.connections or any(s.epoch for s in core.seats))

    def _vanish(self) -> None:
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        if self.store is not None:
            self.store.discard()
        self.relay.forget(self)

    def _poll_at(self, due: int, now: int) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._wake = due
        self._timer = self._loop.call_later(max(0, due - now) / limits.SECOND, self._poll)

    def _poll(self) -> None:
        self._soon = False
        if self._closed:
            return
        core, now = self.core, self.relay.now()
        if now < self._wake < now + _EARLY:
            now = self._wake
        self._told = now = max(now, self._told)
        output = core.poll(now)
        latest, frame = b"", b""
        for number, data in output.messages:
            socket = self.sockets.get(number)
            if socket is None:
                continue
            if data is not latest:
                latest, frame = data, framed(data)
            socket.put(frame)
            if socket.paused:
                self._watch(number, socket)
        for number in self._held:
            socket = self.sockets.get(number)
            if socket is not None and socket.waiting < _FREE:
                core.hold(number, False)
                self._held = self._held - {number}
        for number, reason in output.closed:
            socket = self.sockets.get(number)
            if socket is not None:
                socket.end(reason)
        if self.store is not None:
            if output.frames:
                self.store.add([frame for _, frame in output.frames])
            if output.hashes:
                self.store.agreed(output.hashes)
            if output.seats is not None:
                self.store.seats(output.seats)
        self.relay.frames_closed += len(output.frames)
        for number, frame in output.frames:
            for entry in frame.entries:
                made = _TOLD.get(entry.event)
                if made is not None:
                    self.relay.tell(self.name, made(entry.slot, number))
        if output.events:
            self.events += output.events
            del self.events[:-1000]
        for event in output.events:
            self.relay.tell(self.name, event)
            if isinstance(event, Desynced) and len(core.desyncs) <= limits.REPORTS:
                self._start(self._judge(event))
        if core.ended is not None and not self.ended.is_set():
            self.ended.set()
            if self.store is not None:
                self.store.close(True, core.ended.frames)
            self._loop.call_later(ENDED, self.relay.forget, self)
        self._poll_at(core.due, self.relay.now())

    def _watch(self, number: int, socket: RelaySocket) -> None:
        """Keep frames back from a connection that does not take them; end one that takes nothing
        else either."""
        waiting = socket.waiting
        if waiting > limits.BACKLOG and number not in self._held:
            self._held = self._held | {number}
            self.core.hold(number, True)
        elif waiting > 2 * limits.BACKLOG + limits.MESSAGE:
            socket.end("the peer takes no messages")

    def _start(self, work: Any) -> None:
        task = self._loop.create_task(work)
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
            kept = {n: core.log.row(n) for n in range(core.log.oldest, core.log.closed)}
            with suppress(SamebitsError):
                # In a thread: the match goes on meanwhile.
                data = await asyncio.to_thread(
                    evidence, self.relay.simulation, core.rules.seed,
                    [*core.referee.keyframes], kept.get, frame,
                )  # fmt: skip
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
            replay: Path | None = None
            with suppress(SamebitsError, OSError):
                replay = await asyncio.to_thread(self.store.replay_until, frame + AFTER)
            what = await diagnosed(self.store.path, self.relay.source, paths, replay)
        if what == ALIKE and len(desync.wrong) == 1:
            what = (
                f"slot {desync.wrong[0]}'s own inputs give the others' hash of frame {frame} when "
                "it plays them again: its memory was changed, or its machine errs at times"
            )
        self.verdicts[frame] = what
        self.store.keep(f"frame-{frame}.verdict.txt", f"{desync}\n{what}\n")
        core.say_verdict(frame, what)
        self.poll_soon()

    @property
    def is_judging(self) -> bool:
        """Whether a diagnosis runs."""
        return bool(self._tasks)

    async def judged(self) -> None:
        """Wait until diagnoses that have begun are done."""
        await asyncio.gather(*self._tasks)

    async def finish(self, reason: str) -> None:
        """End the match and wait until everybody was told."""
        self.core.end(reason)
        self.poll_soon()
        await self.ended.wait()
        while self.sockets:
            await asyncio.sleep(0.01)

    async def close(self) -> None:
        self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.store is not None:
            self.store.close(self.core.ended is not None)


class Relay:
    """Serves matches of one simulation. `secret` signs tickets; `store` is a folder that matches
    are kept in, a folder for each; `source` names the simulation's file for diagnoses. At most
    `per_address` connections come from one address, 0 for any number: behind a proxy all do.

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
        per_address: int = 100,
    ) -> None:
        self.simulation, self.secret, self.rules = simulation, secret, rules or MatchRules()
        self.store = None if store is None else Path(store)
        self.source = str(Path(source).resolve()) if source else None
        self.begun = time.time_ns() - time.monotonic_ns()
        """What its time is ahead of the machine's monotonic clock."""
        self.booth = TicketBooth(secret, name)
        if self.store is not None:
            used = UsedTickets(self.store / "tickets.used", self.now())
            self.booth = TicketBooth(secret, name, used.known, used.add)
        self.matches: dict[str, HostedMatch] = {}
        self.frames_closed = 0
        self.refused = 0
        self.listeners: list[Callable[[str, MatchEvent], None]] = []
        """Functions that are called with a match's name and each of its events."""
        self._most, self._per_address = matches, per_address
        self.site: Site | None = None
        """Pages on the same port. It sees each request first, and checks origins itself."""
        self._numbers = 0
        self._server: Server | None = None
        self._addresses: Counter[str] = Counter()
        if self.rules.referee:
            _ = simulation.program

    def now(self) -> int:
        """Nanoseconds since 1970 that never go back."""
        return self.begun + time.monotonic_ns()

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
        the pages that browsers may come from, by default none but those without an origin.

        Raises MatchError for files that are no certificate with its key, OSError where it cannot
        listen.
        """
        context = None if tls is None else _tls(*tls)
        allowed: list[Any] | None = None if self.site else [None, *(origins or ())]
        async with serve(
            self._handle, host, port, ssl=context, origins=allowed, compression=None,
            max_size=limits.CHUNK_UP, ping_interval=None, close_timeout=_FAREWELL,
            open_timeout=limits.HELLO / limits.SECOND,
            process_request=self._request, server_header=None, create_connection=RelaySocket,
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
        """Forget an ended match, once its diagnoses are done."""
        if match.is_judging:
            asyncio.get_running_loop().call_later(1, self.forget, match)
        elif self.matches.get(match.name) is match:
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
        answer = None if self.site is None else self.site(connection, request)
        if answer is not None:
            return answer
        match request.path:
            case "/healthz":
                return connection.respond(HTTPStatus.OK, "ok\n")
            case "/metrics":
                return connection.respond(HTTPStatus.OK, self.metrics())
            case "/status":
                return connection.respond(HTTPStatus.OK, json.dumps(self.status()) + "\n")
            case _:
                address = _address(connection)
                if self._per_address and self._addresses[address] >= self._per_address:
                    self.refused += 1
                    return connection.respond(
                        HTTPStatus.TOO_MANY_REQUESTS, "too many connections from this address\n"
                    )
                return None

    async def _handle(self, connection: ServerConnection) -> None:
        request = connection.request
        name = request.path.strip("/") if request is not None else ""
        assert isinstance(connection, RelaySocket)
        address = _address(connection)
        self._addresses[address] += 1
        try:
            await self._converse(connection, name)
        finally:
            self._addresses[address] -= 1
            if not self._addresses[address]:
                del self._addresses[address]

    async def _converse(self, connection: RelaySocket, name: str) -> None:
        """One connection, from its first message to its end."""
        try:
            async with asyncio.timeout(limits.HELLO / limits.SECOND):
                first = await connection.first
            if first is None:
                await connection.close(1003, await connection.over)
                return
            match = self._match_of(name, first)
        except TimeoutError:
            return
        except SamebitsError as error:
            self.refused += 1
            code = "ticket" if isinstance(error, TicketError) else "match"
            connection.put(framed(encode(Refuse(code, error.message[:300], "", ""))))
            return
        self._numbers += 1
        number = self._numbers
        match.connect(number, connection)
        try:
            match.receive(number, first)
            connection.attach(partial(match.receive, number))
            reason = await connection.over
        finally:
            match.disconnect(number)
        await connection.close(1000, reason.encode()[:100].decode("utf-8", "ignore"))

    def _match_of(self, name: str, first: bytes) -> HostedMatch:
        """The match that a connection's path and first message name; a new one needs a ticket that
        is signed for it. Raises MatchError."""
        match = self.matches.get(name)
        if match is not None:
            return match
        if not is_match_name(name):
            raise MatchError(f"there is no match '{name:.60}'")
        records = decode(first, "peer")
        hello = records[0] if records else None
        if not isinstance(hello, Hello):
            raise ProtocolError("the first message is no HELLO")
        known = self.store is not None and (self.store / name / "match.json").is_file()
        if not (hello.resume and known):
            ticket = read_ticket(self.secret, hello.ticket)
            if ticket.match != name:
                raise TicketError(f"the ticket is for match '{ticket.match}', not '{name:.60}'")
        if len(self.matches) >= self._most:
            raise MatchError("the relay is full")
        match = self.matches[name] = HostedMatch(self, name)
        return match


def _tls(certificate: str, key: str) -> ssl.SSLContext:
    """What encrypts with a certificate and its key, of files. Raises MatchError."""
    for path in (certificate, key):
        try:
            Path(path).read_bytes()
        except OSError as error:
            raise MatchError(f"cannot read {path}: {os_reason(error)}") from None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        raise MatchError(
            f"{certificate} and {key} are no certificate with its key: {error.reason or error}",
            fix="give PEM files, the certificate with those that it rests on",
        ) from None
    return context


def _address(connection: ServerConnection) -> str:
    """Where a connection comes from."""
    found: Any = connection.remote_address
    return str(found[0]) if found and not isinstance(found, str) else ""
