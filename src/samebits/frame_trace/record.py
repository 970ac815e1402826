"""The trace of one frame: every visible result as a bit pattern.

Owns what a trace holds. Operands, calls and loop counters are not held: `instances` finds them by
evaluating the frame again up to the operation.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.bits import TYPES, Patterns, array_typecode, patterns_of, to_canonical
from samebits.errors import TraceError, Trap
from samebits.frame_trace.instances import Instance, instance_at
from samebits.frame_trace.model import Model, Numbering, recorded
from samebits.frame_trace.observer import LIMIT, FrameInput, Memory, Observer, State
from samebits.ir.grammar import Op, Value
from samebits.ir.interp.closures import Frame, Step, Steps
from samebits.ir.refs import OpRef
from samebits.types import ScalarType


@dataclass(frozen=True, eq=False)
class Trace:
    """The visible operations of one frame, as events in the order in which they ended.

    `numbers[n]` is the operation of event n, as `model.numbering` counts them; its results are the
    bit patterns `values[starts[n] : starts[n + 1]]`. A `set` or `store` records what it wrote.
    Arrays and references are not recorded.
    """

    frame_input: FrameInput
    numbers: NDArray[np.uint32]
    values: Patterns
    memory: Memory
    """The state that the frame left, even if it trapped."""
    trap: Trap | None = None
    diverged_to: tuple[OpRef, ...] | None = None
    """Set if the traced run continued where the program cannot follow: the call path of the
    operation that came next, empty if the frame returned."""

    @property
    def model(self) -> Model:
        return self.frame_input.model

    @cached_property
    def has(self) -> NDArray[np.bool_]:
        """For each numbered operation, whether the traced program has it."""
        has = self.model.kept.copy()
        has[list(self.frame_input.absent)] = False
        return has

    @property
    def after(self) -> bytes:
        """The canonical state after the frame, or before it if the frame trapped."""
        memory = self.memory if self.trap is None else self.frame_input.before
        return to_canonical(self.model.state, memory)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """The start of each event's results in `values`, and the end of the last one's."""
        return self.model.numbering.starts(self.numbers)

    @cached_property
    def last(self) -> OpRef | None:
        """The operation after the last event: the one that trapped, or could not be followed."""
        if self.diverged_to is not None:
            return self.diverged_to[-1] if self.diverged_to else None
        return None if self.trap is None else self.instance(len(self)).place

    def __len__(self) -> int:
        return len(self.numbers)

    def place(self, event: int) -> OpRef:
        return self.model.numbering.places[int(self.numbers[event])]

    def instance(self, event: int, values: Sequence[Value] = ()) -> Instance:
        """An event with its operands, call path and loop counters; the event number equal to the
        length is the operation that trapped."""
        return instance_at(self.frame_input, event, values)

    def call_path(self, event: int) -> tuple[OpRef, ...]:
        """The calls that lead to an operation, then the operation. The event number equal to the
        length means `last`: empty if the frame returned."""
        if event == len(self) and self.trap is None:
            return self.diverged_to or ()
        instance = self.instance(event)
        return (*(call for call, _ in instance.path), instance.place)


def record(model: Model, state: State, inputs: Memory) -> Trace:
    """The trace of one frame, given the state before it and the players' inputs, shape (players,).

    Raises TraceError after more than `LIMIT` operations, and IRError as evaluation does.
    """
    given = FrameInput.of(model, state, inputs)
    recorder = Recorder(model.numbering, LIMIT)
    memory, trap = given.run(recorder)
    numbers, values = recorder.arrays()
    return Trace(given, numbers, values, memory, trap)


class Recorder(Observer):
    """Records results in compact arrays, one per kind of number."""

    def __init__(self, numbering: Numbering, limit: int) -> None:
        self.numbers = array("I")
        self._numbering = numbering
        self._limit = limit
        self._regions = 0
        self._kept: dict[str, array[Any]] = {kind: array(kind) for kind in "dqQ"}

    def enter_region(self) -> None:
        self._regions += 1
        if self._regions > self._limit or len(self.numbers) > self._limit:
            raise TraceError(
                f"the frame has more than {self._limit} operations", event=len(self.numbers)
            )

    def observe(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        if number is None:
            return step
        note = self.numbers.append
        results = [
            (steps.read(value), self._kept[array_typecode(value.type)].append)
            for value in recorded(op)
            if isinstance(value.type, ScalarType)
        ]

        def run(frame: Frame) -> None:
            step(frame)
            note(number)
            for at, keep in results:
                keep(frame[at])

        def run_without(frame: Frame) -> None:
            step(frame)
            note(number)

        return run if results else run_without

    def arrays(self) -> tuple[NDArray[np.uint32], Patterns]:
        """The operations' numbers and their results' patterns, in the form of a trace."""
        numbers = np.array(self.numbers, np.uint32)
        types = self._numbering.types[self._numbering.columns_of(numbers)]
        values = np.zeros(len(types), np.uint64)
        for kind, kept in self._kept.items():
            own = [i for i, t in enumerate(TYPES) if array_typecode(t) == kind]
            here = np.flatnonzero(np.isin(types, own))
            for i in own:
                mine = types[here] == i
                values[here[mine]] = patterns_of(TYPES[i], np.asarray(kept)[mine])
        return numbers, values
