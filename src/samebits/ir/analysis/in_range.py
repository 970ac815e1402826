"""Conversions of floats to 64-bit integers where the float is known to fit.

`int(x)` traps where x does not fit, and its conversion follows the test. LLVM's conversion that
saturates, which is defined for all floats, would make the same tests once more.
"""

from __future__ import annotations

import math

from samebits.ir.grammar import Function, Op, Region, Value, regions
from samebits.types import ScalarType

Key = tuple[int, int]
_LEAST, _END = -(2.0**63), 2.0**63


def conversions_in_range(function: Function) -> frozenset[int]:
    """The ids of `convert`s to signed 64-bit integers behind an `overflow` that has tested that the
    float is at least -2^63 and less than 2^63, neither of which a NaN is."""
    found: set[int] = set()
    _Search(found).region(function.body, frozenset())
    return frozenset(found)


class _Search:
    def __init__(self, found: set[int]) -> None:
        self._found = found
        self._ops: dict[Key, Op] = {}
        """The operations behind values, of those that a test consists of."""

    def region(self, region: Region, before: frozenset[Key]) -> None:
        """Look through a region, before which these floats were found to fit."""
        fit = set(before)
        for statement in region:
            if not isinstance(statement, Op):
                for inner in regions(statement):
                    self.region(inner, frozenset(fit))
                continue
            match statement.opcode:
                case "const" | "ge" | "lt" | "and" | "not":
                    self._ops[_key(statement.result)] = statement
                case "overflow":
                    fit |= self._tested(statement.args[0])
                case "convert" if _key(statement.args[0]) in fit and _is_wide(statement.result):
                    self._found.add(statement.id)
                case _:
                    pass

    def _tested(self, misfits: Value) -> set[Key]:
        """The float of which `misfits` is false if and only if it fits, if there is one."""
        match self._ops.get(_key(misfits)):
            case Op(opcode="not", args=(fits,)):
                pass
            case _:
                return set()
        both = self._ops.get(_key(fits))
        if both is None or both.opcode != "and":
            return set()
        sides = [self._ops.get(_key(side)) for side in both.args]
        signs = {side.opcode: side for side in sides if side is not None}
        if signs.keys() != {"ge", "lt"}:
            return set()
        low, high = signs["ge"], signs["lt"]
        same = _key(low.args[0]) == _key(high.args[0])
        inside = self._number(low.args[1]) >= _LEAST and self._number(high.args[1]) <= _END
        return {_key(low.args[0])} if same and inside else set()

    def _number(self, value: Value) -> float:
        """A constant; NaN, with which all comparisons are false, of what is none."""
        op = self._ops.get(_key(value))
        return float(op.attr) if op is not None and isinstance(op.attr, float | int) else math.nan


def _key(value: Value) -> Key:
    return value.op, value.index


def _is_wide(value: Value) -> bool:
    t = value.type
    return isinstance(t, ScalarType) and t.is_int and t.is_signed and t.bits == 64
