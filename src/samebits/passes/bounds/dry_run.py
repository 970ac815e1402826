"""The dry run of a block: a copy of a loop's body that only reports if a check may fail.

It stores nothing and never traps.

What it notes may be wrong in one direction: that a check fails which would not. Owns what stands
for each check there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from samebits.ir.grammar import OPS, For, If, Op, Region, Value, walk
from samebits.ir.rewrite import ValueWriter
from samebits.types import BOOL, FLOAT64, INT, INT64, UINT64, ScalarType

FIXED_PRODUCT = "samebits.lang.fixed_wide.multiply"
"""a·b·2^-n of its arguments a, b, n, and as second result a number that is not 0 where that
leaves int64."""
SLACK = 1 - 2.0**-40
"""What sizes are compared with, of a limit: each of their roundings loses at most 2^-53, and a body
has a few hundred operations."""
BODY_LIMIT = 200

_STORES = {"store", "copy", "zero"}
_KEPT = {"get", "set", "load", "index", "bound", "call"}
"""Operations beside those that only compute; a dry run that still has `index` or `bound` after
analysis is not used."""


class DryRun:
    """The dry run of one loop: `checked` are the ids of the checks that may fail, by opcodes of
    `CHECKS`; `total` the functions that only compute and always end. A possible failure is reported
    in two slots: the bool `found`, and the uint64 `excess`, of which some bit is set then."""

    def __init__(self, loop: For, checked: set[int], total: set[str], ids: Iterator[int]) -> None:
        self.found = f"checks.{next(ids)}"
        self.excess = f"excess.{next(ids)}"
        self.slots: dict[str, str] = {}
        """The body's slots, and what they are called in the copy."""
        self._loop = loop
        self._checked = checked
        self._total = total
        self._ids = ids
        ops = [s for s in walk(loop.body) if isinstance(s, Op)]
        self._made = {op.id: op for op in ops}
        self._values: dict[tuple[int, int], Value] = {}
        self._sizes: dict[Value, Value] = {}
        self._assigned: dict[str, Value] = {}
        """What the body's slots hold, as far as that is known."""
        self._read: dict[int, Value] = {}
        """The same of slots that were read, by operation."""
        self.slot = self._renamed(loop.slot)
        for op in ops:
            if op.opcode == "set":
                self._renamed(str(op.attr))

    def body(self) -> Region | None:
        """The copy; None if an operation of the body cannot be in it, or if an iteration reads what
        an earlier one set."""
        try:
            region, _ = self._region(self._loop.body, {self._loop.slot})
        except _Unfit:
            return None
        return region

    def _renamed(self, slot: str) -> str:
        if slot not in self.slots:
            self.slots[slot] = f"{slot}.{next(self._ids)}"
        return self.slots[slot]

    def _region(self, region: Region, have: set[str]) -> tuple[Region, set[str]]:
        """The copy, and the slots that are set after it, given those before."""
        out: Region = []
        have = set(have)
        for statement in region:
            match statement:
                case Op():
                    self._op(statement, out, have)
                case If():
                    then, orelse, have = self._branches(statement, have)
                    condition = self.value(statement.condition)
                    out.append(
                        replace(statement, id=next(self._ids), condition=condition, then=then,
                                orelse=orelse)
                    )  # fmt: skip
                case _:
                    raise _Unfit
        return out, have

    def _branches(self, statement: If, have: set[str]) -> tuple[Region, Region, set[str]]:
        sizes, assigned = self._sizes, self._assigned
        self._sizes, self._assigned = dict(sizes), dict(assigned)
        then, then_have = self._region(statement.then, have)
        one = self._assigned
        self._sizes, self._assigned = dict(sizes), dict(assigned)
        orelse, else_have = self._region(statement.orelse, have)
        other = self._assigned
        self._sizes = sizes
        self._assigned = {slot: v for slot, v in one.items() if other.get(slot) == v}
        return then, orelse, then_have & else_have

    def value(self, value: Value) -> Value:
        """The copy's value for `value`."""
        return self._values.get((value.op, value.index), value)

    def made_by(self, value: Value) -> Op | None:
        """The body's operation whose result is `value`."""
        return self._made.get(value.op)

    def product(self, value: Value) -> tuple[Value, Value, int] | None:
        """a, b and n where `value` is a result of the fixed-point product a·b·2^-n."""
        call = self.made_by(value)
        if call is None or call.opcode != "call" or call.attr != FIXED_PRODUCT:
            return None
        bits = self.made_by(call.args[2])
        if bits is None or bits.opcode != "const" or not isinstance(bits.attr, int):
            return None
        return call.args[0], call.args[1], int(bits.attr)

    def has_size(self, value: Value) -> bool:
        """Whether the size of an integer can be computed without the integer."""
        return self._origin(value) is not None

    def _origin(self, value: Value) -> Op | None:
        """The product, or the sum with one in it, whose result is an integer."""
        while (op := self.made_by(value)) is not None:
            match op.opcode:
                case "get" if op.id in self._read:
                    value = self._read[op.id]
                case "convert" if {op.args[0].type, op.result.type} == {INT, INT64}:
                    value = op.args[0]
                case "call" if value.index == 0 and self.product(value) is not None:
                    return op
                case "add" | "sub" if value in self._sizes:
                    return op
                case _:
                    return None
        return None

    def size(self, value: Value, w: ValueWriter) -> Value:
        """A float64 whose magnitude is at least that of an integer, but for rounding errors."""
        op = self._origin(value)
        if op is None:
            return w.op("convert", FLOAT64, self.value(value))
        if op.result not in self._sizes:
            product = self.product(op.result)
            assert product is not None
            a, b, bits = product
            exact = w.op("mul", FLOAT64, self.size(a, w), self.size(b, w))
            exact = w.op("mul", FLOAT64, exact, w.constant(2.0**-bits, FLOAT64))
            size = w.op("add", FLOAT64, w.op("abs", FLOAT64, exact), w.constant(1.0, FLOAT64))
            self._sizes[op.result] = size
        return self._sizes[op.result]

    def sum_size(self, op: Op, w: ValueWriter) -> Value | None:
        """The size of a sum or a difference with a product in it."""
        if not any(map(self.has_size, op.args)):
            return None
        sizes = [w.op("abs", FLOAT64, self.size(value, w)) for value in op.args]
        size = self._sizes[op.result] = w.op("add", FLOAT64, *sizes)
        return size

    def _op(self, op: Op, out: Region, have: set[str]) -> None:
        if op.opcode in _STORES:
            return
        if op.id in self._checked:
            writer = ValueWriter(out, op.span, self._ids)
            fails, result = CHECKS[op.opcode](self, writer, op)
            if result is not None:
                self._values[op.id, 0] = result
            t, slot = (BOOL, self.found) if fails.type == BOOL else (UINT64, self.excess)
            before = writer.op("get", t, attr=slot)
            writer.emit("set", writer.op("or", t, before, fails), attr=slot)
            return
        attr = op.attr
        if op.opcode in ("get", "set") and attr in self.slots:
            if op.opcode == "set":
                have.add(str(attr))
                self._assigned[str(attr)] = op.args[0]
            elif attr not in have:
                raise _Unfit
            elif attr in self._assigned:
                self._read[op.id] = self._assigned[str(attr)]
            attr = self.slots[str(attr)]
        if op.opcode == "call" and attr not in self._total:
            raise _Unfit
        if not OPS[op.opcode].pure and op.opcode not in _KEPT:
            raise _Unfit
        number = next(self._ids)
        results = tuple([Value(number, r.index, r.type) for r in op.results])
        for old, new in zip(op.results, results, strict=True):
            self._values[old.op, old.index] = new
        args = tuple([self.value(value) for value in op.args])
        out.append(replace(op, id=number, args=args, attr=attr, results=results))


