"""Conversions of floats to integers, by the rule of each processor, in operations on integers.

The rules are `samebits.fpmodel.evaluate.INTEGER_RULES`.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.fpmodel.lowering.code import Code
from samebits.ir.grammar import Value
from samebits.types import BOOL, FLOAT64, INT32, INT64, UINT32, UINT64, ScalarType

TYPES = {t.name: t for t in (INT32, UINT32, INT64, UINT64)}


@dataclass(frozen=True, slots=True)
class Truncated:
    """A number without its fraction: its class, its sign, and its magnitude modulo 2^64."""

    nan: Value
    negative: Value
    fits: Value
    """Whether the magnitude is below 2^64: not of infinities and NaN."""
    magnitude: Value


def truncated(code: Code, x: Value) -> Truncated:
    """The parts of a float32 or float64."""
    nan = code.is_nan(x)
    bits = code.op("bitcast", UINT64, code.convert(x, FLOAT64))
    field = code.convert(_masked(code, _shifted(code, "shr", bits, 52), 2047), INT64)
    normal = code.test("ne", field, code.const(INT64, 0))
    leading = code.select(normal, code.const(UINT64, 1 << 52), code.const(UINT64, 0))
    mantissa = code.alike("or", _masked(code, bits, (1 << 52) - 1), leading)
    # Subnormal numbers have an exponent one less than this, and no integer part either way.
    exponent = code.alike("sub", field, code.const(INT64, 1075))
    return Truncated(
        nan,
        code.test("ne", _shifted(code, "shr", bits, 63), code.const(UINT64, 0)),
        code.test("le", exponent, code.const(INT64, 11)),
        scaled(code, mantissa, exponent),
    )


def scaled(code: Code, mantissa: Value, exponent: Value) -> Value:
    """mantissa × 2^exponent modulo 2^64, without its fraction; the exponent is an int64."""
    none = code.const(INT64, 0)
    up = code.alike("max", exponent, none)
    down = code.alike("max", code.alike("neg", exponent), none)
    raised = code.alike("shl", mantissa, code.convert(up, UINT64))
    return code.alike("shr", raised, code.convert(down, UINT64))


def integer(code: Code, detail: str, x: Truncated) -> Value:
    """The integer of a type by a rule, as `int32 x86`; without a rule it saturates."""
    name, _, rule = detail.partition(" ")
    t = TYPES[name]
    value = code.select(x.negative, code.alike("neg", x.magnitude), x.magnitude)
    if rule == "modulo":
        return code.convert(value, t)
    if rule == "x86":
        if t.is_signed:
            return _or_else(code, x, t, value, t, t.minimum)
        # Compilers convert to int64 and take the low half.
        wrong = 1 << 63 if t == UINT64 else 0
        return _or_else(code, x, INT64, value, t, wrong)
    low, high = code.const(t, t.minimum), code.const(t, t.maximum)
    nearest = code.select(x.negative, low, high)
    fitting = code.select(_within(code, x, t), code.convert(value, t), nearest)
    return code.select(x.nan, high if rule == "riscv" else code.const(t, 0), fitting)


def _within(code: Code, x: Truncated, t: ScalarType) -> Value:
    """Whether a number that is no NaN is in the range of a type."""
    limit = code.select(x.negative, code.const(UINT64, -t.minimum), code.const(UINT64, t.maximum))
    return code.op("and", BOOL, x.fits, code.test("le", x.magnitude, limit))


def _or_else(
    code: Code, x: Truncated, range_of: ScalarType, value: Value, t: ScalarType, wrong: int
) -> Value:
    within = _within(code, x, range_of)
    return code.select(within, code.convert(value, t), code.const(t, wrong))


def _masked(code: Code, value: Value, mask: int) -> Value:
    return code.alike("and", value, code.const(UINT64, mask))


def _shifted(code: Code, opcode: str, value: Value, by: int) -> Value:
    return code.alike(opcode, value, code.const(UINT64, by))
