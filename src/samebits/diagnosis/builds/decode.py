"""The settings of a switchboard that give another machine's hashes, found frame by frame.

The first frame whose hash is another shows which switches matter there: those that change it. Some
of them on, one variant each, give the other machine's hash; then the run goes on with these until
the next frame that differs, where other switches matter. What a frame refutes is never tried again:
a variant that changes a hash which the settings without it give.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations, product, zip_longest
from math import prod

import numpy as np

from samebits.diagnosis.builds.board_run import INIT, BoardRun, Point, Settings
from samebits.diagnosis.builds.manners import altered, manners, parts_of
from samebits.diagnosis.clock import OutOfTime, spent

_AGAIN = 2
"""Times that a search starts over with what it has refuted."""
_STRETCH = 256
"""Frames that all agree, over which what else would agree is looked for."""
_ACROSS_GAPS = 2
"""Times as many sets are tried where hashes of frames before lack: more switches matter at once."""


@dataclass
class Decoded:
    """How far settings go: `parting` is the first frame that they do not give, None at the end.
    `left` are the variants of each switch that no frame refutes."""

    settings: Settings
    parting: int | None
    left: list[set[int]]
    solved: int
    """Frames that differed, and were explained."""


@dataclass
class Decoder:
    """One search over one board, with at most `most` trials of sets of switches for a frame."""

    run: BoardRun
    most: int
    end: float
    """The processor's time at which it stops."""
    acts: bool | None = None
    """Whether any switch, alone, changes the hash of the first frame that differs."""
    _left: list[set[int]] = field(init=False)

    def __post_init__(self) -> None:
        self._left = self._all()

    def decode(self, start: Settings | None = None) -> Decoded:
        """Search from `init` on, with the settings of `start` or all switches off. Raises
        OutOfTime."""
        run = self.run
        settings = run.off() if start is None else start
        point, solved, again = Point(INIT, b""), 0, _AGAIN
        while True:
            parting = run.parting(point, settings)
            if parting is None:
                return Decoded(settings, None, self._left, solved)
            self._refute(point, parting, settings)
            point = run.before(run.known_before(parting, point.frame), point, settings)
            found = self._solved(point, parting, settings)
            if found is None and solved and again:
                found, again = self._otherwise(point, parting, settings), again - 1
            if found is None:
                return Decoded(settings, parting, self._left, solved)
            settings, solved = found, solved + 1

    def _otherwise(self, point: Point, frame: int, settings: Settings) -> Settings | None:
        """Settings that give the hash of a frame and all before it, though some of them have been
        refuted beside settings that were others' equals in the frames before."""
        left, self._left = self._left, self._all()
        start = Point(INIT, b"")
        for trial in self._hits(point, frame, settings):
            parting = self.run.parting(start, trial, frame + 1)
            if parting is None:
                return trial
        self._left = left
        return None

    def _all(self) -> list[set[int]]:
        return [set(range(len(s.variants) + 1)) for s in self.run.board.switches]

    def _refute(self, point: Point, parting: int, settings: Settings) -> None:
        """Drop the variants that change a hash between a point and `parting`, where all agree."""
        end = min(parting, point.frame + _STRETCH)
        if end > point.frame:
            self._drop(settings, lambda changed: self.run.parting(point, changed, end) is None)

    def _drop(self, settings: Settings, agrees: Callable[[Settings], bool]) -> None:
        for number, form in self._others(settings):
            self._in_time()
            if not agrees(altered(settings, ((number, form),))):
                self._left[number].discard(form)

    def _others(self, settings: Settings) -> list[tuple[int, int]]:
        """Every switch with each variant that is left and not set."""
        return [
            (number, form)
            for number, forms in enumerate(self._left)
            for form in sorted(forms)
            if form != settings[number]
        ]

    def _solved(self, point: Point, frame: int, settings: Settings) -> Settings | None:
        """Settings that give the hash of a frame, by way of those from a point on; what they alone
        refute is refuted."""
        found = next(self._hits(point, frame, settings), None)
        if found is not None:
            goal = self.run.known[frame]
            self._drop(found, lambda changed: self.run.hash_after(point, frame, changed) == goal)
        return found

    def _hits(self, point: Point, frame: int, settings: Settings) -> Iterator[Settings]:
        """Settings that give the hash of a frame, the most plausible first."""
        run, goal = self.run, self.run.known[frame]
        plain = run.hash_after(point, frame, settings)
        options: dict[int, dict[int | None, int]] = {}
        for number, form in self._others(settings):
            self._in_time()
            one = altered(settings, ((number, form),))
            found = run.hash_after(point, frame, one)
            if found == goal:
                self.acts = True
                yield one
            if found != plain:
                options.setdefault(number, {}).setdefault(found, form)
        self.acts = bool(options) if self.acts is None else self.acts
        active = {number: tuple(forms.values()) for number, forms in options.items()}
        most = self.most * (1 if frame == point.frame else _ACROSS_GAPS)
        for trial in self._sets(active, settings, most):
            self._in_time()
            if run.hash_after(point, frame, trial) == goal:
                yield self._without_idle(point, frame, trial, settings)

    def _without_idle(
        self, point: Point, frame: int, found: Settings, before: Settings
    ) -> Settings:
        """Settings as they were, where the frame does not tell them from those found."""
        for number in np.flatnonzero(found != before):
            form, found[number] = found[number], before[number]
            if self.run.hash_after(point, frame, found) != self.run.known[frame]:
                found[number] = form
        return found

    def _sets(
        self, active: dict[int, tuple[int, ...]], settings: Settings, most: int
    ) -> Iterator[Settings]:
        """Settings of the switches that matter, `most` at most, the most plausible first: all in
        one manner; then with exceptions, which are off or in another manner; then any two and
        three; and all there are where these are few."""
        seen = {settings.tobytes()}
        left = most

        def fresh(some: Iterable[Settings]) -> Iterator[Settings]:
            nonlocal left
            for trial in some:
                key = trial.tobytes()
                if key in seen:
                    continue
                if not left:
                    return
                left -= 1
                seen.add(key)
                yield trial

        every = [number for number, forms in enumerate(self._left) if len(forms) > 1]
        # Some matter only beside others.
        switches = self.run.board.switches
        near = manners(switches, self._left, [*active])
        wide = manners(switches, self._left, every)
        found = near + wide
        uniform = [altered(settings, tuple(forms.items())) for forms in found]
        yield from fresh(uniform)
        parts = [part for forms in found for part in parts_of(switches, forms)]
        yield from fresh(altered(settings, part) for part in parts)
        off = list(parts_of(switches, dict.fromkeys(active, 0)))
        for start in uniform:
            yield from fresh(altered(start, some) for some in off)
        choices = [[(number, form) for form in (0, *forms)] for number, forms in active.items()]
        if prod(map(len, choices)) <= left:
            yield from fresh(altered(settings, some) for some in product(*choices))
        for start in (some for pair in zip_longest(near, wide) for some in pair if some):
            whole = altered(settings, tuple(start.items()))
            yield from fresh(altered(whole, part) for part in parts)
        flips = [*parts, *off]
        yield from fresh(altered(settings, one + two) for one, two in combinations(flips, 2))
        for start in uniform:
            yield from fresh(altered(start, one + two) for one, two in combinations(flips, 2))
        yield from fresh(altered(settings, sum(some, ())) for some in combinations(flips, 3))

    def _in_time(self) -> None:
        if spent() > self.end:
            raise OutOfTime
