"""Dynamic instances of an operation: operands, call path, loop counters.

Owns what a trace does not hold, found by evaluating the frame again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from samebits.bits import pattern_of
from samebits.errors import Span, Trap
from samebits.frame_trace.observer import FrameInput, Observer
from samebits.ir.analysis.enclosing import Layout
from samebits.ir.grammar import CALLS, Op, Value
from samebits.ir.interp.closures import UNSET, Frame, Step, Steps
from samebits.ir.refs import OpRef
from samebits.types import ScalarType


@dataclass(frozen=True, slots=True)
class Instance:
    """One evaluation of an operation. Patterns of what is not a scalar are None."""

    event: int
    """How many operations ended before it."""
    place: OpRef
    op: Op
    """The operation in the evaluated module."""
    path: tuple[tuple[OpRef, Span], ...]
    """The calls that lead to it, the outermost first."""
    counters: tuple[tuple[str, int], ...]
    """The counters of the loops around it and around the calls, the outermost first: each one's
    slot, and its value."""
    operands: tuple[int | None, ...]
    results: tuple[int | None, ...]
    """Empty if it trapped."""
    values: tuple[int | None, ...]
    """The requested values of the function."""


def instance_at(given: FrameInput, event: int, values: Sequence[Value] = ()) -> Instance:
    """The instance of event number `event`, or the one that traps before it.

    IndexError if the frame has fewer events.
    """
    observer = _Instances(values, event=event)
    _run(given, observer)
    if not observer.found:
        raise IndexError(f"the frame has no operation {event}")
    return observer.found[0]


def instances_in(
    given: FrameInput, place: OpRef, limit: int, values: Sequence[Value] = ()
) -> list[Instance]:
    """The first `limit` instances in a frame of the visible operation at a place."""
    observer = _Instances(values, place=place, limit=limit)
    _run(given, observer)
    return observer.found


def _run(given: FrameInput, observer: _Instances) -> None:
    with suppress(_Found):
        given.run(observer)


class _Found(Exception):
    """All requested instances are found."""


class _Instances(Observer):
    """Collects the instances of one place, or the one of event `event`."""

    def __init__(
        self,
        values: Sequence[Value],
        event: int | None = None,
        place: OpRef | None = None,
        limit: int = 1,
    ) -> None:
        self.found: list[Instance] = []
        self._values = values
        self._event = event
        self._place = place
        self._limit = limit
        self._count = 0
        self._calls: list[tuple[Steps, Op, Frame]] = []
        self._layouts: dict[str, Layout] = {}

    def observe(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        if op.opcode in CALLS:
            step = self._calling(steps, op, step)
        if number is None:
            return step
        place = OpRef(steps.function.name, op.id)
        asked = place == self._place

        def run(frame: Frame) -> None:
            try:
                step(frame)
            except Trap:
                if not self.found and self._place is None:
                    self.found.append(self._instance(steps, op, frame, ()))
                raise
            if asked or self._count == self._event:
                self.found.append(self._instance(steps, op, frame, op.results))
                if len(self.found) >= self._limit:
                    raise _Found
            self._count += 1

        return run

    def _calling(self, steps: Steps, op: Op, step: Step) -> Step:
        calls = self._calls

        def run(frame: Frame) -> None:
            calls.append((steps, op, frame))
            step(frame)
            calls.pop()

        return run

    def _instance(self, steps: Steps, op: Op, frame: Frame, results: tuple[Value, ...]) -> Instance:
        return Instance(
            self._count,
            OpRef(steps.function.name, op.id),
            op,
            tuple([(OpRef(at.function.name, call.id), call.span) for at, call, _ in self._calls]),
            tuple([c for at in (*self._calls, (steps, op, frame)) for c in self._counters(*at)]),
            _patterns(steps, frame, op.args),
            _patterns(steps, frame, results),
            _patterns(steps, frame, self._values),
        )

    def _counters(self, steps: Steps, op: Op, frame: Frame) -> Iterator[tuple[str, int]]:
        name = steps.function.name
        if name not in self._layouts:
            self._layouts[name] = Layout(steps.function)
        for loop in self._layouts[name].loops_around(op.id):
            yield loop.slot, frame[steps.slots[loop.slot]]


def _patterns(steps: Steps, frame: Frame, values: Sequence[Value]) -> tuple[int | None, ...]:
    return tuple([_pattern(steps, frame, value) for value in values])


def _pattern(steps: Steps, frame: Frame, value: Value) -> int | None:
    at = steps.values.get((value.op, value.index))
    if at is None or not isinstance(value.type, ScalarType) or frame[at] is UNSET:
        return None
    return pattern_of(value.type, frame[at])
