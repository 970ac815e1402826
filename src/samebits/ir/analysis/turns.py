"""Which functions run in the turns of loops: called in a loop's body, or by a parallel range."""

from __future__ import annotations

from samebits.ir.analysis.enclosing import around
from samebits.ir.grammar import CALLS, For, Module, Op, While


def called_by_loops(module: Module) -> tuple[set[str], set[str]]:
    """The functions that loops call, and those that parallel ranges do, callees included."""
    repeated: set[str] = set()
    parallel: set[str] = set()
    for function in reversed(list(module.functions.values())):
        for op, outer in around(function):
            if not isinstance(op, Op) or op.opcode not in CALLS:
                continue
            callee = str(op.attr)
            if op.opcode == "parallel" or function.name in parallel:
                parallel.add(callee)
            if function.name in repeated or any(isinstance(s, For | While) for s in outer):
                repeated.add(callee)
    return repeated, parallel
