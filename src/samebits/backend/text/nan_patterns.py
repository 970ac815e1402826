"""Which integers made from floats are read only where every NaN has the same bits.

Those need no canonical NaN. What is not surely so is not.
"""

from __future__ import annotations

from samebits.ir.grammar import Function, Op, Return, Value, walk
from samebits.types import ScalarType

_ALL = -1
_EXPONENT = {32: 0x7F80_0000, 64: 0x7FF0_0000_0000_0000}
"""The bits of a float's exponent, by its width: all set in every NaN."""

_Key = tuple[int, int]


class Patterns:
    """The results of a function's `bitcast`s, and the bits that are read of each."""

    def __init__(self, function: Function) -> None:
        self._constants: dict[_Key, int] = {}
        self._moved: dict[_Key, tuple[_Key, int]] = {}
        """A pattern, or one shifted right: the pattern it comes from, and by how much."""
        self._read: dict[_Key, int] = {}
        for statement in walk(function.body):
            if isinstance(statement, Op):
                self._op(statement)
            elif isinstance(statement, Return):
                for value in statement.values:
                    self._reads(value, _ALL)

    def is_read_as_exponent(self, pattern: Value) -> bool:
        """Whether nothing but exponent bits is read of the result of a `bitcast` from a float."""
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
        """The bits `mask` of `value` are read."""
        origin = self._moved.get(_key(value))
        if origin is not None:
            self._read[origin[0]] |= mask << origin[1]


def _key(value: Value) -> _Key:
    return value.op, value.index
