"""An upper bound of the statements that a call runs, as a formula of array lengths and integers.

An entry evaluates it before its body runs: a short call needs no guard, which takes longer than the
formula. A bound is never too small, and OPEN if there is no simple one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate

from samebits.backend.text.types import parts
from samebits.ir.grammar import (
    For,
    Function,
    If,
    Op,
    Region,
    Value,
    ValueType,
    While,
    walk,
)
from samebits.ir.once import is_library
from samebits.types import INT, INT64, ArrayType

MOST_TERMS = 24
"""Most terms of a formula: longer ones take longer than the guard."""
OPEN = math.inf
COLD_STATEMENTS = 1 << 15
"""The bound for cold functions of the math library, whose loops end by themselves: 26,365 are the
most that any of them was seen to run."""


@dataclass(frozen=True, slots=True)
class WordBound:
    """An integer parameter or an array's dimension; 0 if negative."""

    parameter: int
    dimension: int = 0


@dataclass(frozen=True, slots=True)
class SumBound:
    a: Bound
    b: Bound


@dataclass(frozen=True, slots=True)
class ProductBound:
    a: Bound
    b: Bound


Bound = float | WordBound | SumBound | ProductBound
"""A non-negative number, or a formula for one."""


def plus(a: Bound, b: Bound) -> Bound:
    """a + b."""
    if isinstance(b, float):
        a, b = b, a
    if not isinstance(a, float):
        return SumBound(a, b)
    if isinstance(b, float):
        return a + b
    if a in (0.0, OPEN):
        return OPEN if a else b
    return (
        SumBound(a + b.a, b.b)
        if isinstance(b, SumBound) and isinstance(b.a, float)
        else SumBound(a, b)
    )


def times(a: Bound, b: Bound) -> Bound:
    """a·b."""
    if isinstance(b, float):
        a, b = b, a
    if not isinstance(a, float):
        return ProductBound(a, b)
    if isinstance(b, float):
        return a * b if a and b else 0.0  # a loop that never runs may have an OPEN body
    if a == 0.0:
        return a
    if a in (1.0, OPEN):
        return b if a == 1.0 else OPEN
    return ProductBound(a, b)


def greater(a: Bound, b: Bound) -> Bound:
    """An upper bound of a and b."""
    if isinstance(a, float) and isinstance(b, float):
        return max(a, b)
    if a == b or b == 0.0:
        return a
    return b if a == 0.0 else plus(a, b)


def _terms(bound: Bound) -> int:
    return _terms(bound.a) + _terms(bound.b) if isinstance(bound, SumBound | ProductBound) else 1


def short(bound: Bound) -> Bound:
    """The bound, or OPEN if it has too many terms."""
    return bound if _terms(bound) <= MOST_TERMS else OPEN


def run_bound(function: Function, callees: Mapping[str, Bound]) -> Bound:
    """The most statements of a call of `function`; `callees` has the bounds of its callees."""
    if function.recursion:
        return OPEN
    found = _Counting(function, callees).most(function.body)
    is_cold = function.cold and is_library(function.name)
    return float(COLD_STATEMENTS) if is_cold and found == OPEN else found


