"""Flushing of subnormal numbers in IR: a `flush` after every operation that can yield one.

What a flush leaves is no subnormal number, so that the operations which only hand values on, or
which give none of normal operands, need none.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.bits import flushed
from samebits.ir.grammar import (
    For,
    Function,
    Lanes,
    Module,
    Op,
    Region,
    Return,
    Statement,
    Value,
)
from samebits.ir.rewrite import ValueWriter, fresh_ids, map_region, with_operands
from samebits.ir.rules import is_float
from samebits.types import ScalarType

MAKERS = frozenset({
    "add", "sub", "mul", "div", "fma", "muladd", "product_error", "load", "bitcast", "call",
})  # fmt: skip
"""Operations that can give a subnormal number though no operand is one; `convert` to a narrower
float is another, and a constant is flushed as it stands."""


class Flushing:
    """A pass that flushes every subnormal number that one function reads or computes to a zero of
    its sign. Results of callees that flush by themselves are left as they are."""

    def __init__(self, function: Function, module: Module) -> None:
        self._function = function
        self._module = module
        self._ids = fresh_ids(function)
        self._flushed: dict[tuple[int, int], Value] = {}

    def run(self) -> Function:
        """The function with flushes."""
        function = self._function
        writer = ValueWriter([], function.span, self._ids)
        for name, t in function.params:
            if is_float(t):
                given = writer.op("get", t, attr=name)
                writer.emit("set", writer.op("flush", t, given), attr=name)
        return replace(function, body=writer.region + map_region(function.body, self._statement))

    def _value(self, value: Value) -> Value:
        return self._flushed.get((value.op, value.index), value)

    def _statement(self, statement: Statement) -> Region:
        match statement:
            case Op():
                return self._op(statement)
            case For(lanes=Lanes() as lanes):
                return [replace(statement, lanes=replace(lanes, flush=True))]
            case Return():
                return [with_operands(statement, self._value)]
            case _:
                return [statement]

    def _op(self, op: Op) -> Region:
        if op.opcode == "const" and isinstance(op.attr, float):
            t = op.result.type
            assert isinstance(t, ScalarType)
            return [replace(op, attr=flushed(op.attr, t.bits))]
        writer = ValueWriter([with_operands(op, self._value)], op.span, self._ids)
        for result in op.results:
            if is_float(result.type) and self._can_be_subnormal(op):
                flush = writer.op("flush", result.type, result)
                self._flushed[result.op, result.index] = flush
        return writer.region

    def _can_be_subnormal(self, op: Op) -> bool:
        if op.opcode == "convert":
            source, target = op.args[0].type, op.result.type
            assert isinstance(source, ScalarType)
            assert isinstance(target, ScalarType)
            return source.is_float and source.bits > target.bits
        if op.opcode == "call":
            return self._module.functions[str(op.attr)].options.denormals != "flush"
        return op.opcode in MAKERS
