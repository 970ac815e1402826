"""The closing of frames: one a tick, when all inputs are there or at a deadline.

Owns the schedule, the rule by which missing inputs are made up, and what happens to the match in
which frame. Knows nothing of connections' bytes.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.net import limits
from samebits.net.input_codec import ClosedFrame, Entry, Event, InputCodec
from samebits.net.relay.frames import FrameLog
from samebits.net.relay.seats import Seat

IN_TIME = 3
"""Inputs in a row that must come in time before frames wait for a seat again."""


@dataclass(frozen=True, slots=True)
class ClosingRules:
    """`deadline` is how long after it is due a frame waits for inputs, in nanoseconds, None for
    ever. A missing input repeats the player's latest one, for `repeat` frames in a row; then it is
    zeros."""

    deadline: int | None = 150_000_000
    repeat: int = 60


class Closing:
    """Closes the frames of a match. It runs once `start` has set its schedule."""

    def __init__(
        self, codec: InputCodec, tick_rate: int, rules: ClosingRules, log: FrameLog
    ) -> None:
        self.rules, self.log = rules, log
        self.seats = [Seat(slot, base=codec.zero) for slot in range(codec.players)]
        self.entries: list[Entry] = []
        """What the next frame to close says."""
        self.running = False
        self.paused = False
        self._codec, self._rate = codec, tick_rate
        self._origin = (0, 0)
        self._good: dict[int, int] = {}

    def start(self, at_ns: int) -> None:
        """The next frame is due at a time, and one a tick after it."""
        self._origin = (self.log.closed, at_ns)
        self.running, self.paused = True, False

    def due(self, frame: int) -> int:
        """When a frame is due."""
        first, at = self._origin
        return at + (frame - first) * limits.SECOND // self._rate

    def came(self, seat: Seat, frame: int, now_ns: int) -> None:
        """The input of a player who was late came, for a frame at or after the next one."""
        in_time = now_ns <= self.due(frame)
        good = self._good[seat.slot] = self._good.get(seat.slot, 0) + 1 if in_time else 0
        if good >= IN_TIME:
            seat.late = False
            self._good.pop(seat.slot)

    def close(self, now_ns: int, most: int | None) -> None:
        """Close what can be closed now, up to `most` frames of the match."""
        log = self.log
        while self.running and not self.paused and (most is None or log.closed < most):
            if not self._may_close(now_ns):
                return
            log.close(self._next())

    def wake(self) -> int | None:
        """When the next frame is due, or its deadline is."""
        if not self.running or self.paused:
            return None
        frame = self.log.closed
        for seat in self.seats:
            if self._lacks(seat, frame) and not seat.late and seat.connection is not None:
                deadline = self.rules.deadline
                return None if deadline is None else self.due(frame) + deadline
        return self.due(frame)

    def vacate(self, seat: Seat) -> None:
        """Nobody plays a seat any more."""
        seat.occupied, seat.connection, seat.late, seat.nonce = False, None, True, ""
        seat.inputs.clear()
        seat.away_since = None

    def _lacks(self, seat: Seat, frame: int) -> bool:
        """Whether a seat's input for a frame has not come, and may still come. Peers tell inputs in
        the order of their frames, over datagrams all from the first one on that they don't know to
        have come: one that is left out before the latest never comes."""
        return frame not in seat.inputs and frame >= seat.received

    def _may_close(self, now_ns: int) -> bool:
        frame = self.log.closed
        due = self.due(frame)
        if now_ns < due:
            return False
        missing = [seat for seat in self.seats if self._lacks(seat, frame)]
        if not missing:
            return True
        missing = [s for s in missing if s.occupied and s.connection is not None and not s.late]
        if not missing:
            return True
        deadline = self.rules.deadline
        if deadline is None or now_ns < due + deadline:
            return False
        for seat in missing:
            seat.late = True
            self._good.pop(seat.slot, None)
        return True

    def _next(self) -> ClosedFrame:
        frame, substituted = self.log.closed, 0
        latest: list[bytes] = []
        for slot, seat in enumerate(self.seats):
            given = seat.inputs.pop(frame, None)
            if given is not None and seat.occupied:
                seat.repeated = 0
            elif not seat.occupied:
                given = self._codec.zero
            else:
                substituted |= 1 << slot
                seat.substituted += 1
                seat.repeated += 1
                given = self._codec.zero
                if seat.repeated <= self.rules.repeat:
                    given = self._codec.input_of(self.log.latest, slot)
            latest.append(given)
        if not self.entries:
            return ClosedFrame(b"".join(latest), substituted)
        entries, self.entries = tuple(self.entries), []
        if any(entry.event is Event.PAUSE for entry in entries):
            self.paused = True
        return ClosedFrame(b"".join(latest), substituted, entries)
