"""Writing new operations into a region: what passes need of a builder."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.errors import Span
from samebits.ir.grammar import Attribute, Op, Region, Value, ValueType
from samebits.types import INT64, ScalarType


class Writer:
    """Appends ops of one span to a region; `atoms` is for the guard to note values in."""

    def __init__(self, out: Region, span: Span, ids: Iterator[int]) -> None:
        self._out = out
        self._span = span
        self._ids = ids
        self.atoms: dict[int, Value] = {}

    def op(
        self,
        opcode: str,
        t: ValueType,
        *args: Value,
        attr: Attribute = None,
        unchecked: bool = False,
    ) -> Value:
        number = next(self._ids)
        value = Value(number, 0, t)
        self._out.append(Op(number, opcode, args, attr, (value,), self._span, unchecked))
        return value

    def effect(self, opcode: str, *args: Value, attr: Attribute = None) -> None:
        self._out.append(Op(next(self._ids), opcode, args, attr, (), self._span))

    def constant(self, value: float, t: ScalarType | None = None) -> Value:
        """A constant; an int64 where no type is said."""
        return self.op("const", INT64 if t is None else t, attr=value)
