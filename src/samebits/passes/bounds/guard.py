"""The condition under which a loop needs no checks, and the code that tests it before the loop.

Owns which inequalities over values known before the loop imply those wanted inside it, and how
they are computed in 64 bits without ever being wrong. Knows nothing of loops' copies.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial, reduce

from samebits.errors import Span
from samebits.ir.grammar import Region, Value, ValueType
from samebits.ir.rewrite import ValueWriter
from samebits.passes.bounds.affine import (
    Form,
    add,
    atom_form,
    constant,
    shift,
    substitute,
    subtract,
)
from samebits.passes.bounds.domain import Abstract, AbstractState, Lengths
from samebits.passes.bounds.prover import Choice, LastIteration, Product, Wrapped, eliminate
from samebits.types import BOOL, INT, INT64, ScalarType

TERM_LIMIT = 1 << 48
"""A value in a guard has to lie within ± this, so that sums of a few stay far from 2^63."""
FACTOR_LIMIT = 1 << 30
"""A value that a guard multiplies by another has to lie within ± this."""
INNER_FACTOR_LIMIT = 1 << 24
"""A value that the loop multiplies by another, where either changes in it, has to lie within ±
this; their product is within `TERM_LIMIT` then."""
SUM_LIMIT = 1 << 63
SEARCH_DEPTH = 4
SEARCH_STEPS = 64


class Guard:
    """The conditions that a loop needs, collected while it is walked; `state` is that before the
    loop."""

    def __init__(
        self, state: AbstractState, ids: Iterator[int], types: dict[str, ValueType]
    ) -> None:
        self._state = state
        self._facts = state.facts
        self._first_inner = state.facts.count
        self._slots: dict[str, Abstract] = dict(state.slots)
        self._origins = dict(state.origins)
        self._types = types
        self._ids = ids
        self._wanted: dict[Form, None] = {}
        self._limits: dict[int, int] = {}
        self._emitted: dict[int, Value] = {}
        self._steps = 0

    # --- collecting ---

    def want(self, form: Form) -> None:
        """Ask for `form` >= 0 in every iteration, if a test before the loop can establish it."""
        self._steps = SEARCH_STEPS
        self._wanted.update(dict.fromkeys(self._residual(form, SEARCH_DEPTH) or ()))

    @property
    def empty(self) -> bool:
        return not self._wanted

    def _residual(self, form: Form, depth: int) -> list[Form] | None:
        """Inequalities over invariants that imply `form` >= 0 inside the loop, or None."""
        self._steps -= 1
        inner = [(atom, c) for atom, c in form.terms if not self._invariant(atom)]
        if not inner:
            return [form] if self._facts.high(form) >= 0 and self._note_limits(form) else None
        if depth == 0 or self._steps <= 0:
            return None
        atom, c = inner[-1]
        for fact in self._facts.given(atom):
            less = eliminate(form, fact, atom, c)
            if less is not None and (found := self._residual(less, depth - 1)) is not None:
                return found
        match self._facts.definition(atom):
            case Choice(a, given_a, b, given_b):
                return self._all(
                    self._residual_given(substitute(form, atom, a), given_a, depth - 1),
                    self._residual_given(substitute(form, atom, b), given_b, depth - 1),
                )
            case Wrapped(exact, low, high):
                return self._all(
                    self._residual(substitute(form, atom, exact), depth - 1),
                    self._residual(shift(exact, -low), depth - 1),
                    self._residual(subtract(constant(high), exact), depth - 1),
                )
            case definition:
                low, high = self._facts.bounds(atom)
                worst = low if c > 0 else high
                if abs(worst) <= TERM_LIMIT:
                    return self._residual(substitute(form, atom, constant(worst)), depth)
                if not isinstance(definition, Product):
                    return None
                limit = constant(INNER_FACTOR_LIMIT)
                most = -(INNER_FACTOR_LIMIT**2) if c > 0 else INNER_FACTOR_LIMIT**2
                factors = [atom_form(factor) for factor in (definition.a, definition.b)]
                return self._all(
                    self._residual(substitute(form, atom, constant(most)), depth),
                    *(self._residual(add(limit, factor), depth - 1) for factor in factors),
                    *(self._residual(subtract(limit, factor), depth - 1) for factor in factors),
                )

    def _residual_given(self, form: Form, given: tuple[Form, ...], depth: int) -> list[Form] | None:
        mark = self._facts.mark()
        for fact in given:
            self._facts.assume(fact)
        found = [] if self._facts.proves(form) else self._residual(form, depth)
        self._facts.restore(mark)
        return found

    def _all(self, *parts: list[Form] | None) -> list[Form] | None:
        result: list[Form] = []
        for part in parts:
            if part is None:
                return None
            result += part
        return result

    # --- invariants ---

    def _invariant(self, atom: int) -> bool:
        match self._facts.definition(atom):
            case Product(a, b):
                return self._invariant(a) and self._invariant(b)
            case LastIteration(start, limit, _):
                return all(self._invariant(a) for a, _ in (*start.terms, *limit.terms))
            case _:
                return atom < self._first_inner and self._locate(atom) is not None

    def _locate(self, atom: int) -> Value | tuple[str, int | None] | None:
        """The place of the atom's value before the loop: a result, a slot, or a slot's length."""
        found = self._origins.get(atom)
        if found is not None:
            return found
        wanted = atom_form(atom)
        for slot, abstract in self._slots.items():
            if abstract == wanted:
                return slot, None
            if isinstance(abstract, Lengths) and wanted in abstract.forms:
                return slot, abstract.forms.index(wanted)
        return None

    # --- staying exact in 64 bits ---

    def _note_limits(self, form: Form) -> bool:
        """Record what must be bounded so that `form` is computed exactly; False if that cannot
        be."""
        limits: dict[int, int] = {}
        if self._magnitude(form, limits) >= SUM_LIMIT:
            return False
        for atom, limit in limits.items():
            self._limits[atom] = min(limit, self._limits.get(atom, limit))
        return True

    def _magnitude(self, form: Form, limits: dict[int, int]) -> int:
        return abs(form.constant) + sum(
            abs(c) * self._atom_magnitude(atom, TERM_LIMIT, limits) for atom, c in form.terms
        )

    def _atom_magnitude(self, atom: int, limit: int, limits: dict[int, int]) -> int:
        match self._facts.definition(atom):
            case Product(a, b):
                return self._atom_magnitude(a, FACTOR_LIMIT, limits) * self._atom_magnitude(
                    b, FACTOR_LIMIT, limits
                )
            case LastIteration(start, end, step):
                far = self._magnitude(start, limits) + self._magnitude(end, limits)
                return far + self._magnitude(start, limits) + abs(step)
            case _:
                limits[atom] = min(limit, limits.get(atom, limit))
                low, high = self._facts.bounds(atom)
                # Not 0: where it is 0 for sure, it still has a factor, which int64 must have.
                return max(1, min(max(abs(low), abs(high)), limits[atom]))

    # --- assuming and emitting ---

    def conditions(self) -> list[Form]:
        """Assume, at the point before the loop, all that the guard tests; returns the forms to test
        >= 0."""
        facts = self._facts
        tests: list[Form] = []
        for atom, limit in self._limits.items():
            for form in (shift(atom_form(atom), limit), subtract(constant(limit), atom_form(atom))):
                if facts.low(form) < 0:
                    tests.append(form)
                    facts.assume(form)
        self._refresh_products()
        for form in sorted(self._wanted):
            # Noted inside the loop, where more may be known than holds here.
            if self._magnitude(form, {}) < SUM_LIMIT and not facts.proves(form):
                tests.append(form)
                facts.assume(form)
        return tests

    def _refresh_products(self) -> None:
        for form in self._wanted:
            for atom, _ in form.terms:
                definition = self._facts.definition(atom)
                if isinstance(definition, Product):
                    self._facts.product(definition.a, definition.b)

    def emit(self, tests: list[Form], out: Region, span: Span) -> Value:
        """Append the code that tests `tests`; the bool that all hold.

        It is in wrapping 64-bit arithmetic, which never traps. Where a bound fails, the rest may
        be nonsense, and the answer is false all the same.
        """
        writer = ValueWriter(out, span, self._ids)
        self._emitted.clear()
        made = (writer.op("ge", BOOL, *self._sides(form, writer)) for form in tests)
        return reduce(partial(writer.op, "and", BOOL), made)

    def _sides(self, form: Form, writer: ValueWriter) -> tuple[Value, Value]:
        """`form` >= 0 as left >= right, with the negative terms moved over."""
        left = Form(max(form.constant, 0), tuple([t for t in form.terms if t[1] > 0]))
        right = Form(max(-form.constant, 0), tuple([(atom, -c) for atom, c in form.terms if c < 0]))
        return self._sum(left, writer), self._sum(right, writer)

    def _sum(self, form: Form, writer: ValueWriter) -> Value:
        total: Value | None = None
        for atom, c in form.terms:
            value = self._value(atom, writer)
            if c != 1:
                value = writer.op("mul", INT64, value, writer.constant(c))
            total = value if total is None else writer.op("add", INT64, total, value)
        if total is None:
            return writer.constant(form.constant)
        if form.constant:
            total = writer.op("add", INT64, total, writer.constant(form.constant))
        return total

    def _value(self, atom: int, writer: ValueWriter) -> Value:
        if atom in self._emitted:
            return self._emitted[atom]
        match self._facts.definition(atom):
            case Product(a, b):
                value = writer.op("mul", INT64, self._value(a, writer), self._value(b, writer))
            case LastIteration(start, limit, step):
                first, end = self._signed_sum(start, writer), self._signed_sum(limit, writer)
                span = writer.op("sub", INT64, end, first)
                count = writer.op("floordiv", INT64, span, writer.constant(step), unchecked=True)
                whole = writer.op("mul", INT64, count, writer.constant(step))
                value = writer.op("add", INT64, first, whole)
            case _:
                value = self._outer(atom, writer)
        self._emitted[atom] = value
        return value

    def _signed_sum(self, form: Form, writer: ValueWriter) -> Value:
        left = Form(form.constant, tuple([t for t in form.terms if t[1] > 0]))
        right = Form(0, tuple([(atom, -c) for atom, c in form.terms if c < 0]))
        total = self._sum(left, writer)
        return writer.op("sub", INT64, total, self._sum(right, writer)) if right.terms else total

    def _outer(self, atom: int, writer: ValueWriter) -> Value:
        place = self._locate(atom)
        assert place is not None
        if isinstance(place, Value):
            value = place
        else:
            slot, dimension = place
            value = writer.op("get", self._types[slot], attr=slot)
            if dimension is not None:
                value = writer.op("length", INT, value, attr=dimension)
        return _as_int64(value, writer)


def _as_int64(value: Value, writer: ValueWriter) -> Value:
    """An integer as int64, exact wherever int64 has it. Where it has not, the greatest int64 stands
    for it: that is above every limit, so that the test of the limit fails as it does in integers
    without end."""
    t = value.type
    assert isinstance(t, ScalarType)
    if t.maximum > INT64.maximum:
        value = writer.op("min", t, value, writer.constant(INT64.maximum, t))
    return value if t == INT64 else writer.op("convert", INT64, value)
