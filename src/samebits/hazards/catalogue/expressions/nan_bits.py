"""A NaN's sign and payload, which processors choose differently."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.fpmodel.evaluate import NAN_RULES, Arithmetic
from samebits.fpmodel.tree import Tree
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard

_NAN_NOTES = {
    "x86": "x86: the first NaN operand with its payload, or a negative NaN",
    "x86, operands swapped": "x86, with the operands of commutative operations swapped",
    "arm": "ARM: the first signalling, else the first NaN operand, or a positive NaN",
    "arm, operands swapped": "ARM, with the operands of commutative operations swapped",
    "negative": "a negative NaN whatever the operands are",
}


def _nans(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    if arithmetic.nans == "canonical":
        for rule in list(NAN_RULES)[1:]:
            yield tree, replace(arithmetic, nans=rule), _NAN_NOTES[rule]


NAN_BITS = ExpressionHazard(
    "nan",
    "a NaN's sign and payload",
    _nans,
    practice="0/0 is a negative NaN on x86 and a positive one on ARM; payloads differ too",
    remedy="make NaNs canonical before they are stored, hashed or sent",
)
