"""Math functions of a library of which only the distance in ULP is known."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import Node, Tree, nodes, replaced
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard

_EXACT_EVERYWHERE = ("floor", "ceil", "trunc", "round", "copysign", "fmod", "remainder")


def _offsets(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    for distance in (1, 2, 3, 4):
        for sign in "+-":
            detail = f"{sign}{distance}"
            note = f"a math library whose result is {distance} ULP away"
            for node in nodes(tree):
                if node.name == "call" and node.detail not in _EXACT_EVERYWHERE:
                    yield replaced(tree, node, Node("ulps", (node,), detail)), arithmetic, note


OFFSET = ExpressionHazard(
    "libm-ulp",
    "another library's math function, by its distance",
    _offsets,
    practice="another version, platform or vendor of libm, a GPU's or JavaScript engine's",
    remedy="call samebits.math, or ship one math library with the program",
)
