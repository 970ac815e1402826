"""The branch at which two runs diverge although every value so far agrees.

Knows the layouts of one function on both sides, and which statements each side came to.
"""

from __future__ import annotations

from typing import NamedTuple

from samebits.ir.analysis.enclosing import Layout, leaves_region
from samebits.ir.grammar import Numbered, Region

END = -1
"""In the stead of a statement's id: the function returned."""


class _Branch(NamedTuple):
    """A region: branch `number` of a statement, or a function's body."""

    of: int | None
    number: int


_BODY = _Branch(None, 0)


def divergent_branch(a: Layout, b: Layout, last: int | None, to_a: int, to_b: int) -> int:
    """The id of what decided: an `if`, a loop, or an operation that one side left out.

    After the statement `last` of a function (None: its beginning) one side came to `to_a` and the
    other to `to_b`, of which one may be END.
    """
    for to, other in ((to_a, b), (to_b, a)):
        if to != END and to not in other.statements:
            return to
    path_a, path_b = _path(a, to_a, b), _path(b, to_b, a)
    branch = _BODY
    for in_a, in_b in zip(path_a, path_b, strict=False):
        if in_a != in_b:
            break
        branch = in_a
    next_a, next_b = _next(path_a, branch, to_a), _next(path_b, branch, to_b)
    if next_a == next_b:
        return next_a  # another branch of it
    before = _index(a, last, branch, otherwise=-1)
    (at_near, near, to_near), (at_far, far, to_far) = sorted([
        (_index(a, to_a, branch), next_a, to_a), (_index(a, to_b, branch), next_b, to_b)
    ])  # fmt: skip
    if at_near == before and near != to_near:  # one stays in a statement that the other leaves
        return _left(a, last, near, to_near)
    if at_near > before:
        left = _leaving(a, branch, before, at_near) if to_far == END else None
        return near if left is None else left
    left = _leaving(a, branch, before, at_far)  # one side has begun another iteration
    return far if left is None else left


def _left(a: Layout, last: int | None, statement: int, to: int) -> int:
    """The branch that decided between `to`, inside a statement, and leaving that statement."""
    branch = next(b for b in _path(a, to, a) if b.of == statement)
    before, at = _index(a, last, branch, otherwise=-1), _index(a, to, branch)
    if at <= before:
        return statement  # another iteration
    left = _leaving(a, branch, before, at)
    return _next(_path(a, to, a), branch, to) if left is None else left


def _path(layout: Layout, statement: int, other: Layout) -> list[_Branch]:
    """The branches around a statement, outer ones first, of statements that both sides have."""
    spots = () if statement == END else layout.spots[statement]
    branches = [_Branch(s.around, s.branch) for s in spots if s.around is not None]
    return [branch for branch in branches if branch.of in other.statements]


def _next(path: list[_Branch], branch: _Branch, statement: int) -> int:
    """The statement on the path in a branch."""
    at = 0 if branch == _BODY else path.index(branch) + 1
    found = path[at].of if at < len(path) else statement
    assert found is not None
    return found


def _index(layout: Layout, statement: int | None, branch: _Branch, otherwise: int = 1 << 62) -> int:
    """Which statement of a branch a statement is in."""
    spots = layout.spots.get(END if statement is None else statement, ())
    return next((s.at for s in spots if (s.around, s.branch) == branch), otherwise)


def _leaving(layout: Layout, branch: _Branch, start: int, stop: int) -> int | None:
    """The last `if` between two statements of a branch by which control can leave it."""
    found = None
    for statement in _region(layout, branch)[max(start, 0) : stop]:
        if leaves_region(statement):
            assert isinstance(statement, Numbered)
            found = statement.id
    return found


def _region(layout: Layout, branch: _Branch) -> Region:
    spots = (spot for chain in layout.spots.values() for spot in chain)
    return next(s.region for s in spots if (s.around, s.branch) == branch)
