"""The rewriter of IR: copies of statements and regions with other parts, and new operations.

Nothing else copies or rebuilds IR.

Spans stay, so that a copy traps where the source says. Nothing changes what it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import count

from samebits.errors import Span
from samebits.ir.grammar import (
    Attribute,
    For,
    Function,
    If,
    Module,
    Numbered,
    Op,
    Region,
    Return,
    Statement,
    Value,
    ValueType,
    While,
    regions,
    walk,
)
from samebits.types import INT64, ScalarType


def operands(statement: Statement) -> tuple[Value, ...]:
    """The values that `statement` itself uses, those of the regions inside it not included."""
    match statement:
        case Op():
            return statement.args
        case If() | While():
            return (statement.condition,)
        case For():
            return (statement.start, statement.stop)
        case Return():
            return statement.values
        case _:
            return ()


def with_operands(statement: Statement, change: Callable[[Value], Value]) -> Statement:
    """The statement with `change` applied to each of its operands."""
    match statement:
        case Op():
            return replace(statement, args=tuple(map(change, statement.args)))
        case If() | While():
            return replace(statement, condition=change(statement.condition))
        case For():
            return replace(statement, start=change(statement.start), stop=change(statement.stop))
        case Return():
            return replace(statement, values=tuple(map(change, statement.values)))
        case _:
            return statement


def with_regions(statement: Statement, made: Sequence[Region]) -> Statement:
    """The statement with other regions, in the order of `regions`."""
    match statement:
        case If():
            return replace(statement, then=made[0], orelse=made[1])
        case While():
            return replace(statement, head=made[0], body=made[1], orelse=made[2])
        case For():
            return replace(statement, body=made[0], orelse=made[1])
        case _:
            return statement


def map_regions(statement: Statement, change: Callable[[Region], Region]) -> Statement:
    """The statement with each region directly inside it changed, in the order in which they run."""
    return with_regions(statement, [change(region) for region in regions(statement)])


def map_region(region: Region, change: Callable[[Statement], Iterable[Statement]]) -> Region:
    """The region with each statement replaced by those that `change` returns, in source order.

    `change` sees a statement after those inside it, with its new regions.
    """
    out: Region = []
    for statement in region:
        if not isinstance(statement, Op):
            statement = map_regions(statement, lambda inner: map_region(inner, change))
        out += change(statement)
    return out


def exchanged(region: Region, made: Mapping[int, Region]) -> Region:
    """The region with the statements of these ids replaced by those of `made`."""

    def change(statement: Statement) -> Region:
        found = made.get(statement.id) if isinstance(statement, Numbered) else None
        return [statement] if found is None else found

    return map_region(region, change)


def with_function(module: Module, function: Function) -> Module:
    """The module with a function exchanged for the one of its name."""
    return Module({**module.functions, function.name: function}, module.tables)


def fresh_ids(function: Function) -> Iterator[int]:
    """Ids above all that the function's statements have."""
    numbers = (s.id for s in walk(function.body) if isinstance(s, Numbered))
    return count(1 + max(numbers, default=-1))


def numbered(region: Region) -> Iterator[Numbered]:
    """The statements with ids, in the order in which `clone` numbers them: a `while` after its
    head, all others before what is inside them."""
    for statement in region:
        inner = regions(statement)
        if isinstance(statement, While):
            yield from numbered(statement.head)
            inner = inner[1:]
        if isinstance(statement, Numbered):
            yield statement
        for one in inner:
            yield from numbered(one)


def clone(region: Region, ids: Iterator[int]) -> Region:
    """A copy of `region` with ids of its own; what it uses from outside stays the same."""
    return _Clone(ids).region(region)


class _Clone:
    def __init__(self, ids: Iterator[int]) -> None:
        self._ids = ids
        self._renamed: dict[int, int] = {}

    def region(self, region: Region) -> Region:
        return [self._statement(statement) for statement in region]

    def _value(self, value: Value) -> Value:
        number = self._renamed.get(value.op)
        return value if number is None else Value(number, value.index, value.type)

    def _statement(self, statement: Statement) -> Statement:
        if isinstance(statement, Op):
            args = tuple([self._value(value) for value in statement.args])
            number = self._renamed[statement.id] = next(self._ids)
            results = tuple([Value(number, r.index, r.type) for r in statement.results])
            return replace(statement, id=number, args=args, results=results)
        made = [self.region(statement.head)] if isinstance(statement, While) else []
        number = next(self._ids) if isinstance(statement, Numbered) else -1
        made += [self.region(region) for region in regions(statement)[len(made) :]]
        copy = with_regions(with_operands(statement, self._value), made)
        if isinstance(copy, Numbered):
            copy.id = number
        return copy


class OpWriter:
    """Appends statements to `region`; each operation gets the next of `ids`."""

    def __init__(self, region: Region, ids: Iterator[int]) -> None:
        self.region = region
        self.ids = ids

    def append_op(
        self,
        opcode: str,
        args: tuple[Value, ...],
        types: Sequence[ValueType],
        span: Span,
        attr: Attribute = None,
        unchecked: bool = False,
    ) -> Op:
        """Append an op with results of `types`."""
        number = next(self.ids)
        if len(types) == 1:  # nearly always, and this way takes half the time
            results = (Value(number, 0, types[0]),)
        else:
            results = tuple([Value(number, i, t) for i, t in enumerate(types)])
        op = Op(number, opcode, args, attr, results, span, unchecked)
        self.region.append(op)
        return op

    def append(self, statement: Statement) -> None:
        """Append a statement as it is."""
        self.region.append(statement)

    @contextmanager
    def into(self, region: Region) -> Generator[Region]:
        """Append to `region` inside the `with`."""
        outer, self.region = self.region, region
        try:
            yield region
        finally:
            self.region = outer


class SpanWriter(OpWriter):
    """Writes operations that all have the span `span`."""

    def __init__(self, region: Region, span: Span, ids: Iterator[int]) -> None:
        super().__init__(region, ids)
        self.span = span

    def next_span(self) -> Span:
        """The span of the next statement."""
        return self.span

    def emit(
        self,
        opcode: str,
        *args: Value,
        attr: Attribute = None,
        types: Sequence[ValueType] = (),
        unchecked: bool = False,
    ) -> Op:
        """Append an op with results of `types`."""
        return self.append_op(opcode, args, types, self.next_span(), attr, unchecked)


class ValueWriter(SpanWriter):
    """Writes operations as expressions: each call returns the new operation's value."""

    def op(
        self,
        opcode: str,
        t: ValueType,
        *args: Value,
        attr: Attribute = None,
        unchecked: bool = False,
    ) -> Value:
        """The one result, of type `t`, of a new op."""
        return self.append_op(opcode, args, (t,), self.span, attr, unchecked).result

    def constant(self, value: float, t: ScalarType = INT64) -> Value:
        """A constant; an int64 where no type is said."""
        return self.op("const", t, attr=value)
