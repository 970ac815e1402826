"""Math functions of this machine's other libraries: C's, NumPy's, and the one that GCC calls."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.libm import LIBRARIES, LIBRARY_FUNCTIONS, function_of
from samebits.fpmodel.softfloat import FLOAT32
from samebits.fpmodel.tree import Node, Tree, nodes
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard, exchanges

_MOST = 64


def _from(prefix: str) -> Callable[[Node], list[Tree]]:
    def options(node: Node) -> list[Tree]:
        if node.name == "call" and node.detail in LIBRARY_FUNCTIONS:
            return [Node("call", node.args, f"{prefix}.{node.detail}")]
        return []

    return options


def _libraries(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    used = {node.detail for node in nodes(tree) if node.name == "call"} & LIBRARY_FUNCTIONS
    if not used:
        return
    bits = arithmetic.form.bits
    for prefix, library in LIBRARIES.items():
        if any(function_of(prefix, name, bits) is None for name in used):
            continue
        yield from exchanges(tree, arithmetic, _from(prefix), _MOST, library.note)
        if prefix == "libm" and arithmetic.form is FLOAT32:
            note = "this machine's C library in double, then rounded to float"
            yield from exchanges(tree, arithmetic, _from("libm64"), _MOST, note)


LIBRARY = ExpressionHazard(
    "libm",
    "another library's math function",
    _libraries,
    practice="sin, exp or pow of libm, NumPy or a vector library: each rounds in its own way",
    remedy="call samebits.math, or ship one math library with the program",
)
