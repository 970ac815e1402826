"""Rounding in another direction than to nearest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import Rounding
from samebits.fpmodel.tree import Tree
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard

DIRECTIONS: Mapping[Rounding, str] = {
    "zero": "rounding towards zero: fesetround, _controlfp, processors that truncate",
    "up": "rounding up: left behind by interval arithmetic or a foreign library",
    "down": "rounding down: left behind by interval arithmetic or a foreign library",
}
"""What does it in practice, by direction."""


def _direction(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    if arithmetic.rounding == "nearest":
        for rounding, note in DIRECTIONS.items():
            yield tree, replace(arithmetic, rounding=rounding), note


DIRECTION = ExpressionHazard(
    "rounding",
    "another rounding direction",
    _direction,
    practice="fesetround or _controlfp left switched by a library or a driver",
    remedy="pin the FP environment at every entry, on every thread (`samebits doctor`)",
)
