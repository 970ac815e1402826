"""Loops over arrays of vectors that treat all components alike, as loops over the components.

A vector of three in memory fits no vector register: LLVM shuffles it apart and together again. As
one array of all components, in order, the same operations are on neighbours, and none is shuffled.

Owns which loops qualify, and the test before them: arrays that overlap in part keep the loop over
vectors, as there an iteration may find what another one's other components stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, partial, reduce

from samebits.ir.grammar import (
    OPS,
    For,
    Function,
    If,
    Op,
    Region,
    Value,
    ValueType,
    While,
    can_trap,
    regions,
    walk,
)
from samebits.ir.rewrite import ValueWriter, exchanged, fresh_ids
from samebits.passes.bounds.accesses import PAIR_LIMIT
from samebits.types import (
    BOOL,
    INT,
    INT64,
    ArrayType,
    FixedArrayType,
    RefType,
    ScalarType,
    VectorType,
)

_SLOT = "flat."
"""The beginning of the names of slots that count components."""
BODY_LIMIT = 200
"""Operations in a loop beyond which a second copy costs more than shuffles."""


def flattened(function: Function) -> Function:
    """The function with another copy of each loop that qualifies, over components."""
    loops = [s for s in walk(function.body) if isinstance(s, For) and _has_shape(s)]
    if not loops:
        return function
    own = set_before_read(function)
    ids = fresh_ids(function)
    slots = dict(function.slots)
    made: dict[int, Region] = {}
    for loop in loops:
        pattern = _Pattern(loop, own)
        if pattern.matches():
            slot = f"{_SLOT}{next(ids)}"
            slots[slot] = INT
            made[loop.id] = _chosen(loop, pattern, slot, ids)
    return replace(function, slots=slots, body=exchanged(function.body, made))


def is_flat(loop: For) -> bool:
    """Whether a loop runs over components, another copy of one over vectors."""
    return loop.slot.startswith(_SLOT)


def _has_shape(loop: For) -> bool:
    if loop.step != 1 or loop.orelse or loop.lanes or len(loop.body) > BODY_LIMIT:
        return False
    return all(isinstance(s, Op) and not can_trap(s) for s in loop.body) and any(
        isinstance(s, Op) and s.opcode == "component" for s in loop.body
    )


def set_before_read(function: Function) -> set[str]:
    """The slots that each reader finds as something before it in its own region, or in one around
    it, set them: what a loop leaves in them is never read."""
    exposed: set[str] = set()

    def see(region: Region, before: set[str]) -> None:
        written = set(before)
        for statement in region:
            if isinstance(statement, Op):
                if statement.opcode == "set":
                    written.add(str(statement.attr))
                elif statement.opcode == "get" and statement.attr not in written:
                    exposed.add(str(statement.attr))
                continue
            inside = slots_set([statement])
            if isinstance(statement, For | While):
                written -= inside  # by an earlier iteration
            if isinstance(statement, For) and statement.lanes:
                exposed.update(slot for slot, _ in statement.lanes.slots)
            for inner in regions(statement):
                if isinstance(statement, For) and inner is statement.body:
                    see(inner, written | {statement.slot})
                else:
                    see(inner, written)
            written -= inside

    see(function.body, set())
    return slots_set(function.body) - exposed


def slots_set(region: Region) -> set[str]:
    """The slots that are set in a region, those of loops included."""
    found: set[str] = set()
    for statement in walk(region):
        if isinstance(statement, Op) and statement.opcode == "set":
            found.add(str(statement.attr))
        elif isinstance(statement, For):
            found.add(statement.slot)
    return found


@dataclass(frozen=True, slots=True)
class _Same:
    """A value that is the same in all iterations and components: by what computes it."""

    opcode: str
    attr: object
    """An outer value, or an attribute's text: 0.0 is not -0.0."""
    type: ValueType
    args: tuple[_Same, ...]


@dataclass(frozen=True, slots=True)
class _Place:
    """The vector of an iteration in an array; a component of it, unless `lane` is None."""

    array: _Same
    lane: int | None = None


@dataclass(frozen=True, slots=True)
class _Lane:
    """A value of one component: the result of step `step` of its `lane`."""

    lane: int
    step: int


@dataclass(frozen=True, slots=True)
class _Counter:
    """The loop's index."""


@dataclass(frozen=True, slots=True)
class _Step:
    """What one component does: an operation on numbers, or a load or a store in `array`."""

    opcode: str
    attr: str
    type: ValueType | None
    array: _Same | None
    args: tuple[_Same | int, ...]
    """Each a value, or the number of an earlier step."""


