"""Every rule of `transfer` on every interval of its operands, against every value in them.

An answer is right where it contains what the operation computes, and where an operation marked as
never trapping, or taken out, never traps. What it computes is `ir.semantics`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from tools.prove_bounds.concrete import (
    Environment,
    Numbers,
    UnsoundError,
    check_facts,
    complete,
    truth_of,
    value_of,
)
from tools.prove_bounds.miniature import Widths

from samebits.errors import Span, Trap
from samebits.ir.grammar import OPS, Function, Op, Value
from samebits.ir.interp.semantics import SEMANTICS
from samebits.passes.bounds.affine import Form, constant, scale, shift, subtract
from samebits.passes.bounds.domain import AbstractState
from samebits.passes.bounds.ranges import Ranges
from samebits.passes.bounds.transfer import HANDLERS, apply
from samebits.types import BOOL, ScalarType

SPAN = Span("enumeration", "operations", 1, 0, 1, 1)
Interval = tuple[int, int]

UNARY = ("neg", "abs", "not", "popcount", "clz", "ctz")
BINARY = ("add", "sub", "mul", "floordiv", "mod", "min", "max", "and", "or", "xor", "shl", "shr")
COMPARISONS = ("eq", "ne", "lt", "le", "gt", "ge")
OWN_TESTS = ("select", "index", "bound", "own", "assert", "assume", "likely", "unlikely")
NUMBERLESS = ("const", "get", "set", "length", "row", "slice", "view", "div")
"""Handlers that compute no integer of integers: what they do, programs try."""

assert {*UNARY, *BINARY, *COMPARISONS, *OWN_TESTS, *NUMBERLESS, "convert", "narrow"} == {*HANDLERS}


@dataclass(slots=True)
class Count:
    """What was covered: rules on intervals, and concrete cases in them."""

    rules: int = 0
    cases: int = 0
    unchecked: int = 0
    """Answers that an operation that can trap does not."""

    def add(self, other: Count) -> None:
        self.rules += other.rules
        self.cases += other.cases
        self.unchecked += other.unchecked


def intervals(t: ScalarType) -> list[Interval]:
    return [*combinations_with_replacement(range(t.minimum, t.maximum + 1), 2)]


def _grid(spans: tuple[Interval, ...]) -> tuple[Numbers, ...]:
    axes = [np.arange(low, high + 1, dtype=np.int64) for low, high in spans]
    return tuple(axis.reshape(-1) for axis in np.meshgrid(*axes, indexing="ij"))


@cache
def _table(opcode: str, types: tuple[ScalarType, ...], result: ScalarType) -> tuple[Any, Any]:
    """What the operation computes and where it traps, for all operands."""
    function: Callable[..., Any] = SEMANTICS[opcode]
    shape = tuple(t.maximum - t.minimum + 1 for t in types)
    values, traps = np.zeros(shape, np.int64), np.zeros(shape, np.bool_)
    for at in np.ndindex(*shape):
        operands = [bool(i) if t == BOOL else i + t.minimum for i, t in zip(at, types, strict=True)]
        try:
            values[at] = int(function(result, *operands))
        except Trap:
            traps[at] = True
    return values, traps


class Case:
    """One operation on operands that are forms of bounded atoms."""

    def __init__(self, opcode: str, types: tuple[ScalarType, ...], result: ScalarType | None,
                 spans: tuple[Interval, ...]) -> None:  # fmt: skip
        self.state = AbstractState()
        self.types = types
        self.result = result
        self.atoms = [self.state.bounded(*span) for span in spans]
        self.first = self.state.facts.count
        grid = _grid(spans)
        self.env: Environment = {form.terms[0][0]: axis
                                 for form, axis in zip(self.atoms, grid, strict=True)}  # fmt: skip
        self.where: Numbers = np.ones(len(grid[0]), np.bool_)
        args = tuple(Value(i, 0, t) for i, t in enumerate(types))
        results = () if result is None else (Value(9, 0, result),)
        self.op = Op(9, opcode, args, None, results, SPAN)
        self.wanted: list[Form] = []

    def given(self, fact: Form) -> None:
        """`fact` >= 0 is known, and so only cases in which it holds count."""
        self.state.facts.assume(fact)
        self.where &= value_of(fact, self.env) >= 0

    def run(self, operands: list[Form], exact: Numbers | None = None) -> Count:
        """Check the rule's answer."""
        known = self.state
        numbers = [value_of(form, self.env) for form in operands]
        for i, (form, n, t) in enumerate(zip(operands, numbers, self.types, strict=True)):
            known.values[i] = form
            self.where &= (n >= t.minimum) & (n <= t.maximum)
        if not self.where.any():
            return Count()
        kept = apply(known, self.op, self.wanted.append)
        found, traps = self._computed(numbers)
        ends = traps & self.where
        if (kept is None or kept.unchecked) and ends.any():
            raise UnsoundError(f"{self}: said never to trap, and traps")
        self.where = self.where & ~traps
        if kept is not None and self.result is not None:
            self._check_folded(kept, found)
        self._check_result(found, exact)
        can = OPS[self.op.opcode].trap is not None
        return Count(1, int(self.where.sum()), int(can and (kept is None or kept.unchecked)))

    def _computed(self, numbers: list[Numbers]) -> tuple[Numbers, Numbers]:
        t = self.result
        if t is None:
            return self.effect(*numbers)
        values, traps = _table(self.op.opcode, self.types, t)
        at = tuple(
            np.clip(n - s.minimum, 0, s.maximum - s.minimum)
            for n, s in zip(np.broadcast_arrays(*numbers, self.where)[:-1], self.types, strict=True)
        )
        return values[at], traps[at]

    def effect(self, *numbers: Numbers) -> tuple[Numbers, Numbers]:
        """Where an operation without result traps."""
        a, *rest = numbers
        zero = np.zeros_like(self.where, np.int64)
        if self.op.opcode == "index":
            return zero, ~((a >= 0) & (a < rest[0]))
        if self.op.opcode == "bound":
            return zero, ~((a >= 0) & (a <= rest[0]))
        return zero, ~((a >= rest[0]) & (a < rest[0] + rest[1]))

    def _check_folded(self, kept: Op, found: Numbers) -> None:
        ranges = Ranges(Function("f", (), (), {}, {}, [], SPAN))
        ranges.state = self.state
        folded = ranges.folded(kept)
        if folded.opcode == "const" and not np.all((found == folded.attr) | ~self.where):
            raise UnsoundError(f"{self}: folded to {folded.attr}")

    def _check_result(self, found: Numbers, exact: Numbers | None) -> None:
        known, t = self.state, self.result
        if t == BOOL:
            complete(known.facts, self.env, self.first, None, found)
            truth = truth_of(known.condition(self.op.result), self.env)
            if not np.all((truth == (found != 0)) | ~self.where):
                raise UnsoundError(f"{self}: the condition is another")
        else:
            form = None if t is None else known.form(self.op.result)
            complete(known.facts, self.env, self.first, form, found, exact)
            if form is not None and not np.all((value_of(form, self.env) == found) | ~self.where):
                raise UnsoundError(f"{self}: another result")
        try:
            check_facts(known.facts, self.env, self.where, 1 if t is None else t.bits)
        except UnsoundError as error:
            raise UnsoundError(f"{self}: {error}") from None

    def __str__(self) -> str:
        facts = self.state.facts
        spans = [facts.bounds(form.terms[0][0]) for form in self.atoms]
        return f"{self.op.opcode} of {', '.join(map(str, self.types))} in {spans}"


