"""Floats that lie side by side, are computed alike and stored together: one wide vector's lanes.

LLVM makes vectors of such code by itself, but narrow ones: of wide ones it shuffles as much as it
computes. Here each operand of a lane's operation is a number that lies near those of the other
lanes, or one of few: a load and a shuffle. Every lane does the operations of its number, in order.

Owns which stores qualify. Between the loads and the first store nothing writes; among the stores
nothing reads or traps, so that they can be one; nothing else uses what the lanes compute.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from samebits.backend.text.facts import FunctionFacts
from samebits.ir.grammar import (
    OPS,
    For,
    Function,
    Op,
    Region,
    Statement,
    Value,
    While,
    can_trap,
    regions,
    walk,
)
from samebits.ir.rewrite import operands
from samebits.types import FixedArrayType, RefType, ScalarType, StructType, VectorType

NARROW = 128
"""Bits of a vector that LLVM makes of straight-line code by itself."""
FEW = 4
"""Most scalars that are put together for the lanes of an operand."""
LANE_WISE = frozenset({
    "add", "sub", "mul", "div", "neg", "abs", "sqrt", "fma", "muladd", "flush",
})  # fmt: skip
"""Operations on floats that are one instruction on vectors, or a few; without `fma` if a target
lacks it."""
_WRITES_NOT = frozenset({"load", "index", "bound", "assert", "assume", "overflow", "own"})


@dataclass(frozen=True, slots=True)
class Scalars:
    """Lanes that are registers: the distinct ones, and which of them each lane is."""

    values: tuple[Value, ...]
    lanes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Constants:
    """Lanes that are constants."""

    values: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Loaded:
    """Lanes that lie near each other: `count` numbers from `place` on, and which of them each lane
    is."""

    place: Value
    count: int
    lanes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Computed:
    """Lanes that one operation computes; `op` is that of the first lane."""

    op: Op
    args: tuple[Lanes, ...]


Lanes = Scalars | Constants | Loaded | Computed


@dataclass(frozen=True, slots=True)
class WideStore:
    """Stores that are one: of the lanes in order, from the place of the first on."""

    stores: tuple[Op, ...]
    lanes: Lanes
    last: int
    """The id of the store that is the last in the source's order."""


@dataclass(slots=True)
class WideStores:
    """The wide stores of a function."""

    ready: dict[int, list[WideStore]] = field(default_factory=dict[int, list[WideStore]])
    """By the id of a store, those whose lanes are computed before it."""
    of: dict[int, WideStore] = field(default_factory=dict[int, WideStore])
    """By the id of each store that is part of one."""


def wide_stores(
    function: Function, facts: FunctionFacts, vector_bits: int, lane_wise: frozenset[str]
) -> WideStores:
    """The wide stores of a function, for vectors of at most so many bits and these operations."""
    found = WideStores()
    if vector_bits > NARROW:
        uses = _Uses(function)
        for region in _regions(function.body):
            if _may_have(region):
                _Search(region, uses, facts, vector_bits, lane_wise, found).run()
    return found


def _regions(region: Region) -> Iterator[Region]:
    """A region and those inside it, without the loops that LLVM must vectorise."""
    yield region
    for statement in region:
        if not (isinstance(statement, For | While) and statement.vectorized):
            for inner in regions(statement):
                yield from _regions(inner)


def _may_have(region: Region) -> bool:
    """Whether there are stores enough for the least wide store."""
    stores = sum(isinstance(s, Op) and s.opcode == "store" for s in region)
    return stores >= 2 * NARROW // 64


class _Uses:
    """How often a function uses each operation's results, and the slots that hand values on."""

    def __init__(self, function: Function) -> None:
        self._function = function

    @cached_property
    def of(self) -> Counter[int]:
        return Counter(v.op for s in walk(self._function.body) for v in operands(s))

    @cached_property
    def read_elsewhere(self) -> set[object]:
        """The slots that something reads without a `set` before it in its own straight line."""
        found: set[object] = set()
        waiting = [self._function.body]
        while waiting:
            known: set[object] = set()
            for statement in waiting.pop():
                if not isinstance(statement, Op):
                    known.clear()
                    waiting += regions(statement)
                elif statement.opcode == "set":
                    known.add(statement.attr)
                elif statement.opcode == "get" and statement.attr not in known:
                    found.add(statement.attr)
        return found


