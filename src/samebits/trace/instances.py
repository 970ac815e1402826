"""One operation at one time: its operands, the calls that lead there, the loops' counters.

Owns what a trace does not hold, which evaluating the frame again tells.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from samebits.bits import pattern_of
from samebits.errors import Span, Trap
from samebits.ir.analysis.enclosing import Layout
from samebits.ir.grammar import CALLS, Op, Value
from samebits.ir.interp.closures import UNSET, Frame, Step, Steps
from samebits.ir.refs import OpRef
from samebits.trace.model import Model
from samebits.trace.observer import FrameInput, Memory, Observer, State
from samebits.types import ScalarType


@dataclass(frozen=True, slots=True)
class Counter:
    """A loop around an operation, and what its slot holds."""

    place: OpRef
    span: Span
    slot: str
    value: int


@dataclass(frozen=True, slots=True)
class Instance:
    """One evaluation of an operation. Patterns are None where there is no scalar."""

    event: int
    """How many operations ended before it."""
    place: OpRef
    op: Op
    """As the module that was evaluated has it."""
    path: tuple[tuple[OpRef, Span], ...]
    """The calls that lead to it, the step's first."""
    counters: tuple[Counter, ...]
    """Of the loops around it and around the calls, the outermost first."""
    operands: tuple[int | None, ...]
    results: tuple[int | None, ...]
    """None at all where it trapped."""
    values: tuple[int | None, ...]
    """Of the function's values that were asked for."""


def instance_at(frames: FrameInput, event: int, values: Sequence[Value] = ()) -> Instance:
    """The operation that ends as number `event`, or that traps before.

    IndexError where the frame ends before.
    """
    watcher = _Instances(values, event=event)
    _run(frames, watcher)
    if not watcher.found:
        raise IndexError(f"the frame has no operation {event}")
    return watcher.found[0]


def instances_at(
    model: Model,
    state: State,
    inputs: Memory,
    place: OpRef,
    limit: int,
    values: Sequence[Value] = (),
) -> list[Instance]:
    """The first `limit` evaluations in a frame of the operation at a place that a trace sees."""
    return instances_in(FrameInput.of(model, state, inputs), place, limit, values)


def instances_in(
    frames: FrameInput,
    place: OpRef,
    limit: int,
    values: Sequence[Value] = (),
    events: int | None = None,
) -> list[Instance]:
    """As `environment_at`, among so many events."""
    watcher = _Instances(values, place=place, limit=limit, events=events)
    _run(frames, watcher)
    return watcher.found


def _run(frames: FrameInput, watcher: _Instances) -> None:
    with suppress(_Found):
        frames.run(watcher)


class _Found(Exception):
    """Nothing more is asked for."""


class _Instances(Observer):
    """Keeps the instances of one place, or the one that is number `event`."""

    def __init__(
        self,
        values: Sequence[Value],
        event: int | None = None,
        place: OpRef | None = None,
        limit: int = 1,
        events: int | None = None,
    ) -> None:
        self.found: list[Instance] = []
        self._values = values
        self._event = event
        self._place = place
        self._limit = limit
        self._events = events
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
            if self._count == self._events:
                raise _Found

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

    def _counters(self, steps: Steps, op: Op, frame: Frame) -> Iterator[Counter]:
        name = steps.function.name
        if name not in self._layouts:
            self._layouts[name] = Layout(steps.function)
        for loop in self._layouts[name].loops_around(op.id):
            value = frame[steps.slots[loop.slot]]
            yield Counter(OpRef(name, loop.id), loop.span, loop.slot, value)


def _patterns(steps: Steps, frame: Frame, values: Sequence[Value]) -> tuple[int | None, ...]:
    return tuple([_pattern(steps, frame, value) for value in values])


def _pattern(steps: Steps, frame: Frame, value: Value) -> int | None:
    at = steps.values.get((value.op, value.index))
    if at is None or not isinstance(value.type, ScalarType) or frame[at] is UNSET:
        return None
    return pattern_of(value.type, frame[at])
