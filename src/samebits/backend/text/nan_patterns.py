"""Bit patterns of floats whose uses read only bits that all NaNs share.

These need no canonical NaN.

Conservative: a pattern whose uses are not all known is canonicalised.
"""

from __future__ import annotations

from samebits.ir.grammar import Function, Op, Return, Value, walk
from samebits.types import ScalarType

_ALL = -1
_EXPONENT = {32: 0x7F80_0000, 64: 0x7FF0_0000_0000_0000}
"""A float's exponent bits, by its width: all set in every NaN."""

_Key = tuple[int, int]


class Patterns:
    """The results of a function's `bitcast`s, and the bits read of each."""

    def __init__(self, function: Function) -> None:
        self._constants: dict[_Key, int] = {}
        self._moved: dict[_Key, tuple[_Key, int]] = {}
        """For a pattern, or one shifted right: the original pattern, and the shift."""
        self._read: dict[_Key, int] = {}
        for statement in walk(function.body):
            if isinstance(statement, Op):
                self._op(statement)
            elif isinstance(statement, Return):
                for value in statement.values:
                    self._reads(value, _ALL)

    def is_read_as_exponent(self, pattern: Value) -> bool:
        """Whether only exponent bits are read of the result of a `bitcast` from a float."""
        t = pattern.type
        assert isinstance(t, ScalarType)
        return not self._read.get(_key(pattern), _ALL) & ~_EXPONENT.get(t.bits, 0)

    def _op(self, op: Op) -> None:
        match op.opcode:
            case "const" if isinstance(op.attr, int):
                self._constants[_key(op.result)] = op.attr
            case "bitcast":
                self._reads(op.args[0], _ALL)
                self._moved[_key(op.result)] = (_key(op.result), 0)
                self._read[_key(op.result)] = 0
            case "shr" if self._constants.get(_key(op.args[1]), -1) >= 0:
                origin = self._moved.get(_key(op.args[0]))
                if origin is not None:
                    by = origin[1] + self._constants[_key(op.args[1])]
                    self._moved[_key(op.result)] = (origin[0], min(by, 64))
            case "and":
                a, b = op.args
                self._reads(a, self._constants.get(_key(b), _ALL))
                self._reads(b, self._constants.get(_key(a), _ALL))
            case _:
                for value in op.args:
                    self._reads(value, _ALL)

    def _reads(self, value: Value, mask: int) -> None:
        """Record that the bits `mask` of `value` are read."""
        origin = self._moved.get(_key(value))
        if origin is not None:
            self._read[origin[0]] |= mask << origin[1]


def _key(value: Value) -> _Key:
    return value.op, value.index
