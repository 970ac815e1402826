"""The restoration of a reduced trace: the frame evaluated again with the results that it stores.

Owns the checks. A reduced trace is untrusted: nothing in it makes the evaluation crash or not end.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.bits import from_canonical, to_canonical, value_of, values_of, xxh64
from samebits.errors import TRAP_MESSAGES, IRError, TraceError, Trap
from samebits.frame_trace.model import Model, Numbering, recorded
from samebits.frame_trace.observer import FrameInput, Memory, State
from samebits.frame_trace.record import Recorder, Trace
from samebits.frame_trace.reduce import DIVERGED, RETURNED, TRAPPED, ReducedTrace, is_stored
from samebits.ir.grammar import Op, Value
from samebits.ir.interp.closures import Frame, Step, Steps
from samebits.types import ScalarType


def restore_trace(model: Model, reduced: ReducedTrace, state: State, inputs: Memory) -> Trace:
    """The full trace of the frame after `state` with `inputs`; `model` is the plain program.

    Raises TraceError if the trace is of another program or frame, or if this program cannot have
    produced it: its `event` is the first that does not match.
    """
    given = FrameInput.of(model, state, inputs)
    stream = _Stream(model.numbering, reduced)
    absent = frozenset(reduced.absent.tolist())
    given = replace(given, source=lambda: stream.follow, absent=absent)
    follower = _Follower(model.numbering, reduced)
    memory, trap = given.before, None
    try:
        _check(model.numbering, reduced)
        with suppress(_Stop):
            if reduced.events or reduced.ending != DIVERGED:
                memory, trap = given.run(follower)
        follower.check_end(trap)
        if reduced.ending == RETURNED:
            memory = _patched(model, reduced, memory)
    except (_Mismatch, IRError) as error:
        done, why = len(follower.numbers), error.message if isinstance(error, IRError) else error
        raise TraceError(
            f"the trace does not match the program after {done} operations: {why}", event=done
        ) from None
    numbers, values = follower.arrays()
    last = tuple(model.numbering.places[number] for number in reduced.last)
    return Trace(given, numbers, values, memory, trap, last if reduced.ending == DIVERGED else None)


class _Mismatch(Exception):
    """The reduced trace does not match the program; the message says why."""


class _Stop(Exception):
    """The reduced trace diverges here."""


def _check(numbering: Numbering, reduced: ReducedTrace) -> None:
    """All checks that are possible before the frame is evaluated."""
    if reduced.digest != numbering.digest:
        raise _Mismatch("it is of another program")
    if reduced.ending not in (RETURNED, TRAPPED, DIVERGED):
        raise _Mismatch(f"it ends as {reduced.ending!r:.40}")
    if any(not 0 <= number < len(numbering) for number in reduced.last):
        raise _Mismatch(f"there is no operation {max(reduced.last)}")
    if len(reduced.absent) and int(reduced.absent.max()) >= len(numbering):
        raise _Mismatch(f"there is no operation {reduced.absent.max()}")
    if (reduced.ending == TRAPPED) != (reduced.trap is not None):
        raise _Mismatch("it has a trap without trapping, or traps without one")
    if reduced.trap is not None and reduced.trap[0] not in TRAP_MESSAGES:
        raise _Mismatch(f"there is no trap {reduced.trap[0]!r:.40}")
    for column, patterns in reduced.columns.items():
        _check_column(numbering, column, patterns, kept=True)
    for column, (times, patterns) in reduced.corrections.items():
        _check_column(numbering, column, patterns, kept=False)
        if len(times) != len(patterns):
            raise _Mismatch("corrections are incomplete")


def _check_column(numbering: Numbering, column: int, patterns: NDArray[Any], kept: bool) -> None:
    if not 0 <= column < len(numbering.types):
        raise _Mismatch(f"there is no result {column}")
    if is_stored(numbering, numbering.op_of(column)) is not kept:
        raise _Mismatch(f"result {column} is not one that is stored in this form")
    t = numbering.type_of(column)
    if len(patterns) and int(patterns.max()) >> t.bits:
        raise _Mismatch(f"result {column} holds what is no {t}")


class _Stream:
    """Feeds the stored results to the operations, once."""

    def __init__(self, numbering: Numbering, reduced: ReducedTrace) -> None:
        self._numbering = numbering
        self._reduced = reduced

    def follow(self, steps: Steps, op: Op, number: int, step: Step) -> Step:
        """The step that yields the stored result."""
        reduced, first = self._reduced, int(self._numbering.firsts[number])
        columns = list(enumerate(recorded(op), first))
        if is_stored(self._numbering, op):
            step = self._taking(steps, columns)
        for column, value in columns:
            if column in reduced.corrections:
                step = self._corrected(steps, op, column, value, step)
        if reduced.ending == TRAPPED and reduced.last[-1:] == (number,):
            step = self._trapping(op, step)
        return step

    def _taking(self, steps: Steps, columns: list[tuple[int, Value]]) -> Step:
        taken = [(steps.read(value), self._values(column)) for column, value in columns]

        def take(frame: Frame) -> None:
            for at, values in taken:
                try:
                    frame[at] = next(values)
                except StopIteration:
                    raise _Mismatch("it has no more results of this operation") from None

        return take

    def _values(self, column: int) -> Iterator[Any]:
        patterns = self._reduced.columns.get(column)
        if patterns is None:
            return iter(())
        return values_of(self._numbering.type_of(column), patterns)

    def _corrected(self, steps: Steps, op: Op, column: int, value: Value, step: Step) -> Step:
        at, t, time = steps.read(value), value.type, count()
        assert isinstance(t, ScalarType)
        times, patterns = self._reduced.corrections[column]
        wanted = {
            int(k): value_of(t, int(pattern)) for k, pattern in zip(times, patterns, strict=True)
        }

        def give(frame: Frame) -> None:
            step(frame)
            now = next(time)
            if now in wanted:
                frame[at] = wanted[now]

        def write(frame: Frame) -> None:
            own, now = frame[at], next(time)
            frame[at] = wanted.get(now, own)
            step(frame)
            frame[at] = own

        return write if op.opcode in ("set", "store") else give

    def _trapping(self, op: Op, step: Step) -> Step:
        time, last = count(), self._reduced.times
        assert self._reduced.trap is not None
        kind, detail, own = self._reduced.trap

        def run(frame: Frame) -> None:
            if next(time) == last:
                trap = Trap(kind, op.span, detail)
                raise trap if own is None else trap.outside(*own)
            step(frame)

        return run


class _Follower(Recorder):
    """Records as many operations as the reduced trace has, and no more."""

    def __init__(self, numbering: Numbering, reduced: ReducedTrace) -> None:
        super().__init__(numbering, reduced.events)
        self._reduced = reduced

    def enter_region(self) -> None:
        self._regions += 1
        if self._regions > self._reduced.regions or len(self.numbers) > self._reduced.events:
            raise _Mismatch("it ends here, and the program continues")

    def observe(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        recording = super().observe(steps, op, number, step)
        if self._reduced.ending != DIVERGED:
            return recording

        def run(frame: Frame) -> None:
            recording(frame)
            if len(self.numbers) == self._reduced.events:
                raise _Stop

        return run

    def check_end(self, trap: Trap | None) -> None:
        """All checks that are possible after the evaluation has ended."""
        reduced = self._reduced
        if len(self.numbers) != reduced.events:
            raise _Mismatch(f"it continues to operation {reduced.events}")
        if trap is not None and (reduced.trap is None or trap.kind != reduced.trap[0]):
            raise _Mismatch(trap.message)
        if trap is None and reduced.ending == TRAPPED:
            raise _Mismatch("it traps, and the program does not")
        taken = np.bincount(self._numbering.columns_of(np.array(self.numbers, np.uint32)))
        for column, patterns in reduced.columns.items():
            if column >= len(taken) or taken[column] != len(patterns):
                raise _Mismatch(f"it has {len(patterns)} results {column}, too many")


def _patched(model: Model, reduced: ReducedTrace, memory: Memory) -> Memory:
    """The state after the frame, with the bytes that no operation explains."""
    state = np.frombuffer(to_canonical(model.state, memory), np.uint8).copy()
    where, what = reduced.patch
    if len(where) != len(what) or (len(where) and int(where.max()) >= len(state)):
        raise _Mismatch("it writes outside the state")
    state[where.astype(np.int64)] = what
    if xxh64(state.tobytes()) != reduced.after:
        raise _Mismatch("the frame ends in another state")
    return from_canonical(model.state, state.tobytes()) if len(where) else memory
