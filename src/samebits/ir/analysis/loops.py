"""The operations that decide a loop's trip count, and the functions that run inside loops.

Owns a backward slice within a function. A changed build has to end, because it runs in the process
that compares.
"""

from __future__ import annotations

from collections import defaultdict

from samebits.ir.analysis.enclosing import around
from samebits.ir.grammar import CALLS, For, Function, Module, Numbered, Op, Value, While, walk


def deciding(function: Function) -> set[int]:
    """The operations whose results reach a bound of a `for` or the condition of a `while`, through
    values and slots, and every statement inside a `while`."""
    makers: dict[int, Op] = {}
    setters: dict[str, list[Op]] = defaultdict(list)
    wanted: list[Value] = []
    for statement in walk(function.body):
        match statement:
            case Op():
                makers[statement.id] = statement
                if statement.opcode == "set":
                    setters[str(statement.attr)].append(statement)
            case For():
                wanted += [statement.start, statement.stop]
            case While():
                wanted.append(statement.condition)
            case _:
                pass
    seen: set[int] = set()
    while wanted:
        op = makers[wanted.pop().op]
        if op.id in seen:
            continue
        seen.add(op.id)
        wanted += op.args
        if op.opcode == "get":
            for setter in setters[str(op.attr)]:
                seen.add(setter.id)
                wanted += setter.args
    return _in_whiles(function) | seen


def _in_whiles(function: Function) -> set[int]:
    """Every statement inside a `while`, but those that run when it ends."""
    return {
        inner.id
        for loop in walk(function.body)
        if isinstance(loop, While)
        for inner in (*walk(loop.head), *walk(loop.body))
        if isinstance(inner, Numbered)
    }


def endless(module: Module) -> set[str]:
    """The functions called in a `while`, and their callees."""
    found: set[str] = set()
    for function in reversed(list(module.functions.values())):
        inside = _in_whiles(function)
        found |= {
            str(op.attr)
            for op in walk(function.body)
            if isinstance(op, Op) and op.opcode in CALLS
            if function.name in found or op.id in inside
        }
    return found


def called_by_loops(module: Module) -> tuple[set[str], set[str]]:
    """The functions called in loops, and those called in parallel ranges, each with callees."""
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
