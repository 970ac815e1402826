"""The results of another math library that give another machine's hashes, argument by argument.

Libraries that round nearly always correctly differ in one call of many thousands: the first frame
that differs has one call, or two, whose result is one step off; so has the next one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

import numpy as np

from samebits.bits import bits_to_float
from samebits.diagnosis.builds.board_run import INIT, BoardRun, Point
from samebits.diagnosis.builds.watched_calls import MOST_SET, Call, WatchedCalls
from samebits.diagnosis.clock import OutOfTime, spent
from samebits.fpmodel.libm import name_of
from samebits.hazards.edit.other_results import OtherResult, observed
from samebits.hazards.switchboard import Switchboard
from samebits.sides.input_stream import InputStream
from samebits.sim.program import Program

_STEPS = (1, -1)
_MOST_IN_PAIRS = 80
"""Calls of a frame, of which any two may be off."""

_MOST_TOLD = 8
Result = tuple[Call, int]


@dataclass
class OtherLibrary:
    """One search over one program, against the hashes and states that are known by frame."""

    program: Program
    inputs: InputStream
    known: Mapping[int, int]
    states: Mapping[int, bytes]
    end: float
    """The processor's time at which it stops."""
    found: list[Result] = field(default_factory=list[Result])
    trials: int = 0

    def search(self) -> int | None:
        """Look for results from the first frame that differs on; the first frame that they do not
        give, None if they give all. Raises OutOfTime."""
        self._calls = WatchedCalls()
        kernels, self._names = observed(self.program.kernels, self._calls.ticks)
        if not self._names:
            return INIT
        board = Switchboard(kernels, (), np.zeros(1, np.uint8))
        self._run = run = BoardRun(self.program, board, self.inputs, self.known)
        off, start = run.off(), Point(INIT, b"")
        while True:
            self._calls.set(self.found)
            parting = run.parting(start, off)
            self.trials = run.trials
            if parting is None or len(self.found) + 2 > MOST_SET:
                return parting
            point = run.before(run.known_before(parting), start, off)
            more = self._of_frame(point, parting)
            if more is None:
                return parting
            self.found += more

    def results(self) -> tuple[OtherResult, ...]:
        """What was found, by the functions' names."""
        arity = {name: len(f.params) for name, f in self.program.kernels.functions.items()}
        return tuple(
            OtherResult(name, arguments[: arity[name]], steps)
            for (number, *arguments), steps in self.found
            for name in [self._names[number]]
            for arguments in [tuple(arguments)]
        )

    def _of_frame(self, point: Point, frame: int) -> list[Result] | None:
        """Results that are off in a frame, and give its hash."""
        run, goal = self._run, self.known[frame]
        self._calls.begin()
        run.hash_after(point, frame, run.off())
        calls = self._calls.calls()
        if calls is None:
            return None
        for trial in self._sets(calls, point, frame):
            if spent() > self.end:
                raise OutOfTime
            self._calls.set([*self.found, *trial])
            if run.hash_after(point, frame, run.off()) == goal:
                return list(trial)
        return None

    def _sets(self, calls: list[Call], point: Point, frame: int) -> Iterator[tuple[Result, ...]]:
        every: list[Result] = [*product(calls, _STEPS)]
        yield from ((one,) for one in every)
        if frame in self.states:
            yield self._climbed(every, point, frame)
        if len(calls) <= _MOST_IN_PAIRS:
            yield from combinations(every, 2)

    def _climbed(self, every: list[Result], point: Point, frame: int) -> tuple[Result, ...]:
        """The results with each of which fewer bytes of the state are wrong."""
        run, wanted = self._run, np.frombuffer(self.states[frame], np.uint8)

        def wrong(some: list[Result]) -> int:
            self._calls.set([*self.found, *some])
            left = run.state_after(point, frame, run.off())
            there = np.zeros(0, np.uint8) if left is None else np.frombuffer(left, np.uint8)
            return len(wanted) if left is None else int(np.count_nonzero(there != wanted))

        chosen: list[Result] = []
        least = wrong(chosen)
        for one in every:
            if (
                len(self.found) + len(chosen) + 1 < MOST_SET
                and (n := wrong([*chosen, one])) < least
            ):
                chosen, least = [*chosen, one], n
        return tuple(chosen)


def described_results(results: Sequence[OtherResult]) -> Iterator[str]:
    """Which results are off, for people: some of them."""
    for each in results[:_MOST_TOLD]:
        name = name_of(each.function) or each.function
        bits = 32 if each.function.endswith("f32") or ".float32." in each.function else 64
        given = ", ".join(bits_to_float(pattern, bits).hex() for pattern in each.arguments)
        farther = "from" if each.steps > 0 else "towards"
        yield f"{name}({given}) is {abs(each.steps)} ULP further {farther} zero"
    if len(results) > _MOST_TOLD:
        yield f"{len(results) - _MOST_TOLD} more results are off"
