"""SB202: functions of the platform's math library."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from samebits.lint.kinds import Kinds
from samebits.lint.rule import Hit, LintRule

FUNCTIONS = frozenset(
    f"math.{name}" for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh",
        "acosh", "atanh", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "pow", "cbrt",
        "hypot", "dist", "erf", "erfc", "gamma", "lgamma", "sumprod",
    )
)  # fmt: skip
"""What C libraries round differently. `sqrt`, `fma`, `fmod`, `floor` and the like are exact or
correctly rounded everywhere."""


def check(node: ast.Attribute | ast.Name, kinds: Kinds) -> Iterable[Hit]:
    # A function that is handed on, as in map(math.sin, x), counts as much as a call.
    name = kinds.names.qualified(node)
    if name in FUNCTIONS and isinstance(node.ctx, ast.Load):
        yield node, f"`{name}` is the C library's"


LIBM = LintRule(
    "SB202",
    "libm",
    "every C library rounds this function in its own way, and so does each of its versions",
    "use the function of the same name in `samebits.math`, `tgamma` for `gamma`",
    (ast.Attribute, ast.Name),
    check,
)
