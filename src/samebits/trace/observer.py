"""One frame of a model, evaluated with a watcher at every operation that is seen.

Owns how a frame is evaluated for a trace; what is done at an operation is the watcher's. The memory
that is given is never written.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from samebits.bits import from_canonical
from samebits.errors import TraceError, Trap
from samebits.ir.analysis.budget import (
    Budget,
    call_cost,
    prepared_cost,
    region_cost,
    start_cost,
    turn_cost,
)
from samebits.ir.grammar import For, Function, Module, Op, Region
from samebits.ir.interp.closures import Frame, Signal, Step, Steps
from samebits.ir.interp.evaluator import Evaluator
from samebits.runtime.fp_state import pin as fpenv
from samebits.sim.state.columns import columns
from samebits.trace.model import Model
from samebits.types import ScalarType

Memory = np.ndarray[Any, Any]
State = Memory | bytes
"""A state: its canonical bytes, or one element of its dtype or of the model's `memory`."""

LIMIT = 1 << 24
"""Most operations of one frame, and turns: a trace of so many takes 200 MB."""

Source = Callable[[Steps, Op, int, Step], Step]
"""What is done in the stead of an operation that has a number: from the step that does it."""


class Observer:
    """What is done at the operations, and at each turn of a region: here, nothing."""

    def observe(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        """The step that runs instead of `step`, which is the operation's. `number` is None for an
        operation of a planted hazard."""
        return step

    def begin(self, memory: Memory, inputs: Memory) -> None:
        """The frame begins, in this memory."""

    def enter_region(self) -> None:
        """A region begins."""


class BoundedObserver(Observer):
    """Ends, with a TraceError, what turns on and on."""

    def __init__(self, turns: int | None = None) -> None:
        self._left = LIMIT if turns is None else turns

    def enter_region(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise TraceError("the frame does not end")


@dataclass(frozen=True, eq=False)
class FrameInput:
    """What one frame is evaluated from: a model, the state before and the players' inputs. Where
    the model's step is an `init`, the seed stands for the inputs."""

    model: Model
    memory: Memory
    inputs: Memory
    source: Callable[[], Source] | None = None
    """Makes what the operations' results come from, if not from the operations."""
    absent: frozenset[int] = frozenset()
    """Operations that are not seen though they have numbers: what was traced lacked them."""

    @classmethod
    def of(cls, model: Model, state: State, inputs: Memory) -> FrameInput:
        """Of copies of a state and inputs. ValueError where a state's size does not fit."""
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
        """What the function takes besides the state: the players' inputs, or `init`'s seed."""
        _, t = self.model.module.functions[self.model.step].params[1]
        return int(self.inputs.item()) if isinstance(t, ScalarType) else self.inputs

    def run(self, watcher: Observer) -> tuple[Memory, Trap | None]:
        """The state after the frame, and the trap that ended it, if one did."""
        if self.model.budget is not None:
            least = start_cost(self.model.module, len(columns(self.model.state)))
            self.model.budget.begin(self.memory.nbytes, least)
        memory = self.memory.copy()
        state = self._state_in(memory)
        source = None if self.source is None else self.source()
        evaluator = _Watched(self, watcher, source)
        watcher.begin(memory, self.inputs)
        with fpenv.pinned(self.model.environment):
            try:
                evaluator.run(self.model.step, [memory, self._given])
            except Trap as trap:
                return state, trap
            except RecursionError:
                raise TraceError("the frame nests too deep to be followed") from None
        return state, None


def _bytes(memory: Memory) -> Memory:
    return memory.reshape(-1).view(np.uint8)


class _Watched(Evaluator):
    """Evaluates what is seen with a watcher, and what is not without."""

    def __init__(self, frames: FrameInput, watcher: Observer, source: Source | None) -> None:
        super().__init__(frames.model.module)
        self.numbering = frames.model.numbering
        self.absent = frames.absent
        self.watcher = watcher
        self.source = source
        self._unseen = UnobservedEvaluator(frames.model.module, frames.model.budget)
        self.budget = frames.model.budget

    def call(self, name: str, args: list[Any]) -> tuple[Any, ...]:
        if name in self.numbering.functions:
            return super().call(name, args)
        return self._unseen.call(name, args)

    def prepared(self, function: Function) -> Steps:
        return _WatchedSteps(function, self)


class UnobservedEvaluator(Evaluator):
    """Evaluates library functions: those of another machine's program need not be what they are
    called, and may never end."""

    def __init__(self, module: Module, budget: Budget | None) -> None:
        super().__init__(module)
        self.turn = BoundedObserver().enter_region
        self.budget = budget

    def prepared(self, function: Function) -> Steps:
        return _TurningSteps(function, self, self.turn, self.budget)


class _TurningSteps(Steps):
    """Tells of each region that begins, and has the budget pay for it."""

    def __init__(
        self,
        function: Function,
        evaluator: Evaluator,
        turn: Callable[[], None],
        budget: Budget | None,
    ) -> None:
        self._turn = turn
        self._budget = budget
        self._inside = 0
        self._besides: dict[int, int] = {}
        """What regions cost besides, by their identity, until they are ready."""
        super().__init__(function, evaluator.tables, evaluator.call, None)

    def region(self, region: Region) -> Step:
        self._inside += 1
        if self._budget is not None:
            self._budget.nests(self._inside)
            self._budget.spend(prepared_cost(region))
        run, turn = super().region(region), self._turn
        self._inside -= 1
        if self._budget is not None:
            return self._paid(region, run, self._budget)

        def turning(frame: Frame) -> Signal:
            turn()
            return run(frame)

        return turning

    def for_loop(self, statement: For) -> Step:
        if statement.lanes is not None:
            self._besides[id(statement.body)] = turn_cost(statement.lanes)
        return super().for_loop(statement)

    def _paid(self, region: Region, run: Step, budget: Budget) -> Step:
        turn, cost = self._turn, region_cost(region)
        if region is self.function.body:  # which is the last to be ready
            cost += call_cost(self.function, self.size)
        cost += self._besides.pop(id(region), 0)

        def paying(frame: Frame) -> Signal:
            turn()
            budget.enter(cost)
            signal = run(frame)
            budget.leave()  # not where it raises, which ends the evaluation
            return signal

        return paying


class _WatchedSteps(_TurningSteps):
    def __init__(self, function: Function, evaluator: _Watched) -> None:
        self._evaluator = evaluator
        super().__init__(function, evaluator, evaluator.watcher.enter_region, evaluator.budget)

    def op(self, op: Op) -> Step:
        evaluator, step = self._evaluator, super().op(op)
        number = evaluator.numbering.number(self.function.name, op)
        if number in evaluator.absent:
            number = None
        if evaluator.source is not None and number is not None:
            step = evaluator.source(self, op, number, step)
        return evaluator.watcher.observe(self, op, number, step)
