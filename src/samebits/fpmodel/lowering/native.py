"""Lowering to operations of a native type, which round to nearest.

Also owns conversions of floats to integers by each processor's rule
(`samebits.fpmodel.evaluate.INTEGER_RULES`), as integer operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.bits import bits_to_float
from samebits.fpmodel.lowering.walk import Code, Walk, type_of
from samebits.fpmodel.softfloat import FLOAT32 as FORMAT32
from samebits.fpmodel.softfloat import FLOAT64 as FORMAT64
from samebits.fpmodel.softfloat import Format, Number, to_bits
from samebits.ir.grammar import Value
from samebits.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT32, UINT64, ScalarType


class Native(Walk[Value]):
    """Lowers to floats of one type, the wider of the expression's and the working format."""

    @property
    def type(self) -> ScalarType:
        double = FORMAT64 in (self.arithmetic.form, self.arithmetic.working)
        return FLOAT64 if double else FLOAT32

    def operand(self, value: Value) -> Value:
        return self.code.convert(value, self.type)

    from_integer = from_function = operand

    def number(self, number: Number) -> Value:
        form = FORMAT32 if self.type is FLOAT32 else FORMAT64
        return self.code.const(self.type, bits_to_float(to_bits(number, form), form.bits))

    def stored(self, held: Value) -> Value:
        return self.code.convert(held, self.form)

    def integer(self, detail: str, held: Value) -> Value:
        if " " in detail:
            return integer(self.code, detail, truncated(self.code, held))
        return self.code.convert(held, TYPES[detail])

    def rounded(self, name: str, args: list[Value]) -> Value:
        return self.code.alike(name, *args)

    def signed(self, name: str, x: Value) -> Value:
        return self.code.alike(name, x)

    def select(self, condition: Value, then: Value, otherwise: Value) -> Value:
        return self.code.select(condition, then, otherwise)

    def is_nan(self, x: Value) -> Value:
        return self.code.is_nan(x)

    def precedes(self, name: str, x: Value, y: Value) -> Value:
        return self.code.test("lt" if name == "min" else "gt", x, y)

    def extreme(self, name: str, x: Value, y: Value) -> Value:
        return self.code.alike(name, x, y)

    def as_float(self, x: Value, t: ScalarType) -> Value:
        return self.code.convert(x, t)

    def cast(self, form: Format, x: Value) -> Value:
        return self.code.convert(self.code.convert(x, type_of(form)), self.type)


TYPES = {t.name: t for t in (INT32, UINT32, INT64, UINT64)}


@dataclass(frozen=True, slots=True)
class Truncated:
    """A truncated number: its class, sign, and magnitude modulo 2^64."""

    nan: Value
    negative: Value
    fits: Value
    """Whether the magnitude is finite and below 2^64."""
    magnitude: Value


def truncated(code: Code, x: Value) -> Truncated:
    """The parts of a float32 or float64."""
    nan = code.is_nan(x)
    bits = code.op("bitcast", UINT64, code.convert(x, FLOAT64))
    field = code.convert(_with(code, "and", _with(code, "shr", bits, 52), 2047), INT64)
    normal = code.test("ne", field, code.const(INT64, 0))
    leading = code.select(normal, code.const(UINT64, 1 << 52), code.const(UINT64, 0))
    mantissa = code.alike("or", _with(code, "and", bits, (1 << 52) - 1), leading)
    # Off by one for subnormal numbers, which have no integer part anyway.
    exponent = code.alike("sub", field, code.const(INT64, 1075))
    return Truncated(
        nan,
        code.test("ne", _with(code, "shr", bits, 63), code.const(UINT64, 0)),
        code.test("le", exponent, code.const(INT64, 11)),
        scaled(code, mantissa, exponent),
    )


def scaled(code: Code, mantissa: Value, exponent: Value) -> Value:
    """The integer part of mantissa × 2^exponent modulo 2^64; the exponent is an int64."""
    none = code.const(INT64, 0)
    up = code.alike("max", exponent, none)
    down = code.alike("max", code.alike("neg", exponent), none)
    raised = code.alike("shl", mantissa, code.convert(up, UINT64))
    return code.alike("shr", raised, code.convert(down, UINT64))


def integer(code: Code, detail: str, x: Truncated) -> Value:
    """A truncated number converted to a type by a rule, as in `int32 x86`; default: saturating."""
    name, _, rule = detail.partition(" ")
    t = TYPES[name]
    value = code.select(x.negative, code.alike("neg", x.magnitude), x.magnitude)
    if rule == "modulo":
        return code.convert(value, t)
    if rule == "x86":
        # Compilers convert to int64 for an unsigned type, and take the low bits.
        by = t if t.is_signed else INT64
        wrong = by.minimum if t.is_signed else by.minimum & t.maximum
        within = _within(code, x, by)
        return code.select(within, code.convert(value, t), code.const(t, wrong))
    low, high = code.const(t, t.minimum), code.const(t, t.maximum)
    nearest = code.select(x.negative, low, high)
    fitting = code.select(_within(code, x, t), code.convert(value, t), nearest)
    return code.select(x.nan, high if rule == "riscv" else code.const(t, 0), fitting)


def _within(code: Code, x: Truncated, t: ScalarType) -> Value:
    """Whether a number other than NaN is in the range of a type."""
    limit = code.select(x.negative, code.const(UINT64, -t.minimum), code.const(UINT64, t.maximum))
    return code.op("and", BOOL, x.fits, code.test("le", x.magnitude, limit))


def _with(code: Code, opcode: str, value: Value, n: int) -> Value:
    return code.alike(opcode, value, code.const(UINT64, n))
