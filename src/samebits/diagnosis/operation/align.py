"""Two traces side by side: the operations that both sides know, in the order of each side.

Owns which event of one side is which of the other, and the first pair that differs. What one side
alone knows (what a mode or a hazard put in, or took out) is passed over.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from samebits.bits import Patterns
from samebits.frame_trace.instances import Instance
from samebits.frame_trace.record import Trace
from samebits.ir.analysis.enclosing import Layout
from samebits.ir.grammar import Numbered, Op
from samebits.ir.refs import OpRef


@dataclass(frozen=True, eq=False)
class _Shared:
    """The events of one trace that the other side knows, by the numbers of the first trace."""

    events: NDArray[np.int64]
    numbers: NDArray[np.int64]
    values: Patterns


@dataclass(eq=False)
class Alignment:
    """Shared events are counted from 0; at `first` the traces part, or results differ, or one of
    them ends. Side 0 is a, side 1 is b.
    """

    traces: tuple[Trace, Trace]
    _shared: tuple[_Shared, _Shared]
    first: int
    _layouts: dict[tuple[int, str], Layout] = field(default_factory=dict[tuple[int, str], Layout])

    @property
    def ended(self) -> bool:
        """Whether a side has no shared event at `first`."""
        return any(self.first == len(side.events) for side in self._shared)

    def event(self, side: int, shared: int) -> int:
        """The event that a shared event is; the trace's length behind the last."""
        events = self._shared[side].events
        return int(events[shared]) if shared < len(events) else len(self.traces[side])

    def shared_event(self, side: int, event: int) -> int | None:
        """The inverse of `event`; None for an event that the other side does not know."""
        events = self._shared[side].events
        at = int(np.searchsorted(events, event))
        return at if at < len(events) and events[at] == event else None

    def comes_to(self, side: int) -> OpRef | None:
        """The operation of a side at `first`, or its end there; None where it returns."""
        trace, event = self.traces[side], self.event(side, self.first)
        return trace.place(event) if event < len(trace) else trace.last

    def instance(self, side: int, shared: int) -> Instance | None:
        """A shared event; its `values` are the operands of the operation as side a's plain program
        has it, or else side b's."""
        trace, event = self.traces[side], self.event(side, shared)
        if event == len(trace) and trace.trap is None:
            return None
        place = trace.place(event) if event < len(trace) else trace.last
        assert place is not None
        return trace.instance(event, self.plain(place).args)

    def call_path(self, side: int, shared: int) -> tuple[OpRef, ...]:
        """The calls down to a shared event's operation, and it; nothing where the side returns."""
        return self.traces[side].call_path(self.event(side, shared))

    def knows(self, side: int, place: OpRef) -> bool:
        """Whether a side has an operation, and sees it."""
        trace = self.traces[side]
        number = trace.model.numbering.at(place)
        return number is not None and bool(trace.has[number])

    def plain(self, place: OpRef) -> Op:
        """A seen operation as side a's plain program has it, or else side b's."""
        for trace in self.traces:
            number = trace.model.numbering.at(place)
            if number is not None:
                return trace.model.numbering.ops[number]
        raise KeyError(place)

    def statement(self, place: OpRef) -> Numbered:
        """As `plain`, of any statement."""
        for trace in self.traces:
            function = (trace.model.plain or trace.model.module).functions.get(place.function)
            statements = {} if function is None else Layout(function).statements
            if place.op in statements:
                return statements[place.op]
        raise KeyError(place)

    def layout(self, side: int, function: str) -> Layout:
        """A function as a side evaluates it."""
        key = side, function
        if key not in self._layouts:
            module = self.traces[side].model.module
            self._layouts[key] = Layout(module.functions[function])
        return self._layouts[key]

    def last_before(self, side: int, numbers: set[int], event: int) -> int:
        """The last event of these operations before another one; -1 where there is none."""
        found = np.flatnonzero(np.isin(self.traces[side].numbers[:event], list(numbers)))
        return int(found[-1]) if len(found) else -1


def align_traces(a: Trace, b: Trace) -> Alignment:
    """Both traces in lockstep, up to the first difference."""
    known, same_types = _numbers_of(a, b)
    own = np.where(known >= 0, np.arange(len(known)), -1)
    theirs = np.full(len(b.model.numbering), -1)
    theirs[known[known >= 0]] = np.flatnonzero(known >= 0)
    left, right = _shared(a, own), _shared(b, theirs)
    count = min(len(left.events), len(right.events))
    apart = _first(left.numbers[:count] != right.numbers[:count], count)
    apart = min(apart, _first(~same_types[left.numbers[:apart]], apart))
    starts = a.model.numbering.starts(left.numbers[:apart])
    values = _first(left.values[: starts[-1]] != right.values[: starts[-1]], int(starts[-1]))
    first = min(apart, int(np.searchsorted(starts, values, "right")) - 1)
    return Alignment((a, b), (left, right), first)


def _numbers_of(a: Trace, b: Trace) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """For each number of a, b's of the same place, or -1 where a side does not have it; and whether
    its results' types agree."""
    left, right = a.model.numbering, b.model.numbering
    found = [
        n if has and n is not None and b.has[n] else None
        for n, has in zip(map(right.at, left.places), a.has, strict=True)
    ]
    same = [
        n is not None and right.columns[n] == types
        for n, types in zip(found, left.columns, strict=True)
    ]
    return np.array([-1 if n is None else n for n in found], np.int64), np.array(same, np.bool_)


def _shared(trace: Trace, numbers: NDArray[np.int64]) -> _Shared:
    here = numbers[trace.numbers]
    known = here >= 0
    values = trace.values[np.repeat(known, np.diff(trace.starts))]
    return _Shared(np.flatnonzero(known), here[known], values)


def _first(differs: NDArray[np.bool_], otherwise: int) -> int:
    return int(differs.argmax()) if differs.any() else otherwise
