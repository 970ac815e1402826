"""A peer's core: bytes in, bytes and events out. It opens no socket and reads no clock.

Owns the conversation with the relay: HELLO to END, and what each record does to timeline, pace and
delay. Times are nanoseconds of any clock that never goes back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum

from samebits.bits import xxh64
from samebits.errors import ProtocolError
from samebits.lang.signal_safe import keeps_flags
from samebits.net import limits
from samebits.net.events import (
    Away,
    Broken,
    DelayChanged,
    Desynced,
    Ended,
    HashGroup,
    Joined,
    Left,
    MatchEvent,
    Paused,
    Refused,
    Started,
    Substituted,
    TrapMet,
    VerdictKnown,
)
from samebits.net.identity import hello_of
from samebits.net.input_codec import ClosedFrame, Event, InputCodec
from samebits.net.messages import (
    Ack,
    Bundle,
    Chunk,
    Control,
    Delay,
    Desync,
    Early,
    End,
    Leave,
    Pause,
    Ping,
    Pong,
    Ready,
    Record,
    Refuse,
    Resume,
    Slack,
    Start,
    Trapped,
    Verdict,
    Want,
    Welcome,
    decode,
    encode,
)
from samebits.net.peer.delay import DelayControl
from samebits.net.peer.outbox import Outbox
from samebits.net.peer.pacing import Pacer
from samebits.net.peer.timeline import Timeline
from samebits.net.reliable import Reliable
from samebits.net.transfers import REPORT, SNAPSHOT, Incoming, Outgoing
from samebits.sim.simulation import Simulation

PING_EVERY = limits.SECOND // 2
FIRST_PINGS = limits.SECOND // 10
"""Time between pings, and before the match starts."""
MOST_TICKS = 15
"""Ticks that are made up for after a wait; of a longer one the rest is left out."""

Sample = Callable[[int], bytes]
"""`sample(frame)` gives the player's canonical input for a frame."""
Reporter = Callable[[Timeline, int], bytes]
"""`reporter(timeline, frame)` gives a desync report that shows a frame."""


class PeerState(Enum):
    """Where a peer is in the conversation."""

    GREETING = "greeting"
    LOADING = "loading"
    READY = "ready"
    PLAYING = "playing"
    PAUSED = "paused"
    OVER = "over"


@dataclass
class PeerOutput:
    """What a call leaves to do: messages to send, events to show, and when to poll next at the
    latest, if ever."""

    messages: list[bytes] = field(default_factory=list[bytes])
    events: list[MatchEvent] = field(default_factory=list[MatchEvent])
    wake: int | None = None


