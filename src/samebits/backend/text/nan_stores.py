"""Stores whose NaN is canonicalised after the store: those on a loop-carried path.

A store to the same address in every iteration carries a dependence, and its loop is not vectorised.
Its latency is then the loop's, so the store does not wait for the NaN test.
"""

from __future__ import annotations

from samebits.ir.grammar import For, Function, Op, Region, Value, While, regions, walk


def serial_stores(function: Function) -> set[int]:
    """Ids of the stores in innermost loops that have a loop-invariant address."""
    found: set[int] = set()
    _search(function.body, None, found)
    return found


_SAME_IF_OPERANDS_ARE = {"field", "component", "element", "view", "convert"}
_ALWAYS_SAME = {"const", "local", "table"}


def _search(region: Region, inside: _InnermostLoop | None, found: set[int]) -> None:
    for statement in region:
        if isinstance(statement, Op):
            if inside is not None:
                inside.see(statement)
        elif isinstance(statement, For | While):
            slot = {statement.slot} if isinstance(statement, For) else set[str]()
            loop = _InnermostLoop(slot | _slots_set(statement))
            for inner in regions(statement):
                _search(inner, loop, found)
            if loop.is_serial:
                found |= loop.stores
        else:
            for inner in regions(statement):
                _search(inner, inside, found)


def _slots_set(statement: For | While) -> set[str]:
    sets: set[str] = set()
    for region in regions(statement):
        for inner in walk(region):
            if isinstance(inner, Op) and inner.opcode == "set":
                sets.add(str(inner.attr))
            elif isinstance(inner, For):
                sets.add(inner.slot)
    return sets


class _InnermostLoop:
    """The values of an innermost loop that change from iteration to iteration."""

    def __init__(self, changing_slots: set[str]) -> None:
        self._slots = changing_slots
        self._changing: set[tuple[int, int]] = set()
        self.stores: set[int] = set()
        self.is_serial = False

    def is_steady(self, value: Value) -> bool:
        return (value.op, value.index) not in self._changing

    def see(self, op: Op) -> None:
        if op.opcode == "store":
            self.stores.add(op.id)
            self.is_serial = self.is_serial or self.is_steady(op.args[0])
        steady = (
            op.opcode in _ALWAYS_SAME
            or (op.opcode == "get" and op.attr not in self._slots)
            or (op.opcode in _SAME_IF_OPERANDS_ARE and all(map(self.is_steady, op.args)))
        )
        if not steady:
            self._changing.update((result.op, result.index) for result in op.results)
