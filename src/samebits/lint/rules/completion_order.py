"""SB105: the order in which threads and processes end."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Hit, LintRule

_FUNCTIONS = frozenset({
    "concurrent.futures.as_completed", "asyncio.as_completed", "concurrent.futures.wait",
    "asyncio.wait", "multiprocessing.connection.wait", "select.select",
})  # fmt: skip
_METHODS = frozenset({"imap_unordered", "add_done_callback"})


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func)
    if name in _FUNCTIONS:
        yield node, f"`{name}` returns results in the order of completion"
    elif isinstance(node.func, ast.Attribute) and node.func.attr in _METHODS:
        yield node, f"`{node.func.attr}` returns results in the order of completion"


COMPLETION_ORDER = LintRule(
    "SB105",
    "completion-order",
    "which thread or process ends first varies from run to run, and so does the order of results",
    "take results in the order of the tasks: `executor.map(...)`, `[f.result() for f in futures]`, "
    "`asyncio.gather(...)`",
    (ast.Call,),
    check,
)
