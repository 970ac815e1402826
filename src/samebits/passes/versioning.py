"""Loop versioning: two copies of an innermost counted loop, one without the checks that a test
before the loop answers for all turns at once.

Owns which loops are worth it. The test is `guard`'s; that a check can go is shown by range
analysis alone, under what the test says, so a test that says too little leaves checks in place.
"""

from __future__ import annotations

from collections.abc import Iterator

from samebits.ir.grammar import For, Function, If, Op, Region, While, can_trap, walk
from samebits.passes.clone import clone
from samebits.passes.guard import Guard
from samebits.passes.linear import Form
from samebits.passes.ranges import Ranges

BODY_LIMIT = 400
"""Statements in a loop beyond which a second copy costs more than its checks."""
SMALL_TURNS = 64
"""A loop of at most this many turns, known as such, belongs to the loop around it."""


class Versioning(Ranges):
    """Range analysis that also splits loops in two. `ids` gives unused ids."""

    def __init__(self, function: Function, ids: Iterator[int]) -> None:
        super().__init__(function)
        self._ids = ids
        self._guard: Guard | None = None
        self._depth = 0

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
        if self.scan.size(statement) > BODY_LIMIT or (self._depth and self._small(statement)):
            return False
        return all(
            self._small(inner) if isinstance(inner, For) else not isinstance(inner, While)
            for inner in walk(statement.body)
        )

    def _small(self, statement: For) -> bool:
        start, stop = self.scan.constant(statement.start), self.scan.constant(statement.stop)
        if start is None or stop is None:
            return False
        return len(range(start, stop, statement.step)) <= SMALL_TURNS

    def _version(self, statement: For, out: Region) -> None:
        known, facts = self.known, self.known.facts
        before = known.slots
        self._depth += 1
        guard = self._guard = Guard(known, self._ids, self.types)
        checked: Region = []
        super().counted_loop(statement, checked)
        self._guard = None
        if guard.empty:
            self._depth -= 1
            out.extend(checked)
            return
        after = known.slots
        mark, origins = facts.mark(), known.origins
        known.slots, known.origins = dict(before), dict(origins)
        tests = guard.conditions()
        copy = clone([statement], self._ids)
        self.scan.add(copy)
        free: Region = []
        for loop in copy:
            assert isinstance(loop, For)
            super().counted_loop(loop, free)
        facts.restore(mark)
        self._depth -= 1
        known.slots, known.origins = after, origins
        if not tests:
            out.extend(free)
        elif 2 * checks(free) <= checks(checked):
            condition = guard.emit(tests, out, statement.span)
            out.append(If(next(self._ids), condition, free, checked, statement.span))
        else:
            out.extend(checked)


def checks(region: Region) -> int:
    """How many operations inside can trap, calls aside."""
    return sum(isinstance(s, Op) and can_trap(s) for s in walk(region))
