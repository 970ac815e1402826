"""x87 extended precision: 64-, 53- and 24-bit control, with spills."""

from __future__ import annotations

from collections.abc import Iterator

from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.softfloat import X87_24, X87_53, X87_64
from samebits.fpmodel.tree import Tree
from samebits.hazards.catalogue.expressions.widening import plain, widened
from samebits.hazards.catalogue.hazard import Evaluation, ExpressionHazard

_X87 = (
    (X87_64, "32-bit x86 without SSE2 (-mfpmath=387), long double; Linux's control word"),
    (X87_53, "x87 with 53-bit control: 32-bit Windows and BSD programs"),
    (X87_24, "x87 with 24-bit control: set by Direct3D 9 and earlier"),
)


def _x87(tree: Tree, arithmetic: Arithmetic) -> Iterator[Evaluation]:
    if plain(arithmetic):
        for form, note in _X87:
            yield from widened(tree, arithmetic, form, note)


X87 = ExpressionHazard(
    "x87",
    "x87 extended precision",
    _x87,
    practice="32-bit x86 code without SSE2, long double; Direct3D 9 sets 24 bits",
    remedy="build for SSE2: -msse2 -mfpmath=sse, /arch:SSE2",
)