@dataclass(frozen=True, slots=True)
class _Stored:
    """A store in a run: what it writes, and `offset` bytes from what it does."""

    position: int
    op: Op
    root: int
    offset: int
    value: int


@dataclass(slots=True)
class _Number:
    """A value by its number: equal ones have the same."""

    value: Value
    position: int
    """Where it is first computed; -1: outside of the region."""
    op: Op | None = None
    args: tuple[int, ...] = ()
    epoch: int = 0
    """Of a load: how many writes were before it."""


class _Search:
    """The search of one region: its values get numbers, and each run of stores its groups."""

    def __init__(
        self,
        region: Region,
        uses: _Uses,
        facts: FunctionFacts,
        vector_bits: int,
        lane_wise: frozenset[str],
        found: WideStores,
    ) -> None:
        self.region = region
        self.uses = uses
        self.facts = facts
        self.lane_wise = lane_wise
        self.numbers: list[_Number] = []
        self.of: dict[tuple[int, int], int] = {}
        """The number of each result."""
        self._vector_bits = vector_bits
        self._found = found
        self._keys: dict[object, int] = {}
        self._places: dict[int, tuple[int, int]] = {}
        """By the number of a reference: the one that it lies in, and its distance in bytes."""
        self._slots: dict[str, int] = {}
        self._epoch = 0
        self._position = 0
        self._run: list[_Stored] = []
        self._runs: list[tuple[int, list[_Stored]]] = []

    def run(self) -> None:
        for position, statement in enumerate(self.region):
            self._position = position
            self._see(statement)
        self._end_run()
        for epoch, stores in self._runs:
            self._groups(epoch, stores)

    # -- numbers ------------------------------------------------------------------------------

    def _see(self, statement: Statement) -> None:
        if not isinstance(statement, Op):
            self._slots.clear()
            self._end_run()
            self._epoch += 1
            return
        match statement.opcode:
            case "get":
                slot = str(statement.attr)
                if slot not in self._slots:
                    self._slots[slot] = self._number(("get", slot, statement.id), statement, ())
                self.of[statement.id, 0] = self._slots[slot]
            case "set":
                self._slots[str(statement.attr)] = self._number_of(statement.args[0])
            case "store":
                self._store(statement)
            case _:
                self._other(statement)

    def _other(self, op: Op) -> None:
        args = tuple(map(self._number_of, op.args))
        pure = OPS[op.opcode].pure and not can_trap(op)
        if not pure and (can_trap(op) or op.opcode not in _WRITES_NOT or op.opcode == "load"):
            self._end_run()
        if not OPS[op.opcode].pure and op.opcode not in _WRITES_NOT:
            self._epoch += 1
        for result in op.results:
            key: object = (op.id, result.index)
            if pure:
                key = op.opcode, repr(op.attr), str(result.type), args, result.index
            elif op.opcode == "load":
                key = "load", args, self._epoch
            number = self.of[op.id, result.index] = self._number(key, op, args, result)
            self._note_place(number, op, args)

    def _number_of(self, value: Value) -> int:
        place = value.op, value.index
        if place not in self.of:
            self.of[place] = len(self.numbers)
            self.numbers.append(_Number(value, -1))
        return self.of[place]

    def _number(
        self, key: object, op: Op, args: tuple[int, ...], value: Value | None = None
    ) -> int:
        number = self._keys.setdefault(key, len(self.numbers))
        if number == len(self.numbers):
            made = _Number(value or op.result, self._position, op, args, self._epoch)
            self.numbers.append(made)
        return number

    def _note_place(self, number: int, op: Op, args: tuple[int, ...]) -> None:
        """Note where a reference refers to, if that is inside of what another one does."""
        target = args and isinstance(t := op.args[0].type, RefType) and t.target
        match op.opcode, target:
            case "field", StructType():
                inside = target.offsets[str(op.attr)]
            case "component", VectorType():
                assert isinstance(op.attr, int)
                inside = op.attr * target.element.size
            case "element", FixedArrayType():
                at = 0
                for n, index in zip(target.shape, args[1:], strict=True):
                    known = self.numbers[index].op
                    if known is None or known.opcode != "const":
                        return
                    assert isinstance(known.attr, int)
                    at = at * n + known.attr
                inside = at * target.element.size
            case _:
                return
        root, before = self.place(args[0])
        self._places[number] = root, before + inside

    def place(self, number: int) -> tuple[int, int]:
        """The reference that one lies in, and how many bytes inside."""
        return self._places.get(number, (number, 0))

    # -- runs of stores -----------------------------------------------------------------------

    def _store(self, op: Op) -> None:
        place, value = map(self._number_of, op.args)
        root, offset = self.place(place)
        self._run.append(_Stored(self._position, op, root, offset, value))

    def _end_run(self) -> None:
        if self._run:
            self._runs.append((self._epoch, self._run))
            self._run = []
            self._epoch += 1

    def _groups(self, epoch: int, run: list[_Stored]) -> None:
        """Find the wide stores of a run that begins after `epoch` writes."""
        first = run[0]
        by_kind: dict[tuple[int, int], list[_Stored]] = {}
        for store in run:
            t = store.op.args[1].type
            assert isinstance(t, ScalarType)
            if t.is_float and self._may_join(store.op):
                by_kind.setdefault((store.root, t.bits), []).append(store)
        for (_, bits), stores in by_kind.items():
            if len({store.offset for store in stores}) < len(stores):
                continue
            for group in _side_by_side(stores, bits // 8):
                at = 0
                while at < len(group):
                    at += self._widest(group[at:], bits, run, first, epoch) or 1

    def _may_join(self, store: Op) -> bool:
        """Whether a store is not at one address in all iterations of a loop, whose end sees to its
        NaNs, nor into memory that becomes registers."""
        is_private = self.facts.is_private(store.args[0])
        return store.id not in self.facts.dependent_stores and not is_private

    def _widest(
        self, group: Sequence[_Stored], bits: int, run: list[_Stored], first: _Stored, epoch: int
    ) -> int:
        """How many stores from the group's beginning on have become one; 0 if none have."""
        count = self._vector_bits // bits
        while count * bits > NARROW:
            if count <= len(group):
                lanes = _Tree(self, group[:count], bits, first.position, epoch).lanes()
                if lanes is not None and self._joins(group[:count], run):
                    stores = tuple(store.op for store in group[:count])
                    last = max(group[:count], key=lambda store: store.position).op.id
                    made = WideStore(stores, lanes, last)
                    self._found.ready.setdefault(first.op.id, []).append(made)
                    self._found.of |= {store.id: made for store in stores}
                    return count
            count //= 2
        return 0

    def _joins(self, group: Sequence[_Stored], run: list[_Stored]) -> bool:
        """Whether all stores of a group can be where the last one is."""
        positions = [store.position for store in group]
        between = range(min(positions), max(positions))
        return all(s.root == group[0].root for s in run if s.position in between)


def _side_by_side(stores: list[_Stored], size: int) -> Iterator[list[_Stored]]:
    """The stores in the order of their places, in groups without gaps."""
    group: list[_Stored] = []
    for store in sorted(stores, key=lambda store: store.offset):
        if group and store.offset != group[-1].offset + size:
            yield group
            group = []
        group.append(store)
    yield group


@dataclass(slots=True)
class _Near:
    """Lanes that are loads from one object, before it is known how many numbers are loaded."""

    root: int
    offsets: tuple[int, ...]

    @property
    def window(self) -> tuple[int, int]:
        return min(self.offsets), max(self.offsets)

    def is_dense(self, size: int) -> bool:
        first, last = self.window
        return len(set(self.offsets)) * size == last - first + size


@dataclass(slots=True)
class _Alike:
    """Lanes that are one operation's, before their operands are."""

    op: Op
    args: list[_Found]


_Found = Scalars | Constants | _Near | _Alike


class _Tree:
    """The lanes of a group of stores, from the values that they store up to loads and scalars."""

    def __init__(
        self, search: _Search, group: Sequence[_Stored], bits: int, position: int, epoch: int
    ) -> None:
        self._search = search
        self._numbers = search.numbers
        self._group = group
        self._size = bits // 8
        self._position = position
        self._epoch = epoch
        self._found: dict[tuple[int, ...], _Found | None] = {}
        self._inside: set[int] = set()
        """The numbers that operations of the tree compute."""

    def lanes(self) -> Lanes | None:
        """The lanes of what is stored; None if these have not enough in common."""
        found = self._of(tuple(store.value for store in self._group))
        if not isinstance(found, _Alike) or not self._is_used_here_alone():
            return None
        return self._made(found, {})

    def _of(self, numbers: tuple[int, ...]) -> _Found | None:
        if numbers not in self._found:
            self._found[numbers] = self._search_lanes(numbers)
        return self._found[numbers]

    def _search_lanes(self, numbers: tuple[int, ...]) -> _Found | None:
        known = [self._numbers[number] for number in numbers]
        ops = [each.op for each in known if each.op is not None]
        kinds = {op.opcode for op in ops} if len(ops) == len(known) else {""}
        kind = kinds.pop() if len(kinds) == 1 else ""
        if kind == "const":
            return Constants(tuple(op.attr for op in ops if isinstance(op.attr, float)))
        distinct = tuple(dict.fromkeys(numbers))
        if len(distinct) == 1:
            return self._scalars(distinct, numbers)
        if kind == "load":
            near = self._near(known)
            if near is not None:
                return near
        elif kind in self._search.lane_wise and not can_trap(ops[0]):
            columns = zip(*(each.args for each in known), strict=True)
            args = [found for found in map(self._of, columns) if found is not None]
            if len(args) == len(known[0].args):
                self._inside.update(numbers)
                return _Alike(ops[0], args)
        return self._scalars(distinct, numbers) if len(distinct) <= FEW else None

    def _scalars(self, distinct: tuple[int, ...], numbers: tuple[int, ...]) -> Scalars | None:
        if any(self._numbers[number].position >= self._position for number in distinct):
            return None
        values = tuple(self._numbers[number].value for number in distinct)
        return Scalars(values, tuple(map(distinct.index, numbers)))

    def _near(self, known: list[_Number]) -> _Near | None:
        places = [self._search.place(each.args[0]) for each in known]
        root = places[0][0]
        found = _Near(root, tuple(offset for _, offset in places))
        first, last = found.window
        fits = (last - first) // self._size < len(known) and not (last - first) % self._size
        alike = all(r == root for r, _ in places) and all(e.epoch == self._epoch for e in known)
        is_private = self._search.facts.is_private(self._numbers[known[0].args[0]].value)
        return found if fits and alike and not is_private else None

    def _is_used_here_alone(self) -> bool:
        """Whether nothing but the tree uses what its operations compute."""
        search, total, here = self._search, Counter[int](), Counter[int]()
        stored = {store.op.id for store in self._group}
        for statement in search.region:
            if not isinstance(statement, Op):
                continue
            number = search.of.get((statement.id, 0))
            if number in self._inside:
                total[number] += search.uses.of[statement.id]
            if statement.opcode == "set":
                if statement.attr not in search.uses.read_elsewhere:
                    here[search.of[statement.args[0].op, statement.args[0].index]] += 1
            elif statement.id in stored or (number in self._inside and statement.opcode != "get"):
                here.update(search.of[value.op, value.index] for value in statement.args)
        return all(total[number] == here[number] for number in self._inside)

    def _made(self, found: _Found, made: dict[int, Lanes]) -> Lanes:
        """The tree, with the loads of scattered numbers in one object joined."""
        if id(found) in made:
            return made[id(found)]
        match found:
            case _Alike():
                result: Lanes = Computed(found.op, tuple(self._made(a, made) for a in found.args))
            case _Near():
                result = self._loaded(found)
            case _:
                result = found
        made[id(found)] = result
        return result

    def _loaded(self, near: _Near) -> Loaded:
        size = self._size
        first, last = near.window
        if not near.is_dense(size):
            others = [o for o in self._found.values() if isinstance(o, _Near)]
            scattered = [o.window for o in others if o.root == near.root and not o.is_dense(size)]
            lowest, highest = min(a for a, _ in scattered), max(b for _, b in scattered)
            if (highest - lowest) // size < len(near.offsets):
                first, last = lowest, highest
        lanes = tuple((offset - first) // size for offset in near.offsets)
        return Loaded(self._place(near.root, first), (last - first) // size + 1, lanes)

    def _place(self, root: int, offset: int) -> Value:
        """The reference that the load from there had."""
        for numbers in self._found:
            for number in numbers:
                op = self._numbers[number].op
                if op is not None and op.opcode == "load":
                    place = self._numbers[number].args[0]
                    if self._search.place(place) == (root, offset):
                        return self._numbers[place].value
        raise AssertionError
