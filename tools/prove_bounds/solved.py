"""The same at full width, by an SMT solver: rules on intervals at the ends of each type, the
arithmetic of guards, the counters of loops.

A rule's answer, or the code that a guard emits, becomes formulas over integers without end (or bit
vectors wide enough to be such); what is asked is a number for which the answer is wrong. That the
semantics here are those of `ir.semantics` is tried by `agreement`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import z3
from tools.prove_bounds.concrete import UnknownError, UnsoundError, every_fact
from tools.prove_bounds.miniature import Widths
from tools.prove_bounds.operations import BINARY, COMPARISONS, SPAN, UNARY
from tools.prove_bounds.programs import Loops

from samebits.ir.grammar import For, Module, Op, Region, Value
from samebits.passes import guard as guards
from samebits.passes.facts import Choice, Facts, LastTurn, Product, Wrapped, eliminate
from samebits.passes.known import Both, Compare, Condition, Either, Known, Lengths, negate
from samebits.passes.linear import Form, atom_form
from samebits.passes.pipeline import optimise
from samebits.passes.ranges import Ranges
from samebits.passes.transfer import apply
from samebits.types import (
    BOOL,
    INT,
    INT8,
    INT16,
    INT32,
    INT64,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    ScalarType,
)

WIDE = 256
"""Bits of a vector in which no form of a few 64-bit numbers overflows."""
FULL = Widths(INT, INT64, UINT64, (INT8, UINT8, INT16, UINT16, INT32, UINT32))
SECONDS = 20
Number = Any
Env = dict[int, Number]


@dataclass(slots=True)
class Proofs:
    """Lemmas shown, and how many of them said that a check is not needed."""

    lemmas: int = 0
    unchecked: int = 0

    def add(self, other: Proofs) -> None:
        self.lemmas += other.lemmas
        self.unchecked += other.unchecked


def show(premises: list[Any], claim: Any, what: str) -> None:
    """The claim follows; UnsoundError with numbers for which it does not."""
    solver = z3.Solver()
    solver.set("timeout", SECONDS * 1000)
    solver.add(*premises, z3.Not(claim))
    answer = solver.check()
    if answer == z3.sat:
        raise UnsoundError(f"{what}: {solver.model()}")
    if answer != z3.unsat:
        raise UnknownError(f"{what}: not decided in {SECONDS} s")


def value(form: Form, env: Env) -> Number:
    total: Number = form.constant
    for atom, c in form.terms:
        total = total + c * env[atom]
    return total


def truth(condition: Condition, env: Env) -> Any:
    match condition:
        case bool():
            return z3.BoolVal(condition)
        case Compare("ge", form):
            return value(form, env) >= 0
        case Compare("eq", form):
            return value(form, env) == 0
        case Compare(_, form):
            return value(form, env) != 0
        case Both(a, b):
            return z3.And(truth(a, env), truth(b, env))
        case Either(a, b):
            return z3.Or(truth(a, env), truth(b, env))
        case _:
            raise UnknownError(f"nothing is said by {condition}")


class Semantics:
    """What operations compute, over integers without end; `premises` say what new names are."""

    def __init__(self) -> None:
        self.premises: list[Any] = []
        self._names = 0

    def fresh(self) -> Any:
        self._names += 1
        return z3.Int(f"t{self._names}")

    def within(self, e: Number, t: ScalarType) -> Any:
        return z3.And(e >= t.minimum, e <= t.maximum)

    def wrap(self, e: Number, t: ScalarType) -> Number:
        turns, result = self.fresh(), self.fresh()
        self.premises += [e == result + turns * (1 << t.bits), self.within(result, t)]
        return result

    def divided(self, a: Number, b: Number) -> tuple[Number, Number]:
        """Quotient and remainder of floor division; any at all where `b` is 0."""
        q, r = self.fresh(), self.fresh()
        rest = z3.If(b > 0, z3.And(r >= 0, r < b), z3.And(r <= 0, r > b))
        self.premises.append(z3.Implies(b != 0, z3.And(a == q * b + r, rest)))
        return q, r

    def fit(self, e: Number, t: ScalarType) -> tuple[Any, Number]:
        """Whether it traps, and the result."""
        if t.weak:
            return z3.Not(self.within(e, t)), e
        return z3.BoolVal(False), self.wrap(e, t)

    def of(self, opcode: str, t: ScalarType, *args: Number) -> tuple[Any, Number]:
        """Whether an operation of type `t` traps, and its result where it does not."""
        never = z3.BoolVal(False)
        a, b = args[0], args[-1]
        match opcode:
            case "add":
                return self.fit(a + b, t)
            case "sub":
                return self.fit(a - b, t)
            case "mul":
                return self.fit(a * b, t)
            case "neg":
                return self.fit(-a, t)
            case "abs":
                return self.fit(z3.If(a < 0, -a, a), t)
            case "not":
                return never, (-1 - a if t.is_signed else t.maximum - a)
            case "min":
                return never, z3.If(a < b, a, b)
            case "max":
                return never, z3.If(a > b, a, b)
            case "floordiv" | "mod":
                if isinstance(b, z3.IntNumRef) and b.as_long() == 0:
                    return z3.BoolVal(True), z3.IntVal(0)
                q, r = self.divided(a, b)
                if opcode == "mod":
                    return b == 0, r
                traps, result = self.fit(q, t)
                return z3.Or(b == 0, traps), result
            case "shl":
                moved = self.chain(b, t.bits, lambda k: a * (1 << k), z3.IntVal(0))
                if not t.weak:
                    return never, self.wrap(moved, t)
                outside = z3.Or(b < 0, z3.And(b >= t.bits, a != 0))
                return z3.Or(outside, z3.Not(self.within(moved, t))), moved
            case "shr":
                far = z3.If(a < 0, z3.IntVal(-1), z3.IntVal(0))
                moved = self.chain(b, t.bits, lambda k: a / (1 << k), far)
                return (b < 0 if t.weak else never), moved
            case "convert":
                return never, self.wrap(a, t)
            case "narrow":
                return z3.Not(self.within(a, t)), a
            case _:
                raise UnknownError(opcode)

    def chain(self, b: Number, bits: int, result: Callable[[int], Any], other: Any) -> Any:
        for k in range(bits):
            other = z3.If(b == k, result(k), other)
        return other


def bits_of(opcode: str, t: ScalarType, a: Any, b: Any) -> Any:
    """The operations on bits, over vectors of `WIDE` bits."""
    match opcode:
        case "and":
            return a & b
        case "or":
            return a | b
        case "xor":
            return a ^ b
        case _:
            pattern = [z3.Extract(k, k, a) for k in range(t.bits)]
            ones = [z3.ZeroExt(WIDE - 1, bit) for bit in pattern]
            if opcode == "popcount":
                total = ones[0]
                for one in ones[1:]:
                    total = total + one
                return total
            order = pattern if opcode == "clz" else pattern[::-1]
            result = z3.BitVecVal(t.bits, WIDE)
            for k, bit in enumerate(order):
                result = z3.If(bit == 1, z3.BitVecVal(t.bits - 1 - k, WIDE), result)
            return result


ON_BITS = ("and", "or", "xor", "popcount", "clz", "ctz")


def close(known: Known, first: int, env: Env, result: Form | None, found: Number,
          exact: Number | None) -> None:  # fmt: skip
    """Give every new atom its meaning, as `concrete.complete` does."""
    facts = known.facts
    free: list[int] = []
    for atom in range(first, facts.count):
        match facts.definition(atom):
            case Product(a, b):
                env[atom] = env[a] * env[b]
            case _:
                free.append(atom)
    if len(free) == 2 and exact is not None:
        env[free[0]] = exact
        free = free[1:]
    if len(free) > 1 or (free and result is None):
        raise UnknownError(f"atoms {free} are of no known meaning")
    if free and result is not None:
        (atom,) = free
        c = dict(result.terms)[atom]
        if c not in (1, -1):
            raise UnknownError(f"atom {atom} is not told by the result")
        rest = Form(result.constant, tuple([t for t in result.terms if t[0] != atom]))
        env[atom] = (found - value(rest, env)) * c


def claims(facts: Facts, env: Env) -> list[Any]:
    """All that is known, as formulas."""
    found: list[Any] = []
    for atom, e in env.items():
        low, high = facts.bounds(atom)
        found += [e >= low, e <= high]
        match facts.definition(atom):
            case Choice(a, given_a, b, given_b):
                one = z3.And(e == value(a, env), *[value(f, env) >= 0 for f in given_a])
                other = z3.And(e == value(b, env), *[value(f, env) >= 0 for f in given_b])
                found.append(z3.Or(one, other))
            case Wrapped(exact, low, high):
                fits = z3.And(value(exact, env) >= low, value(exact, env) <= high)
                found.append(z3.Implies(fits, e == value(exact, env)))
            case _:
                pass
    found += [value(form, env) >= 0 for form in every_fact(facts) if form.terms]
    return found


def ends(t: ScalarType) -> list[int]:
    near = {0, 1, 2, -1, -2, 3, t.bits - 1, t.bits, 10}
    near |= {
        s * (1 << k) + d for k in (7, 8, 31, 32, 48, 62, 63) for s in (1, -1) for d in (-1, 0, 1)
    }
    near |= {t.minimum, t.minimum + 1, t.maximum - 1, t.maximum}
    return sorted(v for v in near if t.minimum <= v <= t.maximum)


def rule(opcode: str, types: tuple[ScalarType, ...], result: ScalarType,
         spans: list[tuple[int, int]]) -> Proofs:  # fmt: skip
    """One rule's answer on one set of intervals."""
    on_bits = opcode in ON_BITS
    make = (lambda n: z3.BitVec(n, WIDE)) if on_bits else z3.Int
    known, env = Known(), Env()
    premises: list[Any] = []
    operands: list[Number] = []
    for i, (low, high) in enumerate(spans):
        form = known.bounded(low, high)
        e: Number = make(f"x{i}")
        premises += [e >= low, e <= high]
        if low == high and not on_bits:
            e = z3.IntVal(low)
        env[form.terms[0][0]] = e
        operands.append(e)
        known.values[i] = form
    first = known.facts.count
    op = Op(9, opcode, tuple(Value(i, 0, t) for i, t in enumerate(types)), None,
            (Value(9, 0, result),), SPAN)  # fmt: skip
    kept = apply(known, op, lambda form: None)
    assert kept is not None
    what = f"{opcode} of {', '.join(map(str, types))} to {result} in {spans}"
    if opcode in COMPARISONS:
        a, b = operands
        wanted = {"eq": a == b, "ne": a != b, "lt": a < b, "le": a <= b, "gt": a > b, "ge": a >= b}
        show(premises, truth(known.condition(op.result), env) == wanted[opcode], what)
        return Proofs(1)
    semantics = Semantics()
    exact = operands[0] * operands[1] if opcode == "mul" else None
    if on_bits:
        traps, found = z3.BoolVal(False), bits_of(opcode, result, operands[0], operands[-1])
    else:
        traps, found = semantics.of(opcode, result, *operands)
    form = known.form(op.result)
    close(known, first, env, form, found, exact)
    claim = z3.And(value(form, env) == found, *claims(known.facts, env))
    if kept.unchecked:
        show([*premises, *semantics.premises], z3.Not(traps), f"{what}: never traps")
    show([*premises, *semantics.premises, z3.Not(traps)], claim, what)
    return Proofs(1 + kept.unchecked, int(kept.unchecked))


