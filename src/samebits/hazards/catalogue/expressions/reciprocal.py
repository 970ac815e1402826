"""Division replaced by multiplication with the reciprocal."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import ONE, Node, Tree, div, mul
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard, exchanges

_MOST = 512
_RECIPROCAL = "-freciprocal-math, -ffast-math, /fp:fast, shaders, division hoisted out of a loop"


def _inverse(node: Node) -> list[Tree]:
    match node:
        case Node("div", (a, b)) if a != ONE:
            return [mul(a, div(ONE, b))]
        case _:
            return []


def _reciprocal(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    return exchanges(tree, arithmetic, _inverse, _MOST, _RECIPROCAL)


RECIPROCAL = ExpressionHazard(
    "reciprocal",
    "a multiplication by the reciprocal",
    _reciprocal,
    practice="-freciprocal-math, part of -ffast-math; shader compilers",
    remedy="build without -freciprocal-math and -ffast-math, divide where you mean it",
)
