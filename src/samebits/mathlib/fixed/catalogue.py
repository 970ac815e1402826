"""Which functions of `math` take fixed-point numbers, and what computes them.

`attach` is called once, where `math` is put together.
"""

from __future__ import annotations

from samebits.lang.kernel import Kernel, Overloads
from samebits.mathlib import exponential, logarithmic, trigonometric
from samebits.mathlib.fixed import exponential as fixed_exponential
from samebits.mathlib.fixed import trigonometric as fixed_trigonometric

FUNCTIONS: dict[Overloads, Kernel] = {
    trigonometric.sin: fixed_trigonometric.sin,
    trigonometric.cos: fixed_trigonometric.cos,
    trigonometric.tan: fixed_trigonometric.tan,
    trigonometric.atan2: fixed_trigonometric.atan2,
    exponential.exp: fixed_exponential.exp,
    exponential.pow: fixed_exponential.pow,
    logarithmic.log: fixed_exponential.log,
}


def attach() -> None:
    """Make the functions take fixed-point numbers."""
    for function, kernel in FUNCTIONS.items():
        function.fixed_point = kernel
