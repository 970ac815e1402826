"""Hazards that have more than one rule tell them apart, where one value of the operands can."""

from __future__ import annotations

from math import prod

from samebits.diagnosis.explain import explain
from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.parse import parse
from samebits.fpmodel.softfloat import FLOAT32
from samebits.fpmodel.tree import written
from samebits.hazards.catalogue import EXPRESSION_HAZARDS


def test_flushing_before_rounding_is_distinguished_from_flushing_after() -> None:
    # The product is just below the least normal number, to which it rounds.
    values = {"a": "0x1f9132d8", "b": "0x2061ad56"}
    flushed = explain("a * b", values, "0")
    assert flushed.strict == 0x00800000
    practices = [
        evaluation.practice[0]
        for cause in flushed.causes
        for evaluation in cause.evaluations
        if cause.hazards[0].name == "flush"
    ]
    assert any(practice.startswith("ARM FZ") for practice in practices)
    assert not any(practice.startswith("x86") for practice in practices)


def test_every_association_of_a_sum_is_tried_once() -> None:
    order = next(hazard for hazard in EXPRESSION_HAZARDS if hazard.name == "order")
    arithmetic = Arithmetic(FLOAT32, FLOAT32)
    for count in range(3, 7):
        tree = parse(" + ".join("abcdef"[:count]))
        shapes = {_unordered(shape) for shape, _, _ in order.variants(tree, arithmetic)}
        assert len(shapes) == prod(range(2 * count - 3, 0, -2))


def _unordered(tree: object) -> object:
    """A tree whose sums have no left and right."""
    return frozenset(map(_unordered, tree.args)) if hasattr(tree, "args") else tree


def test_every_subset_of_products_is_fused_with_either_of_two() -> None:
    fused = next(hazard for hazard in EXPRESSION_HAZARDS if hazard.name == "fma")
    arithmetic = Arithmetic(FLOAT32, FLOAT32)
    shown = {written(t) for t, _, _ in fused.variants(parse("a*b + c*d - e*f"), arithmetic)}
    assert shown == {
        "fma(a, b, c * d) - e * f",
        "fma(c, d, a * b) - e * f",
        "fma(-e, f, a * b + c * d)",
        "fma(-e, f, fma(a, b, c * d))",
        "fma(-e, f, fma(c, d, a * b))",
    }


def test_hazards_have_names_of_their_own() -> None:
    assert len({hazard.name for hazard in EXPRESSION_HAZARDS}) == len(EXPRESSION_HAZARDS)
