"""Conditions at a few bits: what holds, is assumed and is negated, against all numbers."""

from __future__ import annotations

from random import Random

import numpy as np
from tools.prove_bounds.concrete import UnsoundError, check_facts, truth_of
from tools.prove_bounds.miniature import Widths
from tools.prove_bounds.operations import Case, Count, intervals

from samebits.passes.bounds.affine import Form, constant, scale, shift, subtract
from samebits.passes.bounds.domain import AbstractState, Both, Compare, Condition, Either, negate
from samebits.types import BOOL


def _condition(random: Random, x: Form, y: Form, depth: int = 2) -> Condition:
    if depth and random.random() < 0.6:
        both = random.random() < 0.5
        a, b = (_condition(random, x, y, depth - 1) for _ in range(2))
        return Both(a, b) if both else Either(a, b)
    if random.random() < 0.05:
        return random.random() < 0.5
    forms = (x, y, subtract(x, y), subtract(y, x), subtract(constant(0), x), scale(y, 2))
    form = shift(random.choice(forms), random.randrange(-3, 4))
    return Compare(random.choice(("ge", "ge", "eq", "ne")), form)


def conditions(w: Widths, count: int) -> Count:
    """`negate`, `holds`, `assume` and `consequences` of `count` conditions on two numbers."""
    total = Count()
    random = Random(count)
    spans = intervals(w.weak)
    for _ in range(count):
        case = Case("eq", (w.weak, w.weak), BOOL, (random.choice(spans), random.choice(spans)))
        known: AbstractState = case.state
        condition = _condition(random, *case.atoms)
        if random.random() < 0.5:
            earlier = _condition(random, *case.atoms)
            case.where &= truth_of(earlier, case.env)
            known.assume(earlier)
        true = np.broadcast_to(truth_of(condition, case.env), case.where.shape)
        if not np.array_equal(truth_of(negate(condition), case.env) | np.zeros_like(true), ~true):
            raise UnsoundError(f"not {condition} is not {negate(condition)}")
        if known.holds(condition):
            total.unchecked += 1
            if not np.all(true | ~case.where):
                raise UnsoundError(f"{condition} is said to hold")
        for fact in known.consequences(condition):
            if not np.all(truth_of(Compare("ge", fact), case.env) | ~(case.where & true)):
                raise UnsoundError(f"{fact} is said to follow from {condition}")
        known.assume(condition)
        check_facts(known.facts, case.env, case.where & true, w.weak.bits)
        total.add(Count(1, int((case.where & true).sum())))
    return total
