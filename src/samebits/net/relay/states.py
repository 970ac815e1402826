"""Snapshots and reports: who gives and gets them, none of which is believed.

A snapshot's hash must be the one that was voted for its frame. One that is not is thrown away, and
another peer is asked.
"""

from __future__ import annotations

from typing import Protocol

from samebits.bits import xxh64
from samebits.errors import ProtocolError
from samebits.net import limits
from samebits.net.events import Broken, Desynced, MatchEvent
from samebits.net.input_codec import Entry, Event
from samebits.net.messages import Chunk
from samebits.net.relay.closing import Closing
from samebits.net.relay.frames import FrameLog
from samebits.net.relay.referee import Referee
from samebits.net.relay.seats import Connection, Seat
from samebits.net.relay.votes import Votes
from samebits.net.transfers import REPORT, SNAPSHOT, Incoming, Outgoing
from samebits.sim.simulation import Simulation

REPORT_WAIT = 4 * limits.SECOND
"""Time in which reports of a desync must come where somebody, or the match, ends with it."""


class _Match(Protocol):
    """What transfers need of a match."""

    simulation: Simulation
    connections: dict[int, Connection]
    closing: Closing
    log: FrameLog
    votes: Votes
    referee: Referee | None
    reports: list[tuple[int, int, bytes]]

    @property
    def seats(self) -> list[Seat]: ...
    @property
    def events(self) -> list[MatchEvent]: ...
    def has_state_of(self, seat: Seat) -> bool: ...
    def expel(self, seat: Seat, reason: str) -> None: ...


