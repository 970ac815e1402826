"""Math functions of other libraries: the host's C library, and results some ULPs away."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from samebits.diagnose.arithmetic import Arithmetic
from samebits.diagnose.functions import LIBM, libm
from samebits.diagnose.hazards.hazard import Hazard, Variant
from samebits.diagnose.numbers import FLOAT32
from samebits.diagnose.trees import Op, Tree, choices, nodes, replaced

_MOST = 64
_EXACT_EVERYWHERE = ("floor", "ceil", "trunc", "round", "copysign", "fmod", "remainder")


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


def _offsets(tree: Tree, arithmetic: Arithmetic) -> Iterator[Variant]:
    for distance in (1, 2, 3, 4):
        for sign in "+-":
            detail = f"{sign}{distance}"
            note = f"a math library whose result is {distance} ULP away"
            for node in nodes(tree):
                if node.name == "call" and node.detail not in _EXACT_EVERYWHERE:
                    yield replaced(tree, node, Op("ulps", (node,), detail)), arithmetic, note


LIBRARY = Hazard("libm", "the C library's math function", _host)
OFFSET = Hazard("libm-ulp", "another library's math function, by its distance", _offsets)
