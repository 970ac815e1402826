"""float32 expressions computed in float64, then rounded a second time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import FLOAT32, FLOAT64
from samebits.fpmodel.tree import Constant, Node, Tree
from samebits.hazards.catalogue.expressions.widening import cast, plain, widened
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard

_WIDE = (
    "float computed as double: JavaScript without Math.fround, Lua, Python, C with "
    "FLT_EVAL_METHOD 1, a missing f behind constants"
)
_BARE = "C with constants that lack an f: what they touch is computed in double"


def _bare(tree: Tree) -> Iterator[Tree]:
    """`tree` in C's usual conversions, its constants being doubles, or those that are not whole:
    operations between floats are floats'."""
    for also_whole in (True, False):
        made, is_double = _as_c(tree, also_whole)
        if is_double:
            yield made


def _as_c(tree: Tree, also_whole: bool) -> tuple[Tree, bool]:
    """The tree with a cast at every operation that C computes in float, and whether its own type is
    double."""
    if isinstance(tree, Constant):
        wide = also_whole or not _is_whole(tree)
        return replace(tree, form=FLOAT64.name) if wide else tree, wide
    if not isinstance(tree, Node):
        return tree, False
    args = [_as_c(arg, also_whole) for arg in tree.args]
    wide = any(is_double for _, is_double in args) and tree.name not in ("call", "cast")
    made = replace(tree, args=tuple([arg for arg, _ in args]))
    return (made, True) if wide else (cast(FLOAT32, made), False)


def _is_whole(constant: Constant) -> bool:
    """Whether people write it without a point."""
    try:
        return float(constant.text).is_integer()
    except ValueError:
        return False


def _double(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    if plain(arithmetic) and arithmetic.form is FLOAT32:
        yield from widened(tree, arithmetic, FLOAT64, _WIDE)
        for bare in dict.fromkeys(_bare(tree)):
            yield bare, replace(arithmetic, working=FLOAT64), _BARE


DOUBLE = ExpressionHazard(
    "double-rounding",
    "float32 computed in float64",
    _double,
    practice="JavaScript without Math.fround, Lua, FLT_EVAL_METHOD 1, double constants",
    remedy="round after every operation (Math.fround), write constants with an f",
)
