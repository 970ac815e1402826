"""Warnings of names of structs that are read once what they refer to has been written over.

`t = a[0]` refers to an element. After `a[0] = a[1]` it is the new one, where the objects of a
Python list would have changed places: what was there is lost. Knows the source of one function, and
which of its names refer to memory.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from samebits.errors import SamebitsWarning, Span
from samebits.frontend.core.source import Source

Doubt = tuple[SamebitsWarning, Span]
"""A warning, and its place."""
Place = ast.Subscript | ast.Attribute
_Blocks = tuple[tuple[ast.AST, Sequence[ast.stmt]], ...]
_JUMPS = (ast.Return, ast.Continue, ast.Break)


@dataclass(frozen=True, slots=True)
class _Statement:
    """A statement, and the blocks around it from the outermost on, each with what owns it."""

    node: ast.stmt
    blocks: _Blocks

    @property
    def pairs(self) -> list[tuple[ast.expr, ast.expr]]:
        """The targets of an assignment, each with its value, those of tuples one by one."""
        if not isinstance(self.node, ast.Assign) or len(self.node.targets) != 1:
            return []
        match self.node.targets[0], self.node.value:
            case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
                return [*zip(targets, values, strict=True)]
            case target, value:
                return [(target, value)]


def doubts(references: Collection[str], source: Source) -> Iterator[Doubt]:
    """A warning for each of the names `references`, which refer to structs in memory, whose struct
    may be written over before the name is read again, or stored."""
    if not references:
        return
    statements = [*_statements(source.node.body, source.node, ())]
    for at, bound in enumerate(statements):
        for target, value in bound.pairs:
            if not (isinstance(target, ast.Name) and target.id in references):
                continue
            if isinstance(value, ast.Subscript | ast.Attribute):
                later = _until_bound(statements[at + 1 :], target.id)
                found = _lost(target.id, value, later, source)
                if found is not None:
                    yield _doubt(bound, target.id, value, *found, later, source)


def _statements(
    block: Sequence[ast.stmt],
    owner: ast.AST,
    around: _Blocks,
) -> Iterator[_Statement]:
    """The statements of a block and of those inside it, as they stand."""
    blocks = (*around, (owner, block))
    for node in block:
        yield _Statement(node, blocks)
        for name in ("body", "orelse"):
            inner: list[ast.stmt] = getattr(node, name, [])
            yield from _statements(inner, node, blocks)


def _until_bound(statements: Sequence[_Statement], name: str) -> list[_Statement]:
    """The statements before the one that gives the name something else."""
    found: list[_Statement] = []
    for statement in statements:
        found.append(statement)
        if any(isinstance(t, ast.Name) and t.id == name for t, _ in statement.pairs):
            break
    return found


def _lost(
    name: str, place: Place, later: Sequence[_Statement], source: Source
) -> tuple[ast.expr, ast.expr] | None:
    """The target that may write over `place`, and the name read after it; None if none is."""
    changed: set[str] = set()
    for at, statement in enumerate(later):
        for target, value in statement.pairs:
            if isinstance(value, ast.Name) and value.id == name:
                continue
            if isinstance(target, ast.Subscript | ast.Attribute) and _may_be(place, target, source):
                same = source.text(target) == source.text(place) and not changed & _names(place)
                for other in later[at + 1 :]:
                    if _is_written_through(name, other):
                        break  # it is meant as a name of what the memory holds
                    read = _read(name, other, same)
                    if read is not None and _follows(statement, other):
                        return target, read
        changed |= {n.id for n in _own(statement.node) if isinstance(n.ctx, ast.Store)}
    return None


def _may_be(place: Place, target: Place, source: Source) -> bool:
    """Whether a target may be the same memory: the same field, or an element of the same array."""
    if isinstance(place, ast.Attribute) or isinstance(target, ast.Attribute):
        return source.text(place) == source.text(target)
    if source.text(place.value) != source.text(target.value):
        return False
    indices = _constant(place.slice), _constant(target.slice)
    return None in indices or indices[0] == indices[1]


def _constant(index: ast.expr) -> object:
    """The number that an index is; None if it is none."""
    try:
        return ast.literal_eval(index)
    except ValueError:
        return None


def _read(name: str, statement: _Statement, same: bool) -> ast.expr | None:
    """Where a statement stores what `name` refers to or, if that certainly was written over, reads
    anything of it; None if it does not."""
    if same:
        nodes = _own(statement.node)
        return next((n for n in nodes if n.id == name and isinstance(n.ctx, ast.Load)), None)
    for target, value in statement.pairs:
        is_stored = isinstance(target, ast.Subscript | ast.Attribute)
        if is_stored and isinstance(value, ast.Name) and value.id == name:
            return value
    return None


def _is_written_through(name: str, statement: _Statement) -> bool:
    """Whether a statement assigns to a part of what `name` refers to, as `name.x = 1` does."""
    for node in ast.walk(statement.node):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            root: ast.expr = node
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            if isinstance(root, ast.Name) and root.id == name:
                return True
    return False


def _own(statement: ast.stmt) -> list[ast.Name]:
    """The names in a statement, without those of the blocks in it."""
    inside = {
        id(part)
        for name in ("body", "orelse")
        for block in getattr(statement, name, [])
        for part in ast.walk(block)
    }
    return [n for n in ast.walk(statement) if isinstance(n, ast.Name) and id(n) not in inside]


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _follows(first: _Statement, second: _Statement) -> bool:
    """Whether what comes later in the source may be run after `first`, without a loop's help: it is
    not in the other branch of an `if`, and no jump ends what is run in between."""
    shared = 0
    for (_, a), (_, b) in zip(first.blocks, second.blocks, strict=False):
        if a is not b:
            break
        shared += 1
    inner, outer = first.blocks[shared:], second.blocks[shared:]
    if inner and outer and inner[0][0] is outer[0][0] and isinstance(inner[0][0], ast.If):
        return False
    return not any(isinstance(block[-1], _JUMPS) for _, block in inner)


def _doubt(
    bound: _Statement,
    name: str,
    place: Place,
    target: ast.expr,
    read: ast.expr,
    later: Sequence[_Statement],
    source: Source,
) -> Doubt:
    text = source.text(place)
    span = source.span(target)
    fix = f"write `{name} = {text}.copy()` at line {source.span(bound.node).line}"
    swapped = _swapped(name, place, later, source)
    if swapped is not None:
        fix = f"write `{text}, {swapped} = {swapped}, {text}` for the three lines"
    warning = SamebitsWarning(
        f"'{name}' refers to {text}, which may be written over here, and is read at line "
        f"{source.span(read).line}",
        span=span,
        note="a name of a struct is no copy: it is what its memory holds by then",
        fix=fix,
    )
    return warning, span


def _swapped(name: str, place: Place, later: Sequence[_Statement], source: Source) -> str | None:
    """The other place where the statements after `name = place` are those of a swap."""
    if len(later) < 2 or not all(len(statement.pairs) == 1 for statement in later[:2]):
        return None
    (first, other), (second, last) = later[0].pairs[0], later[1].pairs[0]
    texts = source.text(first), source.text(second), source.text(last)
    return source.text(other) if texts == (source.text(place), source.text(other), name) else None
