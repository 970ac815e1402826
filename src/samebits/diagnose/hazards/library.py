"""Math functions of the host's C library."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from samebits.diagnose.arithmetic import Arithmetic
from samebits.diagnose.functions import LIBM, libm
from samebits.diagnose.hazards.hazard import Hazard, Variant
from samebits.diagnose.numbers import FLOAT32
from samebits.diagnose.trees import Op, Tree, choices, nodes

_MOST = 64


def _from(prefix: str) -> Callable[[Op], list[Tree]]:
    def options(node: Op) -> list[Tree]:
        if node.name == "call" and node.detail in LIBM:
            return [Op("call", node.args, f"{prefix}.{node.detail}")]
        return []

    return options


def _host(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    used = {node.detail for node in nodes(tree) if node.name == "call"} & LIBM
    if not used or any(libm(name, arithmetic.form.bits) is None for name in used):
        return
    rows = [("libm", "this machine's C library; others round other arguments differently")]
    if arithmetic.form is FLOAT32:
        rows.append(("libm64", "this machine's C library in double, then rounded to float"))
    for prefix, note in rows:
        for variant in choices(tree, _from(prefix), _MOST):
            if variant != tree:
                yield variant, arithmetic, note


LIBRARY = Hazard(
    "libm",
    "the C library's math function",
    _host,
    practice="sin, exp or pow of the platform's libm, which differs between versions",
    remedy="call samebits.math, or ship one math library with the program",
)
