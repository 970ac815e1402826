"""A constant one ULP off, or of another type."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import FLOAT32
from samebits.fpmodel.tree import ONE, Constant, Node, Tree, rebuilt
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard


def _constants(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    for constant in dict.fromkeys(_constants_in(tree)):
        for steps in (1, -1):
            near = replace(constant, steps=steps)
            yield (
                _put(tree, constant, near), arithmetic,
                "a decimal converted by a parser that does not round correctly",
            )  # fmt: skip
        if arithmetic.form is not FLOAT32:
            single = replace(constant, form="float32")
            yield _put(tree, constant, single), arithmetic, "a constant with an f behind it"


def _constants_in(tree: Tree) -> Iterator[Constant]:
    if isinstance(tree, Constant) and tree != ONE and not tree.steps and not tree.form:
        yield tree
    elif isinstance(tree, Node):
        for arg in tree.args:
            yield from _constants_in(arg)


def _put(tree: Tree, old: Constant, new: Constant) -> Tree:
    return rebuilt(tree, lambda node: new if node == old else None)


CONSTANT = ExpressionHazard(
    "constant",
    "a constant one ULP off, or of another type",
    _constants,
    practice="a decimal parser that does not round correctly, a missing or added f",
    remedy="write constants as hex floats, or ship them as bits",
)
