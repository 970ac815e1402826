"""The test that an abstract answer contains concrete ones: forms, facts, conditions.

Everything at once: a number is an array with one element for each case. Knows nothing of
operations.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from samebits.passes.bounds.affine import Form
from samebits.passes.bounds.domain import Both, Compare, Condition, Either, Opaque
from samebits.passes.bounds.prover import Choice, FactBase, LastIteration, Product, Wrapped

Numbers = Any
"""An array of int64: one number a case."""
Environment = dict[int, Numbers]


class UnsoundError(Exception):
    """An abstract answer that leaves a concrete one out."""


class UnknownError(Exception):
    """An answer that this module cannot judge, which is never taken for right."""


def value_of(form: Form, env: Mapping[int, Numbers]) -> Numbers:
    total: Numbers = np.int64(form.constant)
    for atom, c in form.terms:
        if atom not in env:
            raise UnknownError(f"nothing says what atom {atom} is")
        total = total + c * env[atom]
    return total


def truth_of(condition: Condition, env: Mapping[int, Numbers]) -> Numbers:
    match condition:
        case bool():
            return np.bool_(condition)
        case Compare("ge", form):
            return value_of(form, env) >= 0
        case Compare("eq", form):
            return value_of(form, env) == 0
        case Compare(_, form):
            return value_of(form, env) != 0
        case Both(a, b):
            return truth_of(a, env) & truth_of(b, env)
        case Either(a, b):
            return truth_of(a, env) | truth_of(b, env)
        case Opaque():
            raise UnknownError("an opaque condition says nothing")


def complete(facts: FactBase, env: Environment, first: int, result: Form | None, found: Numbers,
             exact: Numbers | None = None) -> None:  # fmt: skip
    """Give a number to every atom from `first` on: products have theirs, and at most one other
    atom is what makes `result` what was `found`. `exact` is the result before it wrapped."""
    free: list[int] = []
    for atom in range(first, facts.count):
        match facts.definition(atom):
            case Product(a, b):
                env[atom] = env[a] * env[b]
            case LastIteration(start, limit, step):
                begin = value_of(start, env)
                env[atom] = begin + (value_of(limit, env) - begin) // step * step
            case _:
                free.append(atom)
    if len(free) == 2:
        match facts.definition(free[1]):
            case Wrapped(Form(0, ((inner, 1),)), _, _) if inner == free[0] and exact is not None:
                env[inner] = exact
                free = free[1:]
            case _:
                pass
    if not free:
        return
    if len(free) > 1 or result is None:
        raise UnknownError(f"atoms {free} are of no known meaning")
    (atom,) = free
    c = dict(result.terms).get(atom)
    if c not in (1, -1):
        raise UnknownError(f"atom {atom} is not told by the result")
    rest = Form(result.constant, tuple([t for t in result.terms if t[0] != atom]))
    env[atom] = (found - value_of(rest, env)) * c


def check_facts(facts: FactBase, env: Environment, where: Numbers, bits: int) -> int:
    """All bounds, inequalities and definitions hold `where` that is true; how many there were."""
    count = 0

    def hold(condition: Numbers, what: str) -> None:
        nonlocal count
        count += 1
        if not np.all(condition | ~where):
            raise UnsoundError(what)

    for atom, numbers in env.items():
        low, high = facts.bounds(atom)
        hold((numbers >= low) & (numbers <= high), f"atom {atom} in {low}..{high}")
        match facts.definition(atom):
            case Choice(a, given_a, b, given_b):
                one, other = numbers == value_of(a, env), numbers == value_of(b, env)
                for fact in given_a:
                    one = one & (value_of(fact, env) >= 0)
                for fact in given_b:
                    other = other & (value_of(fact, env) >= 0)
                hold(one | other, f"atom {atom} is neither choice")
            case Wrapped(exact, low, high):
                e = value_of(exact, env)
                fits = (e >= low) & (e <= high)
                hold(~fits | (numbers == e), f"atom {atom} where it does not wrap")
                hold((numbers - e) % (1 << bits) == 0, f"atom {atom} modulo its width")
            case _:
                pass
    for form in every_fact(facts):
        hold(value_of(form, env) >= 0, f"{form} >= 0")
    return count


def every_fact(facts: FactBase) -> set[Form]:
    return {
        form
        for about in (facts._given, facts._derived)  # pyright: ignore[reportPrivateUsage]
        for forms in about
        for form in forms
    }
