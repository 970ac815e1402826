"""The correspondence of statements of two blocks, which are the same or alike.

Knows nothing of what becomes of the rest.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any, cast

ALIKE = 0.5
"""Part of their words that two statements share where one became the other."""
BODIES = ("body", "orelse", "finalbody")
"""The fields of statements that hold others."""
_COMPOUND = ast.For | ast.While | ast.If | ast.With
_Pairs = list[tuple[int, int]]


def same(x: object, y: object) -> bool:
    """Whether two trees, lists of trees or fields are the same, wherever they stand."""
    return key(x) == key(y)


def listed(x: object) -> list[Any] | None:
    """The elements of a field that holds several; None of one that does not."""
    return cast("list[Any]", x) if isinstance(x, list) else None


def key(x: object) -> str:
    """What trees that are the same share."""
    if isinstance(x, ast.AST):
        return ast.dump(x)
    several = listed(x)
    if several is not None:
        return f"[{','.join(map(key, several))}]"
    return f"{type(x).__name__} {x!r}"  # zeros are told apart, and 1 from 1.0


def same_statements(a: Sequence[ast.stmt], b: Sequence[ast.stmt]) -> _Pairs:
    """Indices of statements that are the same, in the order of both."""
    matcher = SequenceMatcher(None, [key(x) for x in a], [key(y) for y in b], autojunk=False)
    return [(m.a + k, m.b + k) for m in matcher.get_matching_blocks() for k in range(m.size)]


def alike_statements(a: Sequence[ast.stmt], b: Sequence[ast.stmt]) -> _Pairs:
    """Indices of statements of which one became the other, in the order of both: those of the
    greatest likeness in all."""
    likeness = [[_likeness(x, y) for y in b] for x in a]
    best = [[0.0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            taken = likeness[i][j] + best[i + 1][j + 1] if likeness[i][j] else 0.0
            best[i][j] = max(taken, best[i + 1][j], best[i][j + 1])
    found: _Pairs = []
    i = j = 0
    while i < len(a) and j < len(b):
        if likeness[i][j] and best[i][j] == likeness[i][j] + best[i + 1][j + 1]:
            found.append((i, j))
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return found


def named(node: ast.stmt) -> str | None:
    """The name that a definition or a module's constant gives."""
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return name
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            return name
        case _:
            return None


def _likeness(x: ast.stmt, y: ast.stmt) -> float:
    """0 where neither became the other, up to 1."""
    if type(x) is not type(y):
        return 0.0
    if isinstance(x, ast.FunctionDef | ast.ClassDef):
        return float(named(x) == named(y))
    found = dice(words(x), words(y))
    if found < ALIKE and isinstance(x, _COMPOUND) and _is_same_compound(x, y):
        return ALIKE  # however much of what is in it has gone
    return found if found >= ALIKE else 0.0


def _is_same_compound(x: ast.stmt, y: ast.stmt) -> bool:
    """Whether two compound statements have one head, or share a good part of what is in either."""
    if _head(x) == _head(y):
        return True
    mine, theirs = _inside(x), _inside(y)
    shared = (mine & theirs).total()
    return shared >= ALIKE * max(1, min(mine.total(), theirs.total()))


def _head(node: ast.stmt) -> str:
    """What a loop goes over, or the condition: all that is no block."""
    parts = ((name, getattr(node, name, None)) for name in node._fields if name not in BODIES)
    return " ".join(f"{name} {key(part)}" for name, part in parts)


def blocks(node: ast.stmt) -> list[list[ast.stmt]]:
    """The blocks of a loop, a condition or the like; none of any other statement."""
    if not isinstance(node, _COMPOUND):
        return []
    return [block for name in BODIES if (block := listed(getattr(node, name, None)))]


def _inside(node: ast.stmt) -> Counter[str]:
    """The statements in a compound one, each as often as it has words."""
    found: Counter[str] = Counter()
    for inner in (each for block in blocks(node) for each in block):
        found[key(inner)] += words(inner).total()
        found += _inside(inner)
    return found


def words(node: ast.AST) -> Counter[str]:
    """What a tree is made of: names, numbers, operators and kinds of nodes."""
    found: Counter[str] = Counter()
    for each in ast.walk(node):
        match each:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                found[name] += 1
            case ast.Constant(value=value):
                found[repr(value)] += 1
            case ast.expr_context():
                pass
            case _:
                found[type(each).__name__] += 1
    return found


def dice(x: Counter[str], y: Counter[str]) -> float:
    """The part that two collections share."""
    return 2 * (x & y).total() / max(1, x.total() + y.total())