def rules(random: Random, samples: int) -> Iterator[tuple[str, Proofs]]:
    """Every operation and type, on intervals between extreme numbers, `samples` of each."""
    for t in (INT, INT64, UINT64, INT32, UINT8):
        spans = [*combinations_with_replacement(ends(t), 2)]
        for opcode in (*UNARY, *BINARY, *COMPARISONS):
            proofs = Proofs()
            for _ in range(samples):
                chosen = [random.choice(spans) for _ in range(1 if opcode in UNARY else 2)]
                if opcode in ("floordiv", "mod", "shl", "shr") and random.random() < 0.8:
                    k = random.choice(ends(t))
                    chosen[1] = (k, k)
                elif opcode in ("shl", "shr"):
                    low = random.randrange(t.bits)
                    chosen[1] = (low, random.randrange(low, t.bits))
                result = BOOL if opcode in COMPARISONS else t
                proofs.add(rule(opcode, (t,) * len(chosen), result, chosen))
            yield f"{opcode} {t}", proofs
    for source in FULL.all:
        proofs = Proofs()
        spans = [*combinations_with_replacement(ends(source), 2)]
        for target in FULL.all:
            for opcode in (
                ("convert", "narrow") if source == INT and not target.weak else ("convert",)
            ):
                for _ in range(samples):
                    proofs.add(rule(opcode, (source,), target, [random.choice(spans)]))
        yield f"conversions of {source}", proofs