class States:
    """The transfers of one match."""

    def __init__(self, relay: _Match) -> None:
        self._relay = relay
        self._request = 0
        self._waiting: dict[Connection, int] = {}
        """Connections that wait for a state, and the request that it is sent under."""
        self._source: tuple[Connection, Incoming] | None = None
        self._failed: set[int] = set()
        """Slots that gave a wrong snapshot, or none."""
        self._healing: dict[int, int] = {}
        """Slots that were sent the agreed state, and when."""
        self._parting: dict[int, int | None] = {}
        """Slots that are to be let go, and since when, once their reports are there: they are the
        evidence."""
        self._wanted: dict[tuple[int, int, int], tuple[int, int]] = {}
        """Reports that come: connection and key, to frame and slot."""
        self._came: set[tuple[int, int]] = set()
        """Connections and requests of those that came, three desyncs' at most."""

    @property
    def waits(self) -> bool:
        """Whether somebody waits for a state."""
        return bool(self._waiting)

    @property
    def wants_reports(self) -> bool:
        """Whether reports of connections that are there are yet to come."""
        return any(number in self._relay.connections for number, _, _ in self._wanted)

    def give(self, connection: Connection) -> None:
        """Send a connection the state, as soon as there is one; no bundles until it is ready."""
        if connection in self._waiting:
            return
        connection.needs_state, connection.ready = True, False
        connection.outgoing.clear()
        self._request = self._request % 0xFFFF + 1
        self._waiting[connection] = self._request

    def heal(self, seat: Seat) -> None:
        """Send a seat whose bits departed the agreed state, at most so many times a match."""
        relay = self._relay
        connection = seat.connection
        if connection is None:
            return
        if seat.heals >= limits.HEALS:
            self._parting.setdefault(seat.slot)
            return
        seat.heals += 1
        relay.closing.entries.append(Entry(Event.HEAL, seat.slot, relay.log.closed))
        self._request = self._request % 0xFFFF + 1
        connection.needs_state = True
        self._waiting[connection] = self._request

    def want_reports(self, desync: Desynced) -> None:
        """Ask one peer of each group for a report of the frame."""
        relay = self._relay
        for group in desync.groups:
            for slot in group.slots:
                connection = relay.seats[slot].connection
                if connection is None or not connection.ready:
                    continue
                self._request = self._request % 0xFFFF + 1
                coming = Incoming(REPORT, self._request, desync.frame, limits.REPORT, 0)
                connection.incoming[coming.key] = coming
                key = (connection.number, *coming.key)
                self._wanted[key] = desync.frame, slot
                break

    def poll(self, now_ns: int) -> None:
        """Ask for what is missing, and send what is there."""
        if not (self._waiting or self._wanted or self._healing or self._source or self._parting):
            return
        relay = self._relay
        for slot in list(self._parting):
            self._part(relay.seats[slot], now_ns)
        for connection in relay.connections.values():
            for coming in connection.incoming.values():
                want = coming.want(now_ns)
                if want is not None:
                    connection.records.append(want)
        for slot, since in list(self._healing.items()):
            if slot not in relay.votes.apart:
                del self._healing[slot]
            elif now_ns - since > limits.HEALED:
                del self._healing[slot]
                self.heal(relay.seats[slot])
        for connection in [c for c in self._waiting if c.closed is not None]:
            del self._waiting[connection]
        if not self._waiting:
            return
        referee = relay.referee
        if referee is not None and referee.trap is None:
            self._give_all(referee.frame, referee.state(), now_ns)
            return
        source = self._source
        if source is not None:
            connection, coming = source
            gone = connection.closed is not None or connection.number not in relay.connections
            if gone or now_ns - coming.begun > limits.SNAPSHOT_WAIT:
                if connection.slot is not None:
                    self._failed.add(connection.slot)
                connection.incoming.pop(coming.key, None)
                self._source = None
            elif coming.whole:
                self._check(connection, coming, now_ns)
        if self._source is None:
            self._ask(now_ns)

    def _part(self, seat: Seat, now_ns: int) -> None:
        """Let a seat go, unless a report of its peer is on its way."""
        since = self._parting[seat.slot]
        if since is None:
            since = self._parting[seat.slot] = now_ns
        connection = seat.connection
        if connection is not None and now_ns - since < REPORT_WAIT:
            number = connection.number
            if any(key[0] == number for key in self._wanted):
                return
        del self._parting[seat.slot]
        self._relay.expel(seat, f"its bits departed more than {limits.HEALS} times")

    def chunk(self, connection: Connection, record: Chunk, now_ns: int) -> None:
        """A chunk came. Raises ProtocolError if it was not asked for, or does not fit."""
        coming = connection.incoming.get((record.what, record.request))
        if coming is None:
            if record.what == SNAPSHOT or (connection.number, record.request) in self._came:
                return  # it came after its time, or was asked for twice
            raise ProtocolError("a CHUNK that nobody asked for")
        coming.take(record, now_ns)
        if not coming.whole:
            return
        del connection.incoming[coming.key]
        if record.what == REPORT:
            frame, slot = self._wanted.pop((connection.number, *coming.key))
            self._came.add((connection.number, coming.request))
            if coming.data:
                self._relay.reports.append((frame, slot, coming.data))
            return
        self._check(connection, coming, now_ns)

    def _check(self, connection: Connection, coming: Incoming, now_ns: int) -> None:
        """Pass a snapshot on, once the hash of its frame is known; that of frame 0 nobody voted
        for, and it is made from the seed."""
        relay = self._relay
        data, frame = coming.data, coming.frame
        expected = relay.votes.known(frame - 1) if frame else None
        right = len(data) == relay.simulation.state_size and xxh64(data) == coming.hash
        if right and frame and expected is None and frame <= relay.log.closed:
            return
        self._source = None
        if right and frame and expected == coming.hash and frame <= relay.log.closed:
            self._give_all(frame, data, now_ns)
            return
        slot = connection.slot
        if slot is not None:
            self._failed.add(slot)
        relay.events.append(Broken(f"slot {slot}: a snapshot whose hash is not the agreed one"))

    def _ask(self, now_ns: int) -> None:
        relay = self._relay
        waiting = {c.slot for c in self._waiting}
        for seat in relay.seats:
            if seat.slot in self._failed or seat.slot in waiting or not relay.has_state_of(seat):
                continue
            connection = seat.connection
            assert connection is not None
            self._request = self._request % 0xFFFF + 1
            size = relay.simulation.state_size
            coming = Incoming(SNAPSHOT, self._request, 0, size, now_ns)
            connection.incoming[coming.key] = coming
            self._source = connection, coming
            want = coming.want(now_ns)
            assert want is not None
            connection.records.append(want)
            return
        self._failed.clear()

    def _give_all(self, frame: int, data: bytes, now_ns: int) -> None:
        for connection, request in self._waiting.items():
            if connection.slot is not None and connection.slot in self._relay.votes.apart:
                self._healing[connection.slot] = now_ns
            outgoing = Outgoing(SNAPSHOT, request, frame, data)
            connection.outgoing = {outgoing.key: outgoing}
            connection.records.append(outgoing.chunk(0))
        self._waiting.clear()
