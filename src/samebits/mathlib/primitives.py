"""What only the math library may use: sums of products that may be fused, and rare kernels."""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.scalars import float64

SPLITTER = 2.0**27 + 1.0

rare_kernel = kernel
"""A kernel for the inputs that a fast path leaves open: scalars in, one scalar out, no traps."""


@kernel
def muladd(a: float64, b: float64, c: float64) -> float64:
    """a·b + c, fused where the target has the instruction, else rounded twice."""
    return a * b + c


@kernel
def product_error(a: float64, b: float64) -> float64:
    """a·b − fl(a·b), exactly, where nothing overflows or underflows.

    Dekker, "A floating-point technique for extending the available precision", Numerische
    Mathematik 18, 1971, with Veltkamp's splitting.
    """
    p = a * b
    t = SPLITTER * a
    a1 = t - (t - a)
    a2 = a - a1
    t = SPLITTER * b
    b1 = t - (t - b)
    b2 = b - b1
    return a2 * b2 - (((p - a1 * b1) - a2 * b1) - a1 * b2)
