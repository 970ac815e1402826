"""Zeros that lose their sign."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import Constant, Node, Tree, rebuilt, sub
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard

_ZERO = Constant("0")


def _without_zeros(tree: Tree) -> Tree | None:
    match tree:
        case Node("add", (x, Constant("0" | "0.0"))) | Node("add", (Constant("0" | "0.0"), x)):
            return x
        case Node("mul", (_, Constant("0" | "0.0"))) | Node("mul", (Constant("0" | "0.0"), _)):
            return _ZERO
        case Node("neg", (Node("sub", (a, b)),)):
            return sub(b, a)
        case Node("sub", (Constant("0" | "0.0"), x)):
            return Node("neg", (x,))
        case _:
            return None


def _negated_by_zero(tree: Tree) -> Tree | None:
    match tree:
        case Node("neg", (x,)):
            return sub(_ZERO, x)
        case _:
            return None


def _zeros(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    for rule, note in (
        (_without_zeros, "-fno-signed-zeros, -ffast-math: x + 0 is x, -(a - b) is b - a"),
        (_negated_by_zero, "0 - x for -x: hand-written negation, some shader compilers"),
    ):
        changed = rebuilt(tree, rule)
        if changed != tree:
            yield changed, arithmetic, note


SIGNED_ZERO = ExpressionHazard(
    "signed-zero",
    "signed zeros not kept",
    _zeros,
    practice="-fno-signed-zeros, part of -ffast-math; 0 - x written for -x",
    remedy="build without -fno-signed-zeros, negate with -x",
)
