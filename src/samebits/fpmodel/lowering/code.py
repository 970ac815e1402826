"""Writes the operations that replace one operation, and collects the functions that they call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.frontend.compile import Unit, compile_kernel
from samebits.ir.grammar import Attribute, Function, HostFunction, Op, Value, ValueType
from samebits.lang.kernel import Kernel
from samebits.types import BOOL, ScalarType, Type


class Code:
    """Appends operations with the span of `result`, the operation whose value they compute."""

    def __init__(self, result: Op, ids: Iterator[int]) -> None:
        self.ops: list[Op] = []
        self.units: dict[str, Unit] = {}
        """The called kernels, by their functions' names."""
        self.hosts: dict[str, HostFunction] = {}
        """The called host functions, by name."""
        self._result = result
        self._ids = ids
        self._constants: dict[tuple[ScalarType, str], Value] = {}

    def op(self, opcode: str, t: ValueType, *args: Value, attr: Attribute = None) -> Value:
        number = next(self._ids)
        value = Value(number, 0, t)
        self.ops.append(Op(number, opcode, args, attr, (value,), self._result.span))
        return value

    def const(self, t: ScalarType, value: bool | int | float) -> Value:
        key = t, repr(value)  # repr distinguishes the zeros
        if key not in self._constants:
            self._constants[key] = self.op("const", t, attr=value)
        return self._constants[key]

    def alike(self, opcode: str, *args: Value) -> Value:
        """An operation whose result has its operands' type."""
        return self.op(opcode, args[0].type, *args)

    def test(self, opcode: str, a: Value, b: Value) -> Value:
        return self.op(opcode, BOOL, a, b)

    def is_nan(self, x: Value) -> Value:
        return self.test("ne", x, x)

    def select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        return self.op("select", then.type, condition, then, otherwise)

    def convert(self, x: Value, t: ScalarType) -> Value:
        return x if x.type == t else self.op("convert", t, x)

    def call(self, kernel: Kernel, types: tuple[Type, ...], *args: Value) -> tuple[Value, ...]:
        """Call a kernel; every scalar that it returns."""
        unit = compile_kernel(kernel, types)
        self.units[unit.function.name] = unit
        return self._called(unit.function, args)

    def host(self, function: HostFunction, *args: Value) -> Value:
        """Call a host function; its result."""
        self.hosts[function.name] = function
        return self._called(function, args)[0]

    def _called(self, function: Function, args: tuple[Value, ...]) -> tuple[Value, ...]:
        number = next(self._ids)
        results = tuple(Value(number, i, t) for i, t in enumerate(function.results))
        self.ops.append(Op(number, "call", args, function.name, results, self._result.span))
        return results

    def finish(self, value: Value) -> None:
        """Make `value` the result: the last operation, with the id that the result has."""
        t = self._result.result.type
        assert isinstance(t, ScalarType)
        last = self.ops[-1] if self.ops else None
        if last is None or last.results != (value,) or value.type != t:
            value = self.op("convert", t, value)
            last = self.ops[-1]
        self.ops[-1] = replace(last, id=self._result.id, results=self._result.results)