_Known = _Same | _Place | _Lane | _Counter


class _Pattern:
    """The steps of each component in a loop; `own` are slots that nothing reads after it."""

    def __init__(self, loop: For, own: set[str]) -> None:
        self._loop = loop
        self._own = own
        self._set = slots_set([loop])
        self._known: dict[Value, _Known] = {}
        self._inside = {s.id for s in _ops(loop)}
        self._slots: dict[str, _Known] = {}
        self._lanes: dict[int, list[_Step]] = {}
        self.spans: list[Op] = []
        """The operations of the first component, for their spans and types."""
        self.ops: dict[_Same, Op | Value] = {}
        """What computes each value that is the same everywhere."""
        self.written: dict[_Same, None] = {}
        self.arrays: dict[_Same, None] = {}

    @property
    def steps(self) -> list[_Step]:
        return self._lanes[0]

    @property
    def vector(self) -> VectorType:
        """Of which the arrays are."""
        found = _vector_of(next(iter(self.arrays)).type)
        assert found is not None
        return found

    def matches(self) -> bool:
        """Whether all components of all arrays do the same, and something is written."""
        if not self._set <= self._own or not all(map(self._see, _ops(self._loop))):
            return False
        if not self.written or len({_vector_of(a.type) for a in self.arrays}) != 1:
            return False
        first = self._lanes.get(0)
        alike = all(self._lanes.get(k) == first for k in range(self.vector.length))
        return alike and len(self.pairs) <= PAIR_LIMIT

    @cached_property
    def pairs(self) -> list[tuple[_Same, _Same]]:
        """Arrays that must be one or apart: each written one beside every other."""
        pairs: dict[frozenset[_Same], tuple[_Same, _Same]] = {}
        for a in self.written:
            for b in self.arrays:
                if a != b:
                    pairs.setdefault(frozenset((a, b)), (a, b))
        return [*pairs.values()]

    def _value(self, value: Value) -> _Known | None:
        if value.op not in self._inside:
            outside = _Same("", value, value.type, ())
            self.ops[outside] = value
            return outside
        return self._known.get(value)

    def _see(self, op: Op) -> bool:
        """Take the next operation; whether the loop still qualifies."""
        known = [self._value(value) for value in op.args]
        match op.opcode, known:
            case "get", _:
                if op.attr == self._loop.slot:
                    found: _Known | None = _Counter()
                elif op.attr in self._set:
                    found = self._slots.get(str(op.attr))
                else:
                    found = self._same(op, ())
            case "set", [value]:
                if value is None or op.attr == self._loop.slot:
                    return False
                self._slots[str(op.attr)] = value
                return True
            case (("index" | "bound" | "own" | "assume" | "assert"), _):
                return True  # it cannot trap
            case "element", [_Same() as array, _Counter()] if _vector_of(array.type):
                found = _Place(array)
            case "component", [_Place(array, None)]:
                assert isinstance(op.attr, int)
                found = _Place(array, op.attr)
            case "load", [_Place(array, int(lane))]:
                self.arrays[array] = None
                found = self._step(lane, op, array, ())
            case "store", [_Place(array, int(lane)), (_Same() | _Lane()) as value]:
                self.arrays[array] = self.written[array] = None
                return self._step(lane, op, array, (value,)) is not None
            case _:
                found = self._computed(op, known)
        if found is None:
            return False
        self._known[op.result] = found
        return True

    def _computed(self, op: Op, known: list[_Known | None]) -> _Known | None:
        if not OPS[op.opcode].pure or len(op.results) != 1:
            return None
        same = [value for value in known if isinstance(value, _Same)]
        if len(same) == len(known):
            return self._same(op, tuple(same))
        lanes = {value.lane for value in known if isinstance(value, _Lane)}
        numbers = isinstance(op.result.type, ScalarType)
        if len(lanes) != 1 or not numbers or not all(isinstance(v, _Same | _Lane) for v in known):
            return None
        values = tuple(v for v in known if isinstance(v, _Same | _Lane))
        return self._step(lanes.pop(), op, None, values)

    def _same(self, op: Op, args: tuple[_Same, ...]) -> _Same:
        found = _Same(op.opcode, repr(op.attr), op.result.type, args)
        self.ops.setdefault(found, op)
        return found

    def _step(
        self, lane: int, op: Op, array: _Same | None, values: tuple[_Same | _Lane, ...]
    ) -> _Lane | None:
        if any(isinstance(v, _Lane) and v.lane != lane for v in values):
            return None
        args = tuple(v.step if isinstance(v, _Lane) else v for v in values)
        t = op.result.type if op.results else None
        steps = self._lanes.setdefault(lane, [])
        steps.append(_Step(op.opcode, repr(op.attr), t, array, args))
        if lane == 0:
            self.spans.append(op)
        return _Lane(lane, len(steps) - 1)


