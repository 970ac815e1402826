"""Makes IR statements: numbers them, keeps their spans, and knows the open region.

In IR fixed-point numbers and halves are integers: results and slots get the integer's type here.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from samebits.errors import Span
from samebits.ir.grammar import Attribute, Op, Region, Statement, Value, ValueType
from samebits.types import INT, MemoryType, RefType, ScalarType


class Builder:
    """The function under construction."""

    def __init__(self) -> None:
        self.body: Region = []
        self.slots: dict[str, ValueType] = {}
        self.locals: dict[str, MemoryType] = {}
        self.depth = 0
        """Depth of open regions."""
        self.local_spans: dict[str, Span] = {}
        self._region: Region = self.body
        self._next_id = 0
        self._next_name = 0

    def new_id(self) -> int:
        self._next_id += 1
        return self._next_id - 1

    def fresh(self, stem: str = "t") -> str:
        """A slot or local name that no Python name can clash with."""
        self._next_name += 1
        return f".{stem}{self._next_name}"

    def append(self, statement: Statement) -> None:
        self._region.append(statement)

    @contextmanager
    def region(self) -> Generator[Region]:
        """Statements made inside go to the yielded region."""
        outer, inner = self._region, list[Statement]()
        self._region = inner
        self.depth += 1
        try:
            yield inner
        finally:
            self._region = outer
            self.depth -= 1

    def op(
        self,
        opcode: str,
        args: tuple[Value, ...],
        results: tuple[ValueType, ...],
        span: Span,
        attr: Attribute = None,
    ) -> tuple[Value, ...]:
        """Append an operation and give its results."""
        number = self.new_id()
        if len(results) == 1:  # nearly always, and this way takes half the time
            values = (Value(number, 0, _in_ir(results[0])),)
        else:
            values = tuple(Value(number, i, _in_ir(t)) for i, t in enumerate(results))
        self._region.append(Op(number, opcode, args, attr, values, span))
        return values

    def value(
        self, opcode: str, args: tuple[Value, ...], result: ValueType, span: Span,
        attr: Attribute = None,
    ) -> Value:  # fmt: skip
        """Append an operation with one result."""
        return self.op(opcode, args, (result,), span, attr)[0]

    def effect(
        self, opcode: str, args: tuple[Value, ...], span: Span, attr: Attribute = None
    ) -> None:
        """Append an operation without result."""
        self.op(opcode, args, (), span, attr)

    def const(self, value: bool | int | float, t: ScalarType, span: Span) -> Value:
        return self.value("const", (), t, span, value)

    def int_const(self, value: int, span: Span) -> Value:
        return self.const(value, INT, span)

    def get(self, slot: str, span: Span) -> Value:
        return self.value("get", (), self.slots[slot], span, slot)

    def set(self, slot: str, value: Value, span: Span) -> None:
        self.effect("set", (value,), span, slot)

    def slot(self, name: str, t: ValueType) -> str:
        """Declare a slot (again, at the same type, is fine)."""
        self.slots[name] = _in_ir(t)
        return name

    def local(self, t: MemoryType, span: Span) -> Value:
        """A reference to fresh memory of this call (contents undefined until zeroed)."""
        name = self.fresh("m")
        self.locals[name] = t
        self.local_spans[name] = span
        return self.value("local", (), RefType(t), span, name)

    def local_ref(self, name: str, span: Span) -> Value:
        return self.value("local", (), RefType(self.locals[name]), span, name)


def _in_ir(t: ValueType) -> ValueType:
    return t.storage if isinstance(t, ScalarType) else t
