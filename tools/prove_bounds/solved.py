"""Proof of every rule of `transfer` at full width, by an SMT solver.

Intervals are at the ends of each type. The arithmetic of inequalities that proofs are made of is
here too.

A rule's answer becomes a formula; what is asked is a number for which the answer is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations_with_replacement
from random import Random
from typing import Any

import z3
from tools.prove_bounds.concrete import UnknownError, UnsoundError
from tools.prove_bounds.formulas import (
    FULL,
    ON_BITS,
    WIDE,
    Env,
    Number,
    Proofs,
    Semantics,
    bits_of,
    claims,
    ends,
    show,
    truth,
    value,
)
from tools.prove_bounds.operations import BINARY, COMPARISONS, SPAN, UNARY

from samebits.ir.grammar import Op, Value
from samebits.passes.bounds.affine import Form
from samebits.passes.bounds.domain import AbstractState, Compare, negate
from samebits.passes.bounds.prover import FactBase, Product, eliminate
from samebits.passes.bounds.transfer import apply
from samebits.types import (
    BOOL,
    INT,
    INT32,
    INT64,
    UINT8,
    UINT64,
    ScalarType,
)


def close(known: AbstractState, first: int, env: Env, result: Form | None, found: Number,
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


def rule(opcode: str, types: tuple[ScalarType, ...], result: ScalarType,
         spans: list[tuple[int, int]]) -> Proofs:  # fmt: skip
    """One rule's answer on one set of intervals."""
    on_bits = opcode in ON_BITS
    make = (lambda n: z3.BitVec(n, WIDE)) if on_bits else z3.Int
    known, env = AbstractState(), Env()
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
        facts = FactBase()
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
