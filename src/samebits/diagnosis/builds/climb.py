"""The settings of a switchboard that leave another machine's states, found by climbing.

A hash is right or wrong; of a state every byte is. Each frame whose state is known begins with the
other machine's own state before it, so that one frame's error is no other's: settings are changed
one switch at a time, then two, as long as fewer bytes are wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, islice

import numpy as np
from numpy.typing import NDArray

from samebits.diagnosis.builds.board_run import INIT, BoardRun, Point, Settings
from samebits.diagnosis.builds.manners import altered, manners
from samebits.diagnosis.clock import OutOfTime, spent

_MOST_FRAMES = 12
_MOST_STARTS = 4
_MOST_PAIRS = 3_000
_SECONDS = 3.0
"""Of the processor, for one board."""

Change = tuple[int, int]
"""A switch by number, and the variant that it is set to."""


@dataclass(frozen=True, eq=False)
class _Frame:
    """A frame that begins at `point`, and the state that the other machine has behind it."""

    point: Point
    frame: int
    wanted: NDArray[np.uint8]


@dataclass
class Climb:
    """One search over one board. `states` are canonical, by the frame that they follow; `first` is
    the first frame that differs from side a's."""

    run: BoardRun
    states: Mapping[int, bytes]
    first: int
    end: float
    """The processor's time at which it stops."""

    def climb(self) -> Settings | None:
        """The settings that leave all states; None where none are found."""
        self._frames = list(islice(self._known(), _MOST_FRAMES))
        if not self._frames:
            return None
        self.end = min(self.end, spent() + _SECONDS)
        off = self.run.off()
        best: int | None = None
        try:
            for start in self._starts(off):
                found, wrong = self._from(start)
                if not wrong:
                    return found
                if best is not None and wrong >= best:
                    return None
                best = wrong
        except OutOfTime:
            return None
        return None

    def _known(self) -> Iterator[_Frame]:
        """The frames whose beginning and end are known."""
        run = self.run
        for frame in sorted(self.states):
            if frame < self.first or frame >= run.frames:
                continue
            before = self.states.get(frame - 1)
            if frame == self.first:  # all before it is as on side a
                point = run.before(frame, Point(INIT, b""), run.off())
            elif before is not None:
                point = run.point(frame, before)
            else:
                continue
            yield _Frame(point, frame, np.frombuffer(self.states[frame], np.uint8))

    def _wrong(self, settings: Settings, most: int | None = None) -> int:
        """Bytes that settings leave otherwise; no more are counted once there are `most`."""
        if spent() > self.end:
            raise OutOfTime
        total = 0
        for each in self._frames:
            total += self._wrong_in(each, settings)
            if most is not None and total >= most:
                break
        return total

    def _wrong_in(self, each: _Frame, settings: Settings) -> int:
        left = self.run.state_after(each.point, each.frame, settings)
        if left is None:
            return len(each.wanted)
        return int(np.count_nonzero(np.frombuffer(left, np.uint8) != each.wanted))

    def _starts(self, off: Settings) -> Sequence[Settings]:
        """All off, and the manners with the fewest bytes wrong, these first."""
        switches = self.run.board.switches
        forms = [set(range(len(switch.variants) + 1)) for switch in switches]
        every = [
            altered(off, tuple(some.items()))
            for some in manners(switches, forms, range(len(switches)))
        ]
        rated = sorted(((self._wrong(some), n) for n, some in enumerate(every)))
        best = [every[n] for _, n in rated[:_MOST_STARTS]]
        plain = self._wrong(off)
        before = sum(wrong < plain for wrong, _ in rated[:_MOST_STARTS])
        return [*best[:before], off, *best[before:]]

    def _from(self, settings: Settings) -> tuple[Settings, int]:
        """Where climbing from some settings ends, and the bytes that are wrong there."""
        wrong = self._wrong(settings)
        while wrong:
            better = self._swept(settings, wrong)
            if better is None:
                better = self._paired(settings, wrong)
            if better is None:
                break
            settings, wrong = better
        return settings, wrong

    def _changes(self, settings: Settings) -> list[Change]:
        return [
            (number, form)
            for number, switch in enumerate(self.run.board.switches)
            for form in range(len(switch.variants) + 1)
            if form != settings[number]
        ]

    def _swept(self, settings: Settings, wrong: int) -> tuple[Settings, int] | None:
        """After each switch has been set to its best variant, one after another; None where
        nothing is better."""
        began = wrong
        for number, switch in enumerate(self.run.board.switches):
            for form in range(len(switch.variants) + 1):
                if form == settings[number]:
                    continue
                trial = altered(settings, ((number, form),))
                found = self._wrong(trial, wrong)
                if found < wrong:
                    settings, wrong = trial, found
        return None if wrong == began else (settings, wrong)

    def _paired(self, settings: Settings, wrong: int) -> tuple[Settings, int] | None:
        """After the first two changes that together are better; only such as change bytes that are
        wrong, or make some so."""
        active = [each for each in self._changes(settings) if self._matters(settings, each)]
        for one, two in islice(combinations(active, 2), _MOST_PAIRS):
            if one[0] == two[0]:
                continue
            trial = altered(settings, (one, two))
            found = self._wrong(trial, wrong)
            if found < wrong:
                return trial, found
        return None

    def _matters(self, settings: Settings, change: Change) -> bool:
        trial = altered(settings, (change,))
        run = self.run
        return any(
            run.state_after(each.point, each.frame, trial)
            != run.state_after(each.point, each.frame, settings)
            for each in self._frames
        )
