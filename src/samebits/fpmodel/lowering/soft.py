"""Lowering to calls of software floating point, for arithmetic without IR operations.

A number is a wide value of `samebits.fpmodel.soft`, which holds those of every format.
"""

from __future__ import annotations

from samebits.fpmodel.lowering.native import Truncated, integer, scaled
from samebits.fpmodel.lowering.walk import Walk, Wide
from samebits.fpmodel.soft import parameters
from samebits.fpmodel.soft.wide import FINITE, INFINITE, NAN, NEGATIVE
from samebits.fpmodel.softfloat import FLOAT16, Flush, Format, Number, Rounding
from samebits.ir.grammar import Value
from samebits.types import BOOL, INT32, INT64, UINT64, ScalarType

_ORDER = {"min": -1, "max": 1}
"""How the operand that an operation takes compares with the other, by soft `compare`."""


class Soft(Walk[Wide]):
    """Lowers every operation to a call of a soft kernel."""

    def constant(self, value: int) -> Value:
        return self.code.const(INT32, value)

    def operand(self, value: Value) -> Wide:
        return self.code.from_float(self.code.convert(value, self.form))

    def number(self, number: Number) -> Wide:
        sign = NEGATIVE if number.negative else 0
        mantissa = exponent = 0
        if number.is_nan:
            kind = NAN
        elif number.kind == "infinite":
            kind = INFINITE | sign
        elif number.is_zero:
            kind = sign
        else:
            length = number.mantissa.bit_length()
            kind = FINITE | sign
            mantissa = number.mantissa << 64 - length
            exponent = number.exponent + length - 1
        code = self.code
        return code.const(UINT64, mantissa), code.const(INT32, exponent), code.const(INT32, kind)

    def stored(self, held: Wide) -> Value:
        a = self.arithmetic
        if a.working is a.form:
            return self.code.to_float(held, self.form)
        return self.code.to_float(held, self.form, a.rounding, a.flush)

    def integer(self, detail: str, held: Wide) -> Value:
        code, (mantissa, exponent, kind) = self.code, held
        none = code.const(INT32, 0)

        def has(bits: int) -> Value:
            return code.test("ne", code.alike("and", kind, code.const(INT32, bits)), none)

        power = code.alike("sub", exponent, code.const(INT32, 63))
        finite = code.alike("not", has(INFINITE | NAN))
        parts = Truncated(
            has(NAN),
            has(NEGATIVE),
            code.op("and", BOOL, finite, code.test("le", power, none)),
            scaled(code, mantissa, code.convert(power, INT64)),
        )
        return integer(code, detail, parts)

    def rounded(self, name: str, args: list[Wide]) -> Wide:
        a = self.arithmetic
        return self.rounding(name, args, a.working, a.rounding, a.flush)

    def rounding(
        self, name: str, args: list[Wide], form: Format, rounding: Rounding, flush: Flush = "no"
    ) -> Wide:
        """The result of a kernel that rounds to a format."""
        given = map(self.constant, parameters(form, rounding, flush))
        return self.code.wide(name, *(part for x in args for part in x), *given)

    def signed(self, name: str, x: Wide) -> Wide:
        return self.code.wide(name, *x)

    def read(self, x: Wide) -> Wide:
        a = self.arithmetic
        if not a.flush_inputs:
            return x
        least = self.constant(a.working.smallest_normal)
        return self.code.wide("flushed_input", *x, least, self.constant(1))

    def select(self, condition: Value, then: Wide, otherwise: Wide) -> Wide:
        mantissa, exponent, kind = (
            self.code.select(condition, a, b) for a, b in zip(then, otherwise, strict=True)
        )
        return mantissa, exponent, kind

    def is_nan(self, x: Wide) -> Value:
        return self.code.test("eq", x[2], self.code.const(INT32, NAN))

    def precedes(self, name: str, x: Wide, y: Wide) -> Value:
        (order,) = self.code.soft("compare", *x, *y)
        return self.code.test("eq", order, self.constant(_ORDER[name]))

    def extreme(self, name: str, x: Wide, y: Wide) -> Wide:
        code = self.code
        (order,) = code.soft("compare", *x, *y)
        first = code.test("eq", order, self.constant(_ORDER[name]))
        equal = code.test("eq", order, self.constant(0))
        sign = code.alike("and", x[2], self.constant(NEGATIVE))
        zero_first = code.test("eq", sign, self.constant(NEGATIVE if name == "min" else 0))
        # Equal numbers differ only if they are zeros; y is taken if it alone is NaN.
        taken = code.alike("or", first, code.alike("and", equal, zero_first))
        return self.select(code.alike("or", taken, self.is_nan(x)), x, y)

    def as_float(self, x: Wide, t: ScalarType) -> Value:
        return self.code.to_float(x, t)

    def cast(self, form: Format, x: Wide) -> Wide:
        a = self.arithmetic
        # As in the reference, conversions to half precision never flush.
        flush = "no" if form is FLOAT16 else a.flush
        return self.rounding("round_wide", [x], form, a.rounding, flush)

    def from_integer(self, value: Value) -> Wide:
        """An integer of at most 64 bits, signed or not, rounded to the working format."""
        code = self.code
        t = value.type
        assert isinstance(t, ScalarType)
        bits = code.convert(value, UINT64)
        zero = code.const(t, 0)
        negative = code.test("lt", value, zero) if t.is_signed else code.const(BOOL, False)
        magnitude = code.select(negative, code.alike("neg", bits), bits)
        zeros = code.alike("clz", magnitude)
        some = code.test("ne", value, zero)
        none = self.constant(0)
        exponent = code.alike("sub", self.constant(63), code.convert(zeros, INT32))
        kind = code.select(negative, self.constant(FINITE | NEGATIVE), self.constant(FINITE))
        exact = (
            code.alike("shl", magnitude, zeros),
            code.select(some, exponent, none),
            code.select(some, kind, none),
        )
        a = self.arithmetic
        return self.rounding("round_wide", [exact], a.working, a.rounding)

    def from_function(self, value: Value) -> Wide:
        a = self.arithmetic
        exact = self.code.from_float(value)
        return self.rounding("round_wide", [exact], a.working, "nearest", a.flush)
