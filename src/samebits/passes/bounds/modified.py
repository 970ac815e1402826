"""The slots that each statement modifies, read off a region without walking it in order.

Owns facts about the text of a function that loops need before their bodies are walked.
"""

from __future__ import annotations

from samebits.ir.grammar import For, Op, Region, Statement, Value, regions, trip_count, walk


class ModifiedSlots:
    """An index of statements: `sets` by statement, producers by op id, sizes by statement."""

    def __init__(self) -> None:
        self._sets: dict[int, frozenset[str]] = {}
        self._sizes: dict[int, int] = {}
        self._producers: dict[int, Op] = {}

    def add(self, region: Region) -> tuple[frozenset[str], int]:
        """Index `region`; returns the slots that it sets and its number of statements."""
        names: set[str] = set()
        size = 0
        for statement in region:
            size += 1
            if isinstance(statement, Op):
                self._producers[statement.id] = statement
                if statement.opcode == "set":
                    names.add(str(statement.attr))
                continue
            inside: set[str] = {statement.slot} if isinstance(statement, For) else set()
            inner_size = 0
            for inner in regions(statement):
                inner_sets, n = self.add(inner)
                inside |= inner_sets
                inner_size += n
            self._sets[id(statement)] = frozenset(inside)
            self._sizes[id(statement)] = inner_size
            names |= inside
            size += inner_size
        return frozenset(names), size

    def sets(self, statement: Statement) -> frozenset[str]:
        """Every slot that the statement may set, a loop's own slot included."""
        return self._sets[id(statement)]

    def size(self, statement: Statement) -> int:
        """The number of statements inside."""
        return self._sizes[id(statement)]

    def constant(self, value: Value) -> int | None:
        """The integer constant that `value` plainly is."""
        op = self._producers.get(value.op)
        if op is None:
            return None
        if op.opcode == "const" and isinstance(op.attr, int):
            return int(op.attr)
        if op.opcode in ("neg", "narrow", "convert") and op.args:
            inner = self.constant(op.args[0])
            if inner is not None and op.opcode == "neg":
                return -inner
            return inner if op.opcode == "narrow" else None
        return None

    def iterations(self, loop: For) -> int | None:
        """The number of iterations of a loop between constants."""
        start, stop = self.constant(loop.start), self.constant(loop.stop)
        return None if start is None or stop is None else trip_count(start, stop, loop.step)

    def direction(self, slot: str, statement: Statement) -> int:
        """1 if everything inside only ever adds constants >= 0 to the slot, -1 if it only subtracts
        them, 0 otherwise. Weak ints trap rather than wrap, so 1 bounds from below."""
        sign = 0
        if isinstance(statement, For) and statement.slot == slot:
            return 0
        inside = {s.id for s in walk([statement]) if isinstance(s, Op)}
        for inner in walk([statement]):
            if isinstance(inner, For) and inner.slot == slot and inner is not statement:
                return 0
            if not isinstance(inner, Op) or inner.opcode != "set" or inner.attr != slot:
                continue
            step = self._step(slot, inner.args[0], inside)
            if step is None or (sign and step and (step > 0) != (sign > 0)):
                return 0
            sign = sign or step
        return (sign > 0) - (sign < 0)

    def _step(self, slot: str, value: Value, inside: set[int]) -> int | None:
        """The amount that `value` adds to the slot as one of the operations `inside` read it. Read
        before them, the slot may have been anything."""
        op = self._producers.get(value.op)
        if op is None or op.opcode not in ("add", "sub"):
            return None
        a, b = op.args
        if op.opcode == "add" and self._reads(slot, b, inside):
            a, b = b, a
        by = self.constant(b)
        if by is None or not self._reads(slot, a, inside):
            return None
        return by if op.opcode == "add" else -by

    def _reads(self, slot: str, value: Value, inside: set[int]) -> bool:
        op = self._producers.get(value.op)
        if op is None or op.id not in inside:
            return False
        return op.opcode == "get" and op.attr == slot
