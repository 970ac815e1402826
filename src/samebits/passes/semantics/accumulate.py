"""Float reductions in loops, regrouped into a fixed number of lanes: DETERMINISTIC and FAST.

Owns the search for accumulators. What lanes mean is `ir.grammar.Lanes`'; the shape depends on the
number of iterations alone, so that every target does the same operations.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import replace

from samebits.ir.grammar import (
    Break,
    For,
    Function,
    Lanes,
    Op,
    Region,
    Return,
    Statement,
    While,
    regions,
    walk,
)
from samebits.ir.rewrite import map_regions, operands
from samebits.passes.bounds.modified import ModifiedSlots
from samebits.types import ScalarType

MOST = {32: 64, 64: 32}
"""Lanes by the width of a loop's widest accumulator: what four registers of 512 bits hold."""
ROOM = 8 * 512
"""Bits that the lanes of all accumulators may take: where they are many, they have fewer lanes."""
LEAST = 8
"""Lanes for the iterations that are left, and where accumulators are many."""
FEW_ITERATIONS = 7
"""A loop of at most this many iterations, known as such, is part of the body around it."""

JOIN_OF = {
    "add": "add",
    "sub": "add",
    "fma": "add",
    "muladd": "add",
    "mul": "mul",
    "min": "min",
    "max": "max",
}
"""Operations that accumulate, and what joins their lanes."""
PLACES = {
    "add": (0, 1),
    "sub": (0,),
    "fma": (2,),
    "muladd": (2,),
    "mul": (0, 1),
    "min": (0, 1),
    "max": (0, 1),
}
"""The operands that can be the value accumulated so far."""


class Accumulation:
    """A pass that gives the loops of one function their lanes. With `only`, loops of other ids have
    none."""

    def __init__(self, function: Function, only: Collection[int] | None = None) -> None:
        self._only = only
        self._function = function
        self._widths = {
            slot: t.bits
            for slot, t in (*function.slots.items(), *function.params)
            if isinstance(t, ScalarType) and t.is_float and t.bits in MOST
        }
        """The bits of the slots that can be accumulators."""
        self._modified = ModifiedSlots()
        self._modified.add(function.body)
        self._uses: Counter[int] = Counter()
        self._users: dict[int, Op] = {}
        for statement in walk(function.body):
            for value in operands(statement):
                self._uses[value.op] += 1
                if isinstance(statement, Op):
                    self._users[value.op] = statement
        self.found: list[For] = []
        """The loops that got lanes."""

    def run(self) -> Function:
        """The function with lanes."""
        return replace(self._function, body=self._region(self._function.body))

    def _region(self, region: Region) -> Region:
        return [self._statement(statement) for statement in region]

    def _statement(self, statement: Statement) -> Statement:
        if isinstance(statement, For):
            if statement.lanes is not None:
                return statement
            lanes = self._lanes(statement)
            if lanes is not None:
                laned = replace(statement, lanes=lanes, orelse=self._region(statement.orelse))
                self.found.append(laned)
                return laned
        return map_regions(statement, self._region)

    def of(self, statement: For) -> tuple[tuple[str, str], ...]:
        """The slots that a loop of this function accumulates into, each with the operation that
        joins its lanes; none if the loop cannot have lanes. Its number of iterations does not
        matter."""
        for inner in walk(statement.body):
            match inner:
                case While() | Return() | Break():
                    return ()
                case For() if (n := self._modified.iterations(inner)) is None or n > FEW_ITERATIONS:
                    return ()
                case _:
                    pass
        return tuple(self._accumulators(statement))

    def _lanes(self, statement: For) -> Lanes | None:
        if self._only is not None and statement.id not in self._only:
            return None
        iterations = self._modified.iterations(statement)
        if iterations is not None and iterations <= FEW_ITERATIONS:
            return None
        slots = self.of(statement)
        if not slots:
            return None
        widest = max(self._widths[slot] for slot, _ in slots)
        count = MOST[widest]
        while count > LEAST and count * widest * len(slots) > ROOM:
            count //= 2
        counts = dict.fromkeys((count, LEAST))
        return Lanes(tuple(n for n in counts if iterations is None or n <= iterations), slots)

    def _accumulators(self, statement: For) -> Iterator[tuple[str, str]]:
        """The slots that the body only accumulates into, each with the operation that joins its
        lanes."""
        touched: dict[str, list[Op]] = {}
        for inner in walk(statement.body):
            if isinstance(inner, Op) and inner.opcode in ("get", "set"):
                touched.setdefault(str(inner.attr), []).append(inner)
        for slot, ops in touched.items():
            if slot not in self._widths:
                continue
            inside = (inner for s in walk(statement.body) for inner in regions(s))
            joins = [
                join for region in (statement.body, *inside) for join in self._update(slot, region)
            ]
            if len(set(joins)) == 1 and len(ops) == 2 * len(joins):
                yield slot, joins[0]

    def _update(self, slot: str, region: Region) -> list[str]:
        """The joining operation of each update of `slot` in the region itself."""
        found: list[str] = []
        last: Op | None = None
        for statement in region:
            if isinstance(statement, Op) and statement.attr == slot:
                if statement.opcode == "get":
                    last = statement
                elif statement.opcode == "set":
                    join = self._chain(last, statement) if last is not None else None
                    last = None
                    if join is not None:
                        found.append(join)
            elif not isinstance(statement, Op) and slot in self._modified.sets(statement):
                last = None
        return found

    def _chain(self, get: Op, last: Op) -> str | None:
        """The joining operation, if from `get` to `last` each operation accumulates in the same
        way."""
        op, join = get, None
        while True:
            if self._uses[op.id] != 1:
                return None
            user = self._users.get(op.id)
            if user is last:
                return join
            if user is None or user.opcode not in JOIN_OF:
                return None
            if not any(user.args[i].op == op.id for i in PLACES[user.opcode]):
                return None
            if join is not None and join != JOIN_OF[user.opcode]:
                return None
            op, join = user, JOIN_OF[user.opcode]