class PeerCore:
    """One peer of a match. `window` frames are predicted at most; 0 is lockstep.

    `sample` is asked once a tick for the player's input. `ordered` says whether the transport keeps
    messages in order and loses none, as WebSocket does. With `spectator` there is no input.
    Raises MatchError where the simulation can't be played over a network.
    """

    @keeps_flags
    def __init__(
        self,
        simulation: Simulation,
        ticket: str,
        sample: Sample,
        *,
        window: int = 8,
        ordered: bool = True,
        spectator: bool = False,
        least_delay: int = 0,
        reporter: Reporter | None = None,
    ) -> None:
        self.simulation = simulation
        self.codec = InputCodec(simulation)
        self.window = window
        self.state = PeerState.GREETING
        self.slot: int | None = None
        self.resume = b""
        """The token that brings this peer back to its slot, once."""
        self.timeline: Timeline | None = None
        self.pacer = Pacer(simulation.tick_rate)
        self.seed = 0
        self.players: set[int] = set()
        """The slots that are played."""
        self.stalls = 0
        """Ticks at which nothing could be shown, since inputs of others were missing."""
        self._ticket, self._sample, self._spectator = ticket, sample, spectator
        self._ordered, self._least_delay, self._reporter = ordered, least_delay, reporter
        self._outbox = Outbox(self.codec, ordered)
        self._delay = DelayControl(self.pacer, window, least_delay, limits.AHEAD // 2)
        self._greeted = False
        self._pings: dict[int, int] = {}
        self._ping_number = 0
        self._ping_at: int | None = None
        self._heard: int | None = None
        self._incoming: Incoming | None = None
        self._outgoing: dict[tuple[int, int], Outgoing] = {}
        self._records: list[Record] = []
        self._events: list[MatchEvent] = []
        self._trap_told = False
        self._told_at = 0
        self._rebased = False
        """Whether bundles on their way may refer to frames that a snapshot took the place of."""
        self._reliable = None if ordered else Reliable()

    # What the program says.

    def reconnect(self) -> None:
        """There is a new connection: say hello again, with the token of the last one. Nothing
        happens where the conversation has ended."""
        if self.over:
            return
        self.state = PeerState.GREETING
        self._greeted = False
        self._incoming, self._heard = None, None
        self._outgoing.clear()
        self._pings.clear()
        self._ping_at = None
        self._records.clear()
        self._reliable = None if self._ordered else Reliable()
        self.pacer.stop()

    def pause(self, reason: str = "") -> None:
        """Ask for a pause."""
        self._records.append(Pause(reason))

    def go_on(self) -> None:
        """Ask to go on after a pause."""
        self._records.append(Resume())

    def leave(self, reason: str = "") -> None:
        """Leave the slot for good."""
        self._records.append(Leave(reason))

    @property
    def frame(self) -> int:
        """How many frames have been played, predicted ones included."""
        return self.timeline.frame if self.timeline else 0

    @property
    def rtt(self) -> int:
        """The median round trip in nanoseconds, 0 if unknown."""
        return self._delay.rtt

    # What the transport says.

    @keeps_flags
    def receive(self, now_ns: int, message: bytes) -> None:
        """A message came. Bytes that break the protocol end the conversation: state OVER, event
        Broken; nothing is raised for them."""
        if self.over:
            return
        self._heard = now_ns
        try:
            if len(message) > limits.MESSAGE:
                raise ProtocolError(f"a message has {len(message):,} bytes")
            for record in decode(message, "relay"):
                if isinstance(record, Control | Ack):
                    self._controlled(record, now_ns)
                else:
                    self._take(record, now_ns)
                if self.over:
                    return
        except ProtocolError as error:
            self._end(Broken(error.message))

    def _controlled(self, record: Control | Ack, now_ns: int) -> None:
        reliable = self._reliable
        if reliable is None:
            raise ProtocolError("a CONTROL over a transport that keeps order")
        if isinstance(record, Ack):
            reliable.acknowledged(record.ack)
            return
        for body in reliable.take(record):
            for inner in decode(body, "relay"):
                if isinstance(inner, Control | Ack):
                    raise ProtocolError("a CONTROL within a CONTROL")
                if not self.over:
                    self._take(inner, now_ns)

    @keeps_flags
    def poll(self, now_ns: int) -> PeerOutput:
        """Do what is due, and return what is to be sent and shown. Raises Trap of `init`."""
        messages: list[bytes] = []
        if self.state is not PeerState.OVER:
            if self._heard is None:
                self._heard = now_ns
            self._greet()
            ticked = self._tick(now_ns)
            self._play(ticked, now_ns)
            self._ping(now_ns)
            if self._incoming is not None and (want := self._incoming.want(now_ns)):
                self._records.append(want)
            if now_ns - self._heard > limits.IDLE:
                self._end(Broken("the relay is silent"))
        records, self._records = self._records, []
        if self._reliable is not None:
            # An end is acknowledged too, and a farewell said again.
            records = self._reliable.pack(records, now_ns)
        messages += _messages(records)
        events, self._events = self._events, []
        return PeerOutput(messages, events, self._wake(now_ns))

    @property
    def over(self) -> bool:
        """Whether the conversation has ended."""
        return self.state is PeerState.OVER

    def _wake(self, now_ns: int) -> int | None:
        if self.over:
            return None
        again = self._reliable.wake() if self._reliable is not None else None
        times = [t for t in (self.pacer.at, self._ping_at, again) if t is not None]
        timeline = self.timeline
        if timeline is not None and timeline.trap is None and self.state is PeerState.PLAYING:
            behind = min(self.pacer.frame, timeline.confirmed) - timeline.frame
            if behind > 0:
                return now_ns
        return max(now_ns, min(times)) if times else now_ns + PING_EVERY

    def _greet(self) -> None:
        if self._greeted:
            return
        self._greeted = True
        confirmed = self.timeline.confirmed if self.timeline else 0
        ticket = "" if self.resume else self._ticket
        hello = hello_of(
            self.simulation, self.codec, window=self.window, confirmed=confirmed, ticket=ticket,
            resume=self.resume,
        )  # fmt: skip
        self._records.append(hello)

    def _ping(self, now_ns: int) -> None:
        if self.state is PeerState.GREETING:
            return
        if self._ping_at is None or now_ns >= self._ping_at:
            self._ping_number += 1
            self._pings[self._ping_number] = now_ns
            while len(self._pings) > 64:
                del self._pings[next(iter(self._pings))]
            playing = self.state is PeerState.PLAYING
            self._ping_at = now_ns + (PING_EVERY if playing else FIRST_PINGS)
            self._records.append(Ping(self._ping_number))

    def _tick(self, now_ns: int) -> bool:
        """The ticks that are due, an input for each; whether there were any."""
        if self.state is not PeerState.PLAYING or self.timeline is None:
            return False
        pacer = self.pacer
        due = pacer.due(now_ns)
        if due > MOST_TICKS:
            pacer.skip(due - 1)
        while pacer.due(now_ns):
            if not self._spectator:
                if self._delay.update(pacer.frame):
                    self._records.append(Delay(pacer.delay))
                self._input(pacer.frame + pacer.delay)
            pacer.tick()
        if due and pacer.frame > self.timeline.confirmed + self.window:
            self.stalls += 1
            self._delay.stalled(pacer.frame)
        return due > 0

    def _input(self, frame: int) -> None:
        """Sample the input for a frame; where the delay grew it holds for the frames before too."""
        outbox, timeline, slot = self._outbox, self.timeline, self.slot
        assert timeline is not None
        assert slot is not None
        first = max(outbox.next, timeline.confirmed)
        # A relay that waits for this peer closes no frame until something comes.
        frame = min(frame, timeline.confirmed + limits.AHEAD - 1)
        if frame < first:
            return
        if frame - first > MOST_TICKS:
            first = frame
        given = self.codec.canonical(self._sample(frame))
        for n in range(first, frame + 1):
            outbox.add(n, given)
            timeline.guess(slot, n, given)
            self.pacer.note(n)

    def _play(self, ticked: bool, now_ns: int) -> None:
        timeline = self.timeline
        if timeline is None or self.state in (PeerState.GREETING, PeerState.LOADING):
            return
        playing = self.state is PeerState.PLAYING
        target = self.pacer.frame if playing else timeline.confirmed
        timeline.advance(target)
        trap = timeline.trap
        if trap is not None and not self._trap_told:
            self._trap_told = True
            self._events.append(TrapMet(trap.frame, trap.message))
            self._records.append(Trapped(trap.frame, trap.message[: limits.TEXT // 4]))
        # Once a tick, so that there is no message for each that comes.
        if ticked:
            self._tell(timeline)
            return
        waits = not playing or self._outbox.waiting(timeline.finished) >= MOST_TICKS
        if waits and (self._ordered or now_ns - self._told_at >= FIRST_PINGS):
            self._told_at = now_ns
            self._tell(timeline)

    def _tell(self, timeline: Timeline) -> None:
        while True:
            found = self._outbox.message(timeline.confirmed, timeline.finished, timeline.hashes)
            if found is None or self._spectator:
                return
            self._records.append(found)
            if not self._ordered:
                return

    # What the relay says.

    def _take(self, record: Record, now_ns: int) -> None:
        match record:
            case Ping():
                self._records.append(Pong(record.token))
            case Pong():
                sent = self._pings.pop(record.token, None)
                if sent is not None:
                    self._delay.round_trip(now_ns - sent)
            case Welcome() if self.state is PeerState.GREETING:
                self._welcome(record, now_ns)
            case Refuse():
                self._end(Refused(record.code, record.reason, record.ours, record.yours))
            case _ if self.state is PeerState.GREETING:
                # Of an old connection's datagrams; an ordered one begins with the answer.
                if self._ordered:
                    raise ProtocolError(f"a {type(record).__name__.upper()} before WELCOME")
            case Start():
                self._start(record, now_ns)
            case Bundle():
                self._bundle(record)
            case Early():
                self._early(record)
            case Slack():
                self._slack(record)
            case Desync():
                self._events.append(self._desync(record))
            case Want():
                self._want(record)
            case Chunk():
                self._chunk(record, now_ns)
            case Verdict():
                self._events.append(VerdictKnown(record.frame, record.what))
            case End():
                if self.timeline is not None and self.state is not PeerState.LOADING:
                    self.timeline.settle()
                self._end(Ended(record.reason, record.frames, record.hash))
            case Welcome():
                if self._ordered:
                    raise ProtocolError("a second answer to HELLO")
            case _:
                raise ProtocolError(f"a relay sends no {type(record).__name__.upper()}")

    def _welcome(self, record: Welcome, now_ns: int) -> None:
        simulation = self.simulation
        if record.players != simulation.players or record.tick_rate != simulation.tick_rate:
            raise ProtocolError("the match has other players or another tick rate")
        if self._spectator != (record.slot >= record.players):
            own, other = ("play", "watch") if record.slot < record.players else ("watch", "play")
            raise ProtocolError(f"the ticket is one to {own}, and this is to {other}")
        self.slot, self.seed, self.resume = record.slot, record.seed, record.resume
        self._delay = DelayControl(
            self.pacer, self.window, max(record.delay, self._least_delay), record.most_delay
        )
        timeline = self.timeline
        if timeline is None:
            timeline = Timeline(simulation, self.codec, self.window, record.seed)
            self.timeline = timeline
        if record.snapshot:
            self.state = PeerState.LOADING
            self._incoming = Incoming(SNAPSHOT, 0, 0, simulation.state_size, now_ns)
        elif record.begin != timeline.confirmed:
            raise ProtocolError(
                f"the match goes on with frame {record.begin}, and this peer has "
                f"{timeline.confirmed}"
            )
        else:
            self._ready(timeline)

    def _ready(self, timeline: Timeline) -> None:
        self.state = PeerState.READY
        hashed = timeline.finished
        while hashed - 1 in timeline.hashes and timeline.finished - hashed < limits.HASHES:
            hashed -= 1
        self._outbox.begin(timeline.confirmed, hashed)
        self._records.append(Ready(timeline.confirmed, hashed))

    def _start(self, record: Start, now_ns: int) -> None:
        if self.state is PeerState.LOADING:
            return
        timeline = self.timeline
        assert timeline is not None
        delay = self._delay.begin(record.frame)
        pacer = self.pacer
        ahead = delay * pacer.period - self.rtt - pacer.wanted
        pacer.start(record.frame, now_ns + record.wait + ahead)
        self.state = PeerState.PLAYING
        self._events.append(Started(record.frame))
        if not self._spectator:
            self._records.append(Delay(delay))
            if record.frame == timeline.confirmed == 0:
                # The first frames come before the first tick's input: nobody waits for them.
                for frame in range(delay):
                    self._outbox.add(frame, self.codec.zero)

    def _bundle(self, record: Bundle) -> None:
        timeline = self.timeline
        if timeline is None or self.state is PeerState.LOADING:
            if self._ordered and self.state is not PeerState.LOADING:
                raise ProtocolError("a BUNDLE before READY")
            return
        number = record.first
        before: bytes | None = self.codec.zeros
        if record.relative:
            before = timeline.row(number - 1)
            if before is None and number > timeline.confirmed:
                before = None
        if before is None or number > timeline.confirmed:
            if self._ordered and not self._rebased:
                raise ProtocolError(
                    f"a BUNDLE begins with frame {number}, after frame {timeline.confirmed}"
                )
            return
        at = 0
        for _ in range(record.frames):
            frame, at = self.codec.get_frame(record.body, at, before)
            if number == timeline.confirmed:
                timeline.confirm(frame.row)
                self._closed(number, frame)
            before = frame.row
            number += 1
        if at != len(record.body):
            raise ProtocolError("a BUNDLE has bytes after its frames")
        # One of frames before the state alone leaves nothing that the next one may refer to.
        self._rebased = self._rebased and timeline.row(timeline.confirmed - 1) is None

    def _closed(self, number: int, frame: ClosedFrame) -> None:
        substituted = frame.substituted
        if substituted:
            slots = tuple(n for n in range(self.codec.players) if substituted >> n & 1)
            self._events.append(Substituted(slots, number))
            if self.slot in slots and self.state is PeerState.PLAYING:
                self._delay.late(self.pacer.frame)
        for entry in frame.entries:
            match entry.event:
                case Event.JOIN:
                    self.players.add(entry.slot)
                    self._events.append(Joined(entry.slot, number))
                case Event.LEAVE:
                    self.players.discard(entry.slot)
                    self._events.append(Left(entry.slot, number))
                case Event.AWAY:
                    self._events.append(Away(entry.slot, number))
                case Event.PAUSE:
                    self.pacer.stop()
                    self.state = PeerState.PAUSED
                    self._events.append(Paused(number + 1))
                case Event.DELAY:
                    self._events.append(DelayChanged(entry.slot, entry.value, number))
                case Event.RESUME | Event.HEAL | Event.DESYNC:
                    pass

    def _early(self, record: Early) -> None:
        timeline = self.timeline
        if record.slot >= self.codec.players:
            raise ProtocolError(f"an EARLY for slot {record.slot}")
        given, at = self.codec.get(record.body, 0, self.codec.zero)
        if at != len(record.body):
            raise ProtocolError("an EARLY has bytes after its input")
        if timeline is None or record.slot == self.slot:
            return
        if record.frame < timeline.confirmed + 2 * limits.AHEAD:
            timeline.guess(record.slot, record.frame, given)

    def _slack(self, record: Slack) -> None:
        self._outbox.acknowledged(record.received, record.hashed)
        if record.received:
            self.pacer.observe(record.received - 1, record.slack * 1000)
            if record.slack < 0 and self.state is PeerState.PLAYING:
                self._delay.late(self.pacer.frame)

    def _desync(self, record: Desync) -> Desynced:
        groups: list[HashGroup] = []
        if len(record.body) != 17 * record.groups or not record.groups:
            raise ProtocolError("a DESYNC has not the bytes of its groups")
        for at in range(0, len(record.body), 17):
            value = int.from_bytes(record.body[at : at + 8], "little")
            slots = int.from_bytes(record.body[at + 9 : at + 17], "little")
            listed = tuple(n for n in range(limits.PLAYERS) if slots >> n & 1)
            groups.append(HashGroup(value, listed, record.body[at + 8] != 0))
        return Desynced(record.frame, tuple(groups), bool(record.right))

    def _want(self, record: Want) -> None:
        timeline = self.timeline
        key = record.what, record.request
        found = self._outgoing.get(key)
        if found is None and timeline is not None and self.state is not PeerState.LOADING:
            if record.what == SNAPSHOT:
                frame, data = timeline.state_for_snapshot()
            elif self._reporter is not None:
                frame, data = record.frame, self._reporter(timeline, record.frame)
            else:
                frame, data = record.frame, b""
            found = self._outgoing[key] = Outgoing(record.what, record.request, frame, data)
            while len(self._outgoing) > 4:
                del self._outgoing[next(iter(self._outgoing))]
        if found is not None:
            self._records.append(found.chunk(record.offset))

    def _chunk(self, record: Chunk, now_ns: int) -> None:
        if record.what == REPORT:
            raise ProtocolError("a relay sends no reports")
        state = self._incoming
        if state is None or state.request != record.request:
            # A state that was not asked for: the relay heals this peer.
            state = Incoming(SNAPSHOT, record.request, 0, self.simulation.state_size, now_ns)
            self._incoming = state
        state.take(record, now_ns)
        if not state.whole:
            return
        timeline = self.timeline
        assert timeline is not None
        self._incoming = None
        data = state.data
        if len(data) != self.simulation.state_size or xxh64(data) != state.hash:
            raise ProtocolError("a snapshot does not have the bytes that its hash tells of")
        timeline.restore(state.frame, data)
        self._rebased = True
        self._trap_told = False
        if self.state is PeerState.LOADING:
            self._ready(timeline)
        else:
            self._outbox.hash_from(timeline.finished)
            self._records.append(Ready(timeline.confirmed, timeline.finished))

    def _end(self, event: MatchEvent) -> None:
        self.state = PeerState.OVER
        self.pacer.stop()
        self._events.append(event)


def _messages(records: list[Record]) -> list[bytes]:
    """Records as few messages, chunks in their own ones."""
    done: list[bytes] = []
    part = b""
    for record in records:
        found = encode(record)
        if part and len(part) + len(found) > limits.MESSAGE_UP:
            done.append(part)
            part = b""
        part += found
    return [*done, part] if part else done
