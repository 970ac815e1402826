"""SB103: the numbers that `id` gives."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Hit, LintRule

_SHOWN = {"__repr__", "__str__", "__format__"}


def check(node: ast.AST, kinds: Kinds) -> Iterable[Hit]:
    match node:
        case ast.Call(func=function, args=[_]):
            if kinds.names.qualified(function) != "id":
                return
            inside = (n.name for n in kinds.names.above(node) if isinstance(n, ast.FunctionDef))
            if not _SHOWN & {*inside}:
                yield node, "`id` gives an address"
        case ast.keyword(arg="key", value=value):
            if kinds.names.qualified(value) == "id":
                yield value, "something is ordered by `id`"
        case _:
            pass


IDENTITY_ORDER = LintRule(
    "SB103",
    "identity-order",
    "`id` is an address, which differs in every run and is reused after the object is freed",
    "number the objects yourself on creation, and order by that number",
    (ast.Call, ast.keyword),
    check,
)
