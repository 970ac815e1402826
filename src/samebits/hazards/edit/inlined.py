"""Kernels with small functions in the place of their calls, as optimising compilers have them.

What a compiler does across a call, such as fusing a product that a function returns, is then within
one expression. Statements keep their spans.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from samebits.hazards.edit.function_editor import guarded
from samebits.ir.grammar import (
    For,
    Function,
    HostFunction,
    Module,
    Op,
    Region,
    Return,
    Statement,
    Value,
    walk,
)
from samebits.ir.refs import is_own
from samebits.ir.rewrite import clone, fresh_ids, map_region, with_operands

_MOST = 4_000
"""Statements that a function grows to at most."""
_SLOTS = frozenset({"get", "set"})
_APART = frozenset({"local", "parallel", "print", "trace"})
"""Operations that keep a function apart."""


def inlined(kernels: Module) -> Module:
    """The kernels with calls of the user's own functions replaced by what these do, where they end
    in their only return and have no memory of their own; nothing demands vectors any more."""
    kernels = guarded(kernels)
    made = dict(kernels.functions)
    for name in kernels.functions:  # callees come first
        if is_own(name):
            made[name] = _Inliner(made, made[name]).done()
    return Module(made, kernels.tables)


def _is_simple(function: Function) -> bool:
    if isinstance(function, HostFunction) or function.recursion or function.locals:
        return False
    statements = list(walk(function.body))
    returns = [s for s in statements if isinstance(s, Return)]
    if len(returns) != 1 or function.body[-1] is not returns[0]:
        return False
    return not any(
        (isinstance(s, Op) and s.opcode in _APART) or (isinstance(s, For) and s.lanes)
        for s in statements
    )


class _Inliner:
    """Calls in one function, replaced."""

    def __init__(self, functions: dict[str, Function], function: Function) -> None:
        self._functions = functions
        self._function = replace(function, slots=dict(function.slots))
        self._ids = fresh_ids(function)
        self._size = sum(1 for _ in walk(function.body))
        self._renamed: dict[tuple[int, int], Value] = {}
        self._calls = 0

    def done(self) -> Function:
        body = map_region(self._function.body, self._changed)
        if not self._calls:
            return self._function
        body = map_region(body, lambda s: [with_operands(s, self._value)])
        return replace(self._function, body=body)

    def _value(self, value: Value) -> Value:
        while (value.op, value.index) in self._renamed:
            value = self._renamed[value.op, value.index]
        return value

    def _changed(self, statement: Statement) -> Region:
        if not isinstance(statement, Op) or statement.opcode != "call":
            return [statement]
        name = str(statement.attr)
        callee = self._functions[name]
        size = sum(1 for _ in walk(callee.body))
        if not is_own(name) or not _is_simple(callee) or self._size + size > _MOST:
            return [statement]
        self._size += size
        return list(self._body(statement, callee))

    def _body(self, call: Op, callee: Function) -> Iterator[Statement]:
        prefix = f".{self._calls}."
        self._calls += 1
        *body, last = clone(callee.body, self._ids)
        assert isinstance(last, Return)
        written = {s.attr for s in walk(body) if isinstance(s, Op) and s.opcode == "set"}
        given: dict[str, Value] = {}
        for (slot, t), value in zip(callee.params, call.args, strict=True):
            if slot in written:
                self._function.slots[prefix + slot] = t
                yield Op(next(self._ids), "set", (value,), prefix + slot, (), call.span)
            else:
                given[slot] = value
        self._function.slots.update({prefix + slot: t for slot, t in callee.slots.items()})
        yield from map_region(body, lambda s: self._inside(s, prefix, given))
        for result, value in zip(call.results, last.values, strict=True):
            self._renamed[result.op, result.index] = value

    def _inside(self, s: Statement, prefix: str, given: Mapping[str, Value]) -> Region:
        """A statement of the callee: slots by their new names, parameters by what is given."""
        match s:
            case Op(opcode="get") if s.attr in given:
                self._renamed[s.id, 0] = given[str(s.attr)]
                return []
            case Op() if s.opcode in _SLOTS:
                return [replace(s, attr=f"{prefix}{s.attr}")]
            case For():
                return [replace(s, slot=prefix + s.slot)]
            case _:
                return [s]
