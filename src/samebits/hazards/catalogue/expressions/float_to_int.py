"""Conversions of floats to integers by other rules, where the value does not fit."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import INTEGER_RULES, Arithmetic
from samebits.fpmodel.tree import Node, Tree
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard, exchanges

_MOST = 512

_INTEGER_NOTES = {
    "x86": "x86 cvttss2si and cvttsd2si: the integer indefinite value where it does not fit",
    "riscv": "RISC-V fcvt: the largest integer of a NaN",
    "modulo": "JavaScript's | 0 and >>> 0, a cast by way of a wider integer",
}


def _integers(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    for rule in filter(None, INTEGER_RULES):

        def options(node: Node, rule: str = rule) -> list[Tree]:
            plain = node.name == "convert" and " " not in node.detail
            return [Node("convert", node.args, f"{node.detail} {rule}")] if plain else []

        yield from exchanges(tree, arithmetic, options, _MOST, _INTEGER_NOTES[rule])


TO_INTEGER = ExpressionHazard(
    "to-integer",
    "another rule of float to integer conversion",
    _integers,
    practice="a C cast of NaN, an infinity or a value out of range, which C leaves open",
    remedy="clamp before the cast, or convert with a rule that saturates everywhere",
)
