"""The primitives of the math library's kernels, which no kernel outside it may use.

They are sums and errors of products whose last bits may differ between machines, kernels for rare
inputs, and functions made of a kernel for each width.

A function that uses the first two must round either result to the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from samebits.lang.decorators import kernel
from samebits.lang.kernel import Kernel
from samebits.lang.overloads import Overloads, Precisions
from samebits.lang.values import rules
from samebits.lang.values.elementwise import apply
from samebits.lang.values.rules import intrinsic
from samebits.types import FLOAT32, FLOAT64


def both_widths(
    name: str,
    narrow: Kernel | Precisions,
    wide: Kernel | Precisions,
    doc: str,
    fixed: str | None = None,
    saturates: bool = True,
) -> Overloads:
    """The public function of kernels for float32 and for float64; the rest as in `Overloads`."""
    arity = len((narrow[0] if isinstance(narrow, tuple) else narrow).parameters)
    return Overloads(name, arity, {FLOAT32: narrow, FLOAT64: wide}, doc, fixed, saturates)


@intrinsic("float", rules.product_and_sum, library_only=True)
def muladd(a: Any, b: Any, c: Any) -> Any:
    """a·b + c of floats: rounded once where the target has fused multiply-add, else twice.

    Managed and evaluated runs round twice. Only where what follows gives one result for both.
    """
    return apply("muladd", a, b, c)


@intrinsic("float", rules.product_error, library_only=True)
def product_error(a: Any, b: Any) -> Any:
    """a·b − fl(a·b) of floats, exactly.

    Only where a·b and its low half (down to 2^-106·|a·b|) are normal or zero, and |a| and |b| are
    at most 2^995: beyond, targets differ. (float32: any a and b whose product's low half is not
    below 2^-149.) An error of zero may have either sign.
    """
    return apply("product_error", a, b)


def cold_kernel(function: Callable[..., Any]) -> Kernel:
    """A kernel for the few inputs that a fast path leaves open: scalars in, one scalar out.

    It must end for every input whatever and cannot trap (every index is shown to be inside).
    Compiled code keeps it out of line: in a loop `if open_case: return exact(x)` leaves
    everything else to vectorise, and calls it for those lanes alone that need it.
    """
    result = kernel(function)
    result.cold = True
    return result
