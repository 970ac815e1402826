"""Loop versioning: a copy of an innermost counted loop without its checks.

A test before the loop answers those checks for all iterations at once.

Owns which loops are worth it. The test is `guard`'s; that a check can go is shown by range
analysis alone, under what the test says, so a test that says too little leaves checks in place.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.ir.grammar import (
    For,
    Function,
    If,
    Op,
    Region,
    Statement,
    Value,
    While,
    can_trap,
    walk,
)
from samebits.ir.rewrite import ValueWriter, clone, fresh_ids
from samebits.passes.bounds.affine import Form
from samebits.passes.bounds.blocks import Plan, assembled, condition, plan
from samebits.passes.bounds.guard import Guard
from samebits.passes.bounds.ranges import Ranges, Slots
from samebits.types import BOOL, INT

BODY_LIMIT = 800
"""Statements in a loop beyond which a second copy costs more than its checks."""
FEW_ITERATIONS = 64
"""A loop of at most this many iterations, known as such, belongs to the loop around it."""


class Versioning(Ranges):
    """Range analysis that also versions loops. `total` are functions that only compute scalars and
    always end; with them, loops may go in blocks."""

    def __init__(self, function: Function, total: set[str] | None = None) -> None:
        super().__init__(function)
        self._ids = fresh_ids(function)
        self._total = total
        self._named = {*self.types}
        self._guard: Guard | None = None
        self._depth = 0

    def run(self) -> Function:
        result = super().run()
        new = {name: t for name, t in self.types.items() if name not in self._named}
        return replace(result, slots={**result.slots, **new})

    def want(self, form: Form) -> None:
        if self._guard is not None:
            self._guard.want(form)

    def counted_loop(self, statement: For, out: Region) -> None:
        if self._guard is None and self._worth(statement):
            self._version(statement, out)
            return
        self._depth += 1
        super().counted_loop(statement, out)
        self._depth -= 1

    def _worth(self, statement: For) -> bool:
        if self.modified.size(statement) > BODY_LIMIT or (self._depth and self._small(statement)):
            return False
        return all(
            self._small(inner) if isinstance(inner, For) else not isinstance(inner, While)
            for inner in walk(statement.body)
        )

    def _small(self, statement: For) -> bool:
        iterations = self.modified.iterations(statement)
        return iterations is not None and iterations <= FEW_ITERATIONS

    def _version(self, statement: For, out: Region) -> None:
        state, facts = self.state, self.state.facts
        before = state.slots
        self._depth += 1
        guard = self._guard = Guard(state, self._ids, self.types)
        checked: Region = []
        super().counted_loop(statement, checked)
        self._guard = None
        after = state.slots
        mark, origins = facts.mark(), state.origins
        tests = [] if guard.empty else guard.conditions()
        free, copy = checked, statement
        if not guard.empty:
            (copy,) = clone([statement], self._ids)
            free = self._walked(copy, before, origins)
        blocks = self._in_blocks(statement, copy, free, before, origins)
        facts.restore(mark)
        self._depth -= 1
        state.slots, state.origins = after, origins
        if blocks is not None:
            self._choose(guard, tests, blocks, checked, statement, out)
        elif not tests:
            out.extend(free)
        elif 2 * checks(free) <= checks(checked):
            condition = guard.emit(tests, out, statement.span)
            out.append(If(next(self._ids), condition, free, checked, statement.span))
        else:
            out.extend(checked)

    def _walked(self, loop: Statement, before: Slots, origins: dict[int, Value]) -> Region:
        """A copy of the loop as analysed from the facts before it."""
        state = self.state
        state.slots, state.origins = dict(before), dict(origins)
        self.modified.add([loop])
        out: Region = []
        assert isinstance(loop, For)
        super().counted_loop(loop, out)
        return out

    def _in_blocks(
        self, loop: For, copy: Statement, free: Region, before: Slots, origins: dict[int, Value]
    ) -> tuple[Plan, For] | None:
        """The plan to run the loop in blocks, and that loop, if there is one. `free` is `copy` as
        analysed, a copy of the loop or itself."""
        if self._total is None:
            return None
        staying = {s.id for s in walk(free) if isinstance(s, Op) and can_trap(s)}
        both = zip(walk([loop]), walk([copy]), strict=True)
        hard = {
            a.id for a, b in both if isinstance(a, Op) and isinstance(b, Op) and b.id in staying
        }
        made = plan(loop, hard, self._total, self.types, self._ids)
        if made is None:
            return None
        self.types.update(made.slots)
        dry_run = self._walked(made.dry_run, before, origins)
        (run,) = free
        (ahead,) = dry_run
        assert isinstance(run, For)
        assert isinstance(ahead, For)
        if checks(dry_run):
            return None
        block = f"block.{next(self._ids)}"
        self.types[block] = INT
        return made, assembled(made, ahead, run, self._ids, block)

    def _choose(
        self,
        guard: Guard,
        tests: list[Form],
        blocks: tuple[Plan, For],
        checked: Region,
        statement: For,
        out: Region,
    ) -> None:
        """Append the loop in blocks if its conditions hold, else the loop with its checks."""
        made, loop = blocks
        writer = ValueWriter(out, statement.span, self._ids)
        result = condition(made, self.types, writer)
        if tests:
            fits = guard.emit(tests, out, statement.span)
            result = fits if result is None else writer.op("and", BOOL, result, fits)
        if result is None:
            out.append(loop)
        else:
            out.append(If(next(self._ids), result, [loop], checked, statement.span))


def checks(region: Region) -> int:
    """The number of operations inside that can trap, calls aside."""
    return sum(isinstance(s, Op) and can_trap(s) for s in walk(region))
