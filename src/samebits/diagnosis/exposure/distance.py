"""The least number of steps from an operation's result to the hashed state.

A step is an operation that uses the result. Memory of a call alone is followed by name; memory that
a kernel was given counts as state. Knows the typed IR alone.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterator
from itertools import chain
from typing import Literal

from samebits.ir.grammar import (
    CALLS,
    Break,
    Continue,
    For,
    Function,
    If,
    Module,
    Op,
    Return,
    Statement,
    Value,
    While,
    regions,
    walk,
)
from samebits.ir.refs import OpRef
from samebits.types import ArrayType, RefType

_Node = tuple[str, str, object]
"""A kind, its function, and which it is: a "value", "slot", "memory", "result" or "branch"; what
references of a slot lead "to" and what comes "from" there, one node for all of it; "state"."""

_STATE: _Node = ("state", "", None)


class StateDistance:
    """The distances of all operations of linked `kernels` from the state."""

    def __init__(self, kernels: Module) -> None:
        self._kernels = kernels
        self._before: defaultdict[_Node, list[tuple[_Node, int]]] = defaultdict(list)
        for function in kernels.functions.values():
            _Edges(function, kernels, self._before).run()
        self._distance = self._settled()

    def steps(self, place: OpRef) -> int | None:
        """From the result of the operation at `place`; None where it leads nowhere."""
        found = self._distance.get(("value", place.function, (place.op, 0)))
        if found is None:
            found = self._distance.get(("branch", place.function, place.op))
        return found

    def _settled(self) -> dict[_Node, int]:
        """Dijkstra's algorithm, from the state backwards."""
        distance: dict[_Node, int] = {}
        order = 0
        heap: list[tuple[int, int, _Node]] = [(0, order, _STATE)]
        while heap:
            steps, _, node = heapq.heappop(heap)
            if node in distance:
                continue
            distance[node] = steps
            for source, cost in self._before[node]:
                if source not in distance:
                    order += 1
                    heapq.heappush(heap, (steps + cost, order, source))
        return distance


class _Edges:
    """The uses of the values of one function."""

    def __init__(
        self,
        function: Function,
        kernels: Module,
        before: defaultdict[_Node, list[tuple[_Node, int]]],
    ) -> None:
        self._function = function
        self._kernels = kernels
        self._before = before
        self._params = {name for name, _ in function.params}
        self._made = {s.id: s for s in walk(function.body) if isinstance(s, Op)}
        self._sets: defaultdict[str, list[Value]] = defaultdict(list)
        for op in self._made.values():
            if op.opcode == "set":
                self._sets[str(op.attr)].append(op.args[0])

    def run(self) -> None:
        for statement in walk(self._function.body):
            self._statement(statement)
        for slot in self._params:
            self._edge(("to", self._function.name, slot), _STATE, 0)
        for slot, values in self._sets.items():
            for value in values:
                if isinstance(value.type, RefType | ArrayType):
                    self._reference(slot, value)

    def _reference(self, slot: str, value: Value) -> None:
        """A slot that holds a reference, perhaps among others."""
        target, source = self._memory(value, "to"), self._memory(value, "from")
        if target is not None and source is not None:
            self._edge(("to", self._function.name, slot), target, 0)
            self._edge(source, ("from", self._function.name, slot), 0)

    def _edge(self, source: _Node, target: _Node, cost: int) -> None:
        self._before[target].append((source, cost))

    def _value(self, value: Value) -> _Node:
        return "value", self._function.name, (value.op, value.index)

    def _slot(self, name: str) -> _Node:
        return "slot", self._function.name, name

    def _statement(self, statement: Statement) -> None:
        match statement:
            case Op():
                self._op(statement)
            case If() | While():
                self._branch(statement, statement.condition)
            case For():
                self._branch(statement, statement.start)
                self._branch(statement, statement.stop)
                self._edge(self._value(statement.start), self._slot(statement.slot), 0)
            case Return():
                for k, value in enumerate(statement.values):
                    self._edge(self._value(value), ("result", self._function.name, k), 0)
            case _:
                pass

    def _branch(self, statement: If | While | For, value: Value) -> None:
        """What a condition decides is what the regions set and store."""
        node: _Node = ("branch", self._function.name, statement.id)
        self._edge(self._value(value), node, 1)
        for inner in chain.from_iterable(map(walk, regions(statement))):
            for target in self._effects(inner):
                self._edge(node, target, 1)

    def _effects(self, statement: Statement) -> Iterator[_Node]:
        """The effects of a statement that happens at all."""
        match statement:
            case Op(opcode="set", attr=slot):
                yield self._slot(str(slot))
            case Op(opcode="store" | "copy" | "zero", args=(target, *_)):
                root = self._memory(target, "to")
                if root is not None:
                    yield root
            case Op(opcode="call" | "parallel", args=args):
                if any(isinstance(v.type, RefType | ArrayType) for v in args):
                    yield _STATE
            case Return(values=values):
                yield from (("result", self._function.name, k) for k in range(len(values)))
                if not values:
                    yield _STATE
            case Break() | Continue():
                yield _STATE
            case _:
                pass

    def _op(self, op: Op) -> None:
        match op.opcode:
            case "get":
                self._edge(self._slot(str(op.attr)), self._value(op.result), 0)
            case "set":
                self._edge(self._value(op.args[0]), self._slot(str(op.attr)), 0)
            case "store":
                root = self._memory(op.args[0], "to")
                if root is not None:
                    self._edge(self._value(op.args[1]), root, 1)
            case "copy":
                root, source = self._memory(op.args[0], "to"), self._memory(op.args[1], "from")
                if root is not None and source is not None:
                    self._edge(source, root, 1)
            case "load":
                root = self._memory(op.args[0], "from")
                if root is not None:
                    self._edge(root, self._value(op.result), 0)
                self._edge(self._value(op.args[0]), self._value(op.result), 1)
            case opcode if opcode in CALLS:
                self._call(op)
            case _:
                for value in op.args:
                    for result in op.results:
                        self._edge(self._value(value), self._value(result), 1)
                    if not op.results:  # a check, whose trap is an answer too
                        self._edge(self._value(value), _STATE, 2)
        if op.opcode == "call":
            for k, result in enumerate(op.results):
                self._edge(("result", str(op.attr), k), self._value(result), 0)

    def _call(self, op: Op) -> None:
        callee = self._kernels.functions[str(op.attr)]
        given = op.args if op.opcode == "call" else (op.args[0], op.args[1], *op.args[3:])
        for value, (param, _) in zip(given, callee.params, strict=False):
            self._edge(self._value(value), ("slot", callee.name, param), 0)

    def _memory(self, reference: Value, way: Literal["to", "from"]) -> _Node | None:
        """The memory that a reference leads to, or comes from: some of this call's own, or what a
        slot refers to; None for a table."""
        op = self._made[reference.op]
        while op.opcode not in ("local", "table", "get"):
            op = self._made[op.args[0].op]
        if op.opcode == "table":
            return None
        return "memory" if op.opcode == "local" else way, self._function.name, op.attr
