"""The settings of a switchboard that give another machine's hashes, found frame by frame.

The first frame whose hash is another shows which switches matter there: those that change it. Some
of them on, one variant each, give the other machine's hash; then the run goes on with these until
the next frame that differs, where other switches matter. What a frame refutes is never tried again:
a variant that changes a hash which the settings without it give.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product
from math import prod

import numpy as np

from samebits.diagnosis.builds.board_run import INIT, BoardRun, Point, Settings
from samebits.diagnosis.builds.clock import spent
from samebits.hazards.site_variants import ACROSS
from samebits.hazards.switchboard import Switch

Changes = tuple[tuple[int, int], ...]
"""Switches by number, each with the variant that it is set to."""
_AGAIN = 2
"""Times that a search starts over with what it has refuted."""
_MOST_JOINED = 4
"""Manners of a hazard that are joined with others'."""
_STRETCH = 256
"""Frames that all agree, over which what else would agree is looked for."""


@dataclass
class Decoded:
    """How far settings go: `parting` is the first frame that they do not give, None at the end.
    `left` are the variants of each switch that no frame refutes."""

    settings: Settings
    parting: int | None
    left: list[set[int]]
    solved: int
    """Frames that differed, and were explained."""


class OutOfTime(Exception):
    """No time is left."""


@dataclass
class Decoder:
    """One search over one board, with at most `most` trials of sets of switches for a frame."""

    run: BoardRun
    most: int
    end: float
    """The processor's time at which it stops."""
    _left: list[set[int]] = field(init=False)

    def __post_init__(self) -> None:
        self._left = self._all()

    def decode(self) -> Decoded:
        """Search from `init` on, with all switches off. Raises OutOfTime."""
        run = self.run
        settings = run.off()
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
            if not agrees(_with(settings, ((number, form),))):
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
            one = _with(settings, ((number, form),))
            found = run.hash_after(point, frame, one)
            if found == goal:
                yield one
            if found != plain:
                options.setdefault(number, {}).setdefault(found, form)
        active = {number: tuple(forms.values()) for number, forms in options.items()}
        for trial in self._sets(active, settings):
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

    def _sets(self, active: dict[int, tuple[int, ...]], settings: Settings) -> Iterator[Settings]:
        """Settings of the switches that matter, the most plausible first: all in one manner; then
        with exceptions; then any two and three; and all there are where these are few."""
        seen = {settings.tobytes()}
        left = self.most

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
        manners = self._manners([*active]) + self._manners(every)
        uniform = [_with(settings, tuple(forms.items())) for forms in manners]
        yield from fresh(uniform)
        parts = [part for forms in manners for part in self._parts(forms)]
        yield from fresh(_with(settings, part) for part in parts)
        off = list(self._parts(dict.fromkeys(active, 0)))
        for start in uniform:
            yield from fresh(_with(start, some) for some in off)
        choices = [[(number, form) for form in (0, *forms)] for number, forms in active.items()]
        if prod(map(len, choices)) <= left:
            yield from fresh(_with(settings, some) for some in product(*choices))
        flips = [*parts, *off]
        yield from fresh(_with(settings, one + two) for one, two in combinations(flips, 2))
        for start in uniform:
            yield from fresh(_with(start, one + two) for one, two in combinations(flips, 2))
        yield from fresh(_with(settings, sum(some, ())) for some in combinations(flips, 3))

    def _manners(self, numbers: Sequence[int]) -> list[dict[int, int]]:
        """Manners in which all that matter may act: by the variants with one note, of these the
        first, the second and so on, a switch with fewer by its last; then manners of several
        hazards at once. What acts across statements acts within them too."""
        by_note: dict[tuple[str, str], dict[int, list[int]]] = {}
        for number in numbers:
            for form, variant in enumerate(self.run.board.switches[number].variants, 1):
                if form in self._left[number]:
                    key = variant.hazard.name, variant.note
                    by_note.setdefault(key, {}).setdefault(number, []).append(form)
        for (hazard, note), forms in by_note.items():
            if note.endswith(ACROSS):
                within = by_note.get((hazard, note.removesuffix(ACROSS)), {})
                forms.update({k: v for k, v in within.items() if k not in forms})
        found: list[tuple[str, dict[int, int]]] = []
        most = max((len(v) for forms in by_note.values() for v in forms.values()), default=0)
        for rank in range(most):
            for (hazard, _), forms in by_note.items():
                if rank < max(map(len, forms.values())):
                    chosen = {k: v[min(rank, len(v) - 1)] for k, v in forms.items()}
                    found.append((hazard, chosen))
        return [forms for _, forms in found] + list(_joined(found))

    def _parts(self, forms: dict[int, int]) -> Iterator[Changes]:
        """A manner in one function, on one line, and of one switch alone."""
        yield from self._grouped(forms, lambda switch: switch.place.function)
        yield from self._grouped(forms, _line)
        yield from (((number, form),) for number, form in forms.items())

    def _grouped(
        self, forms: dict[int, int], key: Callable[[Switch], Hashable]
    ) -> Iterator[Changes]:
        found: dict[Hashable, list[tuple[int, int]]] = {}
        for number, form in forms.items():
            found.setdefault(key(self.run.board.switches[number]), []).append((number, form))
        return (tuple(some) for some in found.values() if len(some) > 1)

    def _in_time(self) -> None:
        if spent() > self.end:
            raise OutOfTime


def _joined(manners: list[tuple[str, dict[int, int]]]) -> Iterator[dict[int, int]]:
    """The first manners of each hazard beside those of all others."""
    by_hazard: dict[str, list[dict[int, int]]] = {}
    for hazard, forms in manners:
        by_hazard.setdefault(hazard, []).append(forms)
    if len(by_hazard) > 1:
        for some in product(*(each[:_MOST_JOINED] for each in by_hazard.values())):
            together: dict[int, int] = {}
            for forms in reversed(some):  # where two act at one place, the first one does
                together.update(forms)
            yield together


def _line(switch: Switch) -> Hashable:
    span = switch.variants[0].site.op.span
    return span.file, span.line


def _with(settings: Settings, changes: Changes) -> Settings:
    changed = settings.copy()
    for number, form in changes:
        changed[number] = form
    return changed
