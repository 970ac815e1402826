"""min and max by other rules for NaN operands and zeros of both signs."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import Node, Tree
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard, exchanges

_MOST = 512

_EXTREMES = {
    "lt": "x86 minss and maxss, `a < b ? a : b`",
    "gt": "operands swapped: std::min(a, b) is `b < a ? b : a`, std::max `a < b ? b : a`",
    "number": "C's fmin and fmax, ARM's fminnm: a NaN operand is left out",
}


def _extremes(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    for rule, note in _EXTREMES.items():

        def options(node: Node, rule: str = rule) -> list[Tree]:
            plain = node.name in ("min", "max") and not node.detail
            return [Node(node.name, node.args, rule)] if plain else []

        yield from exchanges(tree, arithmetic, options, _MOST, note)


MIN_MAX = ExpressionHazard(
    "min-max",
    "another rule of min and max for NaN and zeros",
    _extremes,
    practice="x86 minss, C's fmin, std::min or `a < b ? a : b` for one another",
    remedy="use samebits' min and max, or one comparison written out, on every machine",
)
