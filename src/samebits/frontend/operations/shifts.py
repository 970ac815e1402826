"""Shifts by constants, which are within the width of what is shifted.

By the width or more all bits are gone. That is defined, and a count that is computed may do so;
written out it is a byte that was to go beside another, and a result that is wrong unseen.
"""

from __future__ import annotations

import ast

from samebits.frontend.core.context import Context
from samebits.frontend.core.operands import Literal, Operand
from samebits.frontend.core.widened import is_sum, widened
from samebits.types import INT32, INT64, UINT32, UINT64, ScalarType, VectorType

SHIFTS = ("<<", ">>")
ALL_OUT = "moves all bits out"
"""What every message of a refused shift says."""
_WIDER = {True: (INT32, INT64), False: (UINT32, UINT64)}
"""The types to shift in, by whether they are signed."""


def past_width(
    ctx: Context, node: ast.AST, sign: str, count: Operand, t: ScalarType | VectorType
) -> Literal | None:
    """Refuse a shift of a `t` by a constant of its width or more, unless a later line gives a name
    in it a wider type: the count to go on with. None of any other operation."""
    element = t.element if isinstance(t, VectorType) else t
    if not isinstance(count, Literal) or element.weak or not element.is_int:
        return None
    number = count.value
    if sign not in SHIFTS or not isinstance(number, int) or number < element.bits:
        return None
    result = "0, or -1 below 0" if sign == ">>" and element.is_signed else "0"
    ctx.fail_unless_grown(
        node,
        f"`{sign}` by {number} {ALL_OUT} of {_a(t)}: the result is {result}",
        note="a count that is a variable may do so",
        fix=_fix(ctx, node, sign, number, t),
    )
    return Literal(element.bits, count.span)


def _fix(ctx: Context, node: ast.AST, sign: str, count: int, t: ScalarType | VectorType) -> str:
    match node:
        case ast.BinOp(left=a, right=b) | ast.AugAssign(target=a, value=b):
            pass
        case _:
            return "shift in a wider type"
    if isinstance(t, VectorType):
        return f"shift by {t.element.bits - 1} at most, or its components in a wider type"
    at = node if isinstance(node, ast.BinOp) else None
    own = "" if at else "{a} = "
    if sign == ">>" and is_sum(a):
        return ctx.filled(f"write `{own}{{w}} >> {{b}}`", at, a=a, b=b, w=widened(a, "int"))
    if sign == ">>":
        if not t.is_signed:
            return f"shift by {t.bits - 1} at most, or a wider number"
        return ctx.filled(f"write `{own}{{a}} >> {t.bits - 1}`", at, a=a)
    wide = next((wide for wide in _WIDER[t.is_signed] if wide.bits > max(count, t.bits)), None)
    if wide is None:
        return f"shift by {t.bits - 1} at most; no integer is wider than 64 bits"
    if isinstance(node, ast.AugAssign):
        return f"start `{ctx.text(a)}` in a wider type, such as {wide}"
    whole = widened(_plain(a, t), str(wide))
    if isinstance(whole, ast.Constant):
        whole = ast.Call(ast.Name(str(wide)), [whole], [])
    return ctx.filled("write `{w} << {b}`", at, w=whole, b=b)


def _plain(node: ast.expr, t: ScalarType) -> ast.expr:
    """What is shifted, without the conversion of a number to `t`."""
    match node:
        case ast.Call(func=ast.Name(id=name), args=[ast.Constant() as number]) if name == str(t):
            return number
        case _:
            return node


def _a(t: object) -> str:
    name = str(t)
    return f"an {name}" if name[0] == "i" else f"a {name}"
