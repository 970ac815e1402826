"""SB203: `**` of floats."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import ARRAYS, Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule


def _applies(base: ast.AST, exponent: ast.AST, kinds: Kinds) -> bool:
    a, b = kinds.of(base), kinds.of(exponent)
    if a in ARRAYS:  # NumPy squares by a product, and takes roots by sqrt
        return not (isinstance(exponent, ast.Constant) and exponent.value in (0, 1, 2, 0.5))
    return Kind.FLOAT in (a, b) and Kind.OTHER not in (a, b)


def check(node: ast.AST, kinds: Kinds) -> Iterable[Hit]:
    match node:
        case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
            if _applies(base, exponent, kinds):
                yield node, "`**` of floats is the C library's pow"
        case ast.AugAssign(target=base, op=ast.Pow(), value=exponent):
            if _applies(base, exponent, kinds) or kinds.is_float(exponent):
                yield node, "`**=` of floats is the C library's pow"
        case ast.Call(func=function, args=[base, exponent]):
            name = kinds.names.qualified(function)
            if name in ("pow", "operator.pow") and _applies(base, exponent, kinds):
                yield node, f"`{name}` of floats is the C library's"
        case _:
            pass


POWER = LintRule(
    "SB203",
    "float-power",
    "`**` of floats calls the C library's pow, which every library rounds in its own way",
    "write `x * x` for a square, `math.sqrt(x)` for a root, `samebits.math.pow(x, y)` otherwise",
    (ast.BinOp, ast.AugAssign, ast.Call),
    check,
    Confidence.MEDIUM,
)
