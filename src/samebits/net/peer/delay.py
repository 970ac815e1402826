"""The input delay of a peer: the frames from a tick to the frame that its input is for.

It goes up at once where inputs come too late, and down slowly, since players prefer a constant
delay to a short one: it never swings.
"""

from __future__ import annotations

from collections import deque

from samebits.net.peer.pacing import Pacer

LATE, WITHIN = 2, 60
"""Late inputs in so many frames after which inputs are sent a frame earlier."""
MOST_MARGIN = 4
"""Frames that they are sent earlier at most: what comes later still is substituted."""
STALLS, MOST_EXTRA = 8, 6
"""Ticks without anything to show, in `WITHIN` frames, after which frames are shown a frame later;
and by how many at most."""
CALM = 600
"""Frames without need of delay or margin before they are lowered."""
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
        self._margin = 0
        """Frames that inputs are sent earlier, after some came late."""
        self._margin_at = 0
        self._extra = 0
        """Frames that others' inputs are waited for longer, after ticks with nothing to show."""
        self._extra_at = 0
        self._stalls: deque[int] = deque(maxlen=STALLS)

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

    def stalled(self, frame: int) -> None:
        """At the tick `frame` there was nothing to show: others' inputs were missing."""
        self._stalls.append(frame)

    def begin(self, frame: int) -> int:
        """Choose the delay to start with, and return it."""
        self._raised, self._needed = frame - REST, frame
        self._late.clear()
        self._margin, self._margin_at = 0, frame
        self._stalls.clear()
        self._extra, self._extra_at = 0, frame
        self._pacer.reserve = 0
        self._pacer.delay = self._clamped(self._wanted(0))
        return self._pacer.delay

    def update(self, frame: int) -> bool:
        """Choose the delay for the tick `frame`; whether it changed."""
        pacer = self._pacer
        now = pacer.delay
        self._learn(frame)
        reserve = self._margin * pacer.period
        calm = self._clamped(self._wanted(pacer.period // 2)) < now
        if not calm:
            self._needed = frame
        if self._clamped(self._wanted(0)) > now and frame - self._raised >= REST:
            self._raised = self._needed = frame
            pacer.delay = now + 1
        elif calm and frame - self._needed >= CALM:
            # First the slack grows by a frame, so that the step down makes no input late.
            reserve += pacer.period
            pacer.reserve = reserve
            if pacer.error * 4 >= -pacer.period:
                reserve -= pacer.period
                self._needed = frame
                pacer.delay = now - 1
        pacer.reserve = reserve
        return pacer.delay != now

    def _learn(self, frame: int) -> None:
        """Choose how much earlier inputs are sent, and how much later frames are shown."""
        late = len(self._late) == LATE and frame - self._late[0] < WITHIN
        if late and frame - self._margin_at >= REST:
            self._late.clear()
            self._margin, self._margin_at = min(self._margin + 1, MOST_MARGIN), frame
        elif self._margin and frame - self._margin_at >= CALM:
            self._margin, self._margin_at = self._margin - 1, frame
        stalls = len(self._stalls) == STALLS and frame - self._stalls[0] < WITHIN
        if stalls and frame - self._extra_at >= REST:
            self._stalls.clear()
            self._extra, self._extra_at = min(self._extra + 1, MOST_EXTRA), frame
        elif self._extra and frame - self._extra_at >= CALM:
            self._extra, self._extra_at = self._extra - 1, frame

    def _wanted(self, margin: int) -> int:
        """The delay at which a frame's inputs are there when it is to be shown, in frames."""
        pacer = self._pacer
        way = self.rtt + (1 + self._margin) * pacer.period + 2 * pacer.jitter + margin
        return -(-way // pacer.period) - self._hidden + self._extra

    def _clamped(self, delay: int) -> int:
        return max(self._least, min(delay, self._most))