def _vector_of(t: ValueType) -> VectorType | None:
    """The vectors of which an array, or a fixed array by reference, has one dimension."""
    if isinstance(t, RefType) and isinstance(t.target, FixedArrayType):
        element, ndim = t.target.element, len(t.target.shape)
    elif isinstance(t, ArrayType):
        element, ndim = t.element, t.ndim
    else:
        return None
    return element if ndim == 1 and isinstance(element, VectorType) else None


def _ops(loop: For) -> list[Op]:
    return [s for s in loop.body if isinstance(s, Op)]


def _chosen(loop: For, pattern: _Pattern, slot: str, ids: Iterator[int]) -> Region:
    """The loop over components where the arrays are one or apart, else the loop as it is."""
    out: Region = []
    writer = _Writer(out, loop, pattern, ids)
    runs = writer.op("lt", BOOL, loop.start, loop.stop)
    inside: Region = []
    # What the loop computes is computed only where it runs: it was shown to be right there alone.
    out.append(If(next(ids), runs, inside, [], loop.span))
    writer.region = inside
    tests = [
        writer.op("apart", BOOL, writer.same(a), writer.same(b), attr=True)
        for a, b in pattern.pairs
    ]
    flat: Region = inside
    if tests:
        flat = []
        test = reduce(partial(writer.op, "and", BOOL), tests)
        inside.append(If(next(ids), test, flat, [loop], loop.span))
    with writer.into(flat):
        # No product wraps: the loop runs, and each of its indices is one of the array's.
        n = writer.constant(pattern.vector.length)
        start, stop = (
            writer.op("convert", INT, writer.op("mul", INT64, writer.op("convert", INT64, v), n))
            for v in (loop.start, loop.stop)
        )
        arrays = {a: writer.flat(a) for a in pattern.arrays}
        body: Region = []
        for same in pattern.ops:
            writer.same(same)
        with writer.into(body):
            writer.steps(slot, arrays)
        flat.append(
            For(next(ids), slot, start, stop, 1, body, [], loop.span, vectorized=loop.vectorized)
        )
    return out


class _Writer(ValueWriter):
    def __init__(self, out: Region, loop: For, pattern: _Pattern, ids: Iterator[int]) -> None:
        super().__init__(out, loop.span, ids)
        self._pattern = pattern
        self._same: dict[_Same, Value] = {}

    def same(self, value: _Same) -> Value:
        """The value before the loop."""
        op = self._pattern.ops[value]
        if isinstance(op, Value):
            return op
        if value not in self._same:
            args = tuple([self.same(arg) for arg in value.args])
            made = self.append_op(
                op.opcode, args, (op.result.type,), op.span, op.attr, op.unchecked
            )
            self._same[value] = made.result
        return self._same[value]

    def flat(self, array: _Same) -> Value:
        """The array of an array's components."""
        value = self.same(array)
        if isinstance(value.type, RefType):
            value = self.op("view", ArrayType(self._pattern.vector, 1), value)
        assert isinstance(value.type, ArrayType)
        flat = ArrayType(self._pattern.vector.element, 1, readonly=value.type.readonly)
        return self.op("flat", flat, value)

    def steps(self, slot: str, arrays: dict[_Same, Value]) -> None:
        """One iteration: what each component does, at index `slot`."""
        at = self.op("get", INT, attr=slot)
        component = RefType(self._pattern.vector.element)
        places = {a: self.op("element", component, flat, at) for a, flat in arrays.items()}
        results: list[Value] = []
        for step, op in zip(self._pattern.steps, self._pattern.spans, strict=True):
            args = [results[a] if isinstance(a, int) else self.same(a) for a in step.args]
            if step.array is not None:
                args.insert(0, places[step.array])
            types = [result.type for result in op.results]
            made = self.append_op(op.opcode, (*args,), types, op.span, op.attr, op.unchecked)
            results.append(made.result if made.results else at)  # nothing uses a store's
