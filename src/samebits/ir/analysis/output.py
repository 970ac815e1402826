"""The first print or trace of a function, its own or of what it calls."""

from __future__ import annotations

from collections.abc import Callable

from samebits.ir.grammar import Function, Op, walk
from samebits.ir.once import callees, is_library
from samebits.printed import OUTPUT


def first_output(function: Function, callee: Callable[[str], Function]) -> Op | None:
    """The first operation in a function, or in what it calls, that prints or traces; None if there
    is none. `callee` finds functions by name."""
    seen = {function.name}
    waiting = [function]
    while waiting:
        top = waiting.pop()
        if is_library(top.name):
            continue
        for statement in walk(top.body):
            if isinstance(statement, Op) and statement.opcode in OUTPUT:
                return statement
        new = [name for name in callees(top) if name not in seen]
        seen.update(new)
        waiting += map(callee, new)
    return None
