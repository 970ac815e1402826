"""The abstract domain of range analysis: what is known of results and of slots at one point.

Owns how integers, conditions and arrays are described. Knows nothing of single operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.ir.grammar import Op, Value, ValueType
from samebits.passes.bounds.affine import Form, atom_form, constant, shift, subtract
from samebits.passes.bounds.prover import Choice, Definition, FactBase, Wrapped
from samebits.types import INT, ArrayType, RefType, ScalarType

LENGTH_LIMIT = 1 << 48
"""No array is longer along any dimension: the caller guarantees it."""


@dataclass(frozen=True, slots=True)
class Compare:
    """`form` >= 0 ("ge"), == 0 ("eq") or != 0 ("ne")."""

    relation: str
    form: Form


@dataclass(frozen=True, slots=True)
class Both:
    a: Condition
    b: Condition


@dataclass(frozen=True, slots=True)
class Either:
    a: Condition
    b: Condition


@dataclass(frozen=True, slots=True)
class Opaque:
    """A bool of which only the identity is known."""

    number: int
    truth: bool = True


Condition = Compare | Both | Either | Opaque | bool


@dataclass(frozen=True, slots=True)
class Lengths:
    """An array: its length along each dimension."""

    forms: tuple[Form, ...]


Abstract = Form | Condition | Lengths | None
"""None: nothing is tracked for a value of this type."""


def negate(condition: Condition) -> Condition:
    match condition:
        case bool():
            return not condition
        case Compare("ge", form):
            return Compare("ge", shift(Form(0, tuple([(a, -c) for a, c in form.terms])),
                                       -form.constant - 1))  # fmt: skip
        case Compare(relation, form):
            return Compare("ne" if relation == "eq" else "eq", form)
        case Both(a, b):
            return Either(negate(a), negate(b))
        case Either(a, b):
            return Both(negate(a), negate(b))
        case Opaque(number, truth):
            return Opaque(number, not truth)


class AbstractState:
    """A fact base, the abstract value of every op's first result, and of every slot surely set."""

    def __init__(self) -> None:
        self.facts = FactBase()
        self.values: dict[int, Abstract] = {}
        self.slots: dict[str, Abstract] = {}
        self.floats: dict[int, float] = {}
        self.integers: dict[int, Form] = {}
        """Of floats that were integers: what these were, by the operation that converted them."""
        self.origins: dict[int, Value] = {}
        self._opaque = 0

    # --- making abstract values ---

    def bounded(self, low: int, high: int, definition: Definition | None = None) -> Form:
        """A new unknown integer in low..high."""
        return atom_form(self.facts.fresh(low, high, definition))

    def unknown(self, t: ValueType) -> Abstract:
        """Any value of type `t`."""
        match t:
            case ScalarType():
                if t.is_int:
                    return self.bounded(t.minimum, t.maximum)
                if t.bits == 1:
                    self._opaque += 1
                    return Opaque(self._opaque)
                return None
            case ArrayType():
                return Lengths(tuple([self.bounded(0, LENGTH_LIMIT) for _ in range(t.ndim)]))
            case RefType():
                return None

    def wrapped(self, exact: Form, t: ScalarType) -> Form:
        """`exact` reduced to the fixed-width type `t`."""
        low, high = t.minimum, t.maximum
        if self.within(exact, low, high):
            return exact
        return self.bounded(low, high, Wrapped(exact, low, high))

    # --- reading ---

    def of(self, value: Value) -> Abstract:
        if value.index:
            return self.unknown(value.type)
        if value.op not in self.values:
            self.values[value.op] = self.unknown(value.type)
        return self.values[value.op]

    def form(self, value: Value) -> Form:
        """The linear form of an integer value."""
        found = self.of(value)
        assert isinstance(found, Form)
        return found

    def condition(self, value: Value) -> Condition:
        found = self.of(value)
        assert found is not None
        assert not isinstance(found, (Form, Lengths))
        return found

    def bounds(self, form: Form) -> tuple[int, int]:
        return self.facts.low(form), self.facts.high(form)

    def within(self, form: Form, low: int, high: int) -> bool:
        """Whether `form` provably lies in low..high."""
        facts = self.facts
        return (facts.low(form) >= low or facts.proves(shift(form, -low))) and (
            facts.high(form) <= high or facts.proves(subtract(constant(high), form))
        )

    # --- learning ---

    def learn(self, op: Op, abstract: Abstract) -> None:
        """Record the abstract value of the first result of `op`."""
        self.values[op.id] = abstract
        if isinstance(abstract, Form):
            terms = abstract.terms
            if len(terms) == 1 and terms[0][1] == 1 and abstract.constant == 0:
                self.origins.setdefault(terms[0][0], op.result)

    def assume_within(self, form: Form, low: int, high: int) -> None:
        """Assume that `form` lies in low..high, as bounds of its atoms."""
        self.facts.bound(shift(form, -low))
        self.facts.bound(subtract(constant(high), form))

    def assume(self, condition: Condition) -> None:
        """Assume that `condition` is true."""
        facts = self.facts
        match condition:
            case Compare("ge", form):
                facts.assume(form)
            case Compare("eq", form):
                facts.assume(form)
                facts.assume(subtract(constant(0), form))
            case Compare(_, form):
                opposite = subtract(constant(0), form)
                if facts.proves(form):
                    facts.assume(shift(form, -1))
                elif facts.proves(opposite):
                    facts.assume(shift(opposite, -1))
            case Both(a, b):
                self.assume(a)
                self.assume(b)
            case Either(a, b):
                if self.holds(negate(a)):
                    self.assume(b)
                elif self.holds(negate(b)):
                    self.assume(a)
            case _:
                pass

    def holds(self, condition: Condition) -> bool:
        """Whether `condition` is provably true."""
        facts = self.facts
        match condition:
            case bool():
                return condition
            case Compare("ge", form):
                return facts.proves(form)
            case Compare("eq", form):
                return not form.terms and form.constant == 0
            case Compare(_, form):
                opposite = subtract(constant(-1), form)
                return facts.proves(shift(form, -1)) or facts.proves(opposite)
            case Both(a, b):
                return self.holds(a) and self.holds(b)
            case Either(a, b):
                return self.holds(a) or self.holds(b)
            case Opaque():
                return False

    def choice(
        self,
        a: Form,
        given_a: tuple[Form, ...],
        b: Form,
        given_b: tuple[Form, ...],
        low: int,
        high: int,
    ) -> Form:
        """Either `a` (then `given_a` hold) or `b` (then `given_b` hold), within low..high."""
        return a if a == b else self.bounded(low, high, Choice(a, given_a, b, given_b))

    def consequences(self, condition: Condition) -> tuple[Form, ...]:
        """The inequalities that follow from `condition`, without assuming it."""
        mark = self.facts.mark()
        self.assume(condition)
        result = self.facts.since(mark)
        self.facts.restore(mark)
        return result


def integer_range(t: ValueType) -> tuple[int, int]:
    """Least and greatest value of an integer type."""
    assert isinstance(t, ScalarType)
    return t.minimum, t.maximum


def is_weak_int(t: ValueType) -> bool:
    return t is INT or t == INT
