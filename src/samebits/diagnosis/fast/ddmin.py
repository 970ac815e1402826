"""A smallest set of items that passes a test: none of them can be left out.

Owns the search alone: what items are, and what passes, is the caller's. A test is expensive and
its answer is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class BudgetSpent(Exception):
    """The search was stopped; what was found so far stands in the search."""


class MinimalSet(Generic[T]):
    """One search. `passes` may raise BudgetSpent; `best` is then the smallest set known to pass.

    If more items never make a passing set fail, k items out of n are found in about k·log2(n)
    tests, and those that come first are preferred. If they sometimes do, the result is minimal all
    the same, for which more tests are needed (Zeller and Hildebrandt's ddmin, IEEE Transactions on
    Software Engineering 28, 2002).
    """

    def __init__(self, items: Sequence[T], passes: Callable[[frozenset[T]], bool]) -> None:
        self._items = list(dict.fromkeys(items))
        self._ask = passes
        self._known: dict[frozenset[T], bool] = {}
        self.best: list[T] | None = None
        self.is_minimal = False

    def passes(self, items: Sequence[T]) -> bool:
        """Whether these pass."""
        key = frozenset(items)
        if key not in self._known:
            self._known[key] = self._ask(key)
        if self._known[key] and (self.best is None or len(key) < len(self.best)):
            self.best = [item for item in self._items if item in key]
        return self._known[key]

    def run(self) -> list[T] | None:
        """A minimal set in the order of the items; None where not even all of them pass."""
        if not self.passes(self._items):
            return None
        found = self._by_prefixes()
        if found is None:
            assert self.best is not None
            found = self._ddmin(self.best)
        found = self._without_needless(found)
        self.is_minimal = True
        return found

    def _by_prefixes(self) -> list[T] | None:
        """Item after item that is needed beside those before it, each found by bisection; None
        where the tests contradict one another."""
        needed: list[T] = []
        rest = self._items
        while not self.passes(needed):
            low, high = 0, len(rest)  # the first `high` of the rest pass, the first `low` do not
            while high - low > 1:
                middle = (low + high) // 2
                if self.passes([*rest[:middle], *needed]):
                    high = middle
                else:
                    low = middle
            if not high or not self.passes([*rest[:high], *needed]):
                return None
            needed = [rest[high - 1], *needed]
            rest = rest[: high - 1]
        return needed

    def _ddmin(self, items: list[T]) -> list[T]:
        parts = 2
        while len(items) > 1:
            size = -(-len(items) // parts)
            chunks = [items[i : i + size] for i in range(0, len(items), size)]
            smaller = next(filter(self.passes, chunks), None)
            if smaller is not None:
                items, parts = smaller, 2
                continue
            others = ([x for x in items if x not in chunk] for chunk in chunks)
            smaller = next(filter(self.passes, others), None)
            if smaller is not None:
                items, parts = smaller, max(2, parts - 1)
            elif parts < len(items):
                parts = min(len(items), 2 * parts)
            else:
                break
        return items

    def _without_needless(self, items: list[T]) -> list[T]:
        """`items` but for those without which they pass, one by one, until none is left."""
        rest: list[T] | None = items
        while rest is not None:
            items = rest
            rests = ([x for x in items if x != item] for item in items)
            rest = next(filter(self.passes, rests), None)
        return items
