"""Where the values of a function come from: the operation, its region, what a slot holds there.

Owns reaching definitions in straight-line code. Knows nothing of expressions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import count

from samebits.ir.grammar import For, Function, If, Op, Region, Value, While, regions, walk
from samebits.passes.operands import operands


@dataclass(frozen=True, slots=True)
class Version:
    """What a slot holds from some statement on; `value` if that was set in region `region`."""

    number: int
    value: Value | None = None
    region: int = -1


class Definitions:
    """Of one function, which must not change meanwhile."""

    def __init__(self, function: Function) -> None:
        self.ops: dict[int, Op] = {}
        self.uses = Counter(v.op for s in walk(function.body) for v in operands(s))
        """How often each operation's results are operands."""
        self.read: dict[int, Version] = {}
        """What each `get` finds in its slot."""
        self._places: dict[int, tuple[int, int]] = {}
        self._numbers = count()
        self._scan(function.body, {})

    def region(self, op: Op) -> int:
        """The number of the region that holds an operation."""
        return self._places[op.id][0]

    def position(self, op: Op) -> int:
        """A number that is larger for what comes later in the source."""
        return self._places[op.id][1]

    def identity(self, value: Value) -> object:
        """The same for values that are the same number because they are read from one slot."""
        version = self.read.get(value.op)
        return (value.op, value.index) if version is None else version

    def _scan(self, region: Region, known: dict[str, Version]) -> None:
        number = next(self._numbers)
        for statement in region:
            match statement:
                case Op(id=id, opcode=opcode, attr=slot):
                    self.ops[id] = statement
                    self._places[id] = number, next(self._numbers)
                    if opcode == "get":
                        found = known.setdefault(str(slot), Version(next(self._numbers)))
                        self.read[id] = found
                    elif opcode == "set":
                        value = statement.args[0]
                        known[str(slot)] = Version(next(self._numbers), value, number)
                case If(then=then, orelse=orelse):
                    self._scan(then, dict(known))
                    self._scan(orelse, dict(known))
                    self._forget(statement, known)
                case While() | For():
                    self._forget(statement, known)
                    for inner in regions(statement):
                        self._scan(inner, dict(known))
                    self._forget(statement, known)
                case _:
                    pass

    def _forget(self, statement: If | While | For, known: dict[str, Version]) -> None:
        for inner in walk([statement]):
            if isinstance(inner, For):
                known[inner.slot] = Version(next(self._numbers))
            elif isinstance(inner, Op) and inner.opcode == "set":
                known[str(inner.attr)] = Version(next(self._numbers))
