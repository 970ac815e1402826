"""Stores whose NaN is canonicalised after the store: those in loops that are better not vectorised.

A store to the same address in every iteration carries a dependence, and its loop is not vectorised;
nor is one whose stores go where numbers in memory say, two of which may be the same place. The
latency of a store is then the loop's, so it does not wait for the NaN test. Fields of structs lie
too far from those of the next iteration: LLVM would put them together one by one to test a vector
for NaN, where the fields of one struct are neighbours.
"""

from __future__ import annotations

from samebits.ir.grammar import For, Function, Op, Region, Value, While, regions, walk
from samebits.types import ScalarType


def serial_stores(function: Function) -> tuple[set[int], set[int]]:
    """Ids of the stores in innermost loops that store at a loop-invariant address; and of these and
    those in loops that store into fields of structs or at indices that come from memory."""
    serial: set[int] = set()
    found: set[int] = set()
    _search(function.body, None, serial, found)
    return serial, found


_SAME_IF_OPERANDS_ARE = {"field", "component", "element", "view", "flat", "convert"}
_ALWAYS_SAME = {"const", "local", "table"}
_FREE = {"const", "get"}
_CALL = 20
"""Operations that a call counts as."""


def _search(
    region: Region, inside: _InnermostLoop | None, serial: set[int], found: set[int]
) -> None:
    for statement in region:
        if isinstance(statement, Op):
            if inside is not None:
                inside.see(statement)
        elif isinstance(statement, For | While):
            slot = {statement.slot} if isinstance(statement, For) else set[str]()
            loop = _InnermostLoop(slot | _slots_set(statement))
            for inner in regions(statement):
                _search(inner, loop, serial, found)
            if loop.is_serial:
                serial |= loop.stores
            if loop.is_serial or loop.scatters or loop.gathers_in_vain:
                found |= loop.stores
        else:
            for inner in regions(statement):
                _search(inner, inside, serial, found)


def _is_float(value: Value) -> bool:
    return isinstance(value.type, ScalarType) and value.type.is_float


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
        self._read: set[tuple[int, int]] = set()
        """What comes from memory, and places at indices that do."""
        self._slots_read: set[str] = set()
        self._fields: set[tuple[int, int]] = set()
        self.stores: set[int] = set()
        self.is_serial = False
        self.scatters = False
        """Whether it stores at indices that come from memory."""
        self._has_fields = False
        self._accesses = 0
        self._computed = 0

    @property
    def gathers_in_vain(self) -> bool:
        """Whether it stores in fields of a struct that is another in each iteration, and computes
        too little to be worth gathering them."""
        return self._has_fields and self._computed <= self._accesses

    def is_steady(self, value: Value) -> bool:
        return (value.op, value.index) not in self._changing

    def see(self, op: Op) -> None:
        if op.opcode == "store":
            self.stores.add(op.id)
            place = op.args[0]
            place_is_read = (place.op, place.index) in self._read
            self.is_serial = self.is_serial or self.is_steady(place)
            self.scatters = self.scatters or place_is_read
            self._has_fields = self._has_fields or (place.op, place.index) in self._fields
        if op.opcode in ("load", "store"):
            self._accesses += 1
        elif op.opcode == "call" or (op.results and _is_float(op.result)):
            self._computed += _CALL if op.opcode == "call" else op.opcode not in _FREE
        steady = (
            op.opcode in _ALWAYS_SAME
            or (op.opcode == "get" and op.attr not in self._slots)
            or (op.opcode in _SAME_IF_OPERANDS_ARE and all(map(self.is_steady, op.args)))
        )
        if steady:
            return
        results = [(result.op, result.index) for result in op.results]
        self._changing.update(results)
        self._follow(op, results)
        inside = op.args and (op.args[0].op, op.args[0].index) in self._fields
        if op.opcode == "field" or (op.opcode in _SAME_IF_OPERANDS_ARE and inside):
            self._fields.update(results)

    def _follow(self, op: Op, results: list[tuple[int, int]]) -> None:
        """Note whether results are from memory; a slot's value of the iteration before counts as
        if it were not."""
        read = any((value.op, value.index) in self._read for value in op.args)
        if op.opcode == "set":
            if read:
                self._slots_read.add(str(op.attr))
        elif op.opcode == "get":
            if op.attr in self._slots_read:
                self._read.update(results)
        elif op.opcode == "load" or (read and op.opcode != "call"):
            self._read.update(results)
