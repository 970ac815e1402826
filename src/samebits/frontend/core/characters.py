"""Texts of one character, which are their code points: in `ord("a")` and in comparisons."""

from __future__ import annotations

import ast

NO_INTEGER = "a text of one character is compared with an integer"
"""What is wrong where it is compared with anything else."""
ORD_TAKES = "ord() takes a text of one character, in quotes"
"""What is wrong where `ord` is given anything else."""


def code_point(node: ast.expr) -> int | None:
    """The code point of a text of one character; None of anything else."""
    value = node.value if isinstance(node, ast.Constant) else None
    return ord(value) if isinstance(value, str) and len(value) == 1 else None
