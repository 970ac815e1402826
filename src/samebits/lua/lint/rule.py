"""A rule for Lua scripts: rows that the rule tables hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from samebits.lint.rule import Confidence

if TYPE_CHECKING:
    from tree_sitter import Node

    from samebits.lua.lint.script import LuaScript

LuaHit = tuple["Node", str] | tuple["Node", str, Confidence]
"""A node where a rule applies, a clause that says what the script does there, and how sure that is
if it is not as sure as the rule."""
LuaCheck = Callable[["Node", "LuaScript"], Iterable[LuaHit]]


@dataclass(frozen=True, slots=True)
class LuaRule:
    """One hazard of scripts: where to look for it, why it is one, and what to write instead."""

    code: str
    """SL and three digits. SL1: the same under `samebits.lua`; SL2: refused there; SL3: the
    script's own."""
    name: str
    why: str
    instead: str
    nodes: tuple[str, ...]
    """The parser's names of the nodes that `check` is called with."""
    check: LuaCheck
    confidence: Confidence = Confidence.HIGH


def text_of(node: Node | None, most: int = 40) -> str:
    """A node's text on one line, cut where it is long; empty for none."""
    if node is None or node.text is None:
        return ""
    said = " ".join(node.text.decode(errors="replace").split())
    return said if len(said) <= most else f"{said[: most - 1]}…"
