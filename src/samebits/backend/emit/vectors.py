"""Loops around the math library's functions: a vector loop, and a remainder loop of calls.

The remainder loop runs the last iterations, and all of them for arrays that overlap.

LLVM's own remainder loop has every function inlined once more, which takes as long to compile.
Owns which loops are split so, and the overlap tests before them.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from samebits.backend.emit.function import is_wide
from samebits.backend.emit.lanes import LaneEmitter
from samebits.backend.lowering.table import LOWERINGS
from samebits.backend.text.loop_metadata import DIVISIONS, EmittedCounts, has_masks, is_full
from samebits.ir.analysis.independence import has_independent_iterations
from samebits.ir.grammar import For, Op, Value, can_trap, walk
from samebits.passes.bounds.accesses import Accesses, Base, Separation
from samebits.types import BOOL

_TOUCHES = (" = load ", " = call ", "  store ", "  call ")
"""Texts that mark an emitted instruction as one that may touch memory."""


class VectorEmitter(LaneEmitter):
    """Emits a function whose loops may be split into vector loop and remainder loop."""

    def _for(self, statement: For) -> None:
        tests = self._separations(statement) if self._is_eligible(statement) else None
        if tests is None:
            super()._for(statement)
        else:
            self._vector_loop(statement, tests)

    def _is_eligible(self, statement: For) -> bool:
        """Whether loops here are split at all, and this one's form allows it."""
        is_cold = self.in_fallback or self.module.is_cold(self.function.name)
        shape = (statement.step, statement.orelse, statement.lanes)
        return self.module.vector_dominated and not is_cold and shape == (1, [], None)

    def _separations(self, statement: For) -> list[Separation] | None:
        """The memory that must not overlap for iterations to be independent; None if the loop is
        small, some operation prevents vectorisation, or no test suffices."""
        module = self.module
        if not has_independent_iterations(
            statement, self.function, module.function, (), module.prints
        ):
            return None
        inside = self._body_counts(statement)
        if inside is None or not is_full(inside, self.target):
            return None
        return Accesses(statement, self.facts.slot_types).iteration_separations()

    def _body_counts(self, statement: For) -> EmittedCounts | None:
        """The counts of the body; None if something in it can trap, divides, or is a call that is
        neither inlined nor cold."""
        inside = EmittedCounts()
        for op in walk(statement.body):
            inside.statements += 1
            if not isinstance(op, Op):
                continue
            if can_trap(op) or op.opcode in DIVISIONS or op.opcode == "parallel":
                return None
            inside.wide += is_wide(op)
            if op.opcode == "call":
                name = str(op.attr)
                size = self.module.inlined_size(name)
                if self.module.divides[name] or not (size or name in self.module.cold):
                    return None
                inside.inlined += size
                inside.statements += size
        return inside

    def _vector_loop(self, statement: For, tests: list[Separation]) -> None:
        start, stop = self.operand(statement.start), self.operand(statement.stop)
        masks = has_masks(self.target)
        end, ids = stop, count(-1, -1)  # no statement has such an id
        if not masks:
            trips = self._loop_trip_count(statement, start, stop)
            whole = self.emit(f"and i64 {trips}, {-(self.target.vector_bits // 64)}")
            end = self.emit(f"add nsw i64 {start}, {whole}")
        for test in tests:
            disjoint = self._is_disjoint(test, ids)
            end = self.emit(f"select i1 {disjoint}, i64 {end}, i64 {start}")
        group = self._counts.group = self.module.access_group()
        first = len(self._lines)
        self._counted(statement, start, start, end)
        self._counts.group = ""
        for k in range(first, len(self._lines)):
            if any(text in self._lines[k] for text in _TOUCHES):
                self._lines[k] += f", !llvm.access.group {group}"
        if tests or not masks:
            self._counts.is_remainder = self.in_fallback = True
            self._counted(statement, start, end, stop)
            self._counts.is_remainder = self.in_fallback = False

    def _is_disjoint(self, test: Separation, ids: Iterator[int]) -> str:
        """The register with the result of the operation `apart`."""
        values = (self._base(test.a, ids), self._base(test.b, ids))
        number = next(ids)
        result = Value(number, 0, BOOL)
        op = Op(number, "apart", values, test.aligned, (result,), self.function.span)
        LOWERINGS["apart"](self, op)
        return self.operand(result)

    def _base(self, base: Base, ids: Iterator[int]) -> Value:
        if isinstance(base, Value):
            return base
        value = Value(next(ids), 0, self.facts.slot_types[base])
        self.define(value, *self.load_slot(base))
        return value