class _Unfit(Exception):
    """Raised for a body that has no dry run."""


Check = Callable[[DryRun, ValueWriter, Op], tuple[Value, Value | None]]
"""From a check to whether it may fail, a bool or an uint64 that is not 0, and its result where it
does not."""


def _overflow(dry: DryRun, w: ValueWriter, op: Op) -> tuple[Value, None]:
    """Whether a fixed-point product is large, at a fourth of the cost of the product."""
    test = dry.made_by(op.args[0])
    if test is not None and test.opcode == "ne" and test.args[0].index == 1:
        zero, product = dry.made_by(test.args[1]), dry.product(test.args[0])
        if zero is not None and zero.attr == 0 and product is not None:
            a, b, bits = product
            size = w.op("mul", FLOAT64, dry.size(a, w), dry.size(b, w))
            return _is_large(w, size, _limit() * 2.0**bits), None
    return dry.value(op.args[0]), None


def _limit() -> float:
    """The least magnitude that no int has, except the minimum."""
    return float(INT.maximum + 1)


def _is_large(w: ValueWriter, size: Value, limit: float) -> Value:
    size = w.op("abs", FLOAT64, size)
    return w.op("ge", BOOL, size, w.constant(limit * SLACK, FLOAT64))


def _assert(dry: DryRun, w: ValueWriter, op: Op) -> tuple[Value, None]:
    return w.op("not", BOOL, dry.value(op.args[0])), None


