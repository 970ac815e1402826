"""Where values are chosen, not rounded: min and max, signed zeros, NaNs, integers, constants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from samebits.diagnose.arithmetic import INTEGER_RULES, NAN_RULES, Arithmetic
from samebits.diagnose.hazards.hazard import Hazard, Variant
from samebits.diagnose.numbers import FLOAT32
from samebits.diagnose.trees import ONE, Constant, Op, Tree, choices, rebuilt, sub

_MOST = 512
_ZERO = Constant("0")
_EXTREMES = {
    "lt": "x86 minss and maxss, `a < b ? a : b`",
    "gt": "operands swapped: std::min(a, b) is `b < a ? b : a`, std::max `a < b ? b : a`",
    "number": "C's fmin and fmax, ARM's fminnm: a NaN operand is left out",
}
_INTEGER_NOTES = {
    "x86": "x86 cvttss2si and cvttsd2si: the integer indefinite value where it does not fit",
    "riscv": "RISC-V fcvt: the largest integer of a NaN",
    "modulo": "JavaScript's | 0 and >>> 0, a cast by way of a wider integer",
}
_NAN_NOTES = {
    "x86": "x86: the first NaN operand with its payload, or a negative NaN",
    "x86, operands swapped": "x86, with the operands of commutative operations swapped",
    "arm": "ARM: the first signalling, else the first NaN operand, or a positive NaN",
    "arm, operands swapped": "ARM, with the operands of commutative operations swapped",
    "negative": "a negative NaN whatever the operands are",
}


def _extremes(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    for rule, note in _EXTREMES.items():

        def options(node: Op, rule: str = rule) -> list[Tree]:
            plain = node.name in ("min", "max") and not node.detail
            return [Op(node.name, node.args, rule)] if plain else []

        for variant in choices(tree, options, _MOST):
            if variant != tree:
                yield variant, arithmetic, note


def _integers(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    for rule in filter(None, INTEGER_RULES):

        def options(node: Op, rule: str = rule) -> list[Tree]:
            plain = node.name == "convert" and " " not in node.detail
            return [Op("convert", node.args, f"{node.detail} {rule}")] if plain else []

        for variant in choices(tree, options, _MOST):
            if variant != tree:
                yield variant, arithmetic, _INTEGER_NOTES[rule]


def _nans(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    if arithmetic.nans == "canonical":
        for rule in list(NAN_RULES)[1:]:
            yield tree, replace(arithmetic, nans=rule), _NAN_NOTES[rule]


def _without_zeros(tree: Tree) -> Tree | None:
    match tree:
        case Op("add", (x, Constant("0" | "0.0"))) | Op("add", (Constant("0" | "0.0"), x)):
            return x
        case Op("mul", (_, Constant("0" | "0.0"))) | Op("mul", (Constant("0" | "0.0"), _)):
            return _ZERO
        case Op("neg", (Op("sub", (a, b)),)):
            return sub(b, a)
        case Op("sub", (Constant("0" | "0.0"), x)):
            return Op("neg", (x,))
        case _:
            return None


def _negated_by_zero(tree: Tree) -> Tree | None:
    match tree:
        case Op("neg", (x,)):
            return sub(_ZERO, x)
        case _:
            return None


def _zeros(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    for rule, note in (
        (_without_zeros, "-fno-signed-zeros, -ffast-math: x + 0 is x, -(a - b) is b - a"),
        (_negated_by_zero, "0 - x for -x: hand-written negation, some shader compilers"),
    ):
        changed = rebuilt(tree, rule)
        if changed != tree:
            yield changed, arithmetic, note


def _constants(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    found = list(dict.fromkeys(_constants_in(tree)))
    for constant in found:
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
    elif isinstance(tree, Op):
        for arg in tree.args:
            yield from _constants_in(arg)


def _put(tree: Tree, old: Constant, new: Constant) -> Tree:
    return rebuilt(tree, lambda node: new if node == old else None)


MIN_MAX = Hazard("min-max", "another rule of min and max for NaN and zeros", _extremes)
TO_INTEGER = Hazard("to-integer", "another rule of float to integer conversion", _integers)
NAN_BITS = Hazard("nan", "a NaN's sign and payload", _nans)
SIGNED_ZERO = Hazard("signed-zero", "signed zeros not kept", _zeros)
CONSTANT = Hazard("constant", "a constant one ULP off, or of another type", _constants)