# --- arithmetic of inequalities ---


def inequalities(random: Random, samples: int) -> Proofs:
    """`eliminate`, `bound` and `negate`, for coefficients small and large."""
    proofs = Proofs()
    sizes = (1, -1, 2, -2, 3, -3, 4, 6, -6, 1 << 31, -(1 << 62))
    x, y = z3.Ints("x y")
    env = {0: x, 1: y}
    for _ in range(samples):

        def form() -> Form:
            constants = (0, -1, 7, 1 << 62, -(1 << 63))
            return Form(random.choice(constants), tuple((i, random.choice(sizes)) for i in (0, 1)))

        a, fact = form(), form()
        rest = eliminate(a, fact, 0, a.terms[0][1])
        if rest is not None:
            if any(atom == 0 for atom, _ in rest.terms):
                raise UnsoundError(f"{a} less {fact} is {rest}, which still has the atom")
            show([value(fact, env) >= 0, value(rest, env) >= 0], value(a, env) >= 0, f"{a}, {fact}")
            proofs.lemmas += 1
        for relation in ("ge", "eq", "ne"):
            condition = Compare(relation, a)
            show([], truth(negate(condition), env) == z3.Not(truth(condition, env)), str(condition))
            proofs.lemmas += 1
        facts = Facts()
        spans = [sorted((random.choice(ends(INT)), random.choice(ends(INT)))) for _ in range(2)]
        for low, high in spans:
            facts.fresh(low, high)
        premises = [z3.And(env[i] >= low, env[i] <= high) for i, (low, high) in enumerate(spans)]
        show(premises, z3.And(facts.low(a) <= value(a, env), value(a, env) <= facts.high(a)),
             f"bounds of {a} in {spans}")  # fmt: skip
        if facts.high(a) >= 0:
            facts.assume(a)
            show([*premises, value(a, env) >= 0], z3.And(*claims(facts, env)), f"{a} in {spans}")
            proofs.lemmas += 1
        proofs.lemmas += 1
    return proofs


