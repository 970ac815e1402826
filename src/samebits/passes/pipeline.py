"""The passes in order. Each takes valid IR and leaves valid IR, and none changes its input."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import count

from samebits.ir.grammar import For, Function, If, Module, Op, While, walk
from samebits.passes.dead import drop_dead_functions, drop_dead_operations
from samebits.passes.goals import goal_of
from samebits.passes.ranges import check_ranges
from samebits.passes.unchecked import trust
from samebits.passes.versioning import Versioning


def optimise(module: Module, entries: Sequence[str]) -> Module:
    """A module that does the same as `module` when entered by `entries`: the same values and
    memory, the same trap at the same span with the same memory before it.

    Functions that `entries` do not reach are gone. Raises KeyError for an unknown entry.
    """
    reached = drop_dead_functions(module, entries)
    versioned = goal_of(module, entries) == "speed"
    functions = {
        name: optimise_function(f, versioned=versioned) for name, f in reached.functions.items()
    }
    return Module(functions, reached.tables)


def optimise_function(function: Function, *, versioned: bool = True) -> Function:
    """One function without the checks that are shown to be needless, loops split where it pays
    if `versioned`."""
    if not function.options.bounds_check:
        function = trust(function)
    if not versioned:
        return drop_dead_operations(check_ranges(function))
    fresh = count(1 + max((s.id for s in walk(function.body) if isinstance(s, _NUMBERED)),
                          default=-1))  # fmt: skip
    return drop_dead_operations(Versioning(function, fresh).run())


_NUMBERED = (Op, If, For, While)
