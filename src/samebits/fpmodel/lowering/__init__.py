"""The lowering of a tree's evaluation to IR operations that have the reference's bits.

The reference is `samebits.fpmodel.evaluate.Evaluator`. Plain arithmetic becomes ordinary
operations; any other becomes calls of `samebits.fpmodel.soft`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.lowering.nan_signs import Nans
from samebits.fpmodel.lowering.native import Native
from samebits.fpmodel.lowering.soft import Soft
from samebits.fpmodel.lowering.walk import CannotLower, Code, Walk
from samebits.fpmodel.softfloat import FLOAT32, FLOAT64
from samebits.fpmodel.tree import Node, Tree
from samebits.frontend.compile import Unit
from samebits.ir.grammar import HostFunction, Op, Value
from samebits.types import ScalarType

__all__ = ["Lowered", "Unlowered", "lower"]


@dataclass(frozen=True)
class Lowered:
    """A lowered evaluation: operations, of which the last has the result's id, and the kernels and
    host functions that they call."""

    ops: tuple[Op, ...]
    units: tuple[Unit, ...]
    hosts: tuple[HostFunction, ...] = ()


@dataclass(frozen=True)
class Unlowered:
    """An evaluation that cannot be lowered to IR, and why not."""

    reason: str


def lower(
    tree: Tree,
    arithmetic: Arithmetic,
    operands: Mapping[str, Value],
    ids: Iterator[int],
    result: Op,
    known: Mapping[Tree, Value] | None = None,
) -> Lowered | Unlowered:
    """The operations that compute an evaluation in place of the operation `result`.

    `operands` are values of the expression's type, by their names in the tree; `ids` gives unused
    ids. `known` are values of subtrees, as the function has them: where the arithmetic is the
    function's own they are used instead of being computed again.
    """
    code = Code(result, ids)
    try:
        walk = _walk(code, arithmetic, operands, known or {})
        ops = code.finished(_result(walk, tree, result))
    except CannotLower as error:
        return Unlowered(str(error))
    return Lowered(ops, tuple(code.units.values()), tuple(code.hosts.values()))


def _walk(
    code: Code, a: Arithmetic, operands: Mapping[str, Value], known: Mapping[Tree, Value]
) -> Walk[Any]:
    if a == Arithmetic(a.form, a.form):  # that of an unchanged function
        return Native(code, a, operands, known)
    if a.nans != "canonical":
        if a != Arithmetic(a.form, a.form, nans=a.nans):
            raise CannotLower("a rule for NaNs cannot be combined with another arithmetic")
        return Nans(code, a, operands, {})
    if a == Arithmetic(FLOAT32, FLOAT64):
        return Native(code, a, operands, {})
    return Soft(code, a, operands, {})


def _result(walk: Walk[Any], tree: Tree, result: Op) -> Value:
    t = result.result.type
    assert isinstance(t, ScalarType)
    if result.opcode == "convert" and t.is_int:
        assert isinstance(tree, Node)
        return walk.integer(tree.detail, walk.held(tree.args[0]))
    if t.is_int and isinstance(walk, Nans):
        return walk.pattern(tree, t)
    value = walk.stored(walk.held(tree))
    return walk.code.op("bitcast", t, value) if t.is_int else value
