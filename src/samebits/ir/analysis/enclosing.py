"""The position of each statement of a function: the statements around it, and their regions.

Knows one function, and nothing of what happened when it ran.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from samebits.ir.grammar import (
    Break,
    Continue,
    For,
    Function,
    If,
    Numbered,
    Region,
    Return,
    Statement,
    regions,
    walk,
)


class Spot(NamedTuple):
    """Statement `at` of a region: of branch `branch` of the statement `around`, or the body."""

    around: int | None
    branch: int
    region: Region
    at: int


class Layout:
    """An index of one function's statements by id."""

    def __init__(self, function: Function) -> None:
        self.statements: dict[int, Numbered] = {}
        self.spots: dict[int, tuple[Spot, ...]] = {}
        """From the function's body down to each statement."""
        for spots in _spots(function.body, None, 0, ()):
            statement = spots[-1].region[spots[-1].at]
            if isinstance(statement, Numbered):
                self.statements[statement.id] = statement
                self.spots[statement.id] = spots

    def loops_around(self, statement: int) -> tuple[For, ...]:
        """The loops over ranges around a statement, the outermost first."""
        around = [self.statements[s.around] for s in self.spots[statement] if s.around is not None]
        branches = [s.branch for s in self.spots[statement][1:]]
        return tuple(
            loop
            for loop, branch in zip(around, branches, strict=True)
            if isinstance(loop, For) and branch == 0
        )


def _spots(
    region: Region, around: int | None, branch: int, outside: tuple[Spot, ...]
) -> Iterator[tuple[Spot, ...]]:
    for index, statement in enumerate(region):
        spots = (*outside, Spot(around, branch, region, index))
        yield spots
        for number, inner in enumerate(regions(statement)):
            assert isinstance(statement, Numbered)
            yield from _spots(inner, statement.id, number, spots)


def leaves_region(statement: Statement) -> bool:
    """Whether control can go from an `if` elsewhere than to the statement after it."""
    return isinstance(statement, If) and any(
        isinstance(inner, Break | Continue | Return) for inner in walk([statement])
    )


def around(function: Function) -> Iterator[tuple[Statement, tuple[Statement, ...]]]:
    """Every statement with those around it, the outermost first."""

    def inside(
        region: Region, outer: tuple[Statement, ...]
    ) -> Iterator[tuple[Statement, tuple[Statement, ...]]]:
        for statement in region:
            yield statement, outer
            for inner in regions(statement):
                yield from inside(inner, (*outer, statement))

    yield from inside(function.body, ())
