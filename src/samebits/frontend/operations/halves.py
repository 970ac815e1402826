"""`float16` in IR, where it is the unsigned integer of its bits: conversions and refusals.

A conversion is a call of a kernel of `half_words`, so that every target has the same bits. Words
that come from memory may be any NaN's: what is loaded becomes the canonical one here. A half that
is an argument has it already: calls from Python convert numbers, and kernels pass what they have.
"""

from __future__ import annotations

import ast

from samebits.errors import Span
from samebits.frontend.core.context import Context, element_type
from samebits.frontend.core.operands import Operand, Scalar, Vector
from samebits.ir.grammar import Value
from samebits.lang.half_words import (
    INFINITY_16,
    NAN_16,
    f16_to_f32,
    f16_to_f64,
    f32_to_f16,
    f64_to_f16,
)
from samebits.lang.values.half import not_of_fixed, refusal
from samebits.types import BOOL, FLOAT16, FLOAT32, FLOAT64, UINT16, Kind, ScalarType

_SIZE = 0x7FFF
"""The bits of a half without its sign."""


def is_half(operand: Operand) -> bool:
    """Whether an operand is a half or a vector of them."""
    return element_type(operand) == FLOAT16


def refuse(ctx: Context, what: str, source: ast.AST, operand: Operand) -> None:
    """Raise CompileError if the operand, written as `source`, is a half, which has no `what`."""
    if is_half(operand):
        length = len(operand.items) if isinstance(operand, Vector) else 1
        message, fix = refusal(what, ctx.text(source), length)
        ctx.fail(source, message, fix=fix)


def refuse_binary(ctx: Context, node: ast.AST, sign: str, a: Operand, b: Operand) -> None:
    """Raise CompileError if an operand of the operator or comparison `node` is a half."""
    match node:
        case ast.BinOp(left=left, right=right):
            pass
        case ast.AugAssign(target=left, value=right):
            pass
        case ast.Compare(left=left, comparators=[right]):
            pass
        case _:
            left = right = node
    refuse(ctx, f"`{sign}`", left, a)
    refuse(ctx, f"`{sign}`", right, b)


def nonzero(ctx: Context, node: ast.AST, operand: Operand, at: ast.AST | None = None) -> str:
    """The comparison to write, in place of `at`, where the number `node` stands for a bool."""
    text = "`float32({x}) != 0`" if is_half(operand) else "`{x} != 0`"
    return ctx.filled(text, at or node, x=node)


def canonical(ctx: Context, word: Value, span: Span) -> Value:
    """The bits of a half, those of the canonical NaN for any NaN."""
    build = ctx.builder
    size = build.value("and", (word, build.const(_SIZE, UINT16, span)), UINT16, span)
    nan = build.value("gt", (size, build.const(INFINITY_16, UINT16, span)), BOOL, span)
    return build.value("select", (nan, build.const(NAN_16, UINT16, span), word), UINT16, span)


def convert(ctx: Context, node: ast.AST, operand: Scalar, t: ScalarType) -> Value:
    """The conversion that `t(x)` is, where `t` or the type of `x` is float16."""
    span, source, value = ctx.span(node), operand.type, operand.value
    if source == FLOAT16:
        wide = FLOAT64 if t.is_float and t.bits == 64 else FLOAT32
        (value,) = ctx.call(f16_to_f64 if wide is FLOAT64 else f16_to_f32, (value,), span)
        return value if t == wide else ctx.builder.value("convert", (value,), t, span)
    if source.kind is Kind.FIXED:
        message, fix = not_of_fixed(source)
        ctx.fail(node, message, fix=fix)
    # An integer that float64 does not hold is far beyond the largest half: it is rounded once.
    if source not in (FLOAT32, FLOAT64):
        value = ctx.builder.value("convert", (value,), FLOAT64, span)
    (word,) = ctx.call(f32_to_f16 if source is FLOAT32 else f64_to_f16, (value,), span)
    return word
