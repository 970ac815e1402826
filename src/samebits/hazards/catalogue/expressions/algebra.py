"""Algebraic rewrites: common factors taken out, divisors gathered and moved."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import ONE, Constant, Node, Tree, div, mul, rebuilt
from samebits.hazards.catalogue.expressions.reassociation import FAST_MATH
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard


def _algebra(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    for rule in (_factored, _divided_once, _multiplied_first, _common_divisor, _cancelled):
        changed = rebuilt(tree, rule)
        if changed != tree:
            yield changed, arithmetic, FAST_MATH


def _factored(tree: Tree) -> Tree | None:
    match tree:
        case Node("add" | "sub" as name, (Node("mul", left), Node("mul", right))):
            for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
                if left[i] == right[j]:
                    return mul(left[i], Node(name, (left[1 - i], right[1 - j])))
        case _:
            pass
    return None


def _common_divisor(tree: Tree) -> Tree | None:
    match tree:
        case Node("add" | "sub" as name, (Node("div", (a, c)), Node("div", (b, d)))) if c == d:
            return div(Node(name, (a, b)), c)
        case Node("add" | "sub" as name, (Node("mul", (a, b)), c)) if c in (a, b):
            return mul(c, Node(name, (b if c == a else a, ONE)))
        case Node("add" | "sub" as name, (a, Node("mul", (b, c)))) if a in (b, c):
            return mul(a, Node(name, (ONE, c if a == b else b)))
        case _:
            return None


def _cancelled(tree: Tree) -> Tree | None:
    match tree:
        case Node("div", (a, b)) if a == b:
            return ONE
        case Node("div", (Node("mul", (a, b)), c)) if c in (a, b):
            return b if c == a else a
        case Node("mul", (Node("sqrt", (a,)), Node("sqrt", (b,)))):
            return a if a == b else Node("sqrt", (mul(a, b),))
        case Node("mul", (a, b)) if ONE in (a, b):
            return b if a == ONE else a
        case _:
            return None


def _divided_once(tree: Tree) -> Tree | None:
    match tree:
        case Node("div", (Node("div", (a, b)), c)):
            return div(a, mul(b, c))
        case _:
            return None


def _multiplied_first(tree: Tree) -> Tree | None:
    match tree:
        case Node("div", (Node("mul", (a, b)), c)):
            return mul(a, div(b, c))
        case Node("mul", (Node("div", (a, b)), c)) if not isinstance(a, Constant):
            return div(mul(a, c), b)
        case _:
            return None


ALGEBRA = ExpressionHazard(
    "algebra",
    "factors and divisors rearranged",
    _algebra,
    practice="-ffast-math and shader compilers, which factor and cancel",
    remedy="build without -ffast-math; write the form that you want",
)
