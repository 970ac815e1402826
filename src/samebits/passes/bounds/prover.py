"""The fact base: bounds and inequalities of atoms at one point of a function, and proofs from them.

Everything learnt is logged, so that leaving a branch or a loop forgets it. Knows nothing of IR.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.passes.bounds.affine import (
    Form,
    add,
    atom_form,
    coefficient,
    constant,
    scale,
    shift,
    substitute,
    subtract,
)

PROOF_STEPS = 64
"""Inequalities tried for one proof; more finds little and costs compile time."""
PROOF_DEPTH = 3
RECENT = 6
"""A proof looks at fewer than this many of the newest facts of each kind about one atom."""


@dataclass(frozen=True, slots=True)
class Product:
    """The atom is the product of two atoms."""

    a: int
    b: int


@dataclass(frozen=True, slots=True)
class Choice:
    """The atom is `a`, in which case `given_a` all hold (are >= 0), or `b` likewise."""

    a: Form
    given_a: tuple[Form, ...]
    b: Form
    given_b: tuple[Form, ...]


@dataclass(frozen=True, slots=True)
class Wrapped:
    """The atom is `exact` where that lies in low..high, and wraps where it does not."""

    exact: Form
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class LastIteration:
    """The atom is the counter in a loop's last iteration:
    start + ((limit - start) // step) * step."""

    start: Form
    limit: Form
    step: int


Definition = Product | Choice | Wrapped | LastIteration


class FactBase:
    """Atoms with bounds and definitions, and the inequalities `form >= 0` that hold now."""

    def __init__(self) -> None:
        self._low: list[int] = []
        self._high: list[int] = []
        self._born: list[tuple[int, int]] = []
        self._given: list[list[Form]] = []
        self._derived: list[list[Form]] = []
        self._definitions: dict[int, Definition] = {}
        self._products: dict[tuple[int, int], int] = {}
        self._last_iterations: dict[LastIteration, int] = {}
        self._log: list[tuple[int, int, int] | tuple[list[list[Form]], Form]] = []

    # --- atoms ---

    @property
    def count(self) -> int:
        """Number of atoms so far; the next one gets this number."""
        return len(self._low)

    def fresh(self, low: int, high: int, definition: Definition | None = None) -> int:
        """A new atom in low..high."""
        atom = len(self._low)
        self._low.append(low)
        self._high.append(high)
        self._born.append((low, high))
        self._given.append([])
        self._derived.append([])
        if definition is not None:
            self._definitions[atom] = definition
        return atom

    def definition(self, atom: int) -> Definition | None:
        return self._definitions.get(atom)

    def product(self, a: int, b: int) -> int:
        """The atom for a*b: the same one each time, with bounds as tight as now known."""
        key = (a, b) if a <= b else (b, a)
        low, high = product_bounds(self.bounds(a), self.bounds(b))
        atom = self._products.get(key)
        if atom is None:
            # Bounds found under an assumption are logged; the ones at birth are not, so they
            # must hold always: those of any two integers that the atoms can be.
            born = product_bounds(self._born[a], self._born[b])
            atom = self._products[key] = self.fresh(*born, Product(*key))
        self.tighten(atom, low, high)
        return atom

    def last_iteration(self, start: Form, limit: Form, step: int) -> int:
        """The atom for the counter in a loop's last iteration: the same one each time. Meaningless
        if there is no iteration."""
        key = LastIteration(start, limit, step)
        if key not in self._last_iterations:
            # At most |step| beyond `limit`, which is at most one beyond an int.
            reach = (1 << 65) + abs(step)
            self._last_iterations[key] = self.fresh(-reach, reach, key)
        return self._last_iterations[key]

    # --- bounds ---

    def reach(self, atom: int) -> int:
        """The greatest magnitude of the atom, whatever is assumed."""
        low, high = self._born[atom]
        return max(abs(low), abs(high))

    def bounds(self, atom: int) -> tuple[int, int]:
        return self._low[atom], self._high[atom]

    def low(self, form: Form) -> int:
        """A lower bound of `form`."""
        total = form.constant
        for atom, c in form.terms:
            total += c * (self._low[atom] if c > 0 else self._high[atom])
        return total

    def high(self, form: Form) -> int:
        """An upper bound of `form`."""
        total = form.constant
        for atom, c in form.terms:
            total += c * (self._high[atom] if c > 0 else self._low[atom])
        return total

    def tighten(self, atom: int, low: int, high: int) -> None:
        """Assume that the atom lies in low..high as well."""
        old_low, old_high = self._low[atom], self._high[atom]
        if low > old_low or high < old_high:
            self._log.append((atom, old_low, old_high))
            self._low[atom] = max(low, old_low)
            self._high[atom] = min(high, old_high)

    # --- inequalities ---

    def bound(self, form: Form) -> None:
        """Assume `form` >= 0: bounds of its atoms follow, the form itself is not kept."""
        top = self.high(form)
        for atom, c in form.terms:
            if c > 0:
                rest = top - c * self._high[atom]
                self.tighten(atom, -(rest // c), self._high[atom])
            else:
                rest = top - c * self._low[atom]
                self.tighten(atom, self._low[atom], rest // -c)

    def assume(self, form: Form, derived: bool = False) -> None:
        """Assume `form` >= 0. `derived` marks what follows from a check in the code, as opposed to
        what the control flow implies."""
        self.bound(form)
        if len(form.terms) < 2:
            return
        first = form.terms[0][0]
        if form not in self._given[first] and form not in self._derived[first]:
            about = self._derived if derived else self._given
            for atom, _ in form.terms:
                about[atom].append(form)
            self._log.append((about, form))

    def given(self, atom: int) -> list[Form]:
        """The facts that control flow implies about `atom`, newest first."""
        return self._given[atom][::-1]

    def mark(self) -> int:
        return len(self._log)

    def restore(self, mark: int) -> None:
        """Forget everything learnt since `mark`."""
        log = self._log
        while len(log) > mark:
            entry = log.pop()
            if len(entry) == 2:
                about, form = entry
                for atom, _ in form.terms:
                    about[atom].pop()
            else:
                atom, low, high = entry
                self._low[atom] = low
                self._high[atom] = high

    def since(self, mark: int) -> tuple[Form, ...]:
        """The facts learnt since `mark`, as inequalities to assume again."""
        result: list[Form] = []
        tightened: set[int] = set()
        for entry in self._log[mark:]:
            if len(entry) == 2:
                result.append(entry[1])
            elif entry[0] not in tightened:
                atom, low, high = entry
                tightened.add(atom)
                if self._low[atom] > low:
                    result.append(shift(atom_form(atom), -self._low[atom]))
                if self._high[atom] < high:
                    result.append(subtract(constant(self._high[atom]), atom_form(atom)))
        return tuple(result)

    # --- proofs ---

    def proves(self, form: Form) -> bool:
        """Whether `form` >= 0 follows from the facts. False means: not proved."""
        if self.low(form) >= 0:
            return True
        if not form.terms or self.high(form) < 0:
            return False
        return self._prove(form, PROOF_DEPTH, [PROOF_STEPS])

    def _prove(self, form: Form, depth: int, steps: list[int]) -> bool:
        steps[0] -= 1
        if self.low(form) >= 0:
            return True
        if depth == 0 or steps[0] <= 0 or len(form.terms) > 6:
            return False
        rests: list[Form] = []
        for atom, c in form.terms:
            for fact in (*self._given[atom][:-RECENT:-1], *self._derived[atom][:-RECENT:-1]):
                rest = eliminate(form, fact, atom, c)
                if rest is not None:
                    steps[0] -= 1
                    if self.low(rest) >= 0:
                        return True
                    rests.append(rest)
        if depth > 1:
            for rest in sorted(rests, key=lambda rest: len(rest.terms)):
                if self._prove(rest, depth - 1, steps):
                    return True
        for atom, _ in form.terms:
            choice = self._definitions.get(atom)
            if isinstance(choice, Choice):
                return self._prove_given(
                    substitute(form, atom, choice.a), choice.given_a, depth - 1, steps
                ) and self._prove_given(
                    substitute(form, atom, choice.b), choice.given_b, depth - 1, steps
                )
        return False

    def _prove_given(
        self, form: Form, given: tuple[Form, ...], depth: int, steps: list[int]
    ) -> bool:
        if not given:
            return self._prove(form, depth, steps)
        mark = self.mark()
        for fact in given:
            self.assume(fact)
        # The assumptions may have made this easier than one step less suggests.
        proved = self._prove(form, depth + 1, steps)
        self.restore(mark)
        return proved


def eliminate(form: Form, fact: Form, atom: int, c: int) -> Form | None:
    """`form` less the multiple of `fact` that eliminates `atom`; None if there is none.

    Where the result and `fact` are >= 0, so is `form`.
    """
    k = coefficient(fact, atom)
    multiple, remainder = divmod(c, k)
    if remainder or multiple <= 0:
        return None
    return add(form, scale(fact, -multiple))


def product_bounds(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    """Bounds of x*y for x and y within `a` and `b`."""
    corners = (a[0] * b[0], a[0] * b[1], a[1] * b[0], a[1] * b[1])
    return min(corners), max(corners)
