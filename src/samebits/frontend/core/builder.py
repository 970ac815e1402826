"""The builder of IR statements: their numbers, their spans and the open region.

In IR fixed-point numbers and halves are integers: results and slots get the integer's type here.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from itertools import count

from samebits.errors import Span
from samebits.ir.grammar import Attribute, Region, Value, ValueType
from samebits.ir.rewrite import OpWriter
from samebits.types import MemoryType, RefType, ScalarType


class Builder(OpWriter):
    """The function under construction."""

    def __init__(self) -> None:
        super().__init__([], count())
        self.body = self.region
        self.slots: dict[str, ValueType] = {}
        self.locals: dict[str, MemoryType] = {}
        self.depth = 0
        """Depth of open regions."""
        self.local_spans: dict[str, Span] = {}
        self._next_name = 0
        self.constants: dict[object, Value] = {}
        """Memory that holds constants from outside, filled where the function begins."""
        self._started = 0

    def new_id(self) -> int:
        return next(self.ids)

    def fresh(self, stem: str = "t") -> str:
        """A slot or local name that no Python name can clash with."""
        self._next_name += 1
        return f".{stem}{self._next_name}"

    @contextmanager
    def nested(self) -> Generator[Region]:
        """Statements made inside go to the yielded region."""
        self.depth += 1
        try:
            with self.into([]) as inner:
                yield inner
        finally:
            self.depth -= 1

    @contextmanager
    def at_start(self) -> Generator[Region]:
        """Statements made inside go before all others of the function, in the order they come."""
        with self.into([]) as made:
            yield made
        self.body[self._started : self._started] = made
        self._started += len(made)

    def op(
        self,
        opcode: str,
        args: tuple[Value, ...],
        results: tuple[ValueType, ...],
        span: Span,
        attr: Attribute = None,
    ) -> tuple[Value, ...]:
        """Append an operation and give its results."""
        return self.append_op(opcode, args, list(map(_in_ir, results)), span, attr).results

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
