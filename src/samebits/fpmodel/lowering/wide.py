"""Lowering in formats that no type holds, as x87's: a number is three scalars."""

from __future__ import annotations

from collections.abc import Mapping

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.lowering.code import Code
from samebits.fpmodel.lowering.native import Truncated, integer, scaled
from samebits.fpmodel.lowering.soft import Kernels, Wide
from samebits.fpmodel.lowering.walk import CannotLower, Walk, type_of
from samebits.fpmodel.soft.wide import FINITE, INFINITE, NAN, NEGATIVE
from samebits.fpmodel.softfloat import Format, Number
from samebits.fpmodel.tree import Tree
from samebits.ir.grammar import Value
from samebits.types import BOOL, INT32, INT64, UINT64, ScalarType

_ORDER = {"min": -1, "max": 1}
"""How the operand that an operation takes compares with the other, by soft `compare`."""


class WideWalk(Walk[Wide]):
    """Lowers every operation to a call of a soft kernel."""

    def __init__(
        self,
        code: Code,
        arithmetic: Arithmetic,
        operands: Mapping[str, Value],
        known: Mapping[Tree, Value],
    ) -> None:
        super().__init__(code, arithmetic, operands, known)
        self.kernels = Kernels(code, arithmetic)

    def operand(self, value: Value) -> Wide:
        return self.kernels.from_float(self.code.convert(value, type_of(self.arithmetic.form)))

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
        return self.kernels.to_float(held, type_of(a.form), a.rounding, a.flush)

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
        return self.kernels.operation(name, args)

    def signed(self, name: str, x: Wide) -> Wide:
        return self.kernels.wide(name, *x)

    def read(self, x: Wide) -> Wide:
        return self.kernels.input(x)

    def select(self, condition: Value, then: Wide, otherwise: Wide) -> Wide:
        mantissa, exponent, kind = (
            self.code.select(condition, a, b) for a, b in zip(then, otherwise, strict=True)
        )
        return mantissa, exponent, kind

    def is_nan(self, x: Wide) -> Value:
        return self.code.test("eq", x[2], self.code.const(INT32, NAN))

    def precedes(self, name: str, x: Wide, y: Wide) -> Value:
        (order,) = self.kernels.call("compare", *x, *y)
        return self.code.test("eq", order, self.code.const(INT32, _ORDER[name]))

    def extreme(self, name: str, x: Wide, y: Wide) -> Wide:
        code = self.code
        (order,) = self.kernels.call("compare", *x, *y)
        first = code.test("eq", order, code.const(INT32, _ORDER[name]))
        equal = code.test("eq", order, code.const(INT32, 0))
        sign = code.alike("and", x[2], code.const(INT32, NEGATIVE))
        zero_first = code.test("eq", sign, code.const(INT32, NEGATIVE if name == "min" else 0))
        # Equal numbers differ only if they are zeros.
        taken = code.alike("or", first, code.alike("and", equal, zero_first))
        chosen = self.select(self.is_nan(y), y, self.select(taken, x, y))
        return self.select(self.is_nan(x), x, chosen)

    def as_float(self, x: Wide, t: ScalarType) -> Value:
        return self.kernels.to_float(x, t)

    def cast(self, form: Format, x: Wide) -> Wide:
        return self.kernels.rounded(x, form, self.arithmetic.rounding, self.arithmetic.flush)

    def from_integer(self, x: Value) -> Wide:
        a = self.arithmetic
        return self.kernels.rounded(self.kernels.from_integer(x), a.working, a.rounding, "no")

    def from_function(self, x: Value) -> Wide:
        a = self.arithmetic
        return self.kernels.rounded(self.kernels.from_float(x), a.working, "nearest", a.flush)

    def estimate(self, detail: str, x: Wide) -> Wide:
        raise CannotLower(f"{detail} takes a float, not an x87 register")
