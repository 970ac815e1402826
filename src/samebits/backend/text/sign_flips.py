"""Choices between a float and its negative: the float, its sign flipped or not.

LLVM chooses between float registers by a branch on several processors. By a bit as good as random,
such as a quadrant's, half of those are predicted wrong; a flip by the bit itself has no branch.
"""

from __future__ import annotations

from samebits.ir.grammar import Function, Op, Region, Value, regions
from samebits.types import ScalarType

_COMPARISONS = {"eq", "ne", "lt", "le", "gt", "ge"}
_Key = tuple[object, ...]


def sign_flips(function: Function) -> dict[int, bool]:
    """By the id of each `select` between a float and its negative: whether a true condition
    chooses the negative.

    Only those by a comparison of integers. One of floats gives a mask, without a branch, and joined
    conditions are mostly rare cases, whose branch costs nothing.
    """
    search = _Search()
    search.region(function.body)
    return search.found


class _Search:
    """One walk. Two reads of a slot are one value if no write and no branch is between them."""

    def __init__(self) -> None:
        self.found: dict[int, bool] = {}
        self._read: dict[str, int] = {}
        """By slot, the first read of what it holds."""
        self._same: dict[tuple[int, int], _Key] = {}
        """Reads of slots, by what they read."""
        self._negated: dict[_Key, _Key] = {}
        self._compared: set[tuple[int, int]] = set()

    def region(self, region: Region) -> None:
        for statement in region:
            if isinstance(statement, Op):
                self._op(statement)
                continue
            for inner in regions(statement):
                self._read.clear()
                self.region(inner)
            self._read.clear()

    def _key(self, value: Value) -> _Key:
        place = (value.op, value.index)
        return self._same.get(place, place)

    def _op(self, op: Op) -> None:
        match op.opcode:
            case "get":
                first = self._read.setdefault(str(op.attr), op.id)
                self._same[op.result.op, op.result.index] = ("slot", first)
            case "set":
                self._read.pop(str(op.attr), None)
            case "neg" if _is_float(op.result):
                self._negated[self._key(op.result)] = self._key(op.args[0])
            case opcode if opcode in _COMPARISONS and _is_integer(op.args[0]):
                self._compared.add((op.result.op, op.result.index))
            case "select" if _is_float(op.result):
                self._select(op)
            case _:
                pass

    def _select(self, op: Op) -> None:
        condition, a, b = op.args
        if (condition.op, condition.index) not in self._compared:
            return
        a, b = self._key(a), self._key(b)
        if self._negated.get(a) == b:
            self.found[op.id] = True
        elif self._negated.get(b) == a:
            self.found[op.id] = False


def _is_float(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.is_float


def _is_integer(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.is_int
