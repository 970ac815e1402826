"""A lint rule, and a finding of one."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from samebits.lint.kinds import Kinds


class Confidence(Enum):
    """How surely a finding changes results: as the code is written (high), for some of the values
    that it may meet (medium), or seldom, and often not by mistake (low)."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"

    def reaches(self, least: Confidence) -> bool:
        """Whether it is as high as `least`."""
        order = list(Confidence)
        return order.index(self) >= order.index(least)


Hit = tuple[ast.AST, str] | tuple[ast.AST, str, Confidence]
"""A node where a rule applies, a clause that says what the code does there, and how sure that is if
it is not as sure as the rule."""
Check = Callable[[Any, "Kinds"], Iterable[Hit]]
"""Checks one node of one of the rule's types."""


class ToldRule(Protocol):
    """What output tells of a rule, whatever language it is for."""

    @property
    def code(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def instead(self) -> str: ...
    @property
    def confidence(self) -> Confidence: ...


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
    confidence: Confidence = Confidence.HIGH


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
    confidence: Confidence = field(default=Confidence.HIGH, compare=False)
