"""Accumulations over a few iterations that no vector holds, unrolled.

Lanes of a sum are numbers in memory where its iterations cannot be a vector: where they store, may
trap or divide integers. Over few iterations, known as such, each lane is a value instead. The
iterations stay in their order, so that they store and trap as they did.

Owns which loops qualify. `ir.grammar.Lanes` defines the order of the sum.
"""

from __future__ import annotations

from dataclasses import replace

from samebits.ir.grammar import (
    CALLS,
    For,
    Function,
    If,
    Op,
    Region,
    Value,
    can_trap,
    walk,
)
from samebits.ir.rewrite import exchanged, fresh_ids
from samebits.passes.lane_writer import LaneWriter
from samebits.types import ScalarType

MOST = 16
"""Most iterations."""
STATEMENTS = 800
"""Most statements that they become."""
_DIVISIONS = ("mod", "floordiv")


def unrolled(function: Function) -> Function:
    """The function with such loops unrolled."""
    loops = [s for s in walk(function.body) if isinstance(s, For) and s.lanes]
    if not loops:
        return function
    constants = {
        s.id: s.attr
        for s in walk(function.body)
        if isinstance(s, Op) and s.opcode == "const" and isinstance(s.attr, int)
    }
    ids = fresh_ids(function)
    types = {**dict(function.params), **function.slots}
    made: dict[int, Region] = {}
    for loop in loops:
        start, stop = constants.get(loop.start.op), constants.get(loop.stop.op)
        if start is None or stop is None or not _qualifies(loop, stop - start):
            continue
        made[loop.id] = _Writer(loop, start, types, ids).written(stop - start)
    return replace(function, body=exchanged(function.body, made)) if made else function


def _qualifies(loop: For, trips: int) -> bool:
    body = [*walk(loop.body)]
    return (
        loop.step == 1
        and not loop.orelse
        and 0 < trips <= MOST
        and trips * len(body) <= STATEMENTS
        and all(isinstance(s, Op | If) for s in body)
        and any(isinstance(s, Op) and _holds_back(s) for s in body)
    )


def _holds_back(op: Op) -> bool:
    """Whether a loop with this operation becomes no vector."""
    if op.opcode in _DIVISIONS:
        t = op.result.type
        return isinstance(t, ScalarType) and t.is_int
    return op.opcode == "store" or op.opcode in CALLS or can_trap(op)


class _Writer(LaneWriter):
    """Iterations in their order, each lane a value."""

    def written(self, trips: int) -> Region:
        done = 0
        for count in self.lanes.counts:
            whole = (trips - done) // count * count
            if whole:
                before = self.held()
                self.hold(self.joined(before, self._all(count, range(done, done + whole))))
            done += whole
        for k in range(done, trips):
            self.iteration(k)
        return self.region

    def _all(self, count: int, iterations: range) -> list[Value]:
        """What `count` lanes of these iterations come to, by slot."""
        lanes = [self.neutral()] * count
        for k in iterations:
            lane = (k - iterations.start) % count
            self.hold(lanes[lane])
            self.iteration(k)
            lanes[lane] = self.held()
        while len(lanes) > 1:
            half = len(lanes) // 2
            lanes = list(map(self.joined, lanes[:half], lanes[half:]))
        return lanes[0]
