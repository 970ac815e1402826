"""Hypothesis strategies for IR: modules with every construct, not all of them legal."""

from __future__ import annotations

import math
from collections.abc import Callable

from hypothesis import strategies as st

from samebits.errors import Span
from samebits.ir.grammar import (
    JOINS,
    MAX_LANES,
    OPS,
    Break,
    Continue,
    For,
    Function,
    If,
    Lanes,
    Module,
    Op,
    Region,
    Return,
    Statement,
    TableData,
    Value,
    ValueType,
    While,
)
from samebits.types import (
    MOST_DIMENSIONS,
    SCALARS,
    VECTORS,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    StructType,
)

names = st.one_of(
    st.sampled_from(["i", "p.x", ".t0", "return.0", "Array", "float3", "else", "", 'a"b\\', "é\n"]),
    st.text(max_size=6),
)
scalars = st.sampled_from(list(SCALARS.values()))
vectors = st.sampled_from(list(VECTORS.values()))


def _inside(inner: st.SearchStrategy[MemoryType]) -> st.SearchStrategy[MemoryType]:
    shapes = st.tuples(st.integers(0, 9), st.lists(st.integers(1, 9), max_size=3)).map(
        lambda parts: (parts[0], *parts[1])
    )
    fields = st.dictionaries(names, inner, max_size=3).map(lambda d: tuple(d.items()))
    return st.one_of(st.builds(FixedArrayType, inner, shapes), st.builds(StructType, names, fields))


memory_types: st.SearchStrategy[MemoryType] = st.recursive(
    st.one_of(scalars, vectors), _inside, max_leaves=5
)
value_types: st.SearchStrategy[ValueType] = st.one_of(
    scalars,
    st.builds(ArrayType, memory_types, st.integers(1, MOST_DIMENSIONS), st.booleans()),
    st.builds(RefType, memory_types),
)
sources = st.sampled_from([("game.py", "drift"), ("other file.py", "f.<locals>.g"), ("", "")])
spans = st.builds(
    lambda source, place: Span(*source, *place),
    sources,
    st.tuples(*[st.integers(0, 120)] * 4),
)
floats = st.one_of(
    st.floats(allow_nan=False), st.sampled_from([0.0, -0.0, math.inf, -math.inf, 5e-324, 1.0])
)
numbers = st.one_of(st.integers(-(2**63), 2**64 - 1), floats, st.booleans())
attributes = st.one_of(st.none(), numbers, names)

# A strategy that is made at each draw takes longer than the draw.
_opcodes = st.sampled_from(list(OPS))
_several_types = st.lists(value_types, max_size=3)
_counts = st.lists(st.integers(2, MAX_LANES), min_size=1, max_size=3).map(tuple)
_joins = st.sampled_from(list(JOINS))
_flat = ["op", "op", "break", "continue", "return"]
_kinds = {False: st.sampled_from(_flat), True: st.sampled_from([*_flat, "if", "while", "for"])}
_slot_types = st.dictionaries(names, value_types, max_size=4)
_results = st.lists(scalars, max_size=2)
_local_types = st.dictionaries(names, memory_types, max_size=2)


class _Body:
    """Draws statements whose operands are values drawn before."""

    def __init__(self, draw: Callable[..., object], slots: list[str]) -> None:
        self.draw = draw
        self.slots = slots or ["i"]
        self.slot = st.sampled_from(self.slots)
        several = st.lists(st.tuples(self.slot, _joins), min_size=1, max_size=3).map(tuple)
        self.some_lanes = st.one_of(st.none(), st.builds(Lanes, _counts, several, st.booleans()))
        self.values: list[Value] = []
        self.next = draw(st.integers(0, 5))

    def id(self) -> int:
        self.next += self.draw(st.integers(1, 3))
        return self.next

    def operands(self) -> tuple[Value, ...]:
        if not self.values:
            return ()
        return tuple(self.draw(st.lists(st.sampled_from(self.values), max_size=3)))

    def value(self, region: Region) -> Value:
        if not self.values:
            region.append(self.op(self.draw(value_types)))
        return self.draw(st.sampled_from(self.values))

    def op(self, *types: ValueType) -> Op:
        at, args = self.id(), self.operands()
        results = tuple(Value(at, i, t) for i, t in enumerate(types))
        self.values.extend(results)
        attr, opcode = self.draw(attributes), self.draw(_opcodes)
        return Op(at, opcode, args, attr, results, self.draw(spans), self.draw(st.booleans()))

    def region(self, depth: int) -> Region:
        region: Region = []
        for _ in range(self.draw(st.integers(0, 3))):
            region.append(self.statement(region, depth))
        return region

    def lanes(self) -> Lanes | None:
        return self.draw(self.some_lanes)

    def statement(self, region: Region, depth: int) -> Statement:
        kind, span = self.draw(_kinds[depth > 0]), self.draw(spans)
        match kind:
            case "if":
                at, condition = self.id(), self.value(region)
                return If(at, condition, self.region(depth - 1), self.region(depth - 1), span)
            case "while":
                at, head = self.id(), self.region(depth - 1)
                condition, body = self.value(head), self.region(depth - 1)
                return While(at, head, condition, body, self.region(depth - 1), span)
            case "for":
                at, start, stop = self.id(), self.value(region), self.value(region)
                slot = self.draw(self.slot)
                step = self.draw(st.integers(-(2**63), 2**63 - 1))
                body, lanes = self.region(depth - 1), self.lanes()
                orelse = self.region(depth - 1)
                return For(at, slot, start, stop, step, body, orelse, span, lanes)
            case "break":
                return Break(span)
            case "continue":
                return Continue(span)
            case "return":
                return Return(self.operands(), span)
            case _:
                return self.op(*self.draw(_several_types))


@st.composite
def functions(draw: Callable[..., object], name: str) -> Function:
    slots = draw(_slot_types)
    keys = list(slots)
    cut = draw(st.integers(0, len(keys)))
    body = _Body(draw, keys).region(3)
    return Function(
        name,
        tuple((key, slots[key]) for key in keys[:cut]),
        tuple(draw(_results)),
        {key: slots[key] for key in keys[cut:]},
        draw(_local_types),
        body,
        draw(spans),
    )


_keys = st.lists(names, max_size=2, unique=True)
_values = st.lists(numbers, max_size=20).map(tuple)
_shapes = st.lists(st.integers(0, 9), max_size=MOST_DIMENSIONS).map(tuple)
_tables = st.dictionaries(names, st.builds(TableData, scalars, _values, _shapes))


@st.composite
def modules(draw: Callable[..., object]) -> Module:
    keys = draw(_keys)
    return Module({key: draw(functions(key)) for key in keys}, draw(_tables))