class _Counting:
    def __init__(self, function: Function, callees: Mapping[str, Bound]) -> None:
        self._callees = callees
        self._parameters = {name: n for n, (name, _) in enumerate(function.params)}
        self._types = [t for _, t in function.params]
        self._ops: dict[int, Op] = {}
        self._sets: dict[str, list[Value]] = {}
        self._loops: dict[str, list[For]] = {}
        self._known: dict[int, Bound] = {}
        for statement in walk(function.body):
            if isinstance(statement, Op):
                if statement.opcode == "set":
                    self._sets.setdefault(str(statement.attr), []).append(statement.args[0])
                self._ops[statement.id] = statement
            elif isinstance(statement, For):
                self._loops.setdefault(statement.slot, []).append(statement)

    def most(self, region: Region) -> Bound:
        """The most statements that a region runs."""
        total: Bound = 0.0
        for statement in region:
            total = plus(1.0, total)
            match statement:
                case Op(opcode="parallel") | While():
                    return OPEN
                case Op(opcode="call"):
                    total = plus(total, self._called(statement))
                case If():
                    inside = greater(self.most(statement.then), self.most(statement.orelse))
                    total = plus(total, inside)
                case For():
                    each = plus(1.0, self.most(statement.body))
                    total = plus(total, times(self._trip_count(statement), each))
                    total = plus(total, self.most(statement.orelse))
                case _:
                    pass
            if total == OPEN:
                return OPEN
        return short(total)

    def _trip_count(self, loop: For) -> Bound:
        """The largest trip count: at most the upper end of the range minus its lower end."""
        low, high = (loop.start, loop.stop) if loop.step > 0 else (loop.stop, loop.start)
        first = self._constant(low)
        last = self._constant(high)
        if first is not None and last is not None:
            step = abs(loop.step)
            return float(max(0, last - first + step - 1) // step)
        if first is None:
            if not self._is_positive(low):
                return OPEN
            first = 0
        return plus(float(max(0, -first)), self.value(high))

    def _called(self, op: Op) -> Bound:
        def given(bound: Bound) -> Bound:
            match bound:
                case WordBound(parameter, dimension):
                    value = op.args[parameter]
                    if isinstance(value.type, ArrayType):
                        return self._length(value, dimension)
                    return self.value(value)
                case SumBound(a, b):
                    return plus(given(a), given(b))
                case ProductBound(a, b):
                    return times(given(a), given(b))
                case _:
                    return bound

        return given(self._callees.get(str(op.attr), OPEN))  # of one that recurses there is none

    def value(self, value: Value) -> Bound:
        """An upper bound of an integer, not below 0."""
        if value.op not in self._known:
            self._known[value.op] = OPEN  # for a value that depends on itself
            self._known[value.op] = short(self._value(self._ops[value.op]))
        return self._known[value.op]

    def _value(self, op: Op) -> Bound:
        if op.opcode == "get":
            return self._slot(str(op.attr))
        if op.opcode == "convert" and op.args[0].type in (INT, INT64):
            return self.value(op.args[0]) if op.result.type in (INT, INT64) else OPEN
        if op.result.type != INT:
            return OPEN  # what wraps
        match op.opcode, op.args:
            case "const", _:
                return float(max(0, int(op.attr or 0)))
            case "length", (a,):
                return self._length(a, int(op.attr or 0))
            case "add", (a, b):
                return plus(self.value(a), self.value(b))
            case "sub", (a, b):
                less = self._constant(b)
                if less is not None:
                    return plus(float(max(0, -less)), self.value(a))
                return self.value(a) if self._is_positive(b) else OPEN
            case "mul", (a, b):
                some = self._is_positive(a) or self._is_positive(b)
                return times(self.value(a), self.value(b)) if some else OPEN
            case "floordiv" | "shr", (a, b):
                by = self._constant(b)
                return self.value(a) if by is not None and by > 0 else OPEN
            case "mod", (_, b):
                by = self._constant(b)
                return float(by) if by is not None and by > 0 else OPEN
            case "min", (a, b):
                return self._least(self.value(a), self.value(b))
            case "max", (a, b):
                return greater(self.value(a), self.value(b))
            case _:
                return OPEN

    def _least(self, a: Bound, b: Bound) -> Bound:
        if isinstance(a, float) and isinstance(b, float):
            return min(a, b)
        if a == OPEN or b == OPEN:
            return b if a == OPEN else a
        return a if isinstance(a, float) else b

    def _slot(self, name: str) -> Bound:
        sets, loops = self._sets.get(name, []), self._loops.get(name, [])
        if name in self._parameters:
            number = self._parameters[name]
            given = self._types[number] in (INT, INT64)
            return WordBound(number) if given and not sets and not loops else OPEN
        if len(sets) == 1 and not loops:
            return self.value(sets[0])
        if sets:
            return OPEN
        ends = (self.value(loop.stop if loop.step > 0 else loop.start) for loop in loops)
        return reduce(greater, ends, 0.0)

    def _length(self, array: Value, dimension: int) -> Bound:
        op = self._ops.get(array.op)
        if op is None or op.opcode != "get" or not isinstance(array.type, ArrayType):
            return OPEN
        number = self._parameters.get(str(op.attr))
        if number is None or str(op.attr) in self._sets:
            return OPEN
        return WordBound(number, dimension)

    def _constant(self, value: Value) -> int | None:
        op = self._ops.get(value.op)
        if op is None or op.opcode != "const":
            return None
        return int(op.attr) if isinstance(op.attr, int) else None

    def _is_positive(self, value: Value, depth: int = 8) -> bool:
        """Whether an integer is known not to be negative, from at most `depth` operations."""
        op = self._ops.get(value.op)
        if op is None or op.result.type != INT or not depth:
            return False
        match op.opcode:
            case "const":
                return isinstance(op.attr, int) and op.attr >= 0
            case "length":
                return True
            case "get":
                name = str(op.attr)
                sets = [] if name in self._parameters else self._sets.get(name, [])
                is_once = len(sets) == 1 and name not in self._loops
                return is_once and self._is_positive(sets[0], depth - 1)
            case "add" | "mul" | "min":
                return all(self._is_positive(v, depth - 1) for v in op.args)
            case "max":
                return any(self._is_positive(v, depth - 1) for v in op.args)
            case _:
                return False


LIMIT = 1 << 24
"""The cap of every number in a formula's evaluation, so that none overflows."""


def formula(bound: Bound, params: Sequence[tuple[str, ValueType]]) -> tuple[list[str], str]:
    """LLVM lines that evaluate a bound from the words at `%args`, and the name of its value, which
    is capped at LIMIT."""
    lines: list[str] = []
    first = [0, *accumulate(len(parts(t)) for _, t in params)]

    def add(text: str) -> str:
        lines.append(f"  %n{len(lines)} = {text}")
        return f"%n{len(lines) - 1}"

    def cut(name: str) -> str:
        more = add(f"icmp ugt i64 {name}, {LIMIT}")
        return add(f"select i1 {more}, i64 {LIMIT}, i64 {name}")

    def work(bound: Bound) -> str:
        match bound:
            case WordBound(n, dimension):
                word = first[n] + (1 + dimension if isinstance(params[n][1], ArrayType) else 0)
                place = add(f"getelementptr i64, ptr %args, i64 {word}")
                given = add(f"load i64, ptr {place}, align 8")
                some = add(f"icmp sgt i64 {given}, 0")
                return cut(add(f"select i1 {some}, i64 {given}, i64 0"))
            case SumBound(a, b):
                return cut(add(f"add i64 {work(a)}, {work(b)}"))
            case ProductBound(a, b):
                return cut(add(f"mul i64 {work(a)}, {work(b)}"))
            case _:
                return str(int(min(bound, LIMIT)))

    return lines, work(bound)
