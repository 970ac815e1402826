"""The groups of functions of a module that recurse with one another."""

from __future__ import annotations

from collections.abc import Mapping

from samebits.ir.grammar import Function
from samebits.ir.once import callees


def recursive_groups(functions: Mapping[str, Function]) -> dict[str, frozenset[str]]:
    """For each function with `recursion` those that it calls, through others too, and that call it;
    itself among them."""
    names = [name for name, function in functions.items() if function.recursion]
    reached = {name: _reached(name, functions) for name in names}
    return {
        name: frozenset({name, *(n for n in reached[name] & reached.keys() if name in reached[n])})
        for name in names
    }


def _reached(name: str, functions: Mapping[str, Function]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for callee in callees(functions[waiting.pop()]):
            if callee not in found and callee in functions:
                found.add(callee)
                waiting.append(callee)
    return found
