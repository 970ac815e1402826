"""The reduction of a trace to what no other machine can recompute.

Owns what is stored, found by evaluating the frame along the trace: the results of arithmetic, loads
and library calls, and of all other operations those results that an evaluation does not reproduce.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.bits import Patterns, pattern_of, to_canonical, values_of, xxh64
from samebits.errors import IRError
from samebits.frame_trace.model import Numbering, recorded
from samebits.frame_trace.observer import FrameInput, Observer
from samebits.frame_trace.record import Trace
from samebits.ir.grammar import CALLS, Op, Value
from samebits.ir.interp.closures import Frame, Step, Steps
from samebits.types import ScalarType

ENDINGS = RETURNED, TRAPPED, DIVERGED = "returned", "trapped", "diverged"
TrapParts = tuple[str, str | None, tuple[int, int, int] | None]
"""A trap's kind, detail and, of kind "own", its numbers."""
Corrections = tuple[NDArray[np.uint64], Patterns]
"""The indices of a column's values that an evaluation does not reproduce, and those values."""
Patch = tuple[NDArray[np.uint64], NDArray[np.uint8]]
"""The offsets of bytes that an evaluation does not reproduce, and those bytes."""
NO_PATCH: Patch = np.zeros(0, np.uint64), np.zeros(0, np.uint8)


@dataclass(frozen=True, eq=False)
class ReducedTrace:
    """A reduced trace. Columns have the numbers of `Numbering.columns_of`."""

    digest: int
    """The numbering's digest."""
    events: int
    regions: int
    """Regions entered, which bounds the cost of restoring it."""
    absent: NDArray[np.uint32]
    """The numbered operations that the traced program lacks."""
    columns: dict[int, NDArray[Any]]
    """Bit patterns, in the width of their type."""
    corrections: dict[int, Corrections]
    ending: str
    last: tuple[int, ...] = ()
    """The call path of the operation that trapped or, if the trace diverges, that came next."""
    times: int = 0
    """How often the operation that trapped had completed before."""
    trap: TrapParts | None = None
    after: int = 0
    """XXH64 of the canonical state after a frame that returned."""
    patch: Patch = NO_PATCH
    """Bytes of that state that no operation explains."""


def is_stored(numbering: Numbering, op: Op) -> bool:
    """Whether an operation's results are stored, because they can differ between machines."""
    if op.opcode in ("const", "get", "set", "store") or is_followed(numbering, op):
        return False
    return any(isinstance(value.type, ScalarType) for value in op.results)


def is_followed(numbering: Numbering, op: Op) -> bool:
    """Whether an operation is a call whose function's operations are visible."""
    return op.opcode in CALLS and op.attr in numbering.functions


def by_column(
    numbering: Numbering, numbers: NDArray[np.uint32], values: Patterns
) -> dict[int, Patterns]:
    """The events' results, by column."""
    columns = numbering.columns_of(numbers)
    order = np.argsort(columns, kind="stable")
    found, starts = np.unique(columns[order], return_index=True)
    return dict(zip(map(int, found), np.split(values[order], starts[1:]), strict=True))


def reduce_trace(trace: Trace) -> ReducedTrace:
    """The reduced form of a trace. It ends, as diverged, where an evaluation of the plain program
    can no longer follow it."""
    reader = trace.model.reader
    guide, regions = _Guide(trace), _RegionCount()
    given = FrameInput.of(reader, trace.frame_input.before, trace.frame_input.inputs)
    absent = frozenset(np.flatnonzero(~trace.has).tolist())
    state, returned = given.before, False
    try:
        given = replace(given, source=lambda: guide.follow, absent=absent)
        state, trap = given.run(regions)
        returned = trap is None
    except (_Off, IRError):
        pass
    return guide.reduced(regions.count, to_canonical(reader.state, state), returned)


class _RegionCount(Observer):
    def __init__(self) -> None:
        self.count = 0

    def enter_region(self) -> None:
        self.count += 1


class _Off(Exception):
    """The trace ends here, or continues with another operation."""


