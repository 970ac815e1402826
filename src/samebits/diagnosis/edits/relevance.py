"""The order in which edits are likely to matter: those nearest to what differs, by names alone.

Owns an order, and nothing that an answer rests on: from the fields that differ, the names that
their values are made of are followed back through the statements of both versions.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence

from samebits.diagnosis.edits.edit import Edit

_FAR = 1 << 30
_WORD = re.compile(r"[A-Za-z_]\w*")


def by_relevance(
    edits: Sequence[Edit], trees: Iterable[ast.Module], fields: Iterable[str]
) -> list[Edit]:
    """The edits, those first that fewer steps lead to from the fields, given as paths."""
    steps = _steps([s for tree in trees for s in _simple(tree)], fields)

    def distance(edit: Edit) -> int:
        words = set(_WORD.findall(f"{edit.old} {edit.new}"))
        words |= set(_WORD.findall(edit.place.source))
        return min((steps[word] for word in words if word in steps), default=_FAR)

    return sorted(edits, key=distance)


def _steps(
    statements: Sequence[tuple[set[str], set[str]]], fields: Iterable[str]
) -> dict[str, int]:
    """Names, each with the number of statements from it to the fields."""
    found = {word: 0 for path in fields for word in _WORD.findall(path)[-1:]}
    step, new = 0, set(found)
    while new:
        step += 1
        reached = {name for sets, reads in statements if sets & new for name in sets | reads}
        new = reached - found.keys()
        found |= dict.fromkeys(new, step)
    return found


def _simple(tree: ast.Module) -> Iterable[tuple[set[str], set[str]]]:
    """Statements that set something, with the names that they set and read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            sets = {target.attr if isinstance(target, ast.Attribute) else name
                    for target in targets for name in _names(target)}  # fmt: skip
            yield sets, _names(node)
        elif isinstance(node, ast.Expr | ast.Return):
            yield _names(node), _names(node)


def _names(node: ast.AST) -> set[str]:
    return {
        str(getattr(each, "id", None) or getattr(each, "attr", ""))
        for each in ast.walk(node)
        if isinstance(each, ast.Name | ast.Attribute)
    }
