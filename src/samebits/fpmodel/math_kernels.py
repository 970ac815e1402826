"""Which kernel of the library a math function is that a tree calls, and the reverse.

Only functions at HIGH precision count: those are what `samebits.math` gives from Python.
"""

from __future__ import annotations

from functools import cache

import samebits.math
from samebits.fpmodel.parse import FUNCTIONS
from samebits.frontend.compile import symbol_of
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads
from samebits.types import FLOAT32, FLOAT64, Type

OPERATIONS = frozenset({"ceil", "copysign", "floor", "round", "trunc"})
"""The functions that are operations of the IR, under their own names."""


def kernel_of(name: str, bits: int) -> tuple[Kernel, tuple[Type, ...]] | None:
    """The kernel of a math function for floats of a width, and its parameters' types."""
    function = getattr(samebits.math, name) if name in FUNCTIONS else None
    if not isinstance(function, Overloads):
        return None
    t = FLOAT32 if bits == FLOAT32.bits else FLOAT64
    kernel = function.kernel_for(t)
    return kernel, kernel.signature.resolve((t,) * function.arity)


@cache
def _by_symbol() -> dict[str, str]:
    found: dict[str, str] = {}
    for name in FUNCTIONS:
        for t in (FLOAT32, FLOAT64):
            kernel = kernel_of(name, t.bits)
            if kernel is not None:
                found[symbol_of(*kernel)] = name
    return found


def name_of(symbol: str) -> str | None:
    """The math function that a function of the IR is; None where it is none."""
    return _by_symbol().get(symbol) if symbol.startswith("samebits.mathlib.") else None
