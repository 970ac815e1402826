"""Lowering in formats that no type holds, as x87's: a number is three scalars."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.lowering.code import Code
from samebits.fpmodel.lowering.native import (
    ROUNDED,
    SIGN_ONLY,
    Truncated,
    called,
    integer,
    scaled,
    stepped,
    type_of,
)
from samebits.fpmodel.lowering.soft import Kernels, Wide
from samebits.fpmodel.lowering.walk import CannotLower, Walk
from samebits.fpmodel.soft.wide import FINITE, INFINITE, NAN, NEGATIVE
from samebits.fpmodel.softfloat import FLOAT32, FORMATS, Number
from samebits.fpmodel.tree import Node, Tree
from samebits.ir.grammar import Value
from samebits.types import BOOL, INT32, INT64, UINT64
from samebits.types import FLOAT32 as T32
from samebits.types import FLOAT64 as T64

LESS, EQUAL, GREATER = -1, 0, 1


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

    def apply(self, op: Node, args: list[Wide]) -> Wide:
        if op.name in ROUNDED:
            return self.kernels.operation(op.name, args)
        if op.name in SIGN_ONLY:
            return self.kernels.wide(op.name, *args[0])
        given = [self.kernels.input(x) for x in args]
        return _OTHERS[op.name](self, op.detail, given)


def _select(walk: WideWalk, condition: Value, then: Wide, otherwise: Wide) -> Wide:
    mantissa, exponent, kind = (
        walk.code.select(condition, a, b) for a, b in zip(then, otherwise, strict=True)
    )
    return mantissa, exponent, kind


def _minimum(walk: WideWalk, rule: str, args: list[Wide]) -> Wide:
    return _extreme(walk, LESS, rule, args)


def _maximum(walk: WideWalk, rule: str, args: list[Wide]) -> Wide:
    return _extreme(walk, GREATER, rule, args)


def _extreme(walk: WideWalk, first: int, rule: str, args: list[Wide]) -> Wide:
    code, (x, y) = walk.code, args
    (order,) = walk.kernels.call("compare", *x, *y)

    def is_(what: int) -> Value:
        return code.test("eq", order, code.const(INT32, what))

    if rule == "lt":
        return _select(walk, is_(first), x, y)
    if rule == "gt":
        return _select(walk, is_(-first), y, x)
    bit = code.alike("and", x[2], code.const(INT32, NEGATIVE))
    zero_first = code.test("eq", bit, code.const(INT32, NEGATIVE if first == LESS else 0))
    # Equal numbers differ only if they are zeros.
    taken = code.alike("or", is_(first), code.alike("and", is_(EQUAL), zero_first))
    chosen = _select(walk, taken, x, y)

    def nan(value: Wide) -> Value:
        return code.test("eq", value[2], code.const(INT32, NAN))

    if rule:
        return _select(walk, nan(x), y, _select(walk, nan(y), x, chosen))
    return _select(walk, nan(x), x, _select(walk, nan(y), y, chosen))


def _ulps(walk: WideWalk, detail: str, args: list[Wide]) -> Wide:
    form = type_of(walk.arithmetic.form)
    near = stepped(walk.code, walk.kernels.to_float(args[0], form), int(detail))
    return walk.kernels.from_float(near)


def _convert(walk: WideWalk, detail: str, args: list[Wide]) -> Wide:
    a = walk.arithmetic
    exact = walk.kernels.from_integer(walk.integer(detail, args[0]))
    return walk.kernels.rounded(exact, a.working, a.rounding, "no")


def _cast(walk: WideWalk, detail: str, args: list[Wide]) -> Wide:
    a = walk.arithmetic
    return walk.kernels.rounded(args[0], FORMATS[detail], a.rounding, a.flush)


def _call(walk: WideWalk, detail: str, args: list[Wide]) -> Wide:
    a = walk.arithmetic
    t = T32 if a.working.precision <= FLOAT32.precision else T64
    given = [walk.kernels.to_float(x, t) for x in args]
    result = walk.kernels.from_float(called(walk.code, detail, given, t))
    return walk.kernels.rounded(result, a.working, "nearest", a.flush)


def _estimate(walk: WideWalk, detail: str, args: list[Wide]) -> Wide:
    raise CannotLower(f"{detail} takes a float, not an x87 register")


_OTHERS: dict[str, Callable[[WideWalk, str, list[Wide]], Wide]] = {
    "min": _minimum,
    "max": _maximum,
    "ulps": _ulps,
    "convert": _convert,
    "cast": _cast,
    "call": _call,
    "estimate": _estimate,
}
"""All operations that do not simply round, with the reference's rules."""
