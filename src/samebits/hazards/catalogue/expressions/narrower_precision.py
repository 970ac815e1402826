"""Intermediate results in a narrower precision than the type's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import FLOAT16, FLOAT32, FLOAT64
from samebits.fpmodel.tree import Tree, nodes, replaced
from samebits.hazards.catalogue.expressions.widening import cast, plain, stored_as_half
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard


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


NARROW = ExpressionHazard(
    "narrower",
    "a narrower precision on the way",
    _narrow,
    practice="mediump and half in shaders, a float between doubles",
    remedy="declare full precision (highp), look for the narrower variable or cast",
)
