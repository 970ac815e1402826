"""Loops after which NaNs that they stored are made canonical: nothing inside them sees the bits.

Such loops hold plain operations and such loops, and store at addresses that their counters alone
move. They store floats as they are. Where each address is stored to in iterations of a loop that
does not move it, one of these is gone over afterwards: a step of many, or the last element of a
sum. An innermost loop without such adds up what it stores, and is gone over where a sum is NaN.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import count

from samebits.backend.text.facts import FunctionFacts
from samebits.ir.grammar import OPS, For, If, Op, Region, Statement, Value, can_trap, walk
from samebits.types import BOOL, ScalarType


@dataclass(frozen=True, slots=True)
class Deferral:
    """The stores of a loop that are looked at after it, all of floats of `bits` bits."""

    bits: int
    stores: tuple[Op, ...]
    steady: frozenset[int]
    """Ids of the stores at one address in all iterations: the last value alone stays there."""
    is_tested: bool
    """Whether what was stored is added up, as the repairs would take as long as the loop."""
    repairs: Region
    """What reads all that the loop stored, and stores it again with NaNs canonical."""
    last: Region
    """The same of `steady` alone."""


def may_wait(statement: Statement, bits: int) -> bool:
    """Whether stores of floats of this width may stay uncanonicalised over the statement: nothing
    in it sees bits, or ends, and what it stores lies where they lie or elsewhere."""
    if not isinstance(statement, Op):
        return False
    match statement.opcode:
        case "get" | "set":
            return True
        case "load":
            seen = statement.result
        case "store":
            seen = statement.args[1]
        case opcode:
            return OPS[opcode].pure and not can_trap(statement)
    return isinstance(seen.type, ScalarType) and seen.type.is_float and seen.type.bits == bits


def deferral(loop: For, facts: FunctionFacts) -> Deferral | None:
    """How the NaNs of a loop are deferred; None where it has none, or its parts see to them."""
    watched = _watched(loop, facts)
    bits = {t.bits for op in watched if isinstance(t := op.args[1].type, ScalarType)}
    if len(bits) != 1:
        return None
    nest = _Nest(bits.pop(), {op.id for op in watched})
    if not nest.takes(loop) or not nest.knows_addresses():
        return None
    is_tested = not all(any(map(nest.is_skipped, around)) for _, around in nest.stores)
    if is_tested and any(isinstance(statement, For) for statement in loop.body):
        return None
    steady = {store.id for store, _ in nest.stores if not nest.loops_of(store.args[0])}
    stores = tuple(store for store, _ in nest.stores)
    repairs = nest.keeping_slots(nest.repairs([loop]), facts)
    nest.forget_others(steady)
    last = nest.keeping_slots(nest.repairs([loop]), facts) if steady else []
    return Deferral(nest.bits, stores, frozenset(steady), is_tested, repairs, last)


def _watched(loop: For, facts: FunctionFacts) -> list[Op]:
    """The stores of floats that may be NaN in loops that an address ties together."""
    if not facts.dependent_stores:
        return []
    return [
        op
        for op in walk(loop.body)
        if isinstance(op, Op) and op.id in facts.dependent_stores
        if not (facts.is_number(op.args[1]) or facts.is_private(op.args[0]))
    ]


class _Nest:
    """A loop and those inside it, and which of them change each value."""

    def __init__(self, bits: int, watched: set[int]) -> None:
        self.bits = bits
        self.stores: list[tuple[Op, tuple[For, ...]]] = []
        """The watched stores, with the loops around each."""
        self._watched = watched
        self._made: dict[int, Op] = {}
        self._loops: dict[int, frozenset[int]] = {}
        """Of each operation, and of each loop's counter, the ids of the loops that change it."""
        self._inside: dict[int, set[int]] = {}
        """The ids of the operations and loops in each loop."""
        self._source: dict[int, int | None] = {}
        """Of a `get`, the `set` or the loop whose value it gives; None for another iteration's."""
        self._latest: dict[str, int | None] = {}
        self._needed: set[int] = set()
        self._around: tuple[For, ...] = ()
        self._fresh = count(-1, -1)  # no statement has such an id

    def loops_of(self, value: Value) -> frozenset[int]:
        """The loops that change a value."""
        return self._loops.get(value.op, frozenset())

    def takes(self, loop: For) -> bool:
        """Whether the loop is of the form, having taken in all that is in it."""
        if loop.lanes is not None or loop.orelse:
            return False
        self._note(loop.id, self.loops_of(loop.start) | self.loops_of(loop.stop) | {loop.id})
        other = dict.fromkeys(_slots_set([loop]))
        self._latest |= {**other, loop.slot: loop.id}
        outside, self._around = self._around, (*self._around, loop)
        for statement in loop.body:
            is_loop = isinstance(statement, For)
            if not (self.takes(statement) if is_loop else self._takes_op(statement)):
                return False
        self._around = outside
        self._latest |= other
        return True

    def _takes_op(self, op: Statement) -> bool:
        if not isinstance(op, Op) or not may_wait(op, self.bits):
            return False
        changed = frozenset[int]().union(*map(self.loops_of, op.args))
        slot = str(op.attr)
        if op.opcode == "get" and slot in self._latest:
            source = self._source[op.id] = self._latest[slot]
            changed = self._loops[source] if source is not None else frozenset[int]()
        elif op.opcode == "set":
            self._latest[slot] = op.id
        elif op.id in self._watched:
            self.stores.append((op, self._around))
        self._made[op.id] = op
        self._note(op.id, changed)
        return True

    def _note(self, number: int, loops: frozenset[int]) -> None:
        self._loops[number] = loops
        for loop in self._around:
            self._inside.setdefault(loop.id, set()).add(number)

    def knows_addresses(self) -> bool:
        """Whether the addresses of stores, and the loops around them, can be had again."""
        waiting = [store.args[0].op for store, _ in self.stores]
        waiting += [v.op for _, around in self.stores for x in around for v in (x.start, x.stop)]
        while waiting:
            number = waiting.pop()
            op = self._made.get(number)
            if op is None or number in self._needed:
                continue
            self._needed.add(number)
            source = self._source.get(number, number)
            if op.opcode == "load" or source is None:
                return False
            waiting += [source, *(value.op for value in op.args)]
        return True

    def is_skipped(self, loop: For) -> bool:
        """Whether one iteration of a loop stores where all do."""
        inside = self._inside[loop.id] & self._needed
        return all(loop.id not in self._loops[number] for number in inside)

    def forget_others(self, stores: set[int]) -> None:
        """Have repairs go over these stores alone."""
        self.stores = [(op, around) for op, around in self.stores if op.id in stores]
        self._watched, self._needed = stores, set()
        self.knows_addresses()

    def repairs(self, region: Region) -> Region:
        """What goes over the addresses of stores in a region."""
        found: Region = []
        for statement in region:
            if isinstance(statement, For):
                found += self._again(statement)
            elif isinstance(statement, Op) and statement.id in self._watched:
                place, value = statement.args
                read = Value(next(self._fresh), 0, value.type)
                found.append(Op(read.op, "load", (place,), None, (read,), statement.span))
                found.append(replace(statement, id=next(self._fresh), args=(place, read)))
            elif isinstance(statement, Op) and statement.id in self._needed:
                found.append(statement)
        return found

    def keeping_slots(self, region: Region, facts: FunctionFacts) -> Region:
        """The region, after which all slots are as they were."""
        before: Region = []
        after: Region = []
        for slot in sorted(_slots_set(region)):
            value = Value(next(self._fresh), 0, facts.slot_types[slot])
            span = region[0].span
            before.append(Op(value.op, "get", (), slot, (value,), span))
            after.append(Op(next(self._fresh), "set", (value,), slot, (), span))
        return [*before, *region, *after]

    def _again(self, loop: For) -> Region:
        """A loop over the stores in a loop; of one whose iterations are alike, one iteration."""
        body = self.repairs(loop.body)
        if not self._inside.get(loop.id, set()) & self._watched:
            return []
        if not self.is_skipped(loop):
            return [replace(loop, body=body, vectorized=False)]
        some = Value(next(self._fresh), 0, BOOL)
        order = "lt" if loop.step > 0 else "gt"
        test = Op(some.op, order, (loop.start, loop.stop), None, (some,), loop.span)
        return [test, If(next(self._fresh), some, body, [], loop.span)]


def _slots_set(region: Region) -> set[str]:
    """The slots that something in a region sets, counters included."""
    inside = list(walk(region))
    sets = {str(op.attr) for op in inside if isinstance(op, Op) and op.opcode == "set"}
    return sets | {loop.slot for loop in inside if isinstance(loop, For)}
