"""Rules of range analysis made unsound on purpose, each of which a proof must find.

A mutation changes one function of the passes while it is injected, and names the proof that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from random import Random
from typing import Any

from tools.prove_bounds import formulas, operations, programs, solved, solved_loops, swept
from tools.prove_bounds.concrete import UnsoundError
from tools.prove_bounds.conditions import conditions
from tools.prove_bounds.miniature import miniature

from samebits.ir.grammar import Op
from samebits.passes.bounds import domain, dry_run, guard, modified, prover, ranges, transfer
from samebits.passes.bounds.affine import Form, add, coefficient, constant, scale, shift
from samebits.passes.bounds.domain import AbstractState, Compare
from samebits.passes.bounds.prover import FactBase
from samebits.passes.bounds.ranges import Ranges
from samebits.types import BOOL, INT

PROGRAMS = 400
"""Generated loops within which a mutation has to be found."""
Proof = Callable[[], object]
Put = Callable[[Any, str, Any], None]


@dataclass(frozen=True, slots=True)
class Mutation:
    name: str
    inject: Callable[[Put], None]
    proof: Proof


@contextmanager
def injected(mutation: Mutation) -> Iterator[None]:
    saved: list[tuple[Any, Any, Any]] = []

    def put(owner: Any, name: str, value: Any) -> None:
        if isinstance(owner, dict):
            saved.append((owner, name, owner[name]))
            owner[name] = value
        else:
            saved.append((owner, name, getattr(owner, name)))
            setattr(owner, name, value)

    mutation.inject(put)
    try:
        yield
    finally:
        for owner, name, value in reversed(saved):
            if isinstance(owner, dict):
                owner[name] = value
            else:
                setattr(owner, name, value)


def found(mutation: Mutation) -> str | None:
    """What the proof says with the mutation injected, or None where it says nothing."""
    with injected(mutation):
        try:
            mutation.proof()
        except UnsoundError as error:
            return str(error).splitlines()[0]
    return None


# --- the proofs ---


def rule(opcode: str) -> Proof:
    def run() -> None:
        with miniature(3) as w:
            for t in (w.weak, w.signed, w.unsigned):
                operations.binary(opcode, t)

    return run


def conversions() -> None:
    with miniature(3) as w:
        operations.conversions(w)


def selections() -> None:
    with miniature(3) as w:
        operations.selections(w.weak, 1)


def conditional() -> None:
    with miniature(3) as w:
        conditions(w, 400)


def checks() -> None:
    with miniature(3) as w:
        operations.checks(w, 97)


def loops() -> None:
    with miniature(4) as w:
        for _ in programs.every(w, range(PROGRAMS)):
            pass


def solved_rules(opcode: str) -> Proof:
    def run() -> None:
        random = Random(opcode)
        for t in (INT, formulas.INT64, formulas.UINT64):
            for _ in range(60):
                spans = [tuple(sorted(random.choice(formulas.ends(t)) for _ in range(2)))
                         for _ in range(1 if opcode in operations.UNARY else 2)]  # fmt: skip
                solved.rule(opcode, (t,) * len(spans), t, spans)  # type: ignore[arg-type]

    return run


def solved_guards() -> None:
    solved_loops.guards_of(range(PROGRAMS))


# --- the mutations ---


def _convert_alone(put: Put) -> None:
    def as_int64(value: Any, writer: Any) -> Any:
        same = value.type == guard.INT64
        return value if same else writer.op("convert", guard.INT64, value)

    put(guard, "_as_int64", as_int64)


def _no_limits(put: Put) -> None:
    put(guard.Guard, "_note_limits", lambda self, form: True)


def _wide_limits(put: Put) -> None:
    put(guard, "TERM_LIMIT", 1 << 64)
    put(guard, "SUM_LIMIT", 1 << 80)


def _wide_factors(put: Put) -> None:
    put(guard, "FACTOR_LIMIT", 1 << 62)
    put(guard, "SUM_LIMIT", 1 << 127)


def _one_less(put: Put) -> None:
    sides = guard.Guard._sides
    put(guard.Guard, "_sides", lambda self, form, w: sides(self, shift(form, 1), w))


def _any_slot(put: Put) -> None:
    locate = guard.Guard._locate

    def first(self: Any, atom: int) -> Any:
        place = locate(self, atom)
        return ("n", None) if isinstance(place, tuple) and "n" in self._types else place

    put(guard.Guard, "_locate", first)


def _any_multiple(put: Put) -> None:
    def eliminate(form: Form, fact: Form, atom: int, c: int) -> Form | None:
        return add(form, scale(fact, -(c // coefficient(fact, atom))))

    put(prover, "eliminate", eliminate)
    put(solved, "eliminate", eliminate)


def _two_corners(put: Put) -> None:
    def bounds(a: Any, b: Any) -> tuple[int, int]:
        return min(a[0] * b[0], a[1] * b[1]), max(a[0] * b[0], a[1] * b[1])

    put(transfer, "product_bounds", bounds)
    put(prover, "product_bounds", bounds)


def _rounded_bound(put: Put) -> None:
    def bound(self: FactBase, form: Form) -> None:
        top = self.high(form)
        for atom, c in form.terms:
            low, high = self.bounds(atom)
            if c > 0:
                self.tighten(atom, (top - c * high) // -c + 1, high)
            else:
                self.tighten(atom, low, (top - c * low) // -c)

    put(FactBase, "bound", bound)


def _never_forget(put: Put) -> None:
    put(Ranges, "forget", lambda self, statement, keep: setattr(self.state, "slots", dict(keep)))


def _always_rising(put: Put) -> None:
    put(modified.ModifiedSlots, "direction", lambda self, slot, statement: 1)


def _keep_facts(put: Put) -> None:
    put(FactBase, "restore", lambda self, mark: None)


def _one_iteration_more(put: Put) -> None:
    enter = Ranges.enter

    def narrow(self: Ranges, statement: Any) -> None:
        enter(self, statement)
        counter, stop = self.state.slots[statement.slot], self.state.form(statement.stop)
        sign = 1 if statement.step > 0 else -1
        by = add(shift(stop, -2 * sign), scale(counter, -1))  # type: ignore[arg-type]
        self.state.facts.assume(scale(by, sign))

    put(Ranges, "enter", narrow)


def _last_is_limit(put: Put) -> None:
    put(Ranges, "last_iteration", lambda self, start, limit, statement: shift(limit, -1))


def _negated_by_two(put: Put) -> None:
    negate = domain.negate

    def by_two(condition: Any) -> Any:
        if isinstance(condition, Compare) and condition.relation == "ge":
            return Compare("ge", shift(scale(condition.form, -1), -2))
        return negate(condition)

    put(solved, "negate", by_two)
    for module in (ranges, transfer, domain):
        put(module, "negate", by_two)


def _first_choice(put: Put) -> None:
    put(AbstractState, "choice", lambda self, a, given_a, b, given_b, low, high: a)


def _either_is_both(put: Put) -> None:
    assume = AbstractState.assume

    def both(self: AbstractState, condition: Any) -> None:
        if isinstance(condition, domain.Either):
            self.assume(condition.a)
            self.assume(condition.b)
        else:
            assume(self, condition)

    put(AbstractState, "assume", both)


def _never_wraps(put: Put) -> None:
    put(AbstractState, "wrapped", lambda self, exact, t: exact)


def _half_within(put: Put) -> None:
    put(AbstractState, "within", lambda self, form, low, high: self.facts.low(form) >= low)


def _handler(opcode: str, change: Callable[[Any, AbstractState, Op], Any]) -> Callable[[Put], None]:
    old = transfer.HANDLERS[opcode]

    def inject(put: Put) -> None:
        def handler(k: AbstractState, op: Op, want: Any) -> Any:
            return change(old(k, op, want), k, op)

        put(transfer.HANDLERS, opcode, handler)

    return inject


def _unchecked(kept: Any, k: AbstractState, op: Op) -> Any:
    return replace(kept, unchecked=True)


def _positive(kept: Any, k: AbstractState, op: Op) -> Any:
    k.facts.bound(k.form(op.result))
    return kept


def _truncated(kept: Any, k: AbstractState, op: Op) -> Any:
    low, _ = k.bounds(k.form(op.args[0]))
    least, most = k.bounds(k.form(op.args[1]))
    if least == most > 0:
        k.facts.bound(shift(k.form(op.result), -int(low / most)))
    return kept


def _unsigned_not(kept: Any, k: AbstractState, op: Op) -> Any:
    if op.result.type != BOOL:
        k.learn(op, add(constant(-1), scale(k.form(op.args[0]), -1)))
    return kept


def _no_index(kept: Any, k: AbstractState, op: Op) -> Any:
    return None if k.facts.low(k.form(op.args[0])) >= 0 else kept


def _quiet_sum(put: Put) -> None:
    def quiet(s: Any, w: Any, op: Op) -> Any:
        (a, b), result = dry_run._wrapping(s, w, op)
        turned = w.op("xor", dry_run.INT64, a, b)
        return w.op("lt", dry_run.BOOL, turned, w.constant(0)), w.op("convert", dry_run.INT, result)

    put(dry_run.CHECKS, "add", quiet)


def _loose_narrow(put: Put) -> None:
    def loose(s: Any, w: Any, op: Op) -> Any:
        t = op.result.type
        bits = w.op("convert", dry_run.UINT64, s.value(op.args[0]))
        above = w.op("shr", dry_run.UINT64, bits, w.constant(min(t.bits, 63), dry_run.UINT64))
        return above, w.op("convert", t, s.value(op.args[0]))

    put(dry_run.CHECKS, "narrow", loose)


def _no_slack(put: Put) -> None:
    put(dry_run, "SLACK", 1.0)


def _counters() -> None:
    solved_loops.counters()


def _inequalities() -> None:
    solved.inequalities(Random(1), 60)


MUTATIONS = [
    Mutation("a uint64 becomes an int64 by its bits", _convert_alone, loops),
    Mutation("the same, at full width", _convert_alone, solved_guards),
    Mutation("a guard tests no limits", _no_limits, solved_guards),
    Mutation("a guard's sums may overflow", _wide_limits, solved_guards),
    Mutation("a guard's products may overflow", _wide_factors, solved_guards),
    Mutation("a guard is one too lax", _one_less, loops),
    Mutation("the same, at full width", _one_less, solved_guards),
    Mutation("a guard reads another slot", _any_slot, loops),
    Mutation("facts are taken away any number of times", _any_multiple, _inequalities),
    Mutation("bounds of products have two corners", _two_corners, rule("mul")),
    Mutation("a bound is rounded the wrong way", _rounded_bound, _inequalities),
    Mutation("what a loop sets is not forgotten", _never_forget, loops),
    Mutation("all that a loop adds to rises", _always_rising, loops),
    Mutation("what a branch teaches is kept", _keep_facts, loops),
    Mutation("a loop ends an iteration early", _one_iteration_more, _counters),
    Mutation("the same, in programs", _one_iteration_more, loops),
    Mutation("the last iteration is at the limit", _last_is_limit, _counters),
    Mutation("less than leaves one out", _negated_by_two, _inequalities),
    Mutation("the same, in programs", _negated_by_two, loops),
    Mutation("a choice is its first side", _first_choice, selections),
    Mutation("`or` is `and`", _either_is_both, conditional),
    Mutation("fixed widths never wrap", _never_wraps, rule("add")),
    Mutation("conversions never wrap", _never_wraps, conversions),
    Mutation("the same, at full width", _never_wraps, solved_rules("add")),
    Mutation("what is not too small is not too large", _half_within, rule("sub")),
    Mutation("negation never traps", _handler("neg", _unchecked), rule("neg")),
    Mutation("magnitudes are positive", _handler("abs", _positive), rule("abs")),
    Mutation("the same, at full width", _handler("abs", _positive), solved_rules("abs")),
    Mutation("no divisor is 0", _handler("mod", _unchecked), rule("mod")),
    Mutation("remainders are positive", _handler("mod", _positive), rule("mod")),
    Mutation("quotients are truncated", _handler("floordiv", _truncated), rule("floordiv")),
    Mutation("`and` is positive", _handler("and", _positive), rule("and")),
    Mutation("the complement of an unsigned is below 0", _handler("not", _unsigned_not),
             rule("not")),
    Mutation("counts of shifts are positive", _handler("shr", _unchecked), rule("shr")),
    Mutation("shifts never overflow", _handler("shl", _unchecked), rule("shl")),
    Mutation("an index that is not below 0 is inside", _handler("index", _no_index), checks),
    Mutation("a bound that is not below 0 is inside", _handler("bound", _no_index), checks),
    Mutation("a sweep takes differences for sums", _quiet_sum, swept.integers),
    Mutation("a sweep's narrow forgets the sign", _loose_narrow, swept.integers),
    Mutation("a sweep has no room for rounding", _no_slack, swept.products),
]  # fmt: skip
"""Each with the proof that finds it."""
