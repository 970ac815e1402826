"""Loops of programs between two versions, which may not end: they trap after `MOST` iterations."""

from __future__ import annotations

import ast
import copy
from itertools import count

MOST = 4_000_000
"""Iterations of one `while` at a time. A frame of 16 ms has no time for as many."""
_NAME = "iterations_of_loop_"


def ended(tree: ast.Module) -> ast.Module:
    """The module with a count in each `while` of its functions."""
    if not any(isinstance(node, ast.While) for node in ast.walk(tree)):
        return tree
    return _Counting().visit(copy.deepcopy(tree))


class _Counting(ast.NodeTransformer):
    def __init__(self) -> None:
        self._numbers = count()
        self._function = False

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        outside, self._function = self._function, True
        self.generic_visit(node)
        self._function = outside
        return node

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        if not self._function:
            return node
        name = f"{_NAME}{next(self._numbers)}"
        node.body = [*ast.parse(f"{name} += 1\nassert {name} < {MOST}").body, *node.body]
        return [*ast.parse(f"{name} = 0").body, node]
