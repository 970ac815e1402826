"""Functions that flush subnormal numbers, written out: a `flush` after all that can give one.

What a flush leaves is no subnormal number, so that the operations which only hand values on, or
which give none of normal operands, need none.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count

from samebits.bits import flushed
from samebits.ir.grammar import (
    For,
    Function,
    If,
    Module,
    Op,
    Region,
    Return,
    Statement,
    Value,
    ValueType,
    While,
    walk,
)
from samebits.types import ScalarType

MAKERS = frozenset({
    "add", "sub", "mul", "div", "fma", "muladd", "product_error", "load", "bitcast", "call",
})  # fmt: skip
"""Operations that can give a subnormal number though no operand is one; `convert` to a narrower
float is another, and a constant is flushed as it stands."""

_NUMBERED = (Op, If, For, While)


def flush_function(function: Function, module: Module) -> Function:
    """`function` with every subnormal number that it reads or makes flushed to a zero of its sign.

    Results of callees that flush by themselves are left as they are.
    """
    numbers = (s.id for s in walk(function.body) if isinstance(s, _NUMBERED))
    return _Flush(function, module, count(1 + max(numbers, default=-1))).run()


def _is_float(t: ValueType) -> bool:
    return isinstance(t, ScalarType) and t.is_float


class _Flush:
    def __init__(self, function: Function, module: Module, fresh: Iterator[int]) -> None:
        self._function = function
        self._module = module
        self._fresh = fresh
        self._flushed: dict[tuple[int, int], Value] = {}

    def run(self) -> Function:
        """The function written out."""
        function = self._function
        body: Region = []
        for name, t in function.params:
            if _is_float(t):
                given = Op(next(self._fresh), "get", (), name, (), function.span)
                given.results = (Value(given.id, 0, t),)
                flush = self._flush(given.result, given)
                body += [given, flush]
                body.append(Op(next(self._fresh), "set", flush.results, name, (), function.span))
        return replace(function, body=body + self._region(function.body))

    def _flush(self, value: Value, after: Op) -> Op:
        number = next(self._fresh)
        return Op(number, "flush", (value,), None, (Value(number, 0, value.type),), after.span)

    def _value(self, value: Value) -> Value:
        return self._flushed.get((value.op, value.index), value)

    def _values(self, values: tuple[Value, ...]) -> tuple[Value, ...]:
        return tuple([self._value(value) for value in values])

    def _region(self, region: Region) -> Region:
        return [made for statement in region for made in self._statement(statement)]

    def _statement(self, statement: Statement) -> Region:
        match statement:
            case Op():
                return self._op(statement)
            case If(then=then, orelse=orelse):
                made = replace(statement, then=self._region(then), orelse=self._region(orelse))
            case For(body=body, orelse=orelse, lanes=lanes):
                made = replace(
                    statement,
                    body=self._region(body),
                    orelse=self._region(orelse),
                    lanes=lanes and replace(lanes, flush=True),
                )
            case While(head=head, body=body, orelse=orelse):
                made = replace(
                    statement,
                    head=self._region(head),
                    body=self._region(body),
                    orelse=self._region(orelse),
                )
            case Return(values=values):
                made = replace(statement, values=self._values(values))
            case _:
                made = statement
        return [made]

    def _op(self, op: Op) -> Region:
        if op.opcode == "const" and isinstance(op.attr, float):
            t = op.result.type
            assert isinstance(t, ScalarType)
            return [replace(op, attr=flushed(op.attr, t.bits))]
        op = replace(op, args=self._values(op.args))
        made: Region = [op]
        for result in op.results:
            if _is_float(result.type) and self._can_be_subnormal(op):
                flush = self._flush(result, op)
                self._flushed[result.op, result.index] = flush.result
                made.append(flush)
        return made

    def _can_be_subnormal(self, op: Op) -> bool:
        if op.opcode == "convert":
            source, target = op.args[0].type, op.result.type
            assert isinstance(source, ScalarType)
            assert isinstance(target, ScalarType)
            return source.is_float and source.bits > target.bits
        if op.opcode == "call":
            return self._module.functions[str(op.attr)].options.denormals != "flush"
        return op.opcode in MAKERS
