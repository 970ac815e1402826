"""What only the math library may use: sums and errors of products whose last bits may differ
between machines, and kernels for rare inputs.

A function that uses the first two must round either result to the same bits.
"""

from __future__ import annotations

from typing import Any

from samebits.lang.decorators import kernel
from samebits.lang.elementwise import apply

rare_kernel = kernel
"""A kernel for the inputs that a fast path leaves open: scalars in, one scalar out, no traps."""


def muladd(a: Any, b: Any, c: Any) -> Any:
    """a·b + c of floats: rounded once where the target has fused multiply-add, else twice.

    Managed and evaluated runs round twice. Only where what follows gives one result for both.
    """
    return apply("muladd", a, b, c)


def product_error(a: Any, b: Any) -> Any:
    """a·b − fl(a·b) of floats, exactly.

    Only where a·b and its low half (down to 2^-106·|a·b|) are normal or zero, and |a| and |b| are
    at most 2^995: beyond, targets differ. (float32: any a and b whose product's low half is not
    below 2^-149.)
    """
    return apply("product_error", a, b)


muladd.__samebits_intrinsic__ = "muladd"  # type: ignore[attr-defined]
product_error.__samebits_intrinsic__ = "product_error"  # type: ignore[attr-defined]
