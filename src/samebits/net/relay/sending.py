"""Messages from a relay: closed frames, early inputs and other records.

Owns what each connection has been told. A connection costs next to nothing while there is nothing
for it.
"""

from __future__ import annotations

from typing import Protocol

from samebits.net import limits
from samebits.net.events import Ended
from samebits.net.input_codec import InputCodec
from samebits.net.messages import Early, Encoded, Slack, encode
from samebits.net.relay.frames import FrameLog
from samebits.net.relay.output import RelayOutput
from samebits.net.relay.rules import MatchRules
from samebits.net.relay.seats import Connection, Seat
from samebits.net.relay.states import States

AGAIN = limits.SECOND // 5
"""Time after which bundles are sent again without a new frame, where they may be lost."""
FAREWELL = 2 * limits.SECOND
"""Time in which the last words are said again, over a transport that may lose them."""
SLACK_EVERY = 3
"""Frames from one SLACK to the next, of an ordered transport."""


class _Match(Protocol):
    """What sending needs of a match."""

    rules: MatchRules
    codec: InputCodec
    connections: dict[int, Connection]
    log: FrameLog
    states: States
    ended: Ended | None

    @property
    def seats(self) -> list[Seat]: ...
    def gone(self, connection: Connection, now_ns: int) -> None: ...


class Sending:
    """The sending end of one match."""

    def __init__(self, relay: _Match, tick_rate: int) -> None:
        self._relay = relay
        self._half_tick = limits.SECOND // (2 * tick_rate)
        self._early: list[tuple[int, int, bytes]] = []
        """Slot, frame and record of inputs that others do not expect, and were not told."""
        self._early_at = 0
        """When they are to be sent at the latest: with the next closed frame, or half a tick after
        the first of them came. One message more a change would cost more than it tells."""

    def early(self, slot: int, frame: int, given: bytes, now_ns: int) -> None:
        """A player's input for a frame that is not closed, and is not that of the frame before,
        which everybody guesses."""
        body = bytearray()
        codec = self._relay.codec
        codec.put(body, codec.zero, given)
        if not self._early:
            self._early_at = now_ns + self._half_tick
        self._early.append((slot, frame, encode(Early(slot, frame, bytes(body)))))

    @property
    def waits(self) -> bool:
        """Whether there are early inputs to send."""
        return bool(self._early)

    def wake(self) -> int | None:
        """When there is something to send, at the latest."""
        return self._early_at if self._early else None

    def send(self, now_ns: int, output: RelayOutput) -> None:
        """Put all that is due into `output`."""
        relay = self._relay
        if self._early and (output.frames or now_ns >= self._early_at):
            self._share()
        closed, ordered = relay.log.closed, relay.rules.ordered
        going_on = relay.ended is None
        for connection in [*relay.connections.values()]:
            is_open = connection.closed is None
            news = connection.sent < closed or not ordered
            if news and connection.ready and not connection.held and is_open:
                self._bundles(connection, now_ns, output)
            if connection.records or not ordered:
                self._pack(connection, now_ns, output)
            if is_open and (going_on or connection.hello is None):
                continue
            if connection.closed is None:
                connection.closed = "the match is over"
            if self._has_said_all(connection, now_ns):
                output.closed.append((connection.number, connection.closed))
                del relay.connections[connection.number]
                relay.gone(connection, now_ns)

    def _share(self) -> None:
        """Tell predicting peers of the others' early inputs."""
        relay = self._relay
        early, self._early = self._early, []
        closed = relay.log.closed
        early = [each for each in early if each[1] >= closed]
        if not early:
            return
        for connection in relay.connections.values():
            hello = connection.hello
            if not connection.started or connection.held or connection.closed is not None:
                continue
            if hello is None or not hello.window or connection.spectator:
                continue
            own = connection.slot
            parts = [data for slot, _, data in early if slot != own]
            if parts:
                connection.records.append(Encoded(b"".join(parts)))

    def _pack(self, connection: Connection, now_ns: int, output: RelayOutput) -> None:
        records, connection.records = connection.records, []
        if connection.reliable is not None:
            records = connection.reliable.pack(records, now_ns)
        part = b""
        for record in records:
            found = record.data if type(record) is Encoded else encode(record)
            if not part:
                part = found
            elif len(part) + len(found) > limits.MESSAGE:
                output.messages.append((connection.number, part))
                part = found
            else:
                part += found
        if part:
            output.messages.append((connection.number, part))

    def _has_said_all(self, connection: Connection, now_ns: int) -> bool:
        """Whether a connection that is over can be closed: why it is may have to be said again."""
        if connection.reliable is None or connection.reliable.settled:
            return True
        if connection.over_since is None:
            connection.over_since = now_ns
        return now_ns - connection.over_since > FAREWELL

    def _bundles(self, connection: Connection, now_ns: int, output: RelayOutput) -> None:
        relay, rules = self._relay, self._relay.rules
        end = relay.log.closed
        if connection.spectator:
            end -= rules.spectator_delay
        first = connection.sent
        if first >= end:
            return
        if not rules.ordered:
            # Each new frame is told with all that the peer has not said it has.
            fresh = end > connection.told
            if not fresh and now_ns - connection.told_at < AGAIN:
                return
            connection.told, connection.told_at = end, now_ns
            # Until it has said that it has one, its peer knows no frame that a bundle may refer to.
            connection.absolute = first <= connection.begun
        if first < relay.log.oldest:
            # It was held, or lost, for longer than frames are kept.
            relay.states.give(connection)
            return
        first, bundle = relay.log.bundle(first, end, not connection.absolute)
        records = connection.records
        if rules.ordered and first == end and not records:
            # As nearly always: the new frames, at times with a SLACK, and nothing else.
            connection.absolute, connection.sent = False, first
            data = bundle.data
            if self._is_slack_due(connection):
                data += encode(self._slack(connection))
            output.messages.append((connection.number, data))
            return
        records.append(bundle)
        connection.absolute = False
        while first < end and rules.ordered:
            first, bundle = relay.log.bundle(first, end, True)
            records.append(bundle)
        if self._is_slack_due(connection):
            records.append(self._slack(connection))
        if rules.ordered:
            connection.sent = first

    def _is_slack_due(self, connection: Connection) -> bool:
        if connection.slot is None:
            return False
        connection.slack_due -= 1
        if connection.slack_due > 0 and self._relay.rules.ordered:
            return False
        connection.slack_due = SLACK_EVERY
        return True

    def _slack(self, connection: Connection) -> Slack:
        assert connection.slot is not None
        seat = self._relay.seats[connection.slot]
        return Slack(seat.slack // 1000, seat.received, seat.hashed)
