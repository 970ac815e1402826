"""The comparison of a run with its replay's hashes and keyframes.

Owns that comparison. All machines may agree and the replay not: its state was changed by hand while
it was recorded, or restored badly.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from itertools import takewhile

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.report.findings import Departure, RecordedFact
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.outcome import TrapFact
from samebits.sim.sources import InputSource

FIELDS = 64
"""Scalars of a keyframe that are described."""


class Recorded:
    """The states that a replay vouches for, by number: state n is the one before frame n. Those of
    a run are shown to it in order, from state 0 on."""

    def __init__(self, source: InputSource, frames: int | None = None) -> None:
        self._source = source
        self._seen = 0
        self._hashes = 0
        self._keyframes = 0
        self._departure: Departure | None = None
        known = list(_hashes(source, source.frames if frames is None else frames))
        self._known = np.concatenate([np.zeros(1, np.bool_), *(mask for mask, _ in known)])
        self._values = np.concatenate([np.zeros(1, np.uint64), *(values for _, values in known)])
        last = len(self._known) - 1
        vouched = takewhile(lambda kept: kept[0] <= last, source.keyframes())
        self._kept = {n: xxh64(state) for n, state in vouched}
        self._numbers = sorted(self._kept)

    def __bool__(self) -> bool:
        """Whether there is anything to compare with."""
        return bool(self._numbers or self._known.any())

    def see(self, first: int, hashes: NDArray[np.uint64], trap: TrapFact | None = None) -> None:
        """The hashes of states `first` and those after it, and the trap that comes then. States
        that were seen are passed over, and so is what does not follow them."""
        self._see(first, hashes)
        if trap is not None and self._seen == first + len(hashes):
            self.see_trap(trap.message)

    def _see(self, first: int, hashes: NDArray[np.uint64]) -> None:
        if self._departure is not None or not first <= self._seen < first + len(hashes):
            return
        hashes, first = hashes[self._seen - first :], self._seen
        hashes = hashes[: len(self._known) - first]
        stop = first + len(hashes)
        known = self._known[first:stop]
        wrong = np.flatnonzero(known & (self._values[first:stop] != hashes))
        kept = self._numbers[bisect_left(self._numbers, first) : bisect_left(self._numbers, stop)]
        wrong_kept = next((n for n in kept if self._kept[n] != int(hashes[n - first])), stop)
        end = min(first + int(wrong[0]) if len(wrong) else stop, wrong_kept)
        upto = min(end + 1, stop)
        self._hashes += int(np.count_nonzero(known[: upto - first]))
        self._keyframes += sum(n < upto for n in kept)
        if end < stop:
            hash_agrees = bool(self._known[end]) and not (len(wrong) and end == first + wrong[0])
            self._departs(end, f"{int(hashes[end - first]):016x}", between=hash_agrees)
        self._seen = stop

    def see_trap(self, message: str) -> None:
        """The next frame traps. That is another end where the replay has a state behind it."""
        behind = bool(self._known[self._seen :].any())
        if self._departure is None and (behind or self._after(self._seen) is not None):
            self._departs(self._seen, f"trap: {message}", between=False)

    def fact(self, side: Side) -> RecordedFact:
        """The findings about a run of `side`, which is run again for the fields. Raises what
        running raises; what becomes of the fields is in the notes."""
        found = self._departure
        notes: list[str] = []
        if found is not None and not found.here.startswith("trap"):
            with beyond_first_facts(notes, "the fields that depart from the replay are"):
                found = self._with_fields(side, found)
        name = self._source.replay or ""
        return RecordedFact(name, self._hashes, self._keyframes, found, tuple(notes))

    def _departs(self, number: int, here: str, between: bool) -> None:
        hashed = self._known[number] and not between
        known = int(self._values[number]) if hashed else self._kept.get(number)
        recorded = "" if known is None else f"{known:016x}"
        vouched = [int(n) for n in np.flatnonzero(self._known[:number])[-1:]]
        at = bisect_left(self._numbers, number)
        vouched += self._numbers[max(0, at - 1) : at]
        since = number - 1 if between else max(vouched, default=-1) - 1
        self._departure = Departure(number - 1, since, between, here, recorded)

    def _after(self, number: int) -> int | None:
        """The first keyframe from a state on."""
        at = bisect_left(self._numbers, number)
        return self._numbers[at] if at < len(self._numbers) else None

    def _with_fields(self, side: Side, found: Departure) -> Departure:
        number = self._after(found.frame + 1)
        if number is None:
            return found
        theirs = next(state for n, state in self._source.keyframes() if n == number)
        inputs = InputStream(self._source)
        with closing(open_run(side)) as run:
            run.start(inputs.seed)
            if number:
                run.advance(inputs.between(0, number))
            mine = run.save() if run.frame == number else None
        if mine is None:
            return found
        every = differences(side.plain.state, mine, theirs, FIELDS)
        return replace(found, keyframe=number, fields=every.first, differing=every.differing)


def recorded_in(source: InputSource, frames: int | None = None) -> Recorded | None:
    """The records of a run in a source besides its inputs, of its first frames or of all; None
    where that is nothing."""
    if source.replay is None:
        return None
    found = Recorded(source, frames)
    return found or None


def _hashes(
    source: InputSource, frames: int
) -> Iterator[tuple[NDArray[np.bool_], NDArray[np.uint64]]]:
    """Of each block, which hashes are known, and they. Nothing is read behind the frames."""
    for block in source.blocks():
        count, hashes = len(block.inputs), block.hashes
        known = np.full(count, hashes is not None)
        yield known, np.zeros(count, np.uint64) if hashes is None else hashes
        frames -= count
        if frames <= 0:
            return
