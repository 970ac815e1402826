"""The evaluation of a frame against a trace of it, up to the first operation that differs.

Owns the comparison. A model that differs from the trace is refuted there, and the rest of the frame
need not be evaluated.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.bits import pattern_of
from samebits.frame_trace.model import Model, recorded
from samebits.frame_trace.observer import BoundedObserver
from samebits.frame_trace.record import Trace
from samebits.ir.grammar import Op
from samebits.ir.interp.closures import Frame, Step, Steps
from samebits.types import ScalarType


class Diverged(Exception):
    """The evaluation differs from the trace."""


class FollowingObserver(BoundedObserver):
    """Raises Diverged at the first operation that differs from `trace`. `model` is evaluated, with
    its operations numbered as in the trace."""

    def __init__(self, trace: Trace, model: Model) -> None:
        super().__init__()
        known = model.kept[trace.numbers]
        # Memoryviews yield Python ints lazily: a trace may be long, and few of its events reached.
        self._numbers = trace.numbers[known].data
        self._starts = trace.starts[:-1][known].data
        self._values = trace.values.data
        self._is_whole = trace.diverged_to is None and trace.trap is None
        self._next = 0

    def observe(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        if number is None:
            return step
        results = [
            (k, steps.read(value), value.type)
            for k, value in enumerate(recorded(op))
            if isinstance(value.type, ScalarType)
        ]
        numbers, values, starts = self._numbers, self._values, self._starts

        def run(frame: Frame) -> None:
            step(frame)
            now = self._next
            self._next += 1
            if now >= len(numbers):
                if self._is_whole:
                    raise Diverged
                return
            if numbers[now] != number:
                raise Diverged
            first = starts[now]
            for k, at, t in results:
                if pattern_of(t, frame[at]) != values[first + k]:
                    raise Diverged

        return run

    def ended(self) -> None:
        """Call when the frame has ended. Raises Diverged if the trace continues."""
        if self._next < len(self._numbers):
            raise Diverged


def numbered_as(trace: Trace, model: Model) -> Model:
    """The model with its operations numbered as in the trace."""
    own = trace.model
    return replace(model, plain=own.plain or own.module, inside=own.inside)
