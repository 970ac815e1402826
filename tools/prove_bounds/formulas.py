"""Operations, and facts about numbers, as formulas for an SMT solver.

They are over integers without end, or bit vectors wide enough to be such.

That the semantics here are those of `ir.semantics` is tried by `agreement`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import z3
from tools.prove_bounds.concrete import UnknownError, UnsoundError, every_fact
from tools.prove_bounds.miniature import Widths

from samebits.passes.bounds.affine import Form
from samebits.passes.bounds.domain import Both, Compare, Condition, Either
from samebits.passes.bounds.prover import Choice, FactBase, Wrapped
from samebits.types import (
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
        wraps, result = self.fresh(), self.fresh()
        self.premises += [e == result + wraps * (1 << t.bits), self.within(result, t)]
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


def claims(facts: FactBase, env: Env) -> list[Any]:
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
