"""The definitions of a function's values: the operation, its region, and what a slot holds there.

Owns reaching definitions in straight-line code. Knows nothing of expressions.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import count

from samebits.ir.grammar import For, Function, If, Op, Region, Value, While, regions, walk
from samebits.ir.rewrite import operands


@dataclass(frozen=True, slots=True)
class Version:
    """The content of a slot from some statement on; `value` if it was set in region `region`."""

    number: int
    value: Value | None = None
    region: int = -1


class Definitions:
    """The definitions in one function, which must not change meanwhile."""

    def __init__(self, function: Function) -> None:
        self.ops: dict[int, Op] = {}
        self.uses = Counter(v.op for s in walk(function.body) for v in operands(s))
        """How often each operation's results are operands."""
        self.read: dict[int, Version] = {}
        """What each `get` finds in its slot."""
        self._places: dict[int, tuple[int, int]] = {}
        self._numbers = count()
        self._known: dict[str, Version] = {}
        """What each slot holds where the scan is."""
        self._before: list[tuple[str, Version | None]] = []
        """What slots held before they were given what they hold, the last one last."""
        self._scan(function.body)

    def region(self, op: Op) -> int:
        """The number of the region that holds an operation."""
        return self._places[op.id][0]

    def position(self, op: Op) -> int:
        """A number that increases in source order."""
        return self._places[op.id][1]

    def identity(self, value: Value) -> object:
        """A key that is equal for values that are the same number because they are read from one
        slot."""
        version = self.read.get(value.op)
        return (value.op, value.index) if version is None else version

    def _scan(self, region: Region) -> None:
        number = next(self._numbers)
        for statement in region:
            match statement:
                case Op(id=id, opcode=opcode, attr=slot):
                    self.ops[id] = statement
                    self._places[id] = number, next(self._numbers)
                    if opcode == "get":
                        found = self._known.get(str(slot))
                        self.read[id] = found or self._holds(str(slot))
                    elif opcode == "set":
                        self._holds(str(slot), statement.args[0], number)
                case If():
                    self._branches(statement)
                    self._forget(statement)
                case While() | For():
                    self._forget(statement)
                    self._branches(statement)
                    self._forget(statement)
                case _:
                    pass

    def _branches(self, statement: If | While | For) -> None:
        """Scan each region of a statement, from what is known before it."""
        for inner in regions(statement):
            mark = len(self._before)
            self._scan(inner)
            while len(self._before) > mark:
                slot, version = self._before.pop()
                if version is None:
                    del self._known[slot]
                else:
                    self._known[slot] = version

    def _holds(self, slot: str, value: Value | None = None, region: int = -1) -> Version:
        self._before.append((slot, self._known.get(slot)))
        version = self._known[slot] = Version(next(self._numbers), value, region)
        return version

    def _forget(self, statement: If | While | For) -> None:
        for inner in walk([statement]):
            if isinstance(inner, For):
                self._holds(inner.slot)
            elif isinstance(inner, Op) and inner.opcode == "set":
                self._holds(str(inner.attr))
