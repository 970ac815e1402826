"""Caches of what is made of functions, by identity: no function changes once it is lowered.

The math library's come to every module as the same objects, and what is made of each is made once
in a process. What is made of a whole module is kept for the last few. Knows nothing of content.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar

from samebits.ir.grammar import CALLS, Function, Module, Op, walk

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


MOST_KEPT = 8
"""The modules of which a kind of result is kept: one kernel is compiled for several targets and
levels in turn, and seldom others in between."""


class Lately(Generic[T]):
    """One kind of result, of the last modules that had it made.

    Each call of a kernel links a new module of the same functions: a result is kept for the very
    functions and tables, in their order, and a further key. None of them may change afterwards.
    """

    def __init__(self) -> None:
        self._made: OrderedDict[tuple[Any, ...], tuple[list[Any], T]] = OrderedDict()

    def of(self, module: Module, make: Callable[[], T], also: Hashable = None) -> T:
        """The result of `make` for `module` and `also`."""
        parts: list[Any] = [*module.tables.values()]
        for function in module.functions.values():  # an editor of functions gives them new bodies
            parts += function, function.body, function.options
        key = (*module.functions, "", *module.tables, *map(id, parts), also)
        found = self._made.pop(key, None)
        if found is None:
            found = parts, make()  # what is kept is alive: no other object has its identity
            if len(self._made) >= MOST_KEPT:
                self._made.popitem(last=False)
        self._made[key] = found
        return found[-1]


_CALLEES: Once[tuple[str, ...]] = Once()


def callees(function: Function) -> tuple[str, ...]:
    """The names of the functions that a function calls, each once, in order."""
    calls = (s for s in walk(function.body) if isinstance(s, Op) and s.opcode in CALLS)
    return _CALLEES.of(function, lambda: tuple(dict.fromkeys(str(op.attr) for op in calls)))
