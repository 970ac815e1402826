"""SB201: Python's own `sum` of floats."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kind, Kinds
from samebits.lint.rule import Confidence, Hit, LintRule


def check(node: ast.Call, kinds: Kinds) -> Iterable[Hit]:
    name = kinds.names.qualified(node.func)
    if not node.args or name not in ("sum", "statistics.mean", "statistics.fmean"):
        return
    starts = [*node.args[1:], *(k.value for k in node.keywords if k.arg == "start")]
    floats = kinds.element(node.args[0]) is Kind.FLOAT
    if floats or any(map(kinds.is_float, starts)) or name == "statistics.fmean":
        yield node, f"`{name}` adds floats"


BUILTIN_SUM = LintRule(
    "SB201",
    "builtin-sum",
    "since Python 3.12 `sum` of floats compensates rounding errors: its bits differ from "
    "those of 3.11, and of a loop",
    "add in a loop, or use `math.fsum`, `samebits.math.sum` or `samebits.math.exact_sum`",
    (ast.Call,),
    check,
    Confidence.MEDIUM,
)
