"""The evaluation of one frame of a model with an observer at every visible operation.

Owns how a frame is evaluated for a trace; the observer decides what is done at an operation. The
memory that is passed in is never written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from samebits.bits import from_canonical
from samebits.errors import TraceError, Trap
from samebits.frame_trace.model import Model
from samebits.ir.analysis.budget import (
    Budget,
    call_cost,
    iteration_cost,
    prepared_cost,
    region_cost,
    start_cost,
)
from samebits.ir.grammar import For, Function, Module, Op, Region
from samebits.ir.interp.closures import Frame, Signal, Step, Steps
from samebits.ir.interp.evaluator import Evaluator
from samebits.runtime.fp_state import pin as fpenv
from samebits.sim.state.columns import columns
from samebits.types import ScalarType

Memory = np.ndarray[Any, Any]
State = Memory | bytes
"""A state: its canonical bytes, or one element of its dtype or of that of the model's `memory`."""

LIMIT = 1 << 24
"""Most operations of one frame, and most regions entered: such a trace takes 200 MB."""

Source = Callable[[Steps, Op, int, Step], Step]
"""Replaces the step of a numbered operation, for results from elsewhere."""


class Observer:
    """Callbacks at each operation and each entry of a region; this base class does nothing."""

    def observe(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        """The step to run instead of the operation's own, `step`. `number` is None for an operation
        that is not visible."""
        return step

    def begin(self, memory: Memory, inputs: Memory) -> None:
        """Called when the frame begins, with its memory."""

    def enter_region(self) -> None:
        """Called when a region is entered: once per call, branch and iteration."""


class BoundedObserver(Observer):
    """Raises TraceError when a frame enters more regions than its limit."""

    def __init__(self) -> None:
        self._left = LIMIT

    def enter_region(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TraceError("the frame does not end")


@dataclass(frozen=True, eq=False)
class FrameInput:
    """All that one frame is evaluated from: a model, the state before it and the players' inputs.
    If the model's step is an `init`, the inputs are the seed."""

    model: Model
    memory: Memory
    inputs: Memory
    source: Callable[[], Source] | None = None
    """Makes the source of the operations' results; None to compute them."""
    absent: frozenset[int] = frozenset()
    """Numbered operations to treat as invisible, because the traced program lacked them."""

    @classmethod
    def of(cls, model: Model, state: State, inputs: Memory) -> FrameInput:
        """A frame's input, with copies of a state and inputs. ValueError if the state has another
        size."""
        given = from_canonical(model.state, state) if isinstance(state, bytes) else state
        if given.nbytes not in (model.state.size, model.memory.size):
            raise ValueError(f"{given.nbytes} bytes where a state has {model.state.size}")
        memory = np.zeros(1, model.memory.dtype)
        _bytes(memory)[: given.nbytes] = _bytes(np.ascontiguousarray(given))
        return cls(model, memory, np.ascontiguousarray(inputs).copy())

    @property
    def before(self) -> Memory:
        """The state before the frame, one element."""
        return self._state_in(self.memory)

    def _state_in(self, memory: Memory) -> Memory:
        return _bytes(memory)[: self.model.state.size].view(self.model.state.dtype)

    @property
    def _given(self) -> Any:
        """The function's second argument: the players' inputs, or `init`'s seed."""
        _, t = self.model.module.functions[self.model.step].params[1]
        return int(self.inputs.item()) if isinstance(t, ScalarType) else self.inputs

    def run(self, observer: Observer) -> tuple[Memory, Trap | None]:
        """The state after the frame, and the trap that ended it, if one did."""
        if self.model.budget is not None:
            least = start_cost(self.model.module, len(columns(self.model.state)))
            self.model.budget.begin(self.memory.nbytes, least)
        memory = self.memory.copy()
        state = self._state_in(memory)
        source = None if self.source is None else self.source()
        evaluator = _ObservedEvaluator(self, observer, source)
        observer.begin(memory, self.inputs)
        with fpenv.pinned(self.model.environment):
            try:
                evaluator.run(self.model.step, [memory, self._given])
            except Trap as trap:
                return state, trap
            except RecursionError:
                raise TraceError("the frame's calls nest too deeply to be evaluated") from None
        return state, None


def _bytes(memory: Memory) -> Memory:
    return memory.reshape(-1).view(np.uint8)


class _ObservedEvaluator(Evaluator):
    """Evaluates visible functions with an observer, all others without."""

    def __init__(self, given: FrameInput, observer: Observer, source: Source | None) -> None:
        super().__init__(given.model.module)
        self.numbering = given.model.numbering
        self.absent = given.absent
        self.observer = observer
        self.source = source
        self._unobserved = UnobservedEvaluator(given.model.module, given.model.budget)
        self.budget = given.model.budget

    def call(self, name: str, args: list[Any]) -> tuple[Any, ...]:
        if name in self.numbering.functions:
            return super().call(name, args)
        return self._unobserved.call(name, args)

    def prepared(self, function: Function) -> Steps:
        return _ObservedSteps(function, self)


class UnobservedEvaluator(Evaluator):
    """Evaluates library functions within a limit: in another machine's program they need not be
    what their names say, and may never end."""

    def __init__(self, module: Module, budget: Budget | None) -> None:
        super().__init__(module)
        self._enter_region = BoundedObserver().enter_region
        self.budget = budget

    def prepared(self, function: Function) -> Steps:
        return _CountingSteps(function, self, self._enter_region, self.budget)


class _CountingSteps(Steps):
    """Reports each region that is entered, and charges the budget for it."""

    def __init__(
        self,
        function: Function,
        evaluator: Evaluator,
        enter_region: Callable[[], None],
        budget: Budget | None,
    ) -> None:
        self._enter_region = enter_region
        self._budget = budget
        self._inside = 0
        self._extra_costs: dict[int, int] = {}
        """Additional costs of regions, by identity, until the region is prepared."""
        super().__init__(function, evaluator.tables, evaluator.call, None, arena=evaluator.arena)

    def region(self, region: Region) -> Step:
        self._inside += 1
        if self._budget is not None:
            self._budget.nests(self._inside)
            self._budget.spend(prepared_cost(region))
        run, enter_region = super().region(region), self._enter_region
        self._inside -= 1
        if self._budget is not None:
            return self._paid(region, run, self._budget)

        def counted(frame: Frame) -> Signal:
            enter_region()
            return run(frame)

        return counted

    def for_loop(self, statement: For) -> Step:
        if statement.lanes is not None:
            self._extra_costs[id(statement.body)] = iteration_cost(statement.lanes)
        return super().for_loop(statement)

    def _paid(self, region: Region, run: Step, budget: Budget) -> Step:
        enter_region, cost = self._enter_region, region_cost(region)
        if region is self.function.body:  # the last region to be prepared
            cost += call_cost(self.function, self.size)
        cost += self._extra_costs.pop(id(region), 0)

        def paying(frame: Frame) -> Signal:
            enter_region()
            budget.enter(cost)
            signal = run(frame)
            budget.leave()  # not after an exception, which ends the evaluation
            return signal

        return paying


class _ObservedSteps(_CountingSteps):
    def __init__(self, function: Function, evaluator: _ObservedEvaluator) -> None:
        self._evaluator = evaluator
        super().__init__(function, evaluator, evaluator.observer.enter_region, evaluator.budget)

    def op(self, op: Op) -> Step:
        evaluator, step = self._evaluator, super().op(op)
        number = evaluator.numbering.number(self.function.name, op)
        if number in evaluator.absent:
            number = None
        if evaluator.source is not None and number is not None:
            step = evaluator.source(self, op, number, step)
        return evaluator.observer.observe(self, op, number, step)
