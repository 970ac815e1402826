"""Trees computed by the operations of the IR: each rounds as the type does, to nearest.

Owns conversions of floats to integers by the rule of each processor too
(`samebits.fpmodel.evaluate.INTEGER_RULES`), as operations on integers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from samebits.bits import bits_to_float
from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.libm import OPERATIONS, estimate_function, kernel_of, library_function
from samebits.fpmodel.lowering.code import Code
from samebits.fpmodel.lowering.walk import CannotLower, Walk
from samebits.fpmodel.soft import KERNELS
from samebits.fpmodel.softfloat import FLOAT32 as FORMAT32
from samebits.fpmodel.softfloat import FLOAT64 as FORMAT64
from samebits.fpmodel.softfloat import FORMATS, Format, Number, to_bits
from samebits.fpmodel.tree import Op, Tree
from samebits.ir.grammar import Value
from samebits.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, UINT32, UINT64, ScalarType

ROUNDED = frozenset({"add", "sub", "mul", "div", "sqrt", "fma"})
"""The operations whose result is rounded to the working format."""
SIGN_ONLY = frozenset({"neg", "abs"})
_BITS = {32: UINT32, 64: UINT64}


def type_of(form: Format) -> ScalarType:
    """The IR's type for values of the expression."""
    return FLOAT32 if form is FORMAT32 else FLOAT64


class Native(Walk[Value]):
    """Values are floats of one type, which is the wider of the expression's and of the working
    format where that is a type; subclasses round to others."""

    def __init__(
        self,
        code: Code,
        arithmetic: Arithmetic,
        operands: Mapping[str, Value],
        known: Mapping[Tree, Value],
    ) -> None:
        super().__init__(code, arithmetic, operands, known)
        self.form = type_of(arithmetic.form)
        double = FORMAT64 in (arithmetic.form, arithmetic.working)
        self.type = FLOAT64 if double else FLOAT32

    def operand(self, value: Value) -> Value:
        return self.code.convert(value, self.type)

    def number(self, number: Number) -> Value:
        form = FORMAT32 if self.type is FLOAT32 else FORMAT64
        return self.code.const(self.type, bits_to_float(to_bits(number, form), form.bits))

    def stored(self, held: Value) -> Value:
        return self.code.convert(held, self.form)

    def integer(self, detail: str, held: Value) -> Value:
        if " " in detail:
            return integer(self.code, detail, truncated(self.code, held))
        return self.code.convert(held, TYPES[detail])

    def apply(self, op: Op, args: list[Value]) -> Value:
        if op.name in ROUNDED:
            return self.rounded(op.name, args)
        if op.name in SIGN_ONLY:
            return self.code.alike(op.name, *args)
        return _OTHERS[op.name](self, op.detail, [self.read(x) for x in args])

    def rounded(self, name: str, args: list[Value]) -> Value:
        """The result of an operation, rounded once."""
        return self.code.alike(name, *args)

    def read(self, x: Value) -> Value:
        """An operand as operations of other kinds take it."""
        return x

    def cast(self, form: Format, x: Value) -> Value:
        """A value rounded to a format."""
        return self.code.convert(self.code.convert(x, type_of(form)), self.type)

    def from_integer(self, x: Value) -> Value:
        return self.code.convert(x, self.type)

    def from_function(self, x: Value) -> Value:
        """The result of a math function, rounded to nearest."""
        return self.code.convert(x, self.type)

    def estimate(self, detail: str, x: Value) -> Value:
        """A processor's estimate."""
        if self.type != self.form:
            raise CannotLower(f"{detail} takes a {self.form}, not what is held between operations")
        kernel = KERNELS.get(f"{detail}_{self.form.name}")
        if kernel is not None:
            return self.code.call(kernel, kernel.signature.resolve(()), x)[0]
        function = estimate_function(detail)
        if function is None or self.form != FLOAT32:
            raise CannotLower(f"this machine has no {detail}")
        bits = self.code.host(function, self.code.op("bitcast", UINT32, x))
        return self.code.op("bitcast", FLOAT32, bits)


def _minimum(walk: Native, rule: str, args: list[Value]) -> Value:
    return _extreme(walk, "min", "lt", rule, args)


def _maximum(walk: Native, rule: str, args: list[Value]) -> Value:
    return _extreme(walk, "max", "gt", rule, args)


def _extreme(walk: Native, name: str, before: str, rule: str, args: list[Value]) -> Value:
    code, (x, y) = walk.code, args
    if rule == "lt":
        return code.select(code.test(before, x, y), x, y)
    if rule == "gt":
        return code.select(code.test(before, y, x), y, x)
    least = code.alike(name, x, y)
    if not rule:
        return least
    either = code.select(code.is_nan(y), x, least)
    return code.select(code.is_nan(x), y, either)


def _ulps(walk: Native, detail: str, args: list[Value]) -> Value:
    x = walk.code.convert(args[0], walk.form)
    return walk.code.convert(stepped(walk.code, x, int(detail)), walk.type)


def stepped(code: Code, x: Value, steps: int) -> Value:
    """A float so many ULPs away, away from zero for a plus."""
    form = x.type
    assert isinstance(form, ScalarType)
    t = _BITS[form.bits]
    pattern = code.op("bitcast", t, x)
    negative = code.alike("and", pattern, code.const(t, 1 << form.bits - 1))
    magnitude = code.alike("xor", pattern, negative)
    distance = code.const(t, abs(steps))
    moved = code.alike("add" if steps > 0 else "sub", magnitude, distance)
    near = code.op("bitcast", form, code.alike("or", moved, negative))
    infinity = code.op("bitcast", t, code.const(form, math.inf))
    able = code.test("lt", magnitude, infinity)
    if steps < 0:
        able = code.alike("and", able, code.test("ge", magnitude, distance))
    return code.select(able, near, x)


def _convert(walk: Native, detail: str, args: list[Value]) -> Value:
    return walk.from_integer(walk.integer(detail, args[0]))


def _cast(walk: Native, detail: str, args: list[Value]) -> Value:
    return walk.cast(FORMATS[detail], args[0])


def _call(walk: Native, detail: str, args: list[Value]) -> Value:
    code = walk.code
    single = walk.arithmetic.working.precision <= FORMAT32.precision
    t = FLOAT32 if single else FLOAT64
    given = [code.convert(x, t) for x in args]
    return walk.from_function(called(code, detail, given, t))


def called(code: Code, name: str, args: list[Value], t: ScalarType) -> Value:
    """A math function of floats of one type. Raises CannotLower."""
    if name in OPERATIONS:
        return code.alike(name, *args)
    where, _, function = name.rpartition(".")
    if where == "libm64":
        wide = [code.convert(x, FLOAT64) for x in args]
        return code.convert(called(code, f"libm.{function}", wide, FLOAT64), t)
    if where:
        host = library_function(where, function, t.bits)
        if host is None:
            raise CannotLower(f"this machine's {where} has no {function}")
        return code.host(host, *args)
    found = kernel_of(name, t.bits)
    if found is None:
        raise CannotLower(f"{name} is no function of the library")
    return code.call(*found, *args)[0]


def _estimate(walk: Native, detail: str, args: list[Value]) -> Value:
    return walk.estimate(detail, args[0])


_OTHERS: dict[str, Callable[[Native, str, list[Value]], Value]] = {
    "min": _minimum,
    "max": _maximum,
    "ulps": _ulps,
    "convert": _convert,
    "cast": _cast,
    "call": _call,
    "estimate": _estimate,
}
"""Operations with a rule of their own, as the reference has them."""


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
