"""Writes the operations that replace one operation, and collects the functions that they call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.frontend.compile import Unit, compile_kernel
from samebits.ir.grammar import Function, HostFunction, Op, Value
from samebits.ir.rewrite import ValueWriter
from samebits.lang.kernel import Kernel
from samebits.types import BOOL, ScalarType, Type


class Code(ValueWriter):
    """Appends operations with the span of `result`, the operation whose value they compute."""

    def __init__(self, result: Op, ids: Iterator[int]) -> None:
        super().__init__([], result.span, ids)
        self.units: dict[str, Unit] = {}
        """The called kernels, by their functions' names."""
        self.hosts: dict[str, HostFunction] = {}
        """The called host functions, by name."""
        self._result = result
        self._constants: dict[tuple[ScalarType, str], Value] = {}

    def const(self, t: ScalarType, value: bool | int | float) -> Value:
        key = t, repr(value)  # repr distinguishes the zeros
        if key not in self._constants:
            self._constants[key] = self.constant(value, t)
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
        return self.emit("call", *args, attr=function.name, types=function.results).results

    def finished(self, value: Value) -> tuple[Op, ...]:
        """All operations, `value` being the result: the last one has the id of `result`."""
        t = self._result.result.type
        assert isinstance(t, ScalarType)
        last = self.region[-1] if self.region else None
        if not isinstance(last, Op) or last.results != (value,) or value.type != t:
            last = self.emit("convert", value, types=[t])
        last = replace(last, id=self._result.id, results=self._result.results)
        return *[s for s in self.region[:-1] if isinstance(s, Op)], last