def forms_of(opcode: str) -> Iterator[tuple[str, int, Callable[[list[Form]], list[Form]]]]:
    """The shapes in which operands come: apart, as one and the same, and as constants."""
    if opcode in UNARY:
        yield "x", 1, lambda a: [a[0]]
        yield "x + 1", 1, lambda a: [shift(a[0], 1)]
        yield "-x", 1, lambda a: [scale(a[0], -1)]
        return
    yield "x, y", 2, lambda a: [a[0], a[1]]
    yield "x, x", 1, lambda a: [a[0], a[0]]
    yield "x, x + 1", 1, lambda a: [a[0], shift(a[0], 1)]
    yield "-x, x", 1, lambda a: [scale(a[0], -1), a[0]]


def binary(opcode: str, t: ScalarType, stride: int = 1) -> Count:
    """All intervals of both operands (one pair in `stride`), and of one that both are made of."""
    count = Count()
    result = BOOL if opcode in COMPARISONS else t
    types = (t,) if opcode in UNARY else (t, t)
    exact = {"mul": lambda a, b: a * b}.get(opcode)
    for _, n, shape in forms_of(opcode):
        for spans in [*product(intervals(t), repeat=n)][:: stride if n == 2 else 1]:
            case = Case(opcode, types, result, spans)
            operands = shape(case.atoms)
            numbers = [value_of(form, case.env) for form in operands]
            count.add(case.run(operands, exact(*numbers) if exact else None))
    return count


