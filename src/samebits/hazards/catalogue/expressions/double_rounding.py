"""float32 expressions computed in float64, then rounded a second time."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import FLOAT32, FLOAT64
from samebits.fpmodel.tree import Tree
from samebits.hazards.catalogue.expressions.widening import plain, widened
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard

_WIDE = (
    "float computed as double: JavaScript without Math.fround, Lua, Python, C with "
    "FLT_EVAL_METHOD 1, a missing f behind constants"
)


def _double(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    if plain(arithmetic) and arithmetic.form is FLOAT32:
        yield from widened(tree, arithmetic, FLOAT64, _WIDE)


DOUBLE = ExpressionHazard(
    "double-rounding",
    "float32 computed in float64",
    _double,
    practice="JavaScript without Math.fround, Lua, FLT_EVAL_METHOD 1, double constants",
    remedy="round after every operation (Math.fround), write constants with an f",
)
