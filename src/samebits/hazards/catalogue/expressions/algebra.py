"""Common factors taken out, divisors gathered and moved."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import Constant, Op, Tree, div, mul, rebuilt
from samebits.hazards.catalogue.expressions.reassociation import FAST_MATH
from samebits.hazards.catalogue.hazard import Hazard, Variant


def _algebra(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    for rule in (_factored, _divided_once, _multiplied_first):
        changed = rebuilt(tree, rule)
        if changed != tree:
            yield changed, arithmetic, FAST_MATH


def _factored(tree: Tree) -> Tree | None:
    match tree:
        case Op("add" | "sub" as name, (Op("mul", left), Op("mul", right))):
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                if left[i] == right[j]:
                    return mul(left[i], Op(name, (left[1 - i], right[1 - j])))
        case _:
            pass
    return None


def _divided_once(tree: Tree) -> Tree | None:
    match tree:
        case Op("div", (Op("div", (a, b)), c)):
            return div(a, mul(b, c))
        case _:
            return None


def _multiplied_first(tree: Tree) -> Tree | None:
    match tree:
        case Op("div", (Op("mul", (a, b)), c)):
            return mul(a, div(b, c))
        case Op("mul", (Op("div", (a, b)), c)) if not isinstance(a, Constant):
            return div(mul(a, c), b)
        case _:
            return None


ALGEBRA = Hazard(
    "algebra",
    "factors and divisors rearranged",
    _algebra,
    practice="-ffast-math and shader compilers, which factor and cancel",
    remedy="build without -ffast-math; write the form that you want",
)
