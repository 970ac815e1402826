"""The pace of a peer: when its next tick is due, so that its inputs come a little before they must.

The relay tells how long before its frame was due an input came, its slack. The peer steers to a
frame's time of slack and what 95 of 100 inputs lose to jitter. All numbers are integers, so that
peers in other languages take the same steps.
"""

from __future__ import annotations

from collections import deque

from samebits.net import limits

SAMPLES = 64
"""Slacks that jitter is taken from."""
RECENT = 15
"""Slacks of which the mean of the middle third is what is steered by (as Slippi does)."""
_NOTED = 512
_GENTLE, _FAST = 10, 100
"""Speeds of steering, in thousandths: by default, and where more than three frames off."""
_FAR = 30
"""Frames beyond which the clock is set instead of steered."""
_MOST_JITTER = 5
"""Frames of jitter beyond which more slack would not help."""


class Pacer:
    """Ticks of `tick_rate` a second, sped up and slowed down by slacks. Before the start none."""

    def __init__(self, tick_rate: int) -> None:
        self.period = limits.SECOND // tick_rate
        """Nanoseconds of a tick."""
        self.frame = 0
        """The tick that is next."""
        self.at: int | None = None
        """When it is due."""
        self.delay = 0
        """Frames from a tick to the frame that its input is for."""
        self.reserve = 0
        """Slack beyond what is needed, before the delay is lowered."""
        self._phase = 0
        """How much later ticks come than they would have without steering."""
        self._noted: dict[int, int] = {}
        self._slacks: deque[int] = deque(maxlen=SAMPLES)

    def start(self, frame: int, at_ns: int) -> None:
        """Make `frame` the next tick, due at a time. What was learned of jitter is forgotten."""
        self.frame, self.at = frame, at_ns
        self._noted.clear()
        self._slacks.clear()

    def stop(self) -> None:
        """No tick is due until the next start."""
        self.at = None

    def due(self, now_ns: int) -> int:
        """How many ticks are due."""
        return 0 if self.at is None or now_ns < self.at else (now_ns - self.at) // self.period + 1

    def tick(self) -> None:
        """The next tick is done."""
        assert self.at is not None
        step = self.period * self._thousandths() // 1000
        self._phase += step
        self.at += self.period + step
        self.frame += 1

    def skip(self, ticks: int) -> None:
        """Leave out ticks: their frames are played, without inputs."""
        assert self.at is not None
        self.at += ticks * self.period
        self.frame += ticks

    def note(self, frame: int) -> None:
        """The input for `frame` is being sent."""
        self._noted[frame] = self._offset
        if len(self._noted) > _NOTED:
            del self._noted[next(iter(self._noted))]

    def observe(self, frame: int, slack: int) -> None:
        """The input for `frame` came so many nanoseconds before the frame was due."""
        offset = self._noted.pop(frame, None)
        if offset is None or self.at is None:
            return
        # What the slack would have been with neither steering nor delay.
        self._slacks.append(slack - offset)
        error = self.error
        if abs(error) > _FAR * self.period:
            self._phase += error
            self.at += error

    @property
    def jitter(self) -> int:
        """By how much one in twenty inputs comes later than the median, in nanoseconds."""
        if len(self._slacks) < RECENT:
            return 0
        found = sorted(self._slacks)
        return min(found[len(found) // 2] - found[len(found) // 20], _MOST_JITTER * self.period)

    @property
    def wanted(self) -> int:
        """The slack that is steered to."""
        return self.period + self.jitter + self.reserve

    @property
    def error(self) -> int:
        """How much more slack there is than wanted; negative where inputs come too late."""
        if not self._slacks:
            return 0
        recent = sorted(list(self._slacks)[-RECENT:])
        third = len(recent) // 3
        middle = recent[third : len(recent) - third]
        return sum(middle) // len(middle) + self._offset - self.wanted

    @property
    def _offset(self) -> int:
        """What delay and steering add to the slack of an input that is sent now."""
        return self.delay * self.period - self._phase

    def _thousandths(self) -> int:
        """By how much the next tick is longer."""
        error = self.error
        if abs(error) * 4 <= self.period:
            return 0
        speed = _FAST if abs(error) > 3 * self.period else _GENTLE
        return speed if error > 0 else -speed
