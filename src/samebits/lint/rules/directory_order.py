"""SB104: the order of a directory's entries."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Hit, LintRule
from samebits.lint.rules.set_order import FORGETS_ORDER

_FUNCTIONS = frozenset({"os.listdir", "os.scandir", "os.walk", "glob.glob", "glob.iglob"})
_METHODS = frozenset({"iterdir", "rglob"})


def _is_path(node: ast.AST, kinds: Kinds) -> bool:
    """Whether a node is a path, judging by its text."""
    match node:
        case ast.Call(func=function):
            return (kinds.names.qualified(function) or "").startswith("pathlib.")
        case ast.BinOp(left=left, op=ast.Div()):
            return _is_path(left, kinds)
        case ast.Name(id=name):
            scope = kinds.names.scope(node).find(name)
            if scope is not None and name in scope.annotations:
                said = kinds.names.qualified(scope.annotations[name]) or ""
                return said.startswith("pathlib.")
            values = kinds.names.assigned(node)
            return any(isinstance(v, ast.expr) and _is_path(v, kinds) for v in values)
        case _:
            return False


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func)
    if name not in _FUNCTIONS:
        if not isinstance(node.func, ast.Attribute):
            return
        name = node.func.attr
        if name not in _METHODS and not (name == "glob" and _is_path(node.func.value, kinds)):
            return
    if name != "os.walk" and _order_is_forgotten(node, kinds):
        return
    yield node, f"`{name}` gives a directory's entries"


def _order_is_forgotten(node: ast.AST, kinds: Kinds) -> bool:
    """Whether they go, perhaps through a generator or `map`, into `sorted` and the like."""
    for outer in kinds.names.above(node):
        match outer:
            case ast.Call(func=function):
                name = kinds.names.qualified(function)
                if name in FORGETS_ORDER:
                    return True
                if name not in ("list", "tuple", "map", "filter"):
                    return False
            case ast.comprehension() | ast.GeneratorExp() | ast.ListComp() | ast.SetComp():
                if isinstance(outer, ast.SetComp):
                    return True
            case _:
                return False
    return False


DIRECTORY_ORDER = LintRule(
    "SB104",
    "directory-order",
    "the order of a directory's entries is the file system's: it differs between disks",
    "go through `sorted(...)`; for `os.walk` sort its directories in place",
    (ast.Call,),
    check,
)
