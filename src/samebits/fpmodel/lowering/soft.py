"""Lowering to calls of software floating point, for arithmetic without IR operations.

Owns how values are passed to the kernels of `samebits.fpmodel.soft` and back.
"""

from __future__ import annotations

from collections.abc import Mapping

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.lowering.code import Code
from samebits.fpmodel.lowering.native import Native
from samebits.fpmodel.soft import FLUSHES, KERNELS, ROUNDINGS
from samebits.fpmodel.soft.wide import FINITE, NEGATIVE
from samebits.fpmodel.softfloat import FLOAT32, FLOAT64, Flush, Format, Rounding
from samebits.fpmodel.tree import Tree
from samebits.ir.grammar import Value
from samebits.types import BOOL, INT32, UINT64, ScalarType
from samebits.types import FLOAT32 as T32

Wide = tuple[Value, Value, Value]
"""Mantissa, exponent and kind."""
_FORMATS = {32: FLOAT32, 64: FLOAT64}


class Kernels:
    """Emits calls of the soft kernels under one arithmetic."""

    def __init__(self, code: Code, arithmetic: Arithmetic) -> None:
        self.code = code
        self.arithmetic = arithmetic

    def call(self, name: str, *args: Value) -> tuple[Value, ...]:
        kernel = KERNELS[name]
        return self.code.call(kernel, kernel.signature.resolve(()), *args)

    def wide(self, name: str, *args: Value) -> Wide:
        mantissa, exponent, kind = self.call(name, *args)
        return mantissa, exponent, kind

    def number(self, value: int) -> Value:
        return self.code.const(INT32, value)

    def operation(self, name: str, args: list[Wide]) -> Wide:
        """One operation, rounded to the working format."""
        a = self.arithmetic
        given = [self.format(a.working), self.manner(a.rounding, a.flush)]
        last = self.number(int(a.flush_inputs))
        parts = [v for row in (*args, *given) for v in row]
        return self.wide(name, *parts, last)

    def format(self, form: Format) -> tuple[Value, Value, Value]:
        """A format as arguments: precision, exponents of the smallest normal and largest number."""
        return (
            self.number(form.precision),
            self.number(form.smallest_normal),
            self.number(form.limit - 1),
        )

    def manner(self, rounding: Rounding, flush: Flush) -> tuple[Value, Value]:
        return self.number(ROUNDINGS[rounding]), self.number(FLUSHES[flush])

    def rounded(self, x: Wide, form: Format, rounding: Rounding, flush: Flush) -> Wide:
        return self.wide("round_wide", *x, *self.format(form), *self.manner(rounding, flush))

    def input(self, x: Wide) -> Wide:
        """The operand of an operation that does not round."""
        a = self.arithmetic
        if not a.flush_inputs:
            return x
        least = self.number(a.working.smallest_normal)
        return self.wide("flushed_input", *x, least, self.number(1))

    def from_float(self, x: Value) -> Wide:
        return self.wide("from_float32" if x.type == T32 else "from_float64", x)

    def to_float(
        self, x: Wide, t: ScalarType, rounding: Rounding = "nearest", flush: Flush = "no"
    ) -> Value:
        name = "to_float32" if t == T32 else "to_float64"
        return self.call(name, *x, *self.manner(rounding, flush))[0]

    def from_integer(self, x: Value) -> Wide:
        """The exact wide value of an integer of at most 64 bits, signed or not."""
        code = self.code
        t = x.type
        assert isinstance(t, ScalarType)
        bits = code.convert(x, UINT64)
        zero = code.const(t, 0)
        negative = code.test("lt", x, zero) if t.is_signed else code.const(BOOL, False)
        magnitude = code.select(negative, code.alike("neg", bits), bits)
        zeros = code.alike("clz", magnitude)
        some = code.test("ne", x, zero)
        none = self.number(0)
        exponent = code.alike("sub", self.number(63), code.convert(zeros, INT32))
        kind = code.alike(
            "add", self.number(FINITE), code.select(negative, self.number(NEGATIVE), none)
        )
        return (
            code.alike("shl", magnitude, zeros),
            code.select(some, exponent, none),
            code.select(some, kind, none),
        )


class Soft(Native):
    """Lowering for a working format that a type can hold: intermediate results have that type, and
    each operation is a call of a soft kernel."""

    def __init__(
        self,
        code: Code,
        arithmetic: Arithmetic,
        operands: Mapping[str, Value],
        known: Mapping[Tree, Value],
    ) -> None:
        super().__init__(code, arithmetic, operands, known)
        self.kernels = Kernels(code, arithmetic)

    def stored(self, held: Value) -> Value:
        a = self.arithmetic
        if a.working is a.form:
            return held
        wide = self.kernels.from_float(held)
        return self.kernels.to_float(wide, self.form, a.rounding, a.flush)

    def rounded(self, name: str, args: list[Value]) -> Value:
        wide = [self.kernels.from_float(x) for x in args]
        return self.kernels.to_float(self.kernels.operation(name, wide), self.type)

    def read(self, x: Value) -> Value:
        if not self.arithmetic.flush_inputs:
            return x
        if self.arithmetic.working is _FORMATS[self.type.bits]:
            return self.code.alike("flush", x)
        return self.kernels.to_float(self.kernels.input(self.kernels.from_float(x)), self.type)

    def cast(self, form: Format, x: Value) -> Value:
        a = self.arithmetic
        return self._again(x, form, a.rounding, a.flush)

    def from_integer(self, x: Value) -> Value:
        a = self.arithmetic
        wide = self.kernels.from_integer(x)
        return self.kernels.to_float(
            self.kernels.rounded(wide, a.working, a.rounding, "no"), self.type
        )

    def from_function(self, x: Value) -> Value:
        a = self.arithmetic
        given = _FORMATS[x.type.bits if isinstance(x.type, ScalarType) else 0]
        x = self.code.convert(x, self.type)
        if a.flush == "no" and a.working is given:
            return x
        return self._again(x, a.working, "nearest", a.flush)

    def _again(self, x: Value, form: Format, rounding: Rounding, flush: Flush) -> Value:
        """A float rounded to a format, as a float of the same type."""
        wide = self.kernels.rounded(self.kernels.from_float(x), form, rounding, flush)
        return self.kernels.to_float(wide, self.type)
