"""Intermediate results in a narrower precision than the type's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.parse import operands
from samebits.fpmodel.softfloat import FLOAT16, FLOAT32, FLOAT64
from samebits.fpmodel.tree import Node, Operand, Tree, nodes, rebuilt, replaced
from samebits.hazards.catalogue.expressions.widening import cast, plain, stored_as_half
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard, exchanges


def _narrow(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    if not plain(arithmetic):
        return
    if arithmetic.form is FLOAT64:
        note = "double computed as float: a wrong type, -fsingle-precision-constant, GPUs"
        yield tree, replace(arithmetic, working=FLOAT32), note
        # One intermediate result that passes through a float.
        note = "an intermediate result stored in a float"
        for node in nodes(tree):
            if node != tree:
                yield replaced(tree, node, cast(FLOAT32, node)), arithmetic, note
    elif stored_as_half(tree):
        note = "native half arithmetic: ARM's FP16, AVX512-FP16, GPUs, mediump in shaders"
        yield tree, replace(arithmetic, working=FLOAT16), note
        for node in list(nodes(tree))[:-2]:
            note = "an intermediate result stored in a half"
            yield replaced(tree, node, cast(FLOAT16, node)), arithmetic, note
    else:
        note = "half precision: mediump and min16float in shaders, results stored as half"
        yield tree, replace(arithmetic, working=FLOAT16), note


_STORED = {
    "float16": "results or operands stored as half: _Float16, F16C, mediump, textures and buffers",
    "bfloat16": "results or operands stored as bfloat16: AVX512-BF16, AMX, tensor cores",
    "bfloat16_cut": "results or operands cut to the upper half of a float32: bfloat16 by hand",
}
_MOST_STORED = 256


def _stored(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    """A float32 expression some of whose operands and results pass through 16 bits."""
    if not plain(arithmetic) or arithmetic.form is not FLOAT32 or stored_as_half(tree):
        return
    for name, note in _STORED.items():

        def narrow(inner: Tree, name: str = name) -> Tree:
            return Node("cast", (inner,), name)

        def options(node: Node, name: str = name) -> list[Tree]:
            return [Node("cast", (node,), name)] if node.name not in ("cast", "neg", "abs") else []

        leaves = [Operand(each) for each in operands(tree)]
        for base in (tree, _changed(tree, leaves, narrow)):
            yield from exchanges(base, arithmetic, options, _MOST_STORED, note)
            if base is not tree:
                yield base, arithmetic, note
        for leaf in leaves if len(leaves) > 1 else ():
            yield replaced(tree, leaf, narrow(leaf)), arithmetic, note


def _changed(tree: Tree, leaves: list[Operand], change: Callable[[Tree], Tree]) -> Tree:
    """The tree with each of some operands changed."""
    return rebuilt(tree, lambda node: change(node) if node in leaves else None)


NARROW = ExpressionHazard(
    "narrower",
    "a narrower precision on the way",
    _narrow,
    practice="mediump and half in shaders, a float between doubles",
    remedy="declare full precision (highp), look for the narrower variable or cast",
    more=_stored,
)
