"""A smallest collection of sets of edits that passes, where fewer edits may fail to compile.

Owns the order of the tests. A name that is used only where it is made needs both edits or neither:
leaving out one at a time would keep them for ever. So of few sets all collections are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from itertools import combinations

from samebits.diagnosis.fast.ddmin import BudgetSpent, MinimalSet

FEW = 4
"""Sets of which all collections are tried, the smaller ones first."""
Edits = frozenset[int]


def union(sets: Collection[Edits]) -> Edits:
    """All edits of some sets."""
    return frozenset[int]().union(*sets)


class Smallest:
    """One search over sets. `passes` takes the edits of a collection, and may raise BudgetSpent:
    `best` is then the smallest collection known to pass."""

    def __init__(self, sets: Sequence[Edits], passes: Callable[[Edits], bool]) -> None:
        self._sets = list(sets)
        self._passes = passes
        self.best: list[Edits] | None = None
        self.is_minimal = False

    def run(self) -> list[Edits] | None:
        """A collection from which none can be left out; None where not even all sets pass."""
        try:
            self._run()
        except BudgetSpent:
            return self.best
        self.is_minimal = self.best is not None
        return self.best

    def _run(self) -> None:
        if not self._passes(union(self._sets)):
            return
        self.best = self._sets
        if len(self.best) > FEW:
            search = MinimalSet(self._sets, lambda some: self._passes(union(some)))
            try:
                search.run()
            finally:
                self.best = search.best or self.best
        if len(self.best) <= FEW:
            self._smaller(self.best)

    def _smaller(self, sets: Sequence[Edits]) -> None:
        for size in range(1, len(sets)):
            for some in combinations(sets, size):
                if self._passes(union(some)):
                    self.best = list(some)
                    return
