"""What is told of sides whose FAST code departs from every evaluation: which of its operations the
difference takes.

Owns which side is searched, and beside what: the other side, where that one has a trace; else
strict code. The search itself is `permissions`'.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from samebits.diagnosis.cause.inquiry import Progress
from samebits.diagnosis.fast.bisection import After, Permissions, PermissionSearch
from samebits.diagnosis.fast.candidates import Beginning, Moment, with_leave
from samebits.diagnosis.fast.permitted import tell
from samebits.diagnosis.frame.examine import FirstFrame, SideFrame
from samebits.diagnosis.report.findings import Diagnosis
from samebits.errors import TraceError
from samebits.ir.grammar import plain_name
from samebits.sides.side import Side
from samebits.sim.program import Program
from samebits.trace.model import Model
from samebits.trace.record import Trace, record


@dataclass(frozen=True, eq=False)
class Freed:
    """A frame that differs, or `init`, of two sides of which one or both have no trace."""

    sides: tuple[Side, Side]
    found: FirstFrame
    seed: int
    progress: Progress

    @property
    def frames(self) -> tuple[SideFrame, SideFrame]:
        """What each side did."""
        return self.found.a, self.found.b

    def tell(self, out: Diagnosis, a: Trace | None, b: Trace | None) -> bool:
        """Put what is found into `out`: whether there is an answer. Raises CompileError,
        RunnerError."""
        free = [which for which, trace in ((1, b), (0, a)) if trace is None]
        if self._is_one_program:
            return any(self._beside_strict(out, which) for which in free)
        which, other = free[0], a or b
        if other is None or self.sides[which].spec.environment:
            return False
        return self._searched(out, which, self.frames[1 - which].state, other)

    @property
    def _is_one_program(self) -> bool:
        """Whether the sides are the same kernels, compiled for different targets."""
        a, b = (side.spec for side in self.sides)
        plain = not (a.environment or b.environment or a.hazards or b.hazards)
        return plain and (a.options, a.source) == (b.options, b.source)

    def _beside_strict(self, out: Diagnosis, which: int) -> bool:
        """Where a side departs from its strict code in what the other side does not have."""
        side, other = self.sides[which], self.frames[1 - which].state
        strict = with_leave(side, {})
        execution = side.execution(strict)
        try:
            after = self._moment(which).run(execution)
        finally:
            execution.close()
        if after is None or after == self.frames[which].state:
            return False
        try:
            trace = self._traced(which, strict)
        except TraceError:
            return False
        if trace.after != after or not self._searched(out, which, after, trace):
            return False
        if after != other and out.operation is not None:
            out.operation = replace(out.operation, a=None, b=None)
            out.notes.append(
                "neither side gives the bits of strict code: what is told is where side "
                f"{'ab'[which]} departs from that"
            )
        return True

    def _searched(self, out: Diagnosis, which: int, reference: After, trace: Trace) -> bool:
        found = self._search(which, reference)
        if not found.found:
            out.notes += found.notes
            return False
        tell(out, found, trace, which)
        name = found.operations[0].place.function
        function = self.sides[which].linked.kernels.functions[name]
        if function.options.cosmetic:
            name = plain_name(function)
            out.notes.append(
                f"{name} is said to be cosmetic, and the state depends on what it gives: make it "
                "sb.DETERMINISTIC, or keep its results out of the state"
            )
        return True

    def _search(self, which: int, reference: After) -> Permissions:
        mine, other = self.frames[which].state, self.frames[1 - which].state
        search = PermissionSearch(self.sides[which], self._moment(which), reference, mine, other)
        search.progress = lambda what, runs: self.progress(what, runs, 0)
        return search.run()

    def _moment(self, which: int) -> Moment | Beginning:
        facts = self.frames[which]
        if facts.before is None or facts.inputs is None:
            return Beginning(self.seed)
        return Moment(facts.before.canonical, facts.inputs)

    def _traced(self, which: int, strict: Program) -> Trace:
        facts, model = self.frames[which], Model.of(strict)
        if facts.before is None or facts.inputs is None:
            state = np.zeros(1, model.memory.dtype)
            seed = np.array([self.seed], np.uint64)
            return record(replace(model, step=strict.init), state, seed)
        return record(model, facts.before.canonical, facts.inputs[0])
