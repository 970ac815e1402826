"""A cache of analyses of the math library's functions, each made once in a process.

The functions come to every module as the same objects, which do not change. Owns which ones these
are, and keeps the results of others; knows nothing of their content.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from samebits.ir.grammar import CALLS, Function, Op, walk

T = TypeVar("T")

LIBRARY = "samebits.mathlib."
"""Prefix of the names of the math library's functions and modules."""


def is_library(name: str) -> bool:
    """Whether a function or module of this name is the math library's."""
    return name.startswith(LIBRARY)


class Once(Generic[T]):
    """One kind of result, by a function's name and a further key.

    A result is kept for the very object that it was computed from; another one of the same name, as
    a diagnosis makes them, replaces it.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[str, Hashable], tuple[Function, T]] = {}

    def of(self, function: Function, make: Callable[[], T], also: Hashable = None) -> T:
        """The result of `make` for `function` and `also`; computed anew for functions outside the
        library."""
        if not is_library(function.name):
            return make()
        found = self._made.get((function.name, also))
        if found is None or found[0] is not function:
            found = self._made[function.name, also] = function, make()
        return found[1]


_CALLEES: Once[tuple[str, ...]] = Once()


def callees(function: Function) -> tuple[str, ...]:
    """The names of the functions that a function calls, each once, in order."""
    calls = (s for s in walk(function.body) if isinstance(s, Op) and s.opcode in CALLS)
    return _CALLEES.of(function, lambda: tuple(dict.fromkeys(str(op.attr) for op in calls)))
