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
from samebits.frontend.aliases.places import Place, Places, items_of
from samebits.frontend.core.source import Source

Doubt = tuple[SamebitsWarning, Span]
"""A warning, and its place."""
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
    places = Places(source)
    statements = [*_statements(source.node.body, source.node, ())]
    for at, bound in enumerate(statements):
        for name, place in _bound(bound, places):
            if name not in references:
                continue
            later = _until_bound(_reached(bound, statements[at + 1 :]), name)
            found = _lost(name, place, later, places)
            if found is not None:
                yield _doubt(bound, name, place, *found, later, source)


def _bound(statement: _Statement, places: Places) -> Iterator[tuple[str, Place]]:
    """The names that a statement has refer to memory, and to which."""
    for target, value in statement.pairs:
        place = places.of(value) if isinstance(target, ast.Name) else None
        if isinstance(target, ast.Name) and place is not None and place.steps:
            yield target.id, place
    if isinstance(statement.node, ast.For):
        for name, array, index in items_of(statement.node.target, statement.node.iter):
            place = places.of(array)
            if place is not None:
                yield name, places.element(place, index)


def _reached(bound: _Statement, later: Sequence[_Statement]) -> Sequence[_Statement]:
    """The statements in which a name has what `bound` gives it: of a loop those inside."""
    if not isinstance(bound.node, ast.For):
        return later
    inside = (bound.node, bound.node.body)
    return [s for s in later if any(owner is inside[0] and block is inside[1]
                                    for owner, block in s.blocks)]  # fmt: skip


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
    name: str, place: Place, later: Sequence[_Statement], places: Places
) -> tuple[ast.expr, ast.expr] | None:
    """The target that may write over `place`, and the name read after it; None if none is."""
    changed: set[str] = set()
    for at, statement in enumerate(later):
        for target, value in statement.pairs:
            if isinstance(value, ast.Name) and value.id == name:
                continue
            if not isinstance(target, ast.Subscript | ast.Attribute):
                continue
            written = places.of(target)
            if written is not None and place.may_lie_in(written):
                same = place.lies_in(written) and not changed & place.names
                for other in later[at + 1 :]:
                    if _is_written_through(name, other):
                        break  # it is meant as a name of what the memory holds
                    read = _read(name, other, same)
                    if read is not None and _follows(statement, other):
                        return target, read
        changed |= {n.id for n in _own(statement.node) if isinstance(n.ctx, ast.Store)}
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
    span = source.span(target)
    line = source.span(bound.node).line
    if isinstance(bound.node, ast.For):
        fix = (
            f"write `own = {name}.copy()` first in the loop at line {line}, and `own` for `{name}`"
        )
    else:
        written = next(value for t, value in bound.pairs if source.text(t) == name)
        fix = f"write `{name} = {source.text(written)}.copy()` at line {line}"
        swapped = _swapped(name, source.text(written), later, source)
        if swapped is not None:
            text = source.text(written)
            fix = f"write `{text}, {swapped} = {swapped}, {text}` for the three lines"
    warning = SamebitsWarning(
        f"'{name}' refers to {place}, which may be written over here, and is read at line "
        f"{source.span(read).line}",
        span=span,
        note="a name of a struct is no copy: it is what its memory holds by then",
        fix=fix,
    )
    return warning, span


def _swapped(name: str, text: str, later: Sequence[_Statement], source: Source) -> str | None:
    """The other place where the statements after `name = text` are those of a swap."""
    if len(later) < 2 or not all(len(statement.pairs) == 1 for statement in later[:2]):
        return None
    (first, other), (second, last) = later[0].pairs[0], later[1].pairs[0]
    texts = source.text(first), source.text(second), source.text(last)
    return source.text(other) if texts == (text, source.text(other), name) else None