def _narrow(dry: DryRun, w: ValueWriter, op: Op) -> tuple[Value, Value]:
    """The bits above those that fit. LLVM makes one instruction of a sum and the comparison whether
    it fits, of which it makes no vectors."""
    value, t = dry.value(op.args[0]), op.result.type
    assert isinstance(t, ScalarType)
    result = w.op("convert", t, value)
    if t == INT64:
        return w.constant(0, UINT64), result
    bits = w.op("convert", UINT64, value)
    if t.is_signed:
        bits = w.op("add", UINT64, bits, w.constant(-t.minimum, UINT64))
    above = min(t.bits, INT64.bits - 1)  # of 64 bits: the sign, which an uint64 has none of
    return w.op("shr", UINT64, bits, w.constant(above, UINT64)), result


def _wrapping(dry: DryRun, w: ValueWriter, op: Op) -> tuple[list[Value], Value]:
    """The operands of a sum, difference or product of weak ints as int64, and the result so."""
    operands = [w.op("convert", INT64, dry.value(value)) for value in op.args]
    return operands, w.op(op.opcode, INT64, *operands)


def _sum(dry: DryRun, w: ValueWriter, op: Op) -> tuple[Value, Value]:
    (a, b), result = _wrapping(dry, w, op)
    size = dry.sum_size(op, w)
    if size is not None:
        return _is_large(w, size, _limit()), w.op("convert", INT, result)
    turned = w.op("xor", INT64, a, result)
    other = w.op("xor", INT64, *((b, result) if op.opcode == "add" else (a, b)))
    both = w.op("and", INT64, turned, other)
    return w.op("lt", BOOL, both, w.constant(0)), w.op("convert", INT, result)


def _product(dry: DryRun, w: ValueWriter, op: Op) -> tuple[Value, Value]:
    a, b = (dry.size(value, w) for value in op.args)
    _, result = _wrapping(dry, w, op)
    return _is_large(w, w.op("mul", FLOAT64, a, b), _limit()), w.op("convert", INT, result)


def _of_least(dry: DryRun, w: ValueWriter, op: Op) -> tuple[Value, Value]:
    (a,), result = _wrapping(dry, w, op)
    fails = w.op("eq", BOOL, a, w.constant(INT64.minimum))
    return fails, w.op("convert", INT, result)


CHECKS: dict[str, Check] = {
    "overflow": _overflow,
    "assert": _assert,
    "narrow": _narrow,
    "add": _sum,
    "sub": _sum,
    "mul": _product,
    "neg": _of_least,
    "abs": _of_least,
}
"""By opcode, the checks that a dry run can make: those of values, not of places in memory."""
