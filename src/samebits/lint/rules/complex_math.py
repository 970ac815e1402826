"""SB204: functions of complex numbers."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_EXACT = frozenset({"isnan", "isinf", "isfinite", "isclose", "pi", "e", "tau", "inf", "nan", "infj",
                    "nanj"})  # fmt: skip


def check(node: ast.AST, kinds: Kinds) -> Iterable[Hit]:
    match node:
        case ast.Attribute() | ast.Name():
            name = kinds.names.qualified(node) or ""
            if name.startswith("cmath.") and name.removeprefix("cmath.") not in _EXACT:
                yield node, f"`{name}` is made of the C library's functions"
        case ast.Call(func=function, args=[value]):
            if kinds.names.qualified(function) == "abs" and kinds.of(value) is Kind.COMPLEX:
                yield node, "`abs` of a complex number is the C library's hypot"
        case ast.BinOp(left=left, op=ast.Pow(), right=right):
            if Kind.COMPLEX in (kinds.of(left), kinds.of(right)):
                yield node, "`**` of complex numbers is made of the C library's functions"
        case _:
            pass


COMPLEX_MATH = LintRule(
    "SB204",
    "complex-math",
    "`cmath` is made of the C library's functions, which every library rounds in its own way",
    "write it out in real numbers with `samebits.math`",
    (ast.Attribute, ast.Name, ast.Call, ast.BinOp),
    check,
    Confidence.MEDIUM,
)
