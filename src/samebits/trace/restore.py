"""A stored trace followed: the frame evaluated again, with results that come from the trace.

Owns the checks. What is stored is untrusted: nothing in it makes the evaluation crash or run on.
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
from samebits.ir.grammar import Op, Value
from samebits.ir.interp.closures import Frame, Step, Steps
from samebits.trace.model import Model, Numbering, recorded
from samebits.trace.observer import FrameInput, Memory, State
from samebits.trace.record import Recorder, Trace
from samebits.trace.reduce import DIVERGED, RETURNED, TRAPPED, ReducedTrace, is_stored
from samebits.types import ScalarType


def restore_trace(model: Model, stored: ReducedTrace, state: State, inputs: Memory) -> Trace:
    """The trace that was stored, of the frame after `state` with `inputs`; `model` is the plain
    program.

    Raises TraceError where the trace is of another program or frame, or is none that this program
    could give: `event` is where it ends to fit.
    """
    frames = FrameInput.of(model, state, inputs)
    stream = _Stream(model.numbering, stored)
    absent = frozenset(stored.absent.tolist())
    frames = replace(frames, source=lambda: stream.follow, absent=absent)
    follower = _Follower(model.numbering, stored)
    memory, trap = frames.before, None
    try:
        _check(model.numbering, stored)
        with suppress(_Stop):
            if stored.events or stored.ending != DIVERGED:
                memory, trap = frames.run(follower)
        follower.check_end(trap)
        if stored.ending == RETURNED:
            memory = _patched(model, stored, memory)
    except _Misfit as misfit:
        raise _error(str(misfit), follower) from None
    except IRError as error:
        raise _error(error.message, follower) from None
    numbers, values = follower.arrays()
    last = tuple(model.numbering.places[number] for number in stored.last)
    return Trace(frames, numbers, values, memory, trap, last if stored.ending == DIVERGED else None)


class _Misfit(Exception):
    """What is stored does not fit, and why."""


class _Stop(Exception):
    """Here the stored trace parts."""


def _error(why: str, follower: _Follower) -> TraceError:
    return TraceError(
        f"the stored trace does not fit after {len(follower.numbers)} operations: {why}",
        event=len(follower.numbers),
    )


def _check(numbering: Numbering, stored: ReducedTrace) -> None:
    """All that can be told before the frame is evaluated."""
    if stored.digest != numbering.digest:
        raise _Misfit("it is of another program")
    if stored.ending not in (RETURNED, TRAPPED, DIVERGED):
        raise _Misfit(f"it ends as {stored.ending!r:.40}")
    if any(not 0 <= number < len(numbering) for number in stored.last):
        raise _Misfit(f"there is no operation {max(stored.last)}")
    if len(stored.absent) and int(stored.absent.max()) >= len(numbering):
        raise _Misfit(f"there is no operation {stored.absent.max()}")
    if (stored.ending == TRAPPED) != (stored.trap is not None):
        raise _Misfit("it has a trap where none is, or none where one is")
    if stored.trap is not None and stored.trap[0] not in TRAP_MESSAGES:
        raise _Misfit(f"there is no trap {stored.trap[0]!r:.40}")
    for column, patterns in stored.columns.items():
        _check_column(numbering, column, patterns, kept=True)
    for column, (times, patterns) in stored.corrections.items():
        _check_column(numbering, column, patterns, kept=False)
        if len(times) != len(patterns):
            raise _Misfit("corrections are incomplete")


def _check_column(numbering: Numbering, column: int, patterns: NDArray[Any], kept: bool) -> None:
    if not 0 <= column < len(numbering.types):
        raise _Misfit(f"there is no result {column}")
    if is_stored(numbering, numbering.ops[numbering.number_of(column)]) is not kept:
        raise _Misfit(f"result {column} is stored otherwise")
    t = numbering.type_of(column)
    if len(patterns) and int(patterns.max()) >> t.bits:
        raise _Misfit(f"result {column} holds what is no {t}")


class _Stream:
    """Gives the operations their stored results, once."""

    def __init__(self, numbering: Numbering, stored: ReducedTrace) -> None:
        self._numbering = numbering
        self._stored = stored

    def follow(self, steps: Steps, op: Op, number: int, step: Step) -> Step:
        """The step that gives what is stored."""
        stored, first = self._stored, int(self._numbering.firsts[number])
        columns = list(enumerate(recorded(op), first))
        if is_stored(self._numbering, op):
            step = self._taking(steps, columns)
        for column, value in columns:
            if column in stored.corrections:
                step = self._corrected(steps, op, column, value, step)
        if stored.ending == TRAPPED and stored.last[-1:] == (number,):
            step = self._trapping(op, step)
        return step

    def _taking(self, steps: Steps, columns: list[tuple[int, Value]]) -> Step:
        taken = [(steps.read(value), self._values(column)) for column, value in columns]

        def take(frame: Frame) -> None:
            for at, values in taken:
                try:
                    frame[at] = next(values)
                except StopIteration:
                    raise _Misfit("it has no more results of this operation") from None

        return take

    def _values(self, column: int) -> Iterator[Any]:
        patterns = self._stored.columns.get(column)
        if patterns is None:
            return iter(())
        return values_of(self._numbering.type_of(column), patterns)

    def _corrected(self, steps: Steps, op: Op, column: int, value: Value, step: Step) -> Step:
        at, t, time = steps.read(value), value.type, count()
        assert isinstance(t, ScalarType)
        times, patterns = self._stored.corrections[column]
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
        time, last = count(), self._stored.times
        assert self._stored.trap is not None
        kind, detail, own = self._stored.trap

        def run(frame: Frame) -> None:
            if next(time) == last:
                trap = Trap(kind, op.span, detail)
                raise trap if own is None else trap.outside(*own)
            step(frame)

        return run


class _Follower(Recorder):
    """Records no more than is stored."""

    def __init__(self, numbering: Numbering, stored: ReducedTrace) -> None:
        super().__init__(numbering, stored.events)
        self._stored = stored

    def enter_region(self) -> None:
        self._turns += 1
        if self._turns > self._stored.regions or len(self.numbers) > self._stored.events:
            raise _Misfit("it ends here, and the program does not")

    def observe(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        recording = super().observe(steps, op, number, step)
        if self._stored.ending != DIVERGED:
            return recording

        def run(frame: Frame) -> None:
            recording(frame)
            if len(self.numbers) == self._stored.events:
                raise _Stop

        return run

    def check_end(self, trap: Trap | None) -> None:
        """What can be told once the evaluation has ended."""
        stored = self._stored
        if len(self.numbers) != stored.events:
            raise _Misfit(f"it goes on to {stored.events}")
        if trap is not None and (stored.trap is None or trap.kind != stored.trap[0]):
            raise _Misfit(trap.message)
        if trap is None and stored.ending == TRAPPED:
            raise _Misfit("it traps, and the program does not")
        taken = np.bincount(self._numbering.columns_of(np.array(self.numbers, np.uint32)))
        for column, patterns in stored.columns.items():
            if column >= len(taken) or taken[column] != len(patterns):
                raise _Misfit(f"{len(patterns)} results {column} are stored, too many")


def _patched(model: Model, stored: ReducedTrace, memory: Memory) -> Memory:
    """The state after the frame, with what no operation explains."""
    state = np.frombuffer(to_canonical(model.state, memory), np.uint8).copy()
    where, what = stored.patch
    if len(where) != len(what) or (len(where) and int(where.max()) >= len(state)):
        raise _Misfit("it writes outside the state")
    state[where.astype(np.int64)] = what
    if xxh64(state.tobytes()) != stored.after:
        raise _Misfit("the frame ends in another state")
    return from_canonical(model.state, state.tobytes()) if len(where) else memory
