"""Sums, products and shifts with what is in them converted first, as C computes them.

A conversion of the whole comes too late: by then the number has wrapped, or been rounded.
"""

from __future__ import annotations

import ast
import copy

_OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.LShift)
_OF_OPERANDS = ("abs", "clamp", "max", "min")
"""Functions whose results are of their operands' type."""


def is_sum(node: ast.AST) -> bool:
    """Whether an expression is an operation that leaves its operands' type by its size."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return is_sum(node.operand)
    return isinstance(node, ast.BinOp) and isinstance(node.op, _OPERATORS)


def _is_of_operands(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call) or node.keywords:
        return False
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name in _OF_OPERANDS
        case _:
            return False


def widened(node: ast.expr, to: str) -> ast.expr:
    """An expression of which each number is converted to the type `to`; of a part that is no sum,
    product or shift, and chooses none of its operands, the whole."""
    if isinstance(node, ast.Constant):
        return node
    if not (is_sum(node) or isinstance(node, ast.IfExp) or _is_of_operands(node)):
        return ast.Call(ast.Name(to), [node], [])
    found = copy.copy(node)
    match found:
        case ast.BinOp():
            found.left, found.right = widened(found.left, to), widened(found.right, to)
        case ast.UnaryOp():
            found.operand = widened(found.operand, to)
        case ast.IfExp():
            found.body, found.orelse = widened(found.body, to), widened(found.orelse, to)
        case ast.Call():
            found.args = [widened(argument, to) for argument in found.args]
        case _:
            raise AssertionError(found)
    return found
