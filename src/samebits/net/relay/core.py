"""A relay's core: one match, bytes in, bytes and events out. It opens no socket, reads no clock.

Owns the conversation with each connection. Times are nanoseconds since 1970 that never go back, by
which tickets expire too.
"""

from __future__ import annotations

from collections.abc import Mapping

from samebits.errors import ProtocolError
from samebits.lang.signal_safe import keeps_flags
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
    End,
    Hello,
    Input,
    Leave,
    Pause,
    Ping,
    Pong,
    Ready,
    Record,
    Refuse,
    Resume,
    Start,
    Trapped,
    Verdict,
    Want,
    decode,
    is_lone_input,
)
from samebits.net.relay.admission import Admission
from samebits.net.relay.closing import Closing
from samebits.net.relay.frames import FrameLog
from samebits.net.relay.inputs import Inputs
from samebits.net.relay.output import RelayOutput
from samebits.net.relay.referee import Referee
from samebits.net.relay.retrial import Retrial
from samebits.net.relay.rules import MatchRules
from samebits.net.relay.seats import Connection, Seat, TokenBucket
from samebits.net.relay.sending import Sending
from samebits.net.relay.states import REPORT_WAIT, States
from samebits.net.relay.votes import REFEREE, Votes
from samebits.net.reliable import Reliable
from samebits.net.tickets import TicketBooth
from samebits.net.transfers import REPORT
from samebits.sim.simulation import Simulation