def with_constant(opcode: str, t: ScalarType, stride: int) -> Count:
    """All intervals of one operand (one in `stride`), every constant on either side."""
    count = Count()
    result = BOOL if opcode in COMPARISONS else t
    exact = {"mul": lambda a, b: a * b}.get(opcode)
    for span in intervals(t)[::stride]:
        for k, left in product(range(t.minimum, t.maximum + 1), (False, True)):
            case = Case(opcode, (t, t), result, (span,))
            operands = [constant(k), case.atoms[0]] if left else [case.atoms[0], constant(k)]
            numbers = [value_of(form, case.env) for form in operands]
            count.add(case.run(operands, exact(*numbers) if exact else None))
    return count


RELATIONS: dict[str, Callable[[Form, Form], Form]] = {
    "x <= y": lambda x, y: subtract(y, x),
    "x < y": lambda x, y: shift(subtract(y, x), -1),
    "x > y": lambda x, y: shift(subtract(x, y), -1),
    "x + y >= 1": lambda x, y: shift(subtract(x, scale(y, -1)), -1),
}


def related(opcode: str, t: ScalarType, every: int) -> Count:
    """Operands of which an inequality is known too, for one in `every` of the pairs."""
    count = Count()
    result = BOOL if opcode in COMPARISONS else t
    exact = {"mul": lambda a, b: a * b}.get(opcode)
    for relation in RELATIONS.values():
        for spans in [*product(intervals(t), repeat=2)][::every]:
            case = Case(opcode, (t, t), result, spans)
            case.given(relation(*case.atoms))
            x, y = case.atoms
            numbers = [case.env[f.terms[0][0]] for f in (x, y)]
            count.add(case.run([x, y], exact(*numbers) if exact else None))
    return count


def conversions(w: Widths) -> Count:
    """From every type to every type, and `narrow` from int to every fixed width."""
    count = Count()
    for source, target in product(w.all, repeat=2):
        opcodes = ["convert"]
        if source == w.weak and not target.weak:
            opcodes.append("narrow")
        for opcode, span in product(opcodes, intervals(source)):
            for shape in (lambda x: x, lambda x: scale(x, -1), lambda x: shift(scale(x, 2), 1)):
                case = Case(opcode, (source,), target, (span,))
                count.add(case.run([shape(case.atoms[0])]))
    return count


def selections(t: ScalarType, every: int) -> Count:
    """`select` by a comparison of its own operands."""
    count = Count()
    for opcode in COMPARISONS:
        for spans in [*product(intervals(t), repeat=2)][::every]:
            case = Case("select", (BOOL, t, t), t, spans)
            x, y = case.atoms
            compare = Op(
                8, opcode, (Value(1, 0, t), Value(2, 0, t)), None, (Value(0, 0, BOOL),), SPAN
            )
            known = case.state
            known.values[1], known.values[2] = x, y
            apply(known, compare, case.wanted.append)
            known.values[0] = known.values.pop(8)
            a, b = (case.env[f.terms[0][0]] for f in (x, y))
            values, _ = _table(opcode, (t, t), BOOL)
            chosen = values[a - t.minimum, b - t.minimum] != 0
            apply(known, case.op, case.wanted.append)
            found = np.where(chosen, a, b)
            case._check_result(found, None)
            count.add(Count(1, len(found)))
    return count


def checks(w: Widths, every: int) -> Count:
    """`index`, `bound` and `own` on all intervals: what goes never traps, what is learnt is so."""
    count = Count()
    t = w.weak
    for opcode, spans in product(("index", "bound"), product(intervals(t), repeat=2)):
        case = Case(opcode, (t, t), None, spans)
        count.add(case.run([*case.atoms]))
        case = Case(opcode, (t, t), None, spans)
        case.given(shift(subtract(case.atoms[1], case.atoms[0]), -1))
        count.add(case.run([*case.atoms]))
    for spans in [*product(intervals(t), repeat=3)][::every]:
        case = Case("own", (t, t, t), None, spans)
        count.add(case.run([*case.atoms]))
    return count


def everything(w: Widths, stride: int, fewer: int) -> dict[str, Count]:
    """All rules at one width. Of pairs of intervals one in `stride`; of pairs with an inequality
    and of what `select` chooses one in `fewer`, of triples one in 37 times that."""
    found: dict[str, Count] = {}
    for t in (w.weak, w.signed, w.unsigned):
        for opcode in (*UNARY, *BINARY, *COMPARISONS):
            count = binary(opcode, t, stride)
            if opcode not in UNARY:
                count.add(with_constant(opcode, t, 1 if stride < 50 else 7))
                count.add(related(opcode, t, fewer))
            found[f"{opcode} {t}"] = count
        found[f"select {t}"] = selections(t, fewer)
    found["conversions"] = conversions(w)
    found["index, bound and own"] = checks(w, 37 * fewer)
    return found
