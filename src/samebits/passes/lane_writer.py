"""Iterations of a loop with lanes, written out one by one, and its lanes' values joined."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.ir.grammar import JOINS, For, Region, Value, ValueType
from samebits.ir.rewrite import ValueWriter, clone
from samebits.types import INT


class LaneWriter:
    """Writes to `region` what a loop with lanes does, whose counter begins at the constant `start`;
    `types` are those of slots."""

    def __init__(
        self, loop: For, start: int, types: dict[str, ValueType], ids: Iterator[int]
    ) -> None:
        assert loop.lanes is not None
        self.lanes = loop.lanes
        self.region: Region = []
        self._loop = loop
        self._start = start
        self._types = types
        self._ids = ids
        self._writer = ValueWriter(self.region, loop.span, ids)

    def iteration(self, k: int) -> None:
        """The iteration `k`, counted from 0."""
        at = self._writer.op("const", INT, attr=self._start + k)
        self._writer.emit("set", at, attr=self._loop.slot)
        self.region += clone(self._loop.body, self._ids)

    def neutral(self) -> list[Value]:
        """What a lane holds at first, by slot: what changes nothing."""
        return [
            self._writer.op("const", self._types[slot], attr=JOINS[join])
            for slot, join in self.lanes.slots
        ]

    def held(self) -> list[Value]:
        """What the slots hold."""
        slots = (slot for slot, _ in self.lanes.slots)
        return [self._writer.op("get", self._types[slot], attr=slot) for slot in slots]

    def hold(self, values: list[Value]) -> None:
        """Set the slots."""
        for (slot, _), value in zip(self.lanes.slots, values, strict=True):
            self._writer.emit("set", value, attr=slot)

    def joined(self, a: list[Value], b: list[Value]) -> list[Value]:
        """Two lanes joined, or what the slots held and a lane."""
        joins = [join for _, join in self.lanes.slots]
        return [self._join(*of) for of in zip(joins, a, b, strict=True)]

    def _join(self, join: str, a: Value, b: Value) -> Value:
        made = self._writer.op(join, a.type, a, b)
        flushes = self.lanes.flush and join in ("add", "mul")
        return self._writer.op("flush", a.type, made) if flushes else made
