"""Short sums of each iteration of a loop, written out: the iterations then become vectors.

A loop over few lanes is one vector, which has to be added up across. Where the loop around it has
iterations of its own, which read neighbours, each of those is a lane instead: the same products,
added in the same order of halves, next to those of other iterations.

Owns which loops qualify. `ir.grammar.Lanes` defines the order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.ir.analysis.independence import has_independent_iterations
from samebits.ir.grammar import (
    OPS,
    For,
    Function,
    Op,
    Region,
    Value,
    can_trap,
    walk,
)
from samebits.ir.rewrite import exchanged, fresh_ids
from samebits.passes.flatten import set_before_read
from samebits.passes.lane_writer import LaneWriter
from samebits.types import INT, ArrayType, ScalarType

MOST = 64
"""Most iterations of a sum that is written out."""
_FREE = ("index", "bound", "assume")
"""Checks that have been shown to hold."""
STATEMENTS = 1600
"""Most statements that they may become."""


def written_out(function: Function) -> Function:
    """The function with such sums written out."""
    loops = [s for s in walk(function.body) if isinstance(s, For) and _has_shape(s)]
    if not loops:
        return function
    ids = fresh_ids(function)
    made: dict[int, Region] = {}
    for loop in loops:
        sums = _Sums(function, loop)
        if sums.qualify():
            copy = replace(loop, body=list(sums.body(ids)))
            whole = replace(function, body=exchanged(function.body, {loop.id: [copy]}))
            if has_independent_iterations(copy, whole, _no_function):
                made[loop.id] = [copy]
    return replace(function, body=exchanged(function.body, made)) if made else function


def _no_function(name: str) -> Function:
    raise AssertionError(name)  # nothing is called


def _has_shape(loop: For) -> bool:
    """Whether a loop holds loops with lanes, and operations else."""
    inner = [s for s in loop.body if isinstance(s, For)]
    plain = all(isinstance(s, For | Op) for s in loop.body)
    return bool(inner) and plain and loop.lanes is None and all(s.lanes for s in inner)


class _Sums:
    """The sums inside a loop."""

    def __init__(self, function: Function, loop: For) -> None:
        self._function = function
        self._loop = loop
        self._made = {s.id: s for s in walk(function.body) if isinstance(s, Op)}
        self._unread = set_before_read(function)
        self._types = {**dict(function.params), **function.slots}
        self._inside = {s.id for s in walk(loop.body) if isinstance(s, Op)}
        self._set = {
            str(s.attr) for s in walk(loop.body) if isinstance(s, Op) and s.opcode == "set"
        }
        self._set |= {s.slot for s in walk(loop.body) if isinstance(s, For)}

    def qualify(self) -> bool:
        """Whether each sum is short, and neighbouring iterations read neighbours or one place."""
        inner = [s for s in self._loop.body if isinstance(s, For)]
        size = sum(self._trips(s) * (len(s.body) + 3) for s in inner)
        return (
            size <= STATEMENTS
            and all(map(self._is_sum, inner))
            and all(self._is_near(s) for s in walk(self._loop.body) if isinstance(s, Op))
        )

    def _trips(self, loop: For) -> int:
        start, stop = self._constant(loop.start), self._constant(loop.stop)
        if start is None or stop is None or loop.step != 1 or not 0 < stop - start <= MOST:
            return STATEMENTS + 1
        return stop - start

    def _constant(self, value: Value) -> int | None:
        op = self._made.get(value.op)
        return op.attr if op and op.opcode == "const" and isinstance(op.attr, int) else None

    def _is_sum(self, loop: For) -> bool:
        """Whether a loop only computes, and leaves nothing but its accumulators."""
        assert loop.lanes is not None
        slots = {slot for slot, _ in loop.lanes.slots}
        known = {loop.slot}
        for op in loop.body:
            if not isinstance(op, Op) or can_trap(op):
                return False
            if op.opcode == "get":
                if op.attr in self._set and op.attr not in known | slots:
                    return False
            elif op.opcode == "set":
                known.add(str(op.attr))
            elif not (OPS[op.opcode].pure or op.opcode in ("load", *_FREE)):
                return False
        return not loop.orelse and known - slots <= self._unread

    def _is_near(self, op: Op) -> bool:
        """Whether what an operation reads lies beside what it reads in the next iteration, or is
        the same, and what it writes lies beside."""
        if can_trap(op):
            return False
        if op.opcode not in ("load", "store"):
            return OPS[op.opcode].pure or op.opcode in ("get", "set", *_FREE)
        place = self._made.get(op.args[0].op)
        if place is None or place.opcode != "element":
            return False
        array = place.args[0]
        if not isinstance(array.type, ArrayType) or not isinstance(array.type.element, ScalarType):
            return False
        source = self._made.get(array.op)
        if source is not None and (source.opcode != "get" or source.attr in self._set):
            return False
        *outer, last = [self._moves(index) for index in place.args[1:]]
        return last in (0, 1) and not any(outer) and (last == 1 or op.opcode == "load")

    def _moves(self, value: Value) -> int | None:
        """By how much an index grows from one iteration to the next; None where that is unknown."""
        op = self._made.get(value.op)
        if op is None or value.op not in self._inside or op.opcode == "const":
            return 0
        if op.opcode == "get":
            slot = str(op.attr)
            if slot == self._loop.slot:
                return self._loop.step
            inner = {s.slot for s in self._loop.body if isinstance(s, For)}
            return 0 if slot in inner or slot not in self._set else None
        moves = [self._moves(arg) for arg in op.args]
        match op.opcode, moves:
            case "add", [int(a), int(b)]:
                return a + b
            case "sub", [int(a), int(b)]:
                return a - b
            case _:
                return 0 if moves and not any(m is None or m for m in moves) else None

    # -- the loop's new body ------------------------------------------------------------------

    def body(self, ids: Iterator[int]) -> Iterator[Op]:
        for statement in self._loop.body:
            if isinstance(statement, For):
                writer = _Writer(statement, self._constant(statement.start) or 0, self._types, ids)
                writer.write(self._trips(statement))
                yield from (s for s in writer.region if isinstance(s, Op))
            else:
                assert isinstance(statement, Op)
                yield statement


class _Writer(LaneWriter):
    """Lane by lane, so that each lane's products stand together."""

    def write(self, trips: int) -> None:
        done = 0
        for count in self.lanes.counts:
            whole = (trips - done) // count * count
            if whole:
                before = self.held()
                self.hold(self.joined(before, self._all(0, 1, count, done, done + whole)))
            done += whole
        for k in range(done, trips):
            self.iteration(k)
        last = self._writer.op("const", INT, attr=self._start + trips - 1)
        self._writer.emit("set", last, attr=self._loop.slot)

    def _all(self, lane: int, step: int, count: int, first: int, end: int) -> list[Value]:
        """The lanes lane, lane + step, … of `count`, joined: the lower half with the upper."""
        if step == count:
            self.hold(self.neutral())
            for k in range(first + lane, end, count):
                self.iteration(k)
            return self.held()
        return self.joined(
            self._all(lane, 2 * step, count, first, end),
            self._all(lane + step, 2 * step, count, first, end),
        )
