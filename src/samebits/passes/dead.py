"""Dead code: functions that no entry reaches, and operations whose results nothing uses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from samebits.ir.grammar import (
    OPS,
    Function,
    If,
    Module,
    Op,
    Region,
    Statement,
    While,
    can_trap,
    regions,
    walk,
)
from samebits.ir.once import callees
from samebits.ir.rewrite import operands, with_regions

REMOVABLE = frozenset({"get", "load"}) | {name for name, rule in OPS.items() if rule.pure}
"""Operations that only compute: removable when they cannot trap."""


def drop_dead_functions(module: Module, entries: Iterable[str]) -> Module:
    """The functions that `entries` reach, in their order."""
    alive: set[str] = set()
    waiting = list(entries)
    while waiting:
        name = waiting.pop()
        if name in alive:
            continue
        alive.add(name)
        waiting += callees(module.functions[name])
    functions = {name: f for name, f in module.functions.items() if name in alive}
    return Module(functions, module.tables)


def drop_dead_operations(function: Function) -> Function:
    """The function without operations that compute what nothing uses, and without stores into
    slots that nothing reads."""
    read = {str(s.attr) for s in walk(function.body) if isinstance(s, Op) and s.opcode == "get"}
    return replace(function, body=_BackwardWalk(read).region(function.body))


class _BackwardWalk:
    """Walks backwards, so that every use is seen before what it uses."""

    def __init__(self, read: set[str]) -> None:
        self._read = read
        self._used: set[int] = set()

    def region(self, region: Region) -> Region:
        kept: Region = []
        for statement in reversed(region):
            rewritten = self._statement(statement)
            if rewritten is not None:
                kept.append(rewritten)
        kept.reverse()
        return kept

    def _statement(self, statement: Statement) -> Statement | None:
        if isinstance(statement, Op):
            if self._needless(statement):
                return None
            self._use(statement)
            return statement
        if isinstance(statement, While):  # whose head computes what it uses
            self._use(statement)
        made = [self.region(region) for region in reversed(regions(statement))]
        if isinstance(statement, If) and not any(made):
            return None
        self._use(statement)
        return with_regions(statement, made[::-1])

    def _use(self, statement: Statement) -> None:
        self._used.update([value.op for value in operands(statement)])

    def _needless(self, op: Op) -> bool:
        if op.opcode == "set":
            return op.attr not in self._read
        if op.opcode not in REMOVABLE or op.id in self._used:
            return False
        return not can_trap(op)
