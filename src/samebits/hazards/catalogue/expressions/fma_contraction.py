"""A product and a sum in one rounding, and the reverse: an fma that rounds twice."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import Node, Tree, add, fma, mul, neg, nodes, rebuilt
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard, exchanges

_MOST = 4096
_FUSED = (
    "GCC by default, clang since 14 (within an expression), on ARM64, POWER, RISC-V, and on x86 "
    "with -mfma; -ffp-contract=fast; GPU compilers"
)


def _product(tree: Tree) -> tuple[Tree, Tree] | None:
    """The factors of a product, also of a negated one."""
    match tree:
        case Node("mul", (a, b)):
            return a, b
        case Node("neg", (Node("mul", (a, b)),)):
            return neg(a), b
        case _:
            return None


def fused(node: Node) -> list[Tree]:
    """The fused forms of a sum: of its left product, then of its right one."""
    found: list[Tree] = []
    if node.name in ("add", "sub"):
        left, right = node.args
        negative = node.name == "sub"
        if product := _product(left):
            found.append(fma(*product, neg(right) if negative else right))
        if product := _product(right):
            a, b = product
            found.append(fma(neg(a) if negative else a, b, left))
    return found


def _variants(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    yield from exchanges(tree, arithmetic, fused, _MOST, _FUSED)
    if _notes(tree) > 1:
        unfused = rebuilt(tree, _unfused)
        yield unfused, arithmetic, "an fma that rounds twice: not fused after all, or emulated"


def _notes(tree: Tree) -> int:
    return 1 + any(node.name == "fma" for node in nodes(tree))


def _unfused(tree: Tree) -> Tree | None:
    match tree:
        case Node("fma", (a, b, c)):
            return add(mul(a, b), c)
        case _:
            return None


FUSED = ExpressionHazard(
    "fma",
    "fused multiply-add",
    _variants,
    practice="-ffp-contract=fast or on, the default on ARM64, POWER and GPUs",
    remedy="build with -ffp-contract=off; write fma where you mean it",
    notes=_notes,
)
