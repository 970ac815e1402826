"""Fixed-point arithmetic and conversions as operations on the integers that the numbers are.

Owns how each policy of overflow becomes operations; 128-bit steps are kernels of `fixed_wide`.
A trap has the place of the user's own expression.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import NoReturn

from samebits.errors import ArgumentError
from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import Literal, Operand, Scalar, describe, number_text
from samebits.frontend.operations import halves
from samebits.ir.grammar import Value
from samebits.ir.trap_texts import STEPS, UNNAMED
from samebits.lang import fixed_wide
from samebits.lang.kernel import Kernel
from samebits.lang.values.fixed import fixed_rules
from samebits.lang.values.fixed.fixed_point import inexact, not_implicit, text_steps
from samebits.types import (
    BOOL,
    FLOAT,
    FLOAT16,
    FLOAT64,
    INT,
    INT32,
    INT64,
    UINT32,
    UINT64,
    FixedPointType,
    Overflow,
    ScalarType,
)


class _Emit:
    """Emits operations at the span of one expression."""

    def __init__(self, ctx: Context, node: ast.AST, t: FixedPointType) -> None:
        self.ctx = ctx
        self.span = ctx.span(node)
        self.type = t
        self.storage = t.storage

    def op(self, opcode: str, *args: Value) -> Value:
        """An operation whose result has the type of its last operand."""
        t = args[-1].type
        assert isinstance(t, ScalarType)
        attr = STEPS if opcode in UNNAMED else None
        return self.ctx.builder.value(opcode, args, t, self.span, attr)

    def test(self, opcode: str, a: Value, b: Value) -> Value:
        return self.ctx.builder.value(opcode, (a, b), BOOL, self.span)

    def const(self, value: int | float, t: ScalarType) -> Value:
        return self.ctx.builder.const(value, t, self.span)

    def steps(self, value: int) -> Value:
        return self.const(value, self.storage)

    def to(self, t: ScalarType, value: Value) -> Value:
        return value if value.type == t else self.ctx.builder.value(
            "convert", (value,), t, self.span
        )  # fmt: skip

    def trap(self, condition: Value) -> None:
        self.ctx.builder.effect("overflow", (condition,), self.span)

    def call(self, kernel: Kernel, *args: Value) -> tuple[Value, ...]:
        """Call a library kernel of int64 parameters: an int64, and how far it is out of range."""
        return self.ctx.call(kernel, args, self.span)

    # Overflow ----------------------------------------------------------------------------

    def within(self, value: Value) -> Value:
        """An exact int64 in the type's range, as a 32-bit type has it."""
        t = self.type
        if t.bits == 64:
            return value
        match t.overflow:
            case Overflow.TRAP:
                wide = self.to(INT, value)
                return self.ctx.builder.value("narrow", (wide,), self.storage, self.span, STEPS)
            case Overflow.SATURATE:
                low, high = self.const(t.minimum, INT64), self.const(t.maximum, INT64)
                return self.to(self.storage, self.op("min", self.op("max", value, low), high))
            case Overflow.WRAP:
                return self.to(self.storage, value)

    def settled(self, value: Value, too_small: Value, too_large: Value) -> Value:
        """`value` of the storage type, unless one of the bools says that it overflowed."""
        match self.type.overflow:
            case Overflow.TRAP:
                self.trap(self.ctx.builder.value("or", (too_small, too_large), BOOL, self.span))
                return value
            case Overflow.SATURATE:
                value = self.op("select", too_small, self.steps(self.type.minimum), value)
                return self.op("select", too_large, self.steps(self.type.maximum), value)
            case Overflow.WRAP:
                return value

    def counted(self, value: Value, excess: Value) -> Value:
        """The result of a kernel of `fixed_wide`."""
        zero = self.const(0, INT32)
        if self.type.overflow is Overflow.TRAP:
            self.trap(self.test("ne", excess, zero))
            return value
        return self.settled(value, self.test("lt", excess, zero), self.test("gt", excess, zero))

    def fitted(self, value: Value, excess: Value) -> Value:
        """The result of `counted`, for an int64 that a 32-bit type may not hold."""
        t = self.type
        if t.bits == 64:
            return self.counted(value, excess)
        zero = self.const(0, INT32)
        if t.overflow is Overflow.TRAP:
            self.trap(self.test("ne", excess, zero))
        elif t.overflow is Overflow.SATURATE:
            small, large = self.test("lt", excess, zero), self.test("gt", excess, zero)
            value = self.op("select", small, self.const(INT64.minimum, INT64), value)
            value = self.op("select", large, self.const(INT64.maximum, INT64), value)
        return self.within(value)

    # Arithmetic --------------------------------------------------------------------------

    def sum(self, opcode: str, a: Value, b: Value) -> Value:
        """a + b or a - b."""
        if self.type.bits == 32:
            return self.within(self.op(opcode, self.to(INT64, a), self.to(INT64, b)))
        match self.type.overflow:
            case Overflow.TRAP:
                return self.to(INT64, self.op(opcode, self.to(INT, a), self.to(INT, b)))
            case Overflow.WRAP:
                return self.op(opcode, a, b)
            case Overflow.SATURATE:
                result = self.op(opcode, a, b)
                turned = self.op("xor", a, result)
                other = self.op("xor", *((b, result) if opcode == "add" else (a, b)))
                zero = self.steps(0)
                over = self.test("lt", self.op("and", turned, other), zero)
                # It overflows on the side on which `a` lies.
                end = self.op("xor", self.op("shr", a, self.steps(63)), self.steps(INT64.maximum))
                return self.op("select", over, end, result)

    def negative(self, a: Value) -> Value:
        return self.sum("sub", self.steps(0), a)

    def magnitude(self, a: Value) -> Value:
        below = self.test("lt", a, self.steps(0))
        if self.type.overflow is Overflow.TRAP:
            self.trap(self.test("eq", a, self.steps(self.type.minimum)))
            return self.op("abs", a)
        return self.op("select", below, self.negative(a), a)

    def product(self, a: Value, b: Value) -> Value:
        t = self.type
        if t.bits == 64:
            return self.counted(
                *self.call(fixed_wide.multiply, a, b, self.const(t.fraction, INT64))
            )
        exact = self.op("mul", self.to(INT64, a), self.to(INT64, b))
        return self.within(self.scaled_down(exact, t.fraction))

    def quotient(self, a: Value, b: Value) -> Value:
        t = self.type
        if t.bits == 64:
            # Its own trap, at the user's line: the kernel divides by anything.
            self.ctx.builder.value("mod", (self.steps(1), b), self.storage, self.span, STEPS)
            return self.counted(*self.call(fixed_wide.divide, a, b, self.const(t.fraction, INT64)))
        d = self.to(INT64, b)
        n = self.op("shl", self.to(INT64, a), self.const(t.fraction, INT64))
        q, rest = self.op("floordiv", n, d), self.op("mod", n, d)
        twice = self.op("abs", self.op("add", rest, rest))
        odd = self.op("and", q, self.const(1, INT64))
        up = self.test("gt", self.op("add", twice, odd), self.op("abs", d))
        return self.within(self.op("add", q, self.to(INT64, up)))

    def root(self, a: Value) -> Value:
        fraction = self.const(self.type.fraction, INT64)
        result, below = self.call(fixed_wide.root, self.to(INT64, a), fraction)
        if self.type.overflow is Overflow.TRAP:
            self.trap(self.test("ne", below, self.const(0, INT32)))
        return self.to(self.storage, result)

    def scaled_down(self, value: Value, by: int) -> Value:
        """value / 2^by to nearest, ties to even; by > 0."""
        t = value.type
        assert isinstance(t, ScalarType)
        mask = (1 << by) - 1
        q = self.op("shr", value, self.const(by, t))
        odd = self.op("and", q, self.const(1, t))
        rest = self.op("add", self.op("and", value, self.const(mask, t)), odd)
        up = self.test("gt", rest, self.const(1 << (by - 1), t))
        return self.op("add", q, self.to(t, up))

    def scaled_up(self, value: Value, by: int) -> Value:
        """value · 2^by of any int64."""
        t = self.type
        low, high = t.minimum >> by, t.maximum >> by
        result = self.to(self.storage, self.op("shl", value, self.const(by, INT64)))
        if low <= INT64.minimum and high >= INT64.maximum:
            return result
        small = self.test("lt", value, self.const(low, INT64))
        return self.settled(result, small, self.test("gt", value, self.const(high, INT64)))

    # Whole numbers -----------------------------------------------------------------------

    def whole(self, name: str, a: Value) -> Value:
        """floor, ceil, trunc and round."""
        one = 1 << self.type.fraction
        rest = self.op("and", a, self.steps(one - 1))
        floor = self.op("sub", a, rest)
        if name == "floor":
            return floor
        zero = self.steps(0)
        if name == "round":
            odd = self.op("shr", self.op("and", floor, self.steps(one)),
                          self.steps(self.type.fraction))  # fmt: skip
            up = self.test("gt", self.op("add", rest, odd), self.steps(one // 2))
        else:
            up = self.test("ne", rest, zero)
        if name == "trunc":
            below = self.test("lt", a, zero)
            up = self.ctx.builder.value("and", (up, below), BOOL, self.span)
        return self.sum("add", floor, self.op("select", up, self.steps(one), zero))

    def sign(self, a: Value) -> Value:
        zero = self.steps(0)
        one, minus = (self.steps(n << self.type.fraction) for n in (1, -1))
        above = self.op("select", self.test("gt", a, zero), one, zero)
        return self.op("select", self.test("lt", a, zero), minus, above)


ARITHMETIC: dict[str, tuple[str, Callable[[_Emit, Value, Value], Value]]] = {
    "+": ("add", lambda e, a, b: e.sum("add", a, b)),
    "-": ("sub", lambda e, a, b: e.sum("sub", a, b)),
    "*": ("mul", lambda e, a, b: e.product(a, b)),
    "/": ("div", lambda e, a, b: e.quotient(a, b)),
    "%": ("mod", lambda e, a, b: e.op("mod", a, b)),
}


def _whole(name: str) -> Callable[[_Emit, tuple[Value, ...]], Value]:
    return lambda e, args: e.whole(name, args[0])


FUNCTIONS: dict[str, Callable[[_Emit, tuple[Value, ...]], Value]] = {
    "abs": lambda e, args: e.magnitude(args[0]),
    "sign": lambda e, args: e.sign(args[0]),
    "sqrt": lambda e, args: e.root(args[0]),
    **{name: _whole(name) for name in ("floor", "ceil", "trunc", "round")},
    "min": lambda e, args: e.op("min", *args),
    "max": lambda e, args: e.op("max", *args),
    "clamp": lambda e, args: e.op("min", e.op("max", args[0], args[1]), args[2]),
}
"""The intrinsics that fixed-point numbers have."""


def binary(ctx: Context, node: ast.AST, sign: str, a: Value, b: Value, t: FixedPointType) -> Value:
    """`a sign b`."""
    if sign not in ARITHMETIC:
        ctx.fail(
            node,
            f"`{sign}` is not there for {t}",
            fix="write `floor(a / b)`" if sign == "//" else f"use {' '.join(ARITHMETIC)}",
        )
    return ARITHMETIC[sign][1](_Emit(ctx, node, t), a, b)


def negative(ctx: Context, node: ast.AST, a: Value, t: FixedPointType) -> Value:
    """`-a`."""
    return _Emit(ctx, node, t).negative(a)


def function(
    ctx: Context, node: ast.AST, name: str, args: tuple[Value, ...], t: FixedPointType
) -> Value:
    """The intrinsic `name` of numbers of type `t`."""
    if name not in FUNCTIONS:
        ctx.fail(
            node,
            f"{name}() is not there for {t}",
            fix=f"use one of {', '.join(FUNCTIONS)}, or convert to a float first",
        )
    return FUNCTIONS[name](_Emit(ctx, node, t), args)


def call(
    ctx: Context, node: ast.AST, kernel: Kernel, args: tuple[Value, ...], t: FixedPointType
) -> Value:
    """A function of numbers of type `t` that a kernel of steps and fraction bits computes."""
    emit = _Emit(ctx, node, t)
    steps = [emit.to(INT64, value) for value in args]
    value, *excess = emit.call(kernel, *steps, emit.const(t.fraction, INT64))
    # A result that every type holds is alone: no trap, so that loops vectorise.
    return emit.fitted(value, *excess) if excess else emit.to(t.storage, value)


def literal(ctx: Context, node: ast.AST, value: Literal, t: FixedPointType) -> Value:
    """A literal as a constant: an int in range, a float that is a whole count of steps."""
    number = value.value
    if isinstance(number, float):
        steps = fixed_rules.exact_float(number, t)
        if steps is None:
            message, fix = inexact(number, t)
            ctx.fail(node, message, fix=fix)
    else:
        steps = number << t.fraction
        if not t.minimum <= steps <= t.maximum:
            ctx.fail(
                node,
                f"{number_text(number)} does not fit {t}",
                note=f"the range is {t.minimum >> t.fraction} to {t.maximum >> t.fraction}",
                fix="use a wider type",
            )
    return ctx.builder.const(steps, t, ctx.span(node))


def text(ctx: Context, node: ast.AST, value: str, t: FixedPointType) -> Scalar:
    """`fix32("0.1")`."""
    try:
        steps = text_steps(value, t)
    except ArgumentError as error:
        ctx.fail(node, error.message, fix=error.fix)
    return Scalar(ctx.builder.const(steps, t, ctx.span(node)), t)


def mixed(ctx: Context, node: ast.AST, sign: str, a: Operand, b: Operand) -> NoReturn:
    """Refuse operands of which one is fixed-point and the other of another type."""
    x, y = a.type, b.type
    assert isinstance(x, ScalarType)
    assert isinstance(y, ScalarType)
    t, other = (x, y) if isinstance(x, FixedPointType) else (y, x)
    assert isinstance(t, FixedPointType)
    message, fix = not_implicit(other, t)
    if other is BOOL:
        message, fix = "a bool is not a number here", "write `select(flag, a, b)`"
    ctx.fail(node, f"`{sign}` on {describe(a)} and {describe(b)}: {message}", fix=fix)


def convert(ctx: Context, node: ast.AST, operand: Scalar, t: ScalarType) -> Value:
    """The conversion that `t(x)` is, where `t` or the type of `x` is fixed-point."""
    source = operand.type
    if isinstance(source, FixedPointType):
        if isinstance(t, FixedPointType):
            return _rescaled(_Emit(ctx, node, t), operand.value, source)
        if t == FLOAT16:
            return halves.convert(ctx, node, operand, t)
        return _number(_Emit(ctx, node, source), operand.value, t)
    assert isinstance(t, FixedPointType)
    if source.is_ieee:
        message, fix = not_implicit(source, t)
        if source is FLOAT:
            ctx.fail_unless_grown(node, message, fix=fix)
            return ctx.builder.const(0, t.storage, ctx.span(node))
        ctx.fail(node, message, fix=fix)
    emit, value = _Emit(ctx, node, t), operand.value
    if source == UINT64 and t.overflow is not Overflow.WRAP:
        value = emit.op("min", value, emit.const(INT64.maximum, UINT64))
    return emit.scaled_up(emit.to(INT64, value), t.fraction)


def _rescaled(emit: _Emit, value: Value, source: FixedPointType) -> Value:
    value = emit.to(INT64, value)
    by = emit.type.fraction - source.fraction
    if by >= 0 and (emit.type.bits, by) != (32, 0):
        return emit.scaled_up(value, by) if by else emit.to(emit.storage, value)
    return emit.within(emit.scaled_down(value, -by) if by else value)


def _number(emit: _Emit, value: Value, t: ScalarType) -> Value:
    """A conversion to an integer, truncated and saturated, or to a float, rounded once."""
    source = emit.type
    if t.is_float:
        unit = emit.const(2.0**-source.fraction, t)
        return emit.op("mul", emit.to(t, value), unit)
    value = emit.to(INT64, value)
    below = emit.op("shr", value, emit.const(63, INT64))
    up = emit.op("and", below, emit.const((1 << source.fraction) - 1, INT64))
    whole = emit.op("shr", emit.op("add", value, up), emit.const(source.fraction, INT64))
    low, high = (emit.const(max(t.minimum, INT64.minimum), INT64),
                 emit.const(min(t.maximum, INT64.maximum), INT64))  # fmt: skip
    return emit.to(t, emit.op("min", emit.op("max", whole, low), high))


def from_float(ctx: Context, node: ast.AST, operand: Operand, t: FixedPointType) -> Scalar:
    """`fix32.from_float(x)`."""
    emit = _Emit(ctx, node, t)
    if isinstance(operand, Literal) and operand.type is FLOAT:
        value = emit.const(float(operand.value), FLOAT64)
    elif isinstance(operand, Scalar) and operand.type == FLOAT16:
        value = halves.convert(ctx, node, operand, FLOAT64)
    elif isinstance(operand, Scalar) and operand.type.is_float:
        value = emit.to(FLOAT64, operand.value)
    else:
        ctx.fail(
            node, f"{t}.from_float() takes a float, but this is {describe(operand)}",
            fix=f"write {t}(x)",
        )  # fmt: skip
    scaled = emit.op("round", emit.op("mul", value, emit.const(2.0**t.fraction, FLOAT64)))
    if t.overflow is Overflow.WRAP:
        wraps = emit.op("trunc", emit.op("mul", scaled, emit.const(2.0**-t.bits, FLOAT64)))
        rest = emit.op("sub", scaled, emit.op("mul", wraps, emit.const(2.0**t.bits, FLOAT64)))
        unsigned = UINT32 if t.bits == 32 else UINT64
        size = emit.to(t.storage, emit.to(unsigned, emit.op("abs", rest)))
        below = emit.test("lt", rest, emit.const(0.0, FLOAT64))
        return Scalar(emit.op("select", below, emit.op("neg", size), size), t)
    if t.overflow is Overflow.TRAP:
        low = emit.test("ge", scaled, emit.const(float(t.minimum), FLOAT64))
        high = emit.test("lt", scaled, emit.const(float(-t.minimum), FLOAT64))
        fits = emit.ctx.builder.value("and", (low, high), BOOL, emit.span)
        emit.trap(emit.ctx.builder.value("not", (fits,), BOOL, emit.span))
    return Scalar(emit.to(t.storage, scaled), t)
