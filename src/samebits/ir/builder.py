"""A builder of IR by hand, one call an operation: for tests, and for passes that write code.

Owns fresh ids and result types. What is legal is `verify`'s business.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from samebits.errors import Span
from samebits.ir.grammar import (
    Break,
    Continue,
    For,
    Function,
    If,
    Region,
    Return,
    Value,
    ValueType,
    While,
)
from samebits.ir.rewrite import SpanWriter
from samebits.types import (
    BOOL,
    INT,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")


class Builder(SpanWriter):
    """Appends statements to `region`, the body of `function` or, in a `with`, an inner region.

    Each statement's span is one line, counted up, unless `span` is set to something else.
    """

    def __init__(
        self,
        name: str,
        params: dict[str, ValueType] | None = None,
        results: Sequence[ScalarType] = (),
        slots: dict[str, ValueType] | None = None,
        locals: dict[str, MemoryType] | None = None,
        file: str = "hand.py",
    ) -> None:
        super().__init__([], Span(file, name, 1, 0, 1, 1), count())
        self.function = Function(
            name,
            tuple((params or {}).items()),
            tuple(results),
            dict(slots or {}),
            dict(locals or {}),
            self.region,
            self.span,
        )

    def next_span(self) -> Span:
        s = self.span
        self.span = Span(s.file, s.function, s.line + 1, s.column, s.end_line + 1, s.end_column)
        return s

    def const(self, t: ScalarType, value: bool | int | float) -> Value:
        return self.emit("const", attr=value, types=[t]).result

    def op(self, opcode: str, *args: Value) -> Value:
        """Arithmetic, a comparison or `select`: the result's type follows from the operands'."""
        t = BOOL if opcode in COMPARISONS else args[1 if opcode == "select" else 0].type
        return self.emit(opcode, *args, types=[t]).result

    def to(self, t: ScalarType, value: Value, opcode: str = "convert") -> Value:
        """`convert`, `narrow` or `bitcast` to `t`."""
        return self.emit(opcode, value, types=[t]).result

    def type_of(self, slot: str) -> ValueType:
        return dict(self.function.params).get(slot) or self.function.slots[slot]

    def get(self, slot: str) -> Value:
        return self.emit("get", attr=slot, types=[self.type_of(slot)]).result

    def set(self, slot: str, value: Value) -> None:
        self.emit("set", value, attr=slot)

    def local(self, name: str) -> Value:
        return self.emit("local", attr=name, types=[RefType(self.function.locals[name])]).result

    def field(self, ref: Value, name: str) -> Value:
        struct = _target(ref)
        assert isinstance(struct, StructType)
        return self.emit("field", ref, attr=name, types=[RefType(struct.field_types[name])]).result

    def component(self, ref: Value, i: int) -> Value:
        vector = _target(ref)
        assert isinstance(vector, VectorType)
        return self.emit("component", ref, attr=i, types=[RefType(vector.element)]).result

    def element(self, array: Value, *at: Value) -> Value:
        t = array.type if isinstance(array.type, ArrayType) else _target(array)
        assert isinstance(t, ArrayType | FixedArrayType)
        return self.emit("element", array, *at, types=[RefType(t.element)]).result

    def row(self, array: Value, i: Value) -> Value:
        t = array.type
        assert isinstance(t, ArrayType)
        row = ArrayType(t.element, t.ndim - 1, t.readonly)
        return self.emit("row", array, i, types=[row]).result

    def slice(self, array: Value, start: Value, stop: Value) -> Value:
        return self.emit("slice", array, start, stop, types=[array.type]).result

    def view(self, ref: Value) -> Value:
        t = _target(ref)
        assert isinstance(t, FixedArrayType)
        return self.emit("view", ref, types=[ArrayType(t.element, len(t.shape))]).result

    def length(self, array: Value, dimension: int = 0) -> Value:
        return self.emit("length", array, attr=dimension, types=[INT]).result

    def load(self, ref: Value) -> Value:
        t = _target(ref)
        assert isinstance(t, ScalarType)
        return self.emit("load", ref, types=[t.storage]).result

    def store(self, ref: Value, value: Value) -> None:
        self.emit("store", ref, value)

    def index(self, i: Value, length: Value) -> None:
        self.emit("index", i, length)

    def at(self, array: Value, i: Value) -> Value:
        """The checked element `i` of a 1-D array."""
        self.index(i, self.length(array))
        return self.element(array, i)

    def call(self, callee: Function, *args: Value) -> tuple[Value, ...]:
        return self.emit("call", *args, attr=callee.name, types=callee.results).results

    def ret(self, *values: Value) -> Function:
        """Append a return; the function, for when it is the last statement."""
        self.region.append(Return(values, self.next_span()))
        return self.function

    def break_(self) -> None:
        self.region.append(Break(self.next_span()))

    def continue_(self) -> None:
        self.region.append(Continue(self.next_span()))

    def if_(self, condition: Value) -> If:
        """Append an `if`; fill its regions with `into`."""
        statement = If(next(self.ids), condition, [], [], self.next_span())
        self.region.append(statement)
        return statement

    def for_(self, slot: str, start: Value, stop: Value, step: int = 1) -> For:
        """Append a `for`; fill its regions with `into`."""
        statement = For(next(self.ids), slot, start, stop, step, [], [], self.next_span())
        self.region.append(statement)
        return statement

    def while_(self, condition: Value, head: Region) -> While:
        """Append a `while` whose `head`, already filled with `into`, computes `condition`."""
        statement = While(next(self.ids), head, condition, [], [], self.next_span())
        self.region.append(statement)
        return statement


def _target(ref: Value) -> MemoryType:
    assert isinstance(ref.type, RefType)
    return ref.type.target