# --- counters of loops ---

STEPS = (1, -1, 2, -2, 3, -3, 7, 1 << 31, -(1 << 62), (1 << 63) - 1, -(1 << 63))


def counters(steps: Iterable[int] = STEPS) -> Proofs:
    """What is known of a counter in every turn of a loop, between any two ints or constants."""
    proofs = Proofs()
    bounds: list[int | None] = [None, 0, 1, -1, INT.minimum, INT.maximum, 100]
    for step in steps:
        for first in bounds:
            for last in bounds:
                ranges = Ranges(Loops(Random(0), FULL).module().functions["f"])
                ranges.known = Known()
                known = ranges.known
                env: Env = {}
                premises: list[Any] = []
                numbers: list[Number] = []
                for i, fixed in enumerate((first, last)):
                    form = (
                        known.bounded(INT.minimum, INT.maximum)
                        if fixed is None
                        else Form(fixed, ())
                    )
                    known.values[i] = form
                    e: Number = z3.Int(f"n{i}") if fixed is None else z3.IntVal(fixed)
                    if fixed is None:
                        env[form.terms[0][0]] = e
                        premises += [e >= INT.minimum, e <= INT.maximum]
                    numbers.append(e)
                start, stop = numbers
                loop = For(5, "i", Value(0, 0, INT), Value(1, 0, INT), step, [], [], SPAN)
                ranges.enter(loop)
                counter = known.slots["i"]
                assert isinstance(counter, Form)
                k, i = z3.Ints("k i")
                premises += [k >= 0, i == start + k * step, i < stop if step > 0 else i > stop]
                semantics = Semantics()
                for atom in range(known.facts.count):
                    match known.facts.definition(atom):
                        case LastTurn(begin, limit, by):
                            a, b = value(begin, env), value(limit, env)
                            q, _ = semantics.divided(b - a, z3.IntVal(by))
                            env[atom] = a + q * by
                        case _ if atom_form(atom) == counter:
                            env[atom] = i
                        case _:
                            assert atom in env
                show([*premises, *semantics.premises], z3.And(*claims(known.facts, env)),
                     f"range({first}, {last}, {step})")  # fmt: skip
                proofs.lemmas += 1
    return proofs


