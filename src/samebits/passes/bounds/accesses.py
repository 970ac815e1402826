"""The memory that a loop's body reads and writes, and whether its iterations are independent.

Owns the question whether an iteration can load what an earlier one, or its own earlier part,
stored. What the text leaves open, the operation `apart` decides by addresses before the loop.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from samebits.ir.grammar import For, Op, Value, ValueType, walk
from samebits.types import ArrayType

PAIR_LIMIT = 8
"""Pairs of memory that a test before the loop may compare."""

Base = str | Value
"""The start of an address: a slot that the loop leaves alone, or a value from before it."""


@dataclass(frozen=True, slots=True)
class Step:
    """A field or a component by `name`; if that is None, an index: its origin, and what of that."""

    name: str | int | None
    index: tuple[str, object] = ("", 0)

    @property
    def varies(self) -> bool:
        """Whether the index is the counter plus a constant, so that no two iterations share it."""
        return self.index[0] == "counter"


@dataclass(frozen=True, slots=True)
class Access:
    """A load or a store: `order` is its position among those of an iteration."""

    base: Base
    path: tuple[Step, ...]
    order: int


@dataclass(frozen=True, slots=True)
class Separation:
    """Two pieces of memory that must be disjoint: operands of `apart`, whose attr is `aligned`."""

    a: Base
    b: Base
    aligned: bool


class Accesses:
    """The accesses of a loop without loops inside; `types` is of slots. `known` is False if some
    address is not."""

    def __init__(self, loop: For, types: dict[str, ValueType]) -> None:
        self.loads: list[Access] = []
        self.stores: list[Access] = []
        self.known = True
        self._types = types
        self._slot = loop.slot
        ops = [s for s in walk(loop.body) if isinstance(s, Op)]
        self._made = {op.id: op for op in ops}
        self._sets = {loop.slot, *(str(op.attr) for op in ops if op.opcode == "set")}
        for order, op in enumerate(ops):
            match op.opcode:
                case "load":
                    self._add(self.loads, op.args[0], order)
                case "store" | "zero":
                    self._add(self.stores, op.args[0], order)
                case "copy":
                    self._add(self.loads, op.args[1], order)
                    self._add(self.stores, op.args[0], order)
                case _:
                    pass

    def separations(self) -> list[Separation] | None:
        """The memory that must be disjoint for a loop that only loads to find what the loop would:
        empty if none must, None if that does not suffice."""
        if not self.known:
            return None
        found: dict[Separation, None] = {}
        for written in dict.fromkeys(s.base for s in self.stores):
            stores = [s for s in self.stores if s.base == written]
            for read in dict.fromkeys(s.base for s in self.loads):
                loads = [s for s in self.loads if s.base == read]
                clash = any(_clash(load, store) for load in loads for store in stores)
                if written != read:
                    aligned = not clash and self._alike(written, read)
                    found[Separation(written, read, aligned)] = None
                elif clash:
                    return None
        return [*found] if len(found) <= PAIR_LIMIT else None

    def iteration_separations(self) -> list[Separation] | None:
        """The memory that must be disjoint for iterations to be independent: none touches what
        another writes. Empty if none must, None if that does not suffice."""
        found = self.separations()
        if found is None:
            return None
        pairs = dict.fromkeys(found)
        for i, one in enumerate(self.stores):
            for other in self.stores[i + 1 :]:
                clash = _clash(replace(one, order=-1), other)
                if one.base != other.base:
                    aligned = not clash and self._alike(one.base, other.base)
                    pairs[Separation(one.base, other.base, aligned)] = None
                elif clash:
                    return None
        return [*pairs] if len(pairs) <= PAIR_LIMIT else None

    def in_rows(self) -> bool:
        """Whether LLVM can vectorise the accesses: each is at the iteration's own index in a row or
        the same in all iterations, and each store at its own."""
        indexes = [[s for s in a.path if s.name is None] for a in (*self.loads, *self.stores)]
        if any(s.index[0] == "op" for steps in indexes for s in steps):
            return False
        if any(s.varies for steps in indexes for s in steps[:-1]):
            return False
        return all(steps and steps[-1].varies for steps in indexes[len(self.loads) :])

    def type_of(self, base: Base) -> ValueType:
        return self._types[base] if isinstance(base, str) else base.type

    def _alike(self, a: Base, b: Base) -> bool:
        one, other = self.type_of(a), self.type_of(b)
        if isinstance(one, ArrayType) and isinstance(other, ArrayType):
            return (one.element, one.ndim) == (other.element, other.ndim)
        return one == other

    def _add(self, accesses: list[Access], address: Value, order: int) -> None:
        path: list[Step] = []
        base: Base | None = address
        while isinstance(base, Value) and (op := self._made.get(base.op)) is not None:
            match op.opcode:
                case "element" | "row":
                    path += [Step(None, self._index(value)) for value in reversed(op.args[1:])]
                    base = op.args[0]
                case "field" | "component":
                    assert isinstance(op.attr, (str, int))
                    path.append(Step(op.attr))
                    base = op.args[0]
                case "view":
                    base = op.args[0]
                case "get" if op.attr not in self._sets:
                    base = str(op.attr)
                case "table":
                    return  # never written
                case _:
                    base = None
        if base is None:
            self.known = False
        else:
            accesses.append(Access(base, tuple(reversed(path)), order))

    def _index(self, value: Value) -> tuple[str, object]:
        op = self._made.get(value.op)
        if op is None:
            return "before", value
        match op.opcode:
            case "const":
                return "const", op.attr
            case "get" if op.attr == self._slot and not self._moved:
                return "counter", 0
            case "get" if op.attr not in self._sets:
                return "slot", op.attr
            case "add" | "sub":
                a, b = (self._index(arg) for arg in op.args)
                if op.opcode == "add" and b[0] == "counter":
                    a, b = b, a
                if a[0] == "counter" and b[0] == "const":
                    assert isinstance(a[1], int)
                    assert isinstance(b[1], int)
                    return "counter", a[1] + b[1] if op.opcode == "add" else a[1] - b[1]
            case _:
                pass
        return "op", op.id

    @property
    def _moved(self) -> bool:
        """Whether the body sets the loop's own slot."""
        return any(op.opcode == "set" and op.attr == self._slot for op in self._made.values())


def _clash(load: Access, store: Access) -> bool:
    """Whether the load may find what the store wrote in the same run of the loop, both being of
    one piece of memory."""
    same, own = True, False
    for a, b in zip(load.path, store.path, strict=False):
        if (a.name is None) != (b.name is None):
            return True
        if a.name is not None:
            if a.name != b.name:
                return False  # parts that share no byte, of whatever elements
        elif a.index != b.index:
            same = False
        else:
            own = own or a.varies
    return not (same and own) or load.order > store.order
