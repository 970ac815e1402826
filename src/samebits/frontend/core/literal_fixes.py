"""Fixes of literals that do not fit the integer type that they meet.

A wider type is what a comparison, a sum or a product is meant in: the number that the literal wraps
to would be another program. Where it has the same bits, as masks and constants of hashes do, it is
named too.
"""

from __future__ import annotations

import ast

from samebits.frontend.core import name_fixes
from samebits.frontend.core.context import Context
from samebits.frontend.core.widened import widened
from samebits.types import INT, INT32, INT64, UINT32, UINT64, ScalarType

WRAPS = "use a wider type, or {wrapped}, which it wraps to"
"""Of an explicit conversion."""
ELEMENTS = "use a vector of a wider type, or numbers from {least} to {most}"
"""Of an operation on a vector."""
_SUMS = (ast.Add, ast.Sub, ast.Mult)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor)


def for_place(
    ctx: Context, node: ast.AST, number: int, t: ScalarType, written: str | None = None
) -> str:
    """The fix for the literal `number` in the type `t`, at the expression or statement `node`."""
    wrapped = t.wrapped(number)
    if written is not None:
        return written.format(wrapped=wrapped, least=t.minimum, most=t.maximum)
    wide = _wider(number, t)
    match node:
        case ast.Compare(ops=ops, left=left, comparators=[right]) if len(ops) == 1:
            return _compared(ctx, number, t, ops[0], left, right)
        case ast.Compare():
            return f"compare as Python ints, `int(x)`: each {t} is {_side(number, t)} {number}"
        case ast.BinOp(op=op, left=a, right=b) | ast.AugAssign(op=op, target=a, value=b):
            fix = _computed(ctx, node, a, b, wide)
            if isinstance(op, _BITS) or (isinstance(op, _SUMS) and t.bits > 16):
                return fix + _pattern(number, t)
            return fix
        case _:
            pass
    end = t.minimum if number < 0 else t.maximum
    ending = _pattern(number, t) or f", or {end}, the {'least' if number < 0 else 'largest'} {t}"
    if isinstance(node, ast.expr) and not isinstance(node, ast.stmt) and _is_argument(ctx, node):
        end_of = "least" if number < 0 else "largest"
        return f"write {end}, the {end_of} {t}, or give the parameter a wider type"
    if wide is None or not isinstance(node, ast.expr) or _is_given(ctx, node):
        return f"use a wider type{ending}"
    whole = ast.Call(ast.Name(str(wide)), [node], []) if _is_number(node) else None
    whole = whole or widened(node, str(wide))
    return ctx.filled("write `{w}`, a wider type", w=whole) + ending


def _is_argument(ctx: Context, node: ast.expr) -> bool:
    """Whether a number is written as the argument of a call."""
    calls = (part for part in ast.walk(ctx.source.node) if isinstance(part, ast.Call))
    return _is_number(node) and any(node in call.args for call in calls)


def _is_given(ctx: Context, node: ast.expr) -> bool:
    """Whether a number is written where its type is decided elsewhere: in all places but the start
    of a name."""
    return _is_number(node) and not any(
        isinstance(part, ast.Assign) and part.value is node for part in ast.walk(ctx.source.node)
    )


def _pattern(number: int, t: ScalarType) -> str:
    """The number of the same bits, if `number` has bits of `t`."""
    if not -(1 << (t.bits - 1)) <= number < 1 << t.bits:
        return ""
    return f", or {t.wrapped(number)}, which has its {t.bits} bits, where wrapping is meant"


def _wider(number: int, t: ScalarType) -> ScalarType | None:
    """The type in which `t` and `number` are computed without loss; None where there is none."""
    for wide in (INT32, INT64, UINT64):
        holds = wide.minimum <= number <= wide.maximum
        if holds and wide != t and (wide.bits > t.bits or t.bits == 64):
            return wide
    return None


def _side(number: int, t: ScalarType) -> str:
    return "above" if number < t.minimum else "below"


_BELOW: dict[type[ast.cmpop], bool] = {ast.Lt: True, ast.LtE: True, ast.Gt: False, ast.GtE: False}
"""What each comparison is of a number below another."""


def _compared(
    ctx: Context, number: int, t: ScalarType, op: ast.cmpop, left: ast.expr, right: ast.expr
) -> str:
    """A comparison has one answer for all numbers of the type."""
    swapped = _is_number(left)
    other = right if swapped else left
    name = ctx.text(other)
    whole = ctx.text(left), ctx.text(right)
    if t == UINT64:
        wide = "`0`, which no uint64 is below" if number < 0 else "a float"
        return f"compare with {wide}"
    found = (whole[0], f"int({name})") if swapped else (f"int({name})", whole[1])
    sign = _SIGNS.get(type(op))
    if sign is None:
        return f"compare as a Python int: `int({name})`"
    below = _side(number, t) == "below"
    always = isinstance(op, ast.NotEq) or _BELOW.get(type(op)) is (below != swapped)
    answer = "always" if always else "never"
    return (
        f"give `{name}` a wider type where it is made; `{found[0]} {sign} {found[1]}` compiles, "
        f"and {answer} holds of {'an' if t.is_signed else 'a'} {t}"
    )


_SIGNS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=",
}  # fmt: skip


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
    )


def _computed(
    ctx: Context, node: ast.BinOp | ast.AugAssign, a: ast.expr, b: ast.expr, wide: ScalarType | None
) -> str:
    """An operation in a wider type."""
    start = _start(ctx, (a, b))
    if start is not None:
        return start
    if wide is None:
        return "compute in floats, or in two integers"
    if isinstance(node, ast.AugAssign):
        return f"start `{ctx.text(a)}` in a wider type, such as {wide}"
    other = b if _is_number(a) else a
    before = name_fixes.made_before(ctx, None, other)
    if before is not None:
        made, line = before
        code = ctx.filled("`{x} = {w}`", x=made.targets[0], w=widened(made.value, str(wide)))
        return f"compute in a wider type: {code} at line {line}, where it wraps already"
    text = "compute in a wider type: `{w}` for `{x}`"
    return ctx.filled(text, other, w=widened(other, str(wide)), x=other)


def _start(ctx: Context, operands: tuple[ast.expr, ...]) -> str | None:
    """The start of a name in the type of its first number, where that needs 32 bits or more: as
    hashes begin, which would take the type of the bytes that they meet."""
    for part in (part for operand in operands for part in ast.walk(operand)):
        variable = ctx.variables.get(part.id) if isinstance(part, ast.Name) else None
        if variable is None or variable.type is not INT or variable.name not in ctx.first_use:
            continue
        first = ctx.first_use[variable.name]
        for node in ast.walk(ctx.source.node):
            match node:
                case ast.Assign(targets=[target], value=ast.Constant(value=int() as number)) if (
                    target is first and number > INT32.maximum
                ):
                    t = UINT32 if number <= UINT32.maximum else UINT64
                    text = f"`{first.id} = {t}({ctx.text(node.value)})` at line {first.lineno}"
                    return f"start with {text}, a type of its own"
                case _:
                    continue
    return None
