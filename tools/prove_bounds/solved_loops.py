"""Counters of loops and the code of guards at full width, by an SMT solver.

The operations that a guard emits are run on symbols: where they say yes, every inequality that they
stand for has to hold, in integers without end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import z3
from tools.prove_bounds.concrete import UnsoundError
from tools.prove_bounds.formulas import FULL, Env, Number, Proofs, Semantics, claims, show, value
from tools.prove_bounds.operations import SPAN
from tools.prove_bounds.programs import Loops

from samebits.ir.grammar import For, Module, Op, Region, Value
from samebits.passes.bounds import guard as guards
from samebits.passes.bounds.affine import Form, atom_form
from samebits.passes.bounds.domain import AbstractState, Lengths
from samebits.passes.bounds.prover import FactBase, LastIteration, Product
from samebits.passes.bounds.ranges import Ranges
from samebits.passes.pipeline import optimise
from samebits.types import (
    INT,
    ScalarType,
)

# --- counters of loops ---

STEPS = (1, -1, 2, -2, 3, -3, 7, 1 << 31, -(1 << 62), (1 << 63) - 1, -(1 << 63))


def counters(steps: Iterable[int] = STEPS) -> Proofs:
    """What holds of a counter in every iteration of a loop, between any two ints or constants."""
    proofs = Proofs()
    bounds: list[int | None] = [None, 0, 1, -1, INT.minimum, INT.maximum, 100]
    for step in steps:
        for first in bounds:
            for last in bounds:
                ranges = Ranges(Loops(Random(0), FULL).module().functions["f"])
                ranges.state = AbstractState()
                known = ranges.state
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
                        case LastIteration(begin, limit, by):
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

    def __init__(self, guard: Any, facts: FactBase, known: AbstractState) -> None:
        self._guard, self._facts, self._state = guard, facts, known
        self.semantics = Semantics()
        self.env: Env = {}
        self.premises: list[Any] = []
        self._values: dict[int, Number] = {}

    def atom(self, atom: int) -> Number:
        if atom not in self.env:
            match self._facts.definition(atom):
                case Product(a, b):
                    e = self.atom(a) * self.atom(b)
                case LastIteration(start, limit, step):
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
        known = self._state.values[v.op]
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
    it = Emulation(guard, guard._facts, guard._state)
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
