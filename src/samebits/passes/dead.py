"""Dead code: functions that no entry reaches, and operations whose results nothing uses."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from samebits.ir.grammar import (
    OPS,
    For,
    Function,
    If,
    Module,
    Op,
    Region,
    Return,
    Statement,
    Value,
    While,
    can_trap,
    walk,
)
from samebits.ir.once import callees

REMOVABLE = frozenset({"get", "load"}) | {name for name, rule in OPS.items() if rule.pure}
"""Operations that only compute: where they cannot trap, nobody misses them."""


def drop_dead_functions(module: Module, entries: Iterable[str]) -> Module:
    """The functions that `entries` reach, in the order in which they were."""
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
    return replace(function, body=_Sweep(read).region(function.body))


class _Sweep:
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

    def _use(self, *values: Value) -> None:
        for value in values:
            self._used.add(value.op)

    def _statement(self, statement: Statement) -> Statement | None:
        match statement:
            case Op():
                if self._needless(statement):
                    return None
                self._use(*statement.args)
                return statement
            case If():
                orelse = self.region(statement.orelse)
                then = self.region(statement.then)
                if not then and not orelse:
                    return None
                self._use(statement.condition)
                return replace(statement, then=then, orelse=orelse)
            case For():
                orelse = self.region(statement.orelse)
                body = self.region(statement.body)
                self._use(statement.start, statement.stop)
                return replace(statement, body=body, orelse=orelse)
            case While():
                orelse = self.region(statement.orelse)
                body = self.region(statement.body)
                self._use(statement.condition)
                head = self.region(statement.head)
                return replace(statement, head=head, body=body, orelse=orelse)
            case Return():
                self._use(*statement.values)
                return statement
            case _:
                return statement

    def _needless(self, op: Op) -> bool:
        if op.opcode == "set":
            return op.attr not in self._read
        if op.opcode not in REMOVABLE or op.id in self._used:
            return False
        return not can_trap(op)
