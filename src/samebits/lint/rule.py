"""A lint rule, and a finding of one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from samebits.lint.kinds import Kinds

Hit = tuple[ast.AST, str]
"""A node where a rule applies, and a clause that says what the code does there."""
Check = Callable[[Any, "Kinds"], Iterable[Hit]]
"""Checks one node of one of the rule's types."""


@dataclass(frozen=True, slots=True)
class LintRule:
    """One hazard: where to look for it, why it is one, and what to write instead."""

    code: str
    """SB and three digits; the first is the group's."""
    name: str
    why: str
    """One sentence: what differs, and between what."""
    instead: str
    """What to write instead."""
    nodes: tuple[type[ast.AST], ...]
    """The types of nodes that `check` is called with."""
    check: Check


@dataclass(frozen=True, slots=True, order=True)
class LintFinding:
    """A hazard in a file: lines from 1, columns from 0, the end exclusive."""

    path: str
    line: int
    column: int
    code: str
    message: str
    end_line: int
    end_column: int
