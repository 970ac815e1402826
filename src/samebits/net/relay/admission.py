"""Who gets a seat, or a place to watch from, and why others get none.

Owns tickets and the tokens with which peers come back. Knows nothing of frames.
"""

from __future__ import annotations

import hmac
from hashlib import sha256
from typing import Protocol

from samebits.errors import MatchError
from samebits.net import limits
from samebits.net.events import Ended, MatchEvent, Refused
from samebits.net.identity import refusal, remarks
from samebits.net.input_codec import Entry, Event, InputCodec
from samebits.net.messages import Hello, Refuse, Welcome
from samebits.net.relay.closing import Closing
from samebits.net.relay.frames import FrameLog
from samebits.net.relay.rules import MatchRules
from samebits.net.relay.seats import Connection, Seat
from samebits.net.relay.states import States
from samebits.net.relay.votes import Votes
from samebits.net.tickets import Ticket, TicketBooth
from samebits.sim.simulation import Simulation


class _Match(Protocol):
    """What admission needs of a match."""

    simulation: Simulation
    match: str
    rules: MatchRules
    codec: InputCodec
    connections: dict[int, Connection]
    closing: Closing
    log: FrameLog
    votes: Votes
    states: States
    remarks: list[str]
    ended: Ended | None
    seats_changed: bool

    @property
    def seats(self) -> list[Seat]: ...
    @property
    def events(self) -> list[MatchEvent]: ...


class Admission:
    """The door of one match; `secret` signs its tokens."""

    def __init__(self, relay: _Match, booth: TicketBooth, secret: bytes) -> None:
        self._relay, self._booth, self._secret = relay, booth, secret
        self._first_hello: Hello | None = None
        self._watchers: dict[bytes, None] = {}
        """The tokens with which spectators come back, the latest last."""

    def token(self, slot: int, epoch: int) -> bytes:
        """What brings the peer of an epoch of a slot back to it."""
        told = f"{self._relay.match}\0{slot}\0{epoch}".encode()
        return hmac.digest(self._secret, b"samebits resume 1\0" + told, sha256)

    def greet(self, connection: Connection, hello: Hello, now_ns: int) -> None:
        """Answer a connection's HELLO: a seat or a place to watch from, or why there is none."""
        relay = self._relay
        if relay.ended is not None:
            self._refuse(connection, Refuse("over", "the match is over", "", ""))
            return
        why = refusal(relay.simulation, relay.codec, hello)
        if why is not None:
            self._refuse(connection, why)
            return
        if hello.resume in self._watchers:
            self._watch(connection, hello, hello.resume)
            return
        if hello.resume:
            seat = next((s for s in relay.seats if s.takes(hello.resume)), None)
            if seat is None:
                self._refuse(connection, Refuse("resume", "the resume token is not valid", "", ""))
                return
            seat.earlier = hello.resume
        else:
            try:
                again = {seat.nonce for seat in relay.seats if seat.nonce}
                ticket = self._booth.check(hello.ticket, now_ns, relay.match, again)
            except MatchError as error:
                self._refuse(connection, Refuse("ticket", error.message[:300], relay.match, ""))
                return
            if ticket.role == "spectator":
                told = f"{relay.match}\0{ticket.nonce}".encode()
                token = hmac.digest(self._secret, b"samebits watch 1\0" + told, sha256)
                self._watch(connection, hello, token)
                return
            seat = self._seat_of(connection, ticket)
            if seat is None:
                return
            seat.nonce = ticket.nonce
        self._sit(connection, seat, hello)

    def _seat_of(self, connection: Connection, ticket: Ticket) -> Seat | None:
        relay = self._relay
        if ticket.slot >= len(relay.seats):
            why = Refuse("slot", "there is no such slot", str(len(relay.seats)), str(ticket.slot))
        else:
            seat = relay.seats[ticket.slot]
            if seat.nonce != ticket.nonce:
                # Whoever makes tickets says who plays: a program that died has no token any more,
                # and what its slot's earlier peers hold brings nobody back.
                seat.earlier = b""
            return seat
        self._refuse(connection, why)
        return None

    def _watch(self, connection: Connection, hello: Hello, token: bytes) -> None:
        watching = sum(c.spectator for c in self._relay.connections.values())
        if watching >= limits.SPECTATORS:
            self._refuse(connection, Refuse("full", "too many watch", str(watching), ""))
            return
        connection.hello, connection.spectator = hello, True
        self._watchers.pop(token, None)
        self._watchers[token] = None
        while len(self._watchers) > 4 * limits.SPECTATORS:
            del self._watchers[next(iter(self._watchers))]
        self._welcome(connection, hello, self._relay.codec.players, 0, token)

    def _sit(self, connection: Connection, seat: Seat, hello: Hello) -> None:
        relay = self._relay
        connection.hello, connection.slot = hello, seat.slot
        old = seat.connection
        if old is not None:
            # The relay had not noticed the drop, or somebody else has the token's peer now.
            seat.connection = None
            old.slot, old.closed = None, "the peer came back over another connection"
        if self._first_hello is None:
            self._first_hello = hello
        for remark in remarks(self._first_hello, hello):
            relay.remarks.append(f"slot {seat.slot}: {remark}")
        if not seat.occupied:
            relay.closing.entries.append(Entry(Event.JOIN, seat.slot))
        seat.occupied, seat.connection, seat.away_since = True, connection, None
        seat.late = True
        seat.inputs.clear()
        seat.received, seat.base = 0, relay.codec.zero
        seat.epoch += 1
        relay.seats_changed = True
        seat.token = self.token(seat.slot, seat.epoch)
        self._welcome(connection, hello, seat.slot, seat.epoch, seat.token)

    def _welcome(
        self, connection: Connection, hello: Hello, slot: int, epoch: int, token: bytes
    ) -> None:
        relay = self._relay
        held = hello.confirmed
        apart = slot in relay.votes.apart
        keeps = relay.log.oldest <= held <= relay.log.closed and not apart
        from_start = relay.log.oldest == 0 and held == 0 and not apart
        snapshot = not (keeps or from_start)
        connection.records.append(
            Welcome(
                limits.PROTOCOL, relay.match, slot, relay.codec.players, epoch, token,
                relay.rules.seed, relay.simulation.tick_rate, relay.rules.delay,
                relay.rules.most_delay, held, int(snapshot),
            )
        )  # fmt: skip
        if snapshot:
            relay.states.give(connection)

    def _refuse(self, connection: Connection, why: Refuse) -> None:
        shown = {name: getattr(why, name)[:100] for name in ("ours", "yours")}
        connection.records.append(Refuse(why.code, why.reason[:300], shown["ours"], shown["yours"]))
        self._relay.events.append(Refused(why.code, why.reason, why.ours, why.yours))
        connection.closed = f"refused: {why.reason}"
