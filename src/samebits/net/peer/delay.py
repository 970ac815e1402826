"""The input delay of a peer: the frames from a tick to the frame that its input is for.

It goes up at once where inputs come too late, and down slowly, since players prefer a constant
delay to a short one: it never swings.
"""

from __future__ import annotations

from collections import deque

from samebits.net.peer.pacing import Pacer

LATE, WITHIN = 2, 60
"""Late inputs in so many frames that raise the delay."""
CALM = 600
"""Frames without need of the delay before it is lowered."""
REST = 30
"""Frames after a raise before the next one."""
ROUND_TRIPS = 9
"""Round trips of which the median counts."""


class DelayControl:
    """Chooses `pacer.delay`, from `least` to `most`. `window` frames can be predicted: three of
    four of them hide a part of the way."""

    def __init__(self, pacer: Pacer, window: int, least: int, most: int) -> None:
        self._pacer, self._least, self._most = pacer, least, most
        self._hidden = window - window // 4
        self._trips: deque[int] = deque(maxlen=ROUND_TRIPS)
        self._late: deque[int] = deque(maxlen=LATE)
        self._raised = -REST
        self._needed = 0
        """The latest frame in which the delay was needed."""

    def round_trip(self, nanoseconds: int) -> None:
        """A PONG came so long after its PING."""
        self._trips.append(nanoseconds)

    @property
    def rtt(self) -> int:
        """The median round trip in nanoseconds, 0 before the first."""
        return sorted(self._trips)[len(self._trips) // 2] if self._trips else 0

    def late(self, frame: int) -> None:
        """The input for a frame came after it was closed, or due."""
        self._late.append(frame)

    def begin(self, frame: int) -> int:
        """Choose the delay to start with, and return it."""
        self._raised, self._needed = frame - REST, frame
        self._late.clear()
        self._pacer.reserve = 0
        self._pacer.delay = self._clamped(self._wanted(0))
        return self._pacer.delay

    def update(self, frame: int) -> bool:
        """Choose the delay for the tick `frame`; whether it changed."""
        pacer = self._pacer
        now = pacer.delay
        calm = self._clamped(self._wanted(pacer.period // 2)) < now
        if not calm:
            self._needed, pacer.reserve = frame, 0
        late = len(self._late) == LATE and frame - self._late[0] < WITHIN
        if (late or self._clamped(self._wanted(0)) > now) and frame - self._raised >= REST:
            self._late.clear()
            self._raised = self._needed = frame
            pacer.delay = self._clamped(now + 1)
        elif calm and frame - self._needed >= CALM:
            # First the slack grows by a frame, so that the step down makes no input late.
            pacer.reserve = pacer.period
            if pacer.error * 4 >= -pacer.period:
                pacer.reserve, self._needed = 0, frame
                pacer.delay = now - 1
        return pacer.delay != now

    def _wanted(self, margin: int) -> int:
        """The delay at which a frame's inputs are there when it is to be shown, in frames."""
        pacer = self._pacer
        way = self.rtt + pacer.period + 2 * pacer.jitter + margin
        return -(-way // pacer.period) - self._hidden

    def _clamped(self, delay: int) -> int:
        return max(self._least, min(delay, self._most))
