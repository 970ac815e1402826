"""An upper bound of the stack bytes of a function's values, if registers don't hold them.

From the IR alone, before LLVM allocates: all slots, which are variables, and the largest set of
other values that are live at once. A value that is made or used in a loop may be a vector there.
"""

from __future__ import annotations

from collections import Counter
from itertools import accumulate

from samebits.ir.grammar import (
    For,
    Function,
    If,
    Op,
    Region,
    Return,
    Value,
    ValueType,
    While,
    regions,
)
from samebits.types import ArrayType

WORD = 8


def words(t: ValueType) -> int:
    """The registers that hold a value of a type."""
    return 1 + t.ndim if isinstance(t, ArrayType) else 1


class _Uses:
    """Live ranges: where each value is made and last used, in text order, and what loops use."""

    def __init__(self, function: Function) -> None:
        self.made: dict[Value, int] = {}
        self.last: dict[Value, int] = {}
        self.looped: set[Value | str] = set()
        self._at = 0
        self._loops: list[int] = []
        self._region(function.body)

    def _use(self, value: Value) -> None:
        if value in self.made:
            self.last[value] = self._at
            if self._loops:
                self.looped.add(value)

    def _region(self, region: Region) -> None:
        for statement in region:
            self._at += 1
            match statement:
                case Op():
                    for value in statement.args:
                        self._use(value)
                    if statement.opcode in ("get", "set") and self._loops:
                        self.looped.add(str(statement.attr))
                    if statement.opcode != "const":
                        self.made.update(dict.fromkeys(statement.results, self._at))
                        if self._loops:
                            self.looped.update(statement.results)
                case If():
                    self._use(statement.condition)
                case For():
                    self._use(statement.start)
                    self._use(statement.stop)
                case Return():
                    for value in statement.values:
                        self._use(value)
                case _:
                    pass
            if isinstance(statement, For | While):
                self._loop(statement)
            else:
                for part in regions(statement):
                    self._region(part)

    def _loop(self, loop: For | While) -> None:
        """Extend to the loop's end the ranges of values made before it and used in it."""
        before, used = self._at, self.last.copy()
        self._loops.append(before)
        for part in regions(loop):
            self._region(part)
            if isinstance(loop, While) and part is loop.head:
                self._use(loop.condition)
        self._loops.pop()
        for value, at in self.last.items():
            if self.made[value] <= before and used.get(value) != at:
                self.last[value] = self._at


def value_bytes(function: Function, lane_bytes: int) -> int:
    """Bytes of the function's own values; `lane_bytes` is the size of a vector, at least a word."""
    uses = _Uses(function)
    lane_bytes = max(WORD, lane_bytes)

    def size(of: Value | str) -> int:
        return lane_bytes if of in uses.looped else WORD

    slots = sum(size(name) * words(t) for name, t in function.slots.items())
    changes: Counter[int] = Counter()
    for value, last in uses.last.items():
        changes[uses.made[value]] += size(value) * words(value.type)
        changes[last] -= size(value) * words(value.type)
    return slots + max(accumulate((changes[at] for at in sorted(changes)), initial=0))