class _Guide:
    """Makes an evaluation follow a trace, and notes the results that it would not reproduce."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._numbering = numbering = trace.model.reader.numbering
        self._event = 0
        self._came_to: int | None = None
        patterns = by_column(numbering, trace.numbers, trace.values)
        self._values = {
            column: values_of(numbering.type_of(column), found)
            for column, found in patterns.items()
        }
        self._corrections: dict[int, list[tuple[int, int]]] = defaultdict(list)

    def follow(self, steps: Steps, op: Op, number: int, step: Step) -> Step:
        """The step that yields the trace's result."""
        if is_followed(self._numbering, op):
            return self._called(steps, op, number, step)
        numbers, total = self._trace.numbers.data, len(self._trace)
        inner = self._leading(steps, op, number, step)

        def run(frame: Frame) -> None:
            event = self._event
            if event == total or numbers[event] != number:
                self._came_to = number
                raise _Off
            inner(frame)
            self._event = event + 1

        return run

    def _called(self, steps: Steps, op: Op, number: int, step: Step) -> Step:
        numbers, total = self._trace.numbers.data, len(self._trace)
        corrected = [self._corrected(steps, column, v) for column, v in self._columns(op, number)]

        def run(frame: Frame) -> None:
            step(frame)
            if self._event == total or numbers[self._event] != number:
                raise _Off
            for correct in corrected:
                correct(frame)
            self._event += 1

        return run

    def _leading(self, steps: Steps, op: Op, number: int, step: Step) -> Step:
        columns = list(self._columns(op, number))
        if not columns:
            return step
        if is_stored(self._numbering, op):
            taken = [(steps.read(v), self._values.get(c, iter(()))) for c, v in columns]

            def take(frame: Frame) -> None:
                for at, values in taken:
                    frame[at] = next(values)

            return take
        ((column, value),) = columns
        correct = self._corrected(steps, column, value)
        if op.opcode not in ("set", "store"):

            def give(frame: Frame) -> None:
                step(frame)
                correct(frame)

            return give
        at = steps.read(value)

        def write(frame: Frame) -> None:
            own = frame[at]
            correct(frame)
            step(frame)
            frame[at] = own

        return write

    def _columns(self, op: Op, number: int) -> Iterator[tuple[int, Value]]:
        return enumerate(recorded(op), int(self._numbering.firsts[number]))

    def _corrected(self, steps: Steps, column: int, value: Value) -> Callable[[Frame], None]:
        """Sets a value to the trace's, and notes it if the evaluation computed another."""
        at, t = steps.read(value), value.type
        assert isinstance(t, ScalarType)
        values, times = self._values.get(column, iter(())), count()

        def correct(frame: Frame) -> None:
            own, wanted, time = frame[at], next(values), next(times)
            if own != wanted or not own:  # zeros have signs, and NaN differs from itself
                pattern = pattern_of(t, wanted)
                if pattern_of(t, own) != pattern:
                    self._corrections[column].append((time, pattern))
            frame[at] = wanted

        return correct

    def reduced(self, regions: int, after: bytes, returned: bool) -> ReducedTrace:
        """The reduced trace, after the evaluation has ended in state `after`."""
        trace, numbering, end = self._trace, self._numbering, self._event
        numbers = trace.numbers[:end]
        columns = by_column(numbering, numbers, trace.values[: trace.starts[end]])
        stored = {
            column: found.astype(f"u{numbering.type_of(column).size}")
            for column, found in columns.items()
            if is_stored(numbering, numbering.op_of(column))
        }
        absent = np.flatnonzero(~trace.has).astype(np.uint32)
        corrections = _as_arrays(self._corrections)
        reduced = ReducedTrace(
            numbering.digest, end, regions, absent, stored, corrections, DIVERGED
        )
        if end == len(trace) and trace.trap is None and trace.diverged_to is None and returned:
            patch = _patch(after, trace.after)
            return replace(reduced, ending=RETURNED, after=xxh64(trace.after), patch=patch)
        last = tuple(n for n in map(numbering.at, trace.call_path(end)) if n is not None)
        trap = trace.trap
        if end < len(trace) or trap is None or last[-1:] != (self._came_to,):
            return replace(reduced, last=last)
        times = int(np.count_nonzero(numbers == self._came_to))
        parts = trap.kind, trap.detail, trap.own
        return replace(reduced, ending=TRAPPED, last=last, times=times, trap=parts)


def _as_arrays(corrections: dict[int, list[tuple[int, int]]]) -> dict[int, Corrections]:
    arrays = {column: np.array(rows, np.uint64) for column, rows in corrections.items()}
    return {column: (found[:, 0].copy(), found[:, 1].copy()) for column, found in arrays.items()}


def _patch(found: bytes, wanted: bytes) -> Patch:
    a, b = np.frombuffer(found, np.uint8), np.frombuffer(wanted, np.uint8)
    where = np.flatnonzero(a != b)
    return where.astype(np.uint64), b[where]