LEAD = limits.SECOND // 5
"""Time from START to the first frame."""
LOOK = limits.SECOND // 10
"""Time from one look for who is silent, or away for too long, to the next."""
ON_THE_WAY = limits.SECOND // 2
"""Time in which messages that were sent before a READY may come behind it, over a transport that
does not keep their order."""
AT_ONCE = 24
"""Frames that the referee runs at once: each call of it costs as much as some frames."""
IDLE = limits.SECOND // 2
"""Time from one poll to the next at most."""


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
        self.seats: list[Seat] = self.closing.seats
        """The seats by slot."""
        self.votes = Votes()
        self.referee = (
            Referee(simulation, self.codec, self.rules.seed) if self.rules.referee else None
        )
        self._retrial: Retrial | None = None
        if self.referee is None and self.rules.retrial:
            self._retrial = Retrial(simulation, self.codec, self.rules.seed)
        self.connections: dict[int, Connection] = {}
        self.desyncs: list[Desynced] = []
        self.remarks: list[str] = []
        """What differs between peers that explains a desync to come."""
        self.ended: Ended | None = None
        self._admission = Admission(self, booth, secret)
        self.states = States(self)
        self.sending = Sending(self, simulation.tick_rate)
        self.due = 0
        """When to poll next at the latest: a call of `receive` may bring it forward."""
        self._patient = 0
        """When the next frame can close: inputs that come before are kept until then, so that those
        of all players are looked at together, which costs less than to come back for each."""
        self._kept: list[tuple[int, Connection, bytes]] = []
        """Inputs that are not looked at yet: when they came, over which connection."""
        self.seats_changed = False
        """Whether the next poll tells who plays."""
        self._inputs = Inputs(self)
        self._events: list[MatchEvent] = []
        self._ending: tuple[str, int] | None = None
        self._resumed = False
        self._trap: int | None = None
        """The frame that a trap ended: it and those behind it are no part of the match."""
        self._looked = 0
        self._unstarted = True
        """Whether there may be ready connections that were not told when frames close."""
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
        elif self._retrial is not None:
            for frame in frames:
                self._retrial.add(frame.row)
        for slot, epoch in epochs.items():
            seat = self.seats[slot]
            seat.occupied, seat.away_since, seat.epoch = True, now_ns, epoch
            seat.token = self._admission.token(slot, epoch)
        self._resumed = bool(frames)

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
        self._give()
        connection = self.connections.pop(number, None)
        if connection is not None:
            self.gone(connection, now_ns)

    def hold(self, number: int, held: bool) -> None:
        """A connection's transport takes no more for now, or again."""
        connection = self.connections.get(number)
        if connection is not None:
            connection.held = held

    def receive(self, now_ns: int, number: int, message: bytes) -> None:
        """A message came, for which a poll may be due sooner: see `due`. One that breaks the
        protocol ends its connection at the next poll; nothing is raised for it."""
        connection = self.connections.get(number)
        if connection is None:
            return
        if now_ns < self._patient and is_lone_input(message):
            self._kept.append((now_ns, connection, message))
            return
        if self._kept:
            self._give()
        self._received(now_ns, connection, message)

    def _give(self) -> None:
        """Look at the inputs that were kept."""
        kept, self._kept = self._kept, []
        for came, connection, message in kept:
            self._received(came, connection, message)

    def _received(self, now_ns: int, connection: Connection, message: bytes) -> None:
        connection.heard = now_ns
        over = connection.closed is not None
        if over and connection.reliable is None:
            return
        try:
            connection.bucket.take(now_ns)
            slot = connection.slot
            if slot is not None and connection.reliable is None:
                seat, closed = self.seats[slot], self.log.closed
                known = closed in seat.inputs
                if self._inputs.usual(connection, seat, message, now_ns):
                    self._played(not known and closed in seat.inputs, now_ns)
                    return
            if len(message) > limits.CHUNK_UP:
                raise ProtocolError(f"a message has {len(message):,} bytes")
            records = decode(message, "peer")
            if len(message) > limits.MESSAGE_UP and not any(isinstance(r, Chunk) for r in records):
                raise ProtocolError(f"a message has {len(message):,} bytes")
            for record in records:
                if type(record) is Control or type(record) is Ack:
                    self._controlled(connection, record, now_ns)
                elif not over:
                    self._take(connection, record, now_ns)
                over = connection.closed is not None
        except ProtocolError as error:
            if connection.closed is None:
                self._events.append(Broken(f"{self._who(connection)}: {error.message}"))
                self._let_go(connection, "broken", error.message)
                self.due = now_ns

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

    @keeps_flags
    def poll(self, now_ns: int) -> RelayOutput:
        """Do what is due, and return what is to be sent, stored and shown."""
        output = RelayOutput()
        if self._kept:
            self._give()
        if now_ns - self._looked >= LOOK:
            self._looked = now_ns
            self._time_out(now_ns)
        if self.ended is None:
            if self._unstarted or not self.closing.running:
                self._begin(now_ns)
            before = self.log.closed
            if self._ending is None:
                self._close(now_ns)
            for frame in range(before, self.log.closed):
                output.frames.append((frame, self.log[frame]))
            self._judge(before, now_ns)
            self.states.poll(now_ns)
            self._finish(now_ns)
        self.sending.send(now_ns, output)
        output.hashes, self.votes.fresh = self.votes.fresh, []
        output.events, self._events = self._events, []
        if self.seats_changed:
            self.seats_changed = False
            output.seats = {s.slot: s.epoch for s in self.seats if s.occupied}
        self.due = now_ns + (LOOK if self.connections else IDLE)
        if self.votes.tied is not None:
            self.due = now_ns
        self._hurry()
        self._patient = self._patience()
        if now_ns < self._patient < self.due:
            self.due = self._patient
        self.due = max(now_ns, self.due)
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

    def _hurry(self) -> None:
        """Bring the next poll forward to when a frame closes, or there is something to send."""
        if self.ended is not None:
            return
        closing = self.closing.wake() if self._ending is None else None
        for due in (closing, self.sending.wake()):
            if due is not None and due < self.due:
                self.due = due

    def _patience(self) -> int:
        """Until when inputs can wait; 0 where more than the next frame hangs on them."""
        closing = self.closing
        if self.ended is not None or self._ending is not None or self.votes.split:
            return 0
        if not self.rules.ordered or not closing.running or closing.paused:
            return 0
        return closing.due(self.log.closed)

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
        if not self._unstarted or closing.paused:
            return
        self._unstarted = False
        for connection in self.connections.values():
            if connection.ready and not connection.started:
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
        if self.referee is not None and not self._run(self.referee, now_ns):
            return
        retrial = self._retrial
        if retrial is not None:
            for n in range(before, self.log.closed):
                retrial.add(self.log.row(n))
            if self.votes.tied is not None:
                self._retry(retrial, self.votes.tied, now_ns)
        if not self.votes.changed:
            return
        possible = self._retrial is not None and self._retrial.possible
        desync = self.votes.settle(self._voters(), now_ns, retrial=possible)
        for voter, frame in self.votes.proven:
            self._events.append(Healed(voter, frame))
        self.votes.proven.clear()
        if desync is not None:
            self._desynced(desync)

    def _run(self, referee: Referee, now_ns: int) -> bool:
        """Let the referee run what was closed, some frames at a time, or all where somebody waits
        for its word; whether there may be new votes to count."""
        behind = self.log.closed - referee.frame
        hurries = self.votes.split or self._ending is not None or self.states.waits
        hurries = hurries or self._looked == now_ns  # a match may pause
        if referee.trap is not None or (behind < AT_ONCE and not hurries):
            return hurries or referee.trap is not None
        first = referee.frame
        rows = [self.log.row(n) for n in range(first, self.log.closed)]
        for n, value in enumerate(referee.run(rows)):
            self.votes.report(REFEREE, first + n, value, now_ns)
        if referee.trap is not None:
            self._trapped(referee.trap.frame, referee.trap.message)
        return True

    def _retry(self, retrial: Retrial, tied: int, now_ns: int) -> None:
        """Run the match again; who does is its referee from then on."""
        referee = retrial.run()
        if referee is None:
            return
        self.referee, self._retrial = referee, None
        first = referee.frame - len(referee.latest)
        for n, value in enumerate(referee.latest):
            if first + n >= tied:
                self.votes.report(REFEREE, first + n, value, now_ns)
        if referee.trap is not None:
            self._trapped(referee.trap.frame, referee.trap.message)

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
        frames = self.log.closed if self._trap is None else min(self._trap, self.log.closed)
        last = frames - 1
        if self.states.wants_reports and now_ns < until + REPORT_WAIT:
            return
        if last >= 0 and not self.votes.complete(last, self._voters()) and now_ns < until:
            return
        if not self.rules.ordered and now_ns < until and self._lacks_frames():
            return
        value = self.votes.known(last) or 0
        self.votes.close()
        self.ended = Ended(reason, frames, value)
        self._events.append(self.ended)
        for connection in self.connections.values():
            if connection.hello is not None and connection.closed is None:
                connection.records.append(End(reason, frames, value))

    def _lacks_frames(self) -> bool:
        """Whether a player has not said that it has all frames: some may have been lost."""
        return any(
            c.slot is not None and c.started and c.closed is None and c.sent < self.log.closed
            for c in self.connections.values()
        )

    # What is sent.

    def _to_all(self, record: Record) -> None:
        for connection in self.connections.values():
            if connection.ready and connection.closed is None:
                connection.records.append(record)

    # What peers say.

    def _take(self, connection: Connection, record: Record, now_ns: int) -> None:
        if type(record) is Input and connection.slot is not None:
            seat, closed = self.seats[connection.slot], self.log.closed
            known = closed in seat.inputs
            self._inputs.take(connection, seat, record, now_ns)
            self._played(not known and closed in seat.inputs, now_ns)
            return
        self.due = now_ns
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
                self._ready(connection, record, now_ns)
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

    def _played(self, may_close: bool, now_ns: int) -> None:
        """A player gave what it gives each tick; with `may_close`, for the next frame."""
        if self.votes.split or self._ending is not None or not self.rules.ordered:
            self.due = now_ns
        elif may_close or self.sending.waits:
            self._hurry()

    def _ready(self, connection: Connection, record: Ready, now_ns: int) -> None:
        if record.frame > self.log.closed:
            raise ProtocolError(f"READY for frame {record.frame}, which is not closed")
        if record.hashed > record.frame:
            raise ProtocolError(f"READY for frame {record.frame}, with hashes of later ones alone")
        seat = self._seat(connection)
        if seat is not None:
            seat.earlier = b""
        if connection.needs_state:
            # Of before it was given a state, which it will be ready with.
            if not connection.outgoing:
                return
            connection.needs_state = False
        if connection.ready and not self.rules.ordered:
            connection.deaf_until = now_ns + ON_THE_WAY
        connection.ready = self._unstarted = True
        connection.sent = connection.begun = record.frame
        connection.absolute = True
        connection.outgoing.clear()
        if seat is not None:
            seat.hashed, seat.nonce = record.hashed, ""
            self.votes.anew(seat.slot, record.hashed)

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

    def gone(self, connection: Connection, now_ns: int) -> None:
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
        self.seats_changed = True
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
            self._let_go(connection, "departed", reason)
            self._events.append(Broken(f"slot {seat.slot}: {reason}"))

    def _let_go(self, connection: Connection, code: str, reason: str) -> None:
        """End a connection for good, and say why."""
        connection.records.append(Refuse(code, reason[:300], "", ""))
        connection.closed = reason

    def _pause(self) -> None:
        entries = self.closing.entries
        if not self.closing.paused and not any(e.event is Event.PAUSE for e in entries):
            entries.append(Entry(Event.PAUSE))

    def _go_on(self, now_ns: int) -> None:
        closing = self.closing
        # A pause that no frame has said yet is none.
        closing.entries = [each for each in closing.entries if each.event is not Event.PAUSE]
        if not closing.paused:
            return
        closing.entries.append(Entry(Event.RESUME))
        closing.start(now_ns + LEAD)
        self._unstarted = True
        for connection in self.connections.values():
            connection.started = False

    def _trapped(self, frame: int, what: str) -> None:
        if self._ending is None:
            self._trap = frame
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