# --- guards ---


class Emulation:
    """The code of a guard, over integers, and what it stands for."""

    def __init__(self, guard: Any, facts: Facts, known: Known) -> None:
        self._guard, self._facts, self._known = guard, facts, known
        self.semantics = Semantics()
        self.env: Env = {}
        self.premises: list[Any] = []
        self._values: dict[int, Number] = {}

    def atom(self, atom: int) -> Number:
        if atom not in self.env:
            match self._facts.definition(atom):
                case Product(a, b):
                    e = self.atom(a) * self.atom(b)
                case LastTurn(start, limit, step):
                    a, b = self.form(start), self.form(limit)
                    q, _ = self.semantics.divided(b - a, z3.IntVal(step))
                    e = a + q * step
                case _:
                    e = z3.Int(f"a{atom}")
                    low, high = self._facts.bounds(atom)
                    self.premises += [e >= low, e <= high]
            self.env[atom] = e
        return self.env[atom]

    def form(self, form: Form) -> Number:
        for atom, _ in form.terms:
            self.atom(atom)
        return value(form, self.env)

    def operand(self, v: Value) -> Number:
        if v.op in self._values:
            return self._values[v.op]
        known = self._known.values[v.op]
        if isinstance(known, Lengths):
            return known
        assert isinstance(known, Form)
        e = self.form(known)
        assert isinstance(v.type, ScalarType)
        self.premises.append(self.semantics.within(e, v.type))
        return e

    def run(self, op: Op) -> None:
        args = [self.operand(v) for v in op.args]
        t = op.result.type
        match op.opcode:
            case "const":
                if not isinstance(op.attr, int) or not t.minimum <= op.attr <= t.maximum:
                    raise UnsoundError(f"the constant {op.attr} of {t}")
                e: Any = z3.IntVal(op.attr)
            case "get":
                held = self._guard._slots[op.attr]
                e = self.form(held) if isinstance(held, Form) else held
                if isinstance(held, Form):
                    self.premises.append(self.semantics.within(e, t))
            case "length":
                e = self.form(args[0].forms[op.attr])
            case "ge":
                e = args[0] >= args[1]
            case "and":
                e = z3.And(*args)
            case _:
                traps, e = self.semantics.of(op.opcode, t, *args)
                if not z3.is_false(z3.simplify(traps)):
                    self.trapping.append(traps)
        self._values[op.id] = e

    trapping: list[Any]


def guard_lemma(guard: Any, tests: list[Form], ops: Region, result: Value) -> Proofs:
    """Where the emitted code says yes, every inequality that it stands for holds."""
    it = Emulation(guard, guard._facts, guard._known)
    it.trapping = []
    for op in ops:
        assert isinstance(op, Op)
        it.run(op)
    yes = it.operand(result)
    goals = [it.form(form) >= 0 for form in tests]
    premises = [*it.premises, *it.semantics.premises]
    if it.trapping:
        show(premises, z3.Not(z3.Or(*it.trapping)), "a guard never traps")
    for form, goal in zip(tests, goals, strict=True):
        show([*premises, yes], goal, f"guard of {form}")
    return Proofs(len(tests), 1)


@contextmanager
def observed(found: list[Proofs]) -> Iterator[None]:
    """Inside, every guard that is emitted is proved."""
    emit = guards.Guard.emit

    def proved(self: Any, tests: list[Form], out: Region, span: Any) -> Value:
        before = len(out)
        result = emit(self, tests, out, span)
        found.append(guard_lemma(self, tests, out[before:], result))
        return result

    guards.Guard.emit = proved
    try:
        yield
    finally:
        guards.Guard.emit = emit


def guards_of(seeds: range) -> tuple[int, Proofs]:
    """The guards of generated loops at full width: how many, and their lemmas."""
    found: list[Proofs] = []
    with observed(found):
        for seed in seeds:
            module: Module = Loops(Random(seed), FULL).module()
            optimise(module, ["f"])
    proofs = Proofs()
    for one in found:
        proofs.add(one)
    return len(found), proofs
