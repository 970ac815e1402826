"""A relay's core: one match, bytes in, bytes and events out. It opens no socket, reads no clock.

Owns the conversation with each connection. Times are nanoseconds since 1970 that never go back, by
which tickets expire too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from samebits.errors import ProtocolError
from samebits.net import limits
from samebits.net.events import (
    Broken,
    Desynced,
    Ended,
    Healed,
    Left,
    MatchEvent,
    TrapMet,
    VerdictKnown,
)
from samebits.net.input_codec import ClosedFrame, Entry, Event, InputCodec
from samebits.net.messages import (
    Ack,
    Chunk,
    Control,
    Delay,
    Desync,
    Early,
    End,
    Hello,
    Input,
    Leave,
    Pause,
    Ping,
    Pong,
    Ready,
    Record,
    Resume,
    Slack,
    Start,
    Trapped,
    Verdict,
    Want,
    decode,
    encode,
)
from samebits.net.relay.admission import Admission
from samebits.net.relay.closing import Closing
from samebits.net.relay.frames import FrameLog
from samebits.net.relay.referee import Referee
from samebits.net.relay.rules import MatchRules
from samebits.net.relay.seats import Connection, Seat, TokenBucket
from samebits.net.relay.states import States
from samebits.net.relay.votes import REFEREE, Votes
from samebits.net.reliable import Reliable
from samebits.net.tickets import TicketBooth
from samebits.net.transfers import REPORT
from samebits.sim.simulation import Simulation

LEAD = limits.SECOND // 5
"""Time from START to the first frame."""
AGAIN = limits.SECOND // 5
"""Time after which bundles are sent again without a new frame, where they may be lost."""
FAREWELL = 2 * limits.SECOND
"""Time in which the last words are said again, over a transport that may lose them."""
SLACK_EVERY = 3
"""Frames from one SLACK to the next, of an ordered transport."""


@dataclass
class RelayOutput:
    """What a call leaves to do: messages to connections, connections to close with a reason,
    frames to store with their number, events to show, and when to poll next at the latest."""

    messages: list[tuple[int, bytes]] = field(default_factory=list[tuple[int, bytes]])
    closed: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    frames: list[tuple[int, ClosedFrame]] = field(default_factory=list[tuple[int, ClosedFrame]])
    events: list[MatchEvent] = field(default_factory=list[MatchEvent])
    hashes: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    """Frames and the hashes that all agree on."""
    wake: int | None = None


class RelayCore:
    """One match. Connections are numbers that the transport gives.

    Raises MatchError where the simulation can't be played over a network, CompileError and Trap
    where the referee can't run it.
    """

    def __init__(
        self,
        simulation: Simulation,
        match: str,
        booth: TicketBooth,
        secret: bytes,
        rules: MatchRules | None = None,
    ) -> None:
        self.simulation, self.match, self.rules = simulation, match, rules or MatchRules()
        self.codec = InputCodec(simulation)
        self.log = FrameLog(self.codec)
        self.closing = Closing(self.codec, simulation.tick_rate, self.rules.closing, self.log)
        self.votes = Votes()
        self.referee = (
            Referee(simulation, self.codec, self.rules.seed) if self.rules.referee else None
        )
        self.connections: dict[int, Connection] = {}
        self.desyncs: list[Desynced] = []
        self.remarks: list[str] = []
        """What differs between peers that explains a desync to come."""
        self.ended: Ended | None = None
        self._admission = Admission(self, booth, secret)
        self.states = States(self)
        self._events: list[MatchEvent] = []
        self._frames: list[tuple[int, ClosedFrame]] = []
        self._ending: tuple[str, int] | None = None
        self._resumed = False
        self._reports: dict[tuple[int, int], int] = {}
        self.reports: list[tuple[int, int, bytes]] = []
        """Desync reports that came: frame, slot, bytes."""

    def resume(self, now_ns: int, frames: list[ClosedFrame], epochs: Mapping[int, int]) -> None:
        """Go on with a match that another process served: its frames, and the latest epoch of each
        slot that was played. Its players come back with their tokens. Before anything else."""
        for frame in frames:
            self.log.close(frame)
        if self.referee is not None:
            for n, value in enumerate(self.referee.run([frame.row for frame in frames])):
                self.votes.report(REFEREE, n, value, now_ns)
            self.votes.settle((), now_ns)
        for slot, epoch in epochs.items():
            seat = self.seats[slot]
            seat.occupied, seat.away_since, seat.epoch = True, now_ns, epoch
            seat.token = self._admission.token(slot, epoch)
        self._resumed = bool(frames)

    @property
    def seats(self) -> list[Seat]:
        """The seats by slot."""
        return self.closing.seats

    # What the transport says.

    def connect(self, now_ns: int, number: int) -> None:
        """There is a connection, of a number that no other has."""
        rate = limits.RATE * self.simulation.tick_rate
        bucket = TokenBucket(max(rate, 20), limits.BURST, now_ns)
        connection = Connection(number, now_ns, now_ns, bucket)
        if not self.rules.ordered:
            connection.reliable = Reliable()
        self.connections[number] = connection

    def disconnect(self, now_ns: int, number: int) -> None:
        """A connection is gone."""
        connection = self.connections.pop(number, None)
        if connection is not None:
            self._gone(connection, now_ns)

    def hold(self, number: int, held: bool) -> None:
        """A connection's transport takes no more for now, or again."""
        connection = self.connections.get(number)
        if connection is not None:
            connection.held = held

    def receive(self, now_ns: int, number: int, message: bytes) -> None:
        """A message came. One that breaks the protocol ends its connection at the next poll;
        nothing is raised for it."""
        connection = self.connections.get(number)
        if connection is None:
            return
        connection.heard = now_ns
        over = connection.closed is not None
        if over and connection.reliable is None:
            return
        try:
            connection.bucket.take(now_ns)
            if len(message) > limits.CHUNK_UP:
                raise ProtocolError(f"a message has {len(message):,} bytes")
            records = decode(message, "peer")
            if len(message) > limits.MESSAGE_UP and not any(isinstance(r, Chunk) for r in records):
                raise ProtocolError(f"a message has {len(message):,} bytes")
            for record in records:
                if isinstance(record, Control | Ack):
                    self._controlled(connection, record, now_ns)
                elif not over:
                    self._take(connection, record, now_ns)
                over = connection.closed is not None
        except ProtocolError as error:
            self._events.append(Broken(f"{self._who(connection)}: {error.message}"))
            connection.closed = error.message

    def _controlled(self, connection: Connection, record: Control | Ack, now_ns: int) -> None:
        reliable = connection.reliable
        if reliable is None:
            raise ProtocolError("a CONTROL over a transport that keeps order")
        if isinstance(record, Ack):
            reliable.acknowledged(record.ack)
            return
        for body in reliable.take(record):
            for inner in decode(body, "peer"):
                if isinstance(inner, Control | Ack):
                    raise ProtocolError("a CONTROL within a CONTROL")
                if connection.closed is None:
                    self._take(connection, inner, now_ns)

    def poll(self, now_ns: int) -> RelayOutput:
        """Do what is due, and return what is to be sent, stored and shown."""
        output = RelayOutput()
        self._time_out(now_ns)
        if self.ended is None:
            self._begin(now_ns)
            before = self.log.closed
            if self._ending is None:
                self._close(now_ns)
            for frame in range(before, self.log.closed):
                output.frames.append((frame, self.log[frame]))
            self._judge(before, now_ns)
            self.states.poll(now_ns)
            self._finish(now_ns)
        for connection in list(self.connections.values()):
            self._send(connection, now_ns, output)
        output.hashes, self.votes.fresh = self.votes.fresh, []
        output.events, self._events = self._events, []
        output.wake = self._wake(now_ns)
        return output

    def say_verdict(self, frame: int, what: str) -> None:
        """Tell all peers what a diagnosis found of the desync in a frame."""
        self._events.append(VerdictKnown(frame, what))
        self._to_all(Verdict(frame, what[:500]))

    def end(self, reason: str) -> None:
        """End the match after the frames that are closed."""
        if self._ending is None:
            self._ending = reason, -1

    # Time.

    def _wake(self, now_ns: int) -> int:
        times = [now_ns + limits.SECOND // 2]
        if self.ended is None and (due := self.closing.wake()) is not None:
            times.append(due)
        return max(now_ns, min(times))

    def _time_out(self, now_ns: int) -> None:
        for connection in self.connections.values():
            if connection.closed is not None:
                continue
            if connection.hello is None and now_ns - connection.since > limits.HELLO:
                connection.closed = "no HELLO came"
            elif now_ns - connection.heard > limits.IDLE:
                connection.closed = "the peer is silent"
        for seat in self.seats:
            if seat.away_since is not None and now_ns - seat.away_since > self.rules.away:
                self._vacate(seat)

    def _begin(self, now_ns: int) -> None:
        closing = self.closing
        if not closing.running:
            ready = [s for s in self.seats if s.connection is not None and s.connection.ready]
            needed = self.codec.players if self.rules.needed is None else self.rules.needed
            if self._resumed:
                needed = sum(seat.occupied for seat in self.seats)
            if len(ready) < max(needed, 1):
                return
            closing.start(now_ns + LEAD)
            for seat in ready:
                seat.late = False
        for connection in self.connections.values():
            if connection.ready and not connection.started and not closing.paused:
                connection.started = True
                frame = self.log.closed
                connection.records.append(Start(frame, closing.due(frame) - now_ns))

    def _close(self, now_ns: int) -> None:
        most = self.rules.frames
        self.closing.close(now_ns, most)
        if most is not None and self.log.closed >= most:
            self.end("all frames are played")

    def _judge(self, before: int, now_ns: int) -> None:
        """Let the referee run what was closed, and count the votes."""
        referee = self.referee
        if referee is not None:
            rows = [self.log[n].row for n in range(max(before, referee.frame), self.log.closed)]
            first = referee.frame
            for n, value in enumerate(referee.run(rows)):
                self.votes.report(REFEREE, first + n, value, now_ns)
            if referee.trap is not None:
                self._trapped(referee.trap.frame, referee.trap.message)
        desync = self.votes.settle(self._voters(), now_ns)
        for voter, frame in self.votes.proven:
            self._events.append(Healed(voter, frame))
        self.votes.proven.clear()
        if desync is not None:
            self._desynced(desync)

    def _voters(self) -> list[int]:
        found = [s.slot for s in self.seats if s.connection is not None and s.connection.started]
        return [*[REFEREE] * (self.referee is not None and self.referee.trap is None), *found]

    def _desynced(self, desync: Desynced) -> None:
        self.desyncs.append(desync)
        self._events.append(desync)
        self.closing.entries.append(Entry(Event.DESYNC, 0, desync.frame))
        body = bytearray()
        for group in desync.groups:
            body += group.hash.to_bytes(8, "little")
            body.append(group.referee)
            body += sum(1 << slot for slot in group.slots).to_bytes(8, "little")
        self._to_all(Desync(desync.frame, int(desync.decided), len(desync.groups), bytes(body)))
        if len(self.desyncs) <= limits.REPORTS:
            self.states.want_reports(desync)
        policy = self.rules.policy
        if policy == "pause":
            self._pause()
        elif policy == "end":
            self.end("desync")
        elif policy == "heal" and desync.decided:
            for slot in desync.wrong:
                self.states.heal(self.seats[slot])

    def _finish(self, now_ns: int) -> None:
        """End the match once the hash of its last frame is known, or time is up."""
        if self._ending is None:
            return
        reason, until = self._ending
        if until < 0:
            until = now_ns + limits.VOTE
            self._ending = reason, until
        last = self.log.closed - 1
        if last >= 0 and not self.votes.complete(last, self._voters()) and now_ns < until:
            return
        value = self.votes.known(last) or 0
        self.ended = Ended(reason, self.log.closed, value)
        self._events.append(self.ended)
        for connection in self.connections.values():
            if connection.hello is not None and connection.closed is None:
                connection.records.append(End(reason, self.log.closed, value))

    # What is sent.

    def _to_all(self, record: Record) -> None:
        for connection in self.connections.values():
            if connection.ready and connection.closed is None:
                connection.records.append(record)

    def _send(self, connection: Connection, now_ns: int, output: RelayOutput) -> None:
        number = connection.number
        if not connection.held and (connection.closed is None or connection.hello is None):
            self._bundles(connection, now_ns)
            self._early(connection, now_ns)
        records = connection.records
        if connection.reliable is not None:
            records = connection.reliable.pack(records, now_ns)
        if records:
            part = b""
            for record in records:
                found = encode(record)
                if part and len(part) + len(found) > limits.MESSAGE:
                    output.messages.append((number, part))
                    part = b""
                part += found
            connection.records = []
            output.messages.append((number, part))
        if self.ended is not None and connection.closed is None and connection.hello is not None:
            connection.closed = "the match is over"
        if connection.closed is not None and self._has_said_all(connection, now_ns):
            output.closed.append((number, connection.closed))
            del self.connections[number]
            self._gone(connection, now_ns)

    def _has_said_all(self, connection: Connection, now_ns: int) -> bool:
        """Whether a connection that is over can be closed: why it is may have to be said again."""
        if connection.reliable is None or connection.reliable.settled:
            return True
        if connection.over_since is None:
            connection.over_since = now_ns
        return now_ns - connection.over_since > FAREWELL

    def _bundles(self, connection: Connection, now_ns: int) -> None:
        if not connection.ready:
            return
        end = self.log.closed
        if connection.spectator:
            end -= self.rules.spectator_delay
        first = connection.sent
        if first >= end:
            return
        if not self.rules.ordered:
            # Each new frame is told with all that the peer has not said it has.
            fresh = end > connection.told
            if not fresh and now_ns - connection.told_at < AGAIN:
                return
            connection.told, connection.told_at = end, now_ns
        if first < self.log.oldest:
            # It was held, or lost, for longer than frames are kept.
            self.states.give(connection)
            return
        while first < end:
            bundle = self.log.bundle(first, end, not connection.absolute)
            connection.records.append(bundle)
            connection.absolute = False
            first += bundle.frames
            if not self.rules.ordered:
                break
        seat = self._seat(connection)
        if seat is not None:
            connection.slack_due -= 1
            if connection.slack_due <= 0 or not self.rules.ordered:
                connection.slack_due = SLACK_EVERY
                connection.records.append(Slack(seat.slack // 1000, seat.received, seat.hashed))
        if self.rules.ordered:
            connection.sent = first

    def _early(self, connection: Connection, now_ns: int) -> None:
        """Changed inputs of others for frames that are not closed, twice a tick at most."""
        hello = connection.hello
        if not connection.started or hello is None or not hello.window or connection.spectator:
            return
        if now_ns - connection.early_at < limits.SECOND // (2 * self.simulation.tick_rate):
            return
        connection.early_at = now_ns
        for seat in self.seats:
            if seat.slot == connection.slot or not seat.occupied:
                continue
            frame = max(connection.early.get(seat.slot, 0), self.log.closed)
            slot, size = seat.slot, self.codec.size
            latest = self.log.latest[slot * size : slot * size + size]
            before = seat.inputs.get(frame - 1, latest)
            while (given := seat.inputs.get(frame)) is not None:
                # Others repeat what they know: what is the same need not be told.
                if given != before:
                    body = bytearray()
                    self.codec.put(body, self.codec.zero, given)
                    connection.records.append(Early(slot, frame, bytes(body)))
                before, frame = given, frame + 1
            connection.early[slot] = frame

    # What peers say.

    def _take(self, connection: Connection, record: Record, now_ns: int) -> None:
        match record:
            case Hello():
                if connection.hello is None:
                    self._admission.greet(connection, record, now_ns)
                else:
                    raise ProtocolError("a second HELLO")
            case Ping():
                connection.records.append(Pong(record.token))
            case _ if connection.hello is None:
                if self.rules.ordered:
                    raise ProtocolError(f"a {type(record).__name__.upper()} before HELLO")
            case Pong():
                pass
            case Ready():
                self._ready(connection, record)
            case Input():
                self._input(connection, record, now_ns)
            case Want():
                self._want(connection, record)
            case Chunk():
                self.states.chunk(connection, record, now_ns)
            case Pause() if connection.slot is not None:
                self._pause()
            case Resume() if connection.slot is not None:
                self._go_on(now_ns)
            case Leave():
                seat = self._seat(connection)
                if seat is not None:
                    self._vacate(seat)
                connection.closed = "the peer left"
            case Delay() if connection.slot is not None:
                self.closing.entries.append(Entry(Event.DELAY, connection.slot, record.delay))
            case Trapped() if connection.slot is not None:
                if self.referee is None and record.frame < self.log.closed:
                    self._trapped(record.frame, record.what)
            case _:
                raise ProtocolError(f"a spectator sends no {type(record).__name__.upper()}")

    def _ready(self, connection: Connection, record: Ready) -> None:
        if record.frame > self.log.closed:
            raise ProtocolError(f"READY for frame {record.frame}, which is not closed")
        seat = self._seat(connection)
        if seat is not None:
            seat.earlier = b""
        if connection.needs_state:
            # Of before it was given a state, which it will be ready with.
            if not connection.outgoing:
                return
            connection.needs_state = False
        connection.ready = True
        connection.sent, connection.absolute = record.frame, True
        connection.outgoing.clear()
        if seat is not None:
            seat.hashed = record.hashed

    def _input(self, connection: Connection, record: Input, now_ns: int) -> None:
        seat = self._seat(connection)
        if seat is None:
            raise ProtocolError("an INPUT of a spectator")
        closed = self.log.closed
        if record.confirmed > closed or record.confirmed + record.ahead < 0:
            raise ProtocolError(f"frame {record.confirmed} is not closed, and said to be known")
        if not self.rules.ordered and connection.ready and not connection.needs_state:
            connection.sent = max(connection.sent, record.confirmed)
        size = 8 * record.hashes
        stop = record.confirmed - record.behind
        first = stop - record.hashes
        if first < 0 or len(record.body) < size:
            raise ProtocolError("an INPUT has not the hashes that it tells of")
        for n in range(record.hashes):
            frame = first + n
            if frame >= seat.hashed and connection.ready:
                value = int.from_bytes(record.body[8 * n : 8 * n + 8], "little")
                self.votes.report(seat.slot, frame, value, now_ns)
                seat.hashed = frame + 1
        first = record.confirmed + record.ahead
        self._inputs(seat, record, first, size, now_ns)

    def _inputs(self, seat: Seat, record: Input, first: int, at: int, now_ns: int) -> None:
        body, codec, closed = record.body, self.codec, self.log.closed
        frames = record.frames >> 1
        if first + frames > closed + limits.AHEAD + 1:
            raise ProtocolError(f"inputs for frame {first}, when {closed} are closed")
        before = codec.zero
        if record.frames & 1:
            if first == seat.received:
                before = seat.base
            elif first < seat.received and not self.rules.ordered:
                known = seat.inputs.get(first - 1)
                if known is None:
                    # All of it came before, or closed since; what is new comes again.
                    return
                before = known
            elif self.rules.ordered:
                raise ProtocolError(f"inputs that go on from frame {first - 1}")
            else:
                return
        frame = first
        for _ in range(frames):
            before, at = codec.get(body, at, before)
            self._one_input(seat, frame, before, closed, now_ns)
            frame += 1
        if at != len(body):
            raise ProtocolError("an INPUT has bytes after its inputs")
        if frames and frame > seat.received:
            seat.received, seat.base = frame, before
            if self.closing.running and not self.closing.paused:
                seat.slack = self.closing.due(frame - 1) - now_ns

    def _one_input(self, seat: Seat, frame: int, given: bytes, closed: int, now_ns: int) -> None:
        if frame < closed:
            return
        known = seat.inputs.get(frame)
        if known is not None:
            if known != given:
                raise ProtocolError(f"a second input for frame {frame}, another one")
            return
        validator = self.rules.validator
        if validator is not None and not validator(seat.slot, frame, given):
            raise ProtocolError(f"an input for frame {frame} that is not possible")
        self.closing.take(seat, frame, given, now_ns)

    def _want(self, connection: Connection, record: Want) -> None:
        found = connection.outgoing.get((record.what, record.request))
        if found is not None:
            connection.records.append(found.chunk(record.offset))
        elif record.what == REPORT:
            raise ProtocolError("a relay has no reports for peers")

    # What becomes of seats.

    def _seat(self, connection: Connection) -> Seat | None:
        return None if connection.slot is None else self.seats[connection.slot]

    def _who(self, connection: Connection) -> str:
        if connection.slot is not None:
            return f"slot {connection.slot}"
        return "a spectator" if connection.spectator else f"connection {connection.number}"

    def _gone(self, connection: Connection, now_ns: int) -> None:
        seat = self._seat(connection)
        if seat is None or seat.connection is not connection:
            return
        seat.connection, seat.late, seat.away_since = None, True, now_ns
        seat.inputs.clear()
        self.closing.entries.append(Entry(Event.AWAY, seat.slot))

    def _vacate(self, seat: Seat) -> None:
        if seat.connection is not None:
            seat.connection.slot = None
        self.closing.vacate(seat)
        self.votes.leave(seat.slot)
        seat.token = seat.earlier = b""
        self.closing.entries.append(Entry(Event.LEAVE, seat.slot))
        self._events.append(Left(seat.slot, self.log.closed))
        if self.closing.running and not any(s.occupied for s in self.seats):
            self.end("nobody plays")

    def expel(self, seat: Seat, reason: str) -> None:
        """End a seat and its connection; its peer can't come back."""
        connection = seat.connection
        self._vacate(seat)
        if connection is not None:
            connection.closed = reason
            self._events.append(Broken(f"slot {seat.slot}: {reason}"))

    def _pause(self) -> None:
        entries = self.closing.entries
        if not self.closing.paused and not any(e.event is Event.PAUSE for e in entries):
            entries.append(Entry(Event.PAUSE))

    def _go_on(self, now_ns: int) -> None:
        closing = self.closing
        if not closing.paused:
            return
        closing.entries.append(Entry(Event.RESUME))
        closing.start(now_ns + LEAD)
        for connection in self.connections.values():
            connection.started = False

    def _trapped(self, frame: int, what: str) -> None:
        if self._ending is None:
            self._events.append(TrapMet(frame, what))
            self.end(f"trap in frame {frame}: {what}"[:100])

    def has_state_of(self, seat: Seat) -> bool:
        """Whether a seat's peer can give a snapshot that others may trust."""
        connection = seat.connection
        return (
            connection is not None
            and connection.ready
            and not connection.needs_state
            and seat.slot not in self.votes.apart
        )

    @property
    def events(self) -> list[MatchEvent]:
        """Events for the next poll's output."""
        return self._events
