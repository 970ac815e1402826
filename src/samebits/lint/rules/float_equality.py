"""SB205: equality of computed floats."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Pow)


def _is_computed(node: ast.AST, kinds: Kinds) -> bool:
    """Whether a float is computed, here or where a name of this function is assigned."""
    match node:
        case ast.BinOp(op=op):
            return isinstance(op, _ARITHMETIC) and kinds.is_float(node)
        case ast.Name() if kinds.is_float(node):
            return any(
                isinstance(v, ast.AugAssign)
                or (isinstance(v, ast.BinOp) and isinstance(v.op, _ARITHMETIC))
                for v in kinds.names.assigned(node)
            )
        case _:
            return False


def check(node: ast.Compare, kinds: Kinds) -> Iterable[Hit]:
    sides = [node.left, *node.comparators]
    for left, op, right in zip(sides, node.ops, sides[1:], strict=False):
        if not isinstance(op, ast.Eq | ast.NotEq):
            continue
        if Kind.OTHER in (kinds.of(left), kinds.of(right)) or _is_zero_of_name(left, right):
            continue
        if _is_computed(left, kinds) or _is_computed(right, kinds):
            yield node, "computed floats are compared with `==`"
            return


def _is_zero_of_name(left: ast.AST, right: ast.AST) -> bool:
    """Whether this is `x == 0`, which guards a division and does not depend on rounding."""
    pair = (left, right)
    zero = any(isinstance(n, ast.Constant) and n.value == 0 for n in pair)
    return zero and any(isinstance(n, ast.Name | ast.Attribute) for n in pair)


FLOAT_EQUALITY = LintRule(
    "SB205",
    "float-equality",
    "where the last bit differs, so does the branch: one ULP becomes another event",
    "compare integers, or test a range: `abs(a - b) <= tolerance`",
    (ast.Compare,),
    check,
    Confidence.LOW,
)
