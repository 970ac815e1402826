"""An experiment: a changed program run from the state before the differing frame.

Its result is how long its hashes are the other side's. It runs natively, or in the interpreter,
where an operation's result can be exchanged for what no code of samebits' can do, such as calling
the host's math library.

Owns the comparison alone; what is changed in the program is the caller's business.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm.engine import host_target
from samebits.bits import canonical_size, pattern_of, to_canonical, value_of, xxh64
from samebits.errors import TraceError, Trap
from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import Tree
from samebits.frame_trace.follow import Diverged, FollowingObserver, numbered_as
from samebits.frame_trace.model import Model
from samebits.frame_trace.observer import BoundedObserver, FrameInput, Memory, Source
from samebits.frame_trace.record import Trace
from samebits.hazards.expressions import Site
from samebits.ir.analysis.budget import Budget
from samebits.ir.grammar import Op
from samebits.ir.interp.closures import Frame, Step, Steps
from samebits.ir.refs import OpRef
from samebits.sim.execution import Execution, NativeExecution
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact
from samebits.sim.program import Program
from samebits.types import ScalarType

FRAMES = 4096
"""Frames that an experiment runs at most."""
FRAMES_INTERPRETED = 12
"""Frames that are evaluated at most."""
_FIRST = 16
_OPTIMISATION = 0
"""No bits depend on it in the default environment, and compiling takes longer than running."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The number of frames from the first on that gave the other side's hash, and of those
    compared."""

    same: int
    compared: int

    @property
    def whole(self) -> bool:
        """Whether all of them did."""
        return 0 < self.compared == self.same


@dataclass(frozen=True, eq=False)
class Experiment:
    """The behaviour to be reproduced: from canonical state `before`, over `inputs` of shape
    (frames, players), the other side's `hashes`, and the trap after them, if there was one.

    With `seed` it begins with `init`, whose state the first hash is of, and `before` is not used.
    """

    before: bytes
    inputs: Inputs
    hashes: NDArray[np.uint64]
    trap: TrapFact | None = None
    seed: int | None = None
    interpreted: bool = False
    """Whether programs are evaluated instead of compiled: those that are another's are."""
    budget: Budget | None = None
    """What evaluations may take, where the programs are another machine's."""
    trace: Trace | None = None
    """What the other side did in the first frame, by the operations of the first side's program:
    what is evaluated and does otherwise is refuted there. Of use where nothing but expressions
    is changed."""
    foreign: bool = False
    """Whether another machine told what the side gives: no value from it is to be compiled in."""

    def run(self, program: Program, opt: int = _OPTIMISATION) -> Agreement:
        """Run `program`, compiled at level `opt`, until it gives another hash, or for `FRAMES`."""
        if self.interpreted:
            return self.evaluated(program, FRAMES)
        execution = NativeExecution(program, program.compiled(host_target(), opt))
        if self.seed is not None:
            return self._from_init(execution, self.seed)
        execution.restore(self.before)
        return self._frames(execution, FRAMES)

    def evaluated(self, program: Program, frames: int, source: Source | None = None) -> Agreement:
        """Evaluate `program`, with results of operations from `source`, if one is given."""
        frames = min(frames, FRAMES_INTERPRETED)
        model, state = replace(Model.of(program), budget=self.budget), self.before
        rows: list[tuple[Model, Memory]] = [(model, row) for row in self.inputs]
        if self.seed is not None:
            state = bytes(canonical_size(program.state))
            seed = np.array([self.seed], np.uint64)
            rows.insert(0, (replace(model, step=program.init), seed))
        goal = self.hashes[:frames]
        compared = len(goal) + (self.trap is not None and len(self.hashes) < frames)
        for k in range(compared):
            step, given = rows[k]
            try:
                with nullcontext() if self.budget is None else self.budget.trying():
                    memory, trap = self._frame(step, state, given, k, source)
            except (TraceError, Diverged):  # it runs on and on, or does what the other side did not
                return Agreement(k, compared)
            if trap is not None:
                alike = k == len(goal) and TrapFact.of(trap).is_same(self.trap)
                return Agreement(k + alike, compared)
            state = to_canonical(program.state, memory)
            if k == len(goal) or np.uint64(xxh64(state)) != goal[k]:
                return Agreement(k, compared)
        return Agreement(compared, compared)

    def _frame(
        self, model: Model, state: bytes, given: Memory, number: int, source: Source | None
    ) -> tuple[Memory, Trap | None]:
        trace, frames = self.trace, FrameInput.of(model, state, given)
        if source is not None:
            return replace(frames, source=lambda: source).run(BoundedObserver())
        if number or trace is None:
            return frames.run(BoundedObserver())
        model = numbered_as(trace, model)
        frames = replace(FrameInput.of(model, state, given), absent=trace.frame_input.absent)
        following = FollowingObserver(trace, model)
        memory, trap = frames.run(following)
        following.ended()
        return memory, trap

    def _from_init(self, execution: Execution, seed: int) -> Agreement:
        try:
            execution.start(seed)
        except Trap as trap:
            same = not len(self.hashes) and TrapFact.of(trap).is_same(self.trap)
            return Agreement(int(same), 1)
        if not len(self.hashes) or execution.hash() != self.hashes[0]:
            return Agreement(0, min(len(self.hashes), FRAMES) or 1)
        rest = replace(self, hashes=self.hashes[1:])._frames(execution, FRAMES - 1)
        return Agreement(rest.same + 1, rest.compared + 1)

    def _frames(self, execution: Execution, frames: int) -> Agreement:
        goal = self.hashes[:frames]
        trapped = self.trap is not None and len(self.hashes) < frames
        compared = len(goal) + trapped
        done, size = 0, 1
        while done < compared:
            count = min(size, compared - done)
            advance = execution.advance(self.inputs[done : done + count])
            trap = None if advance.trap is None else TrapFact.of(advance.trap)
            same = _leading(advance.hashes, goal[done : done + count])
            if same < count:
                ends_alike = trapped and done + same == len(goal) == done + len(advance.hashes)
                ends_alike = ends_alike and trap is not None and trap.is_same(self.trap)
                return Agreement(done + same + ends_alike, compared)
            done += count
            size = min(max(_FIRST, 4 * size), FRAMES)
        return Agreement(done, compared)


def _leading(found: NDArray[np.uint64], goal: NDArray[np.uint64]) -> int:
    """The number of leading ones that are the same."""
    shared = min(len(found), len(goal))
    unequal = np.flatnonzero(found[:shared] != goal[:shared])
    return int(unequal[0]) if len(unequal) else shared


def exchange(place: OpRef, site: Site, variant: tuple[Tree, Arithmetic]) -> Source:
    """The operation at `place` evaluated so."""

    def source(steps: Steps, op: Op, number: int, step: Step) -> Step:
        if OpRef(steps.function.name, op.id) != place:
            return step
        operands = {name: steps.read(value) for name, value in site.operands.items()}
        types = {name: value.type for name, value in site.operands.items()}
        result, t = steps.read(op.result), op.result.type
        assert isinstance(t, ScalarType)

        def run(frame: Frame) -> None:
            step(frame)
            given: dict[str, int] = {}
            for name, at in operands.items():
                operand = types[name]
                assert isinstance(operand, ScalarType)
                given[name] = pattern_of(operand, frame[at])
            frame[result] = value_of(t, site.bits(*variant, given))

        return run

    return source
