"""Writes the operations that replace one operation, and collects the functions that they call."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.fpmodel.soft import FLUSHES, KERNELS, ROUNDINGS
from samebits.fpmodel.softfloat import Flush, Rounding
from samebits.frontend.compile import Unit, compile_kernel
from samebits.ir.grammar import Function, HostFunction, Op, Value
from samebits.ir.rewrite import ValueWriter
from samebits.lang.kernel import Kernel
from samebits.types import BOOL, FLOAT32, INT32, ScalarType, Type

Wide = tuple[Value, Value, Value]
"""A wide value (`samebits.fpmodel.soft.wide`): mantissa, exponent and kind."""


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

    def soft(self, name: str, *args: Value) -> tuple[Value, ...]:
        """Call a kernel of `samebits.fpmodel.soft`."""
        kernel = KERNELS[name]
        return self.call(kernel, kernel.signature.resolve(()), *args)

    def wide(self, name: str, *args: Value) -> Wide:
        """Call a soft kernel whose result is a wide value."""
        mantissa, exponent, kind = self.soft(name, *args)
        return mantissa, exponent, kind

    def from_float(self, x: Value) -> Wide:
        return self.wide("from_float32" if x.type == FLOAT32 else "from_float64", x)

    def to_float(
        self, x: Wide, t: ScalarType, rounding: Rounding = "nearest", flush: Flush = "no"
    ) -> Value:
        name = "to_float32" if t == FLOAT32 else "to_float64"
        manner = (self.const(INT32, n) for n in (ROUNDINGS[rounding], FLUSHES[flush]))
        return self.soft(name, *x, *manner)[0]

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
