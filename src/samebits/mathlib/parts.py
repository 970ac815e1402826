"""Exact functions on the parts of floats as users see them: remainders, exponents and fractions.

They are the same at every precision.
"""

from __future__ import annotations

from samebits.mathlib import remainders, scaling
from samebits.mathlib.primitives import both_widths

fmod = both_widths(
    "fmod",
    remainders.fmod_f32,
    remainders.fmod_f64,
    """x − n·y with n = x/y truncated, exactly; it has the sign of x, as C's fmod and NumPy's.

    NaN if x is infinite or y is 0; x if y is infinite.
    """,
)
remainder = both_widths(
    "remainder",
    remainders.remainder_f32,
    remainders.remainder_f64,
    """x − n·y with n the integer nearest to x/y, ties to even, exactly: IEEE 754's remainder, from
    −|y|/2 to |y|/2, as Python's math.remainder (not NumPy's, which is `%`).

    A result of 0 has the sign of x. NaN if x is infinite or y is 0; x if y is infinite.
    """,
)
frexp = both_widths(
    "frexp",
    scaling.frexp_f32,
    scaling.frexp_f64,
    """(m, n) with x = m·2^n, exactly: m a float with 1/2 ≤ |m| < 1, n an int32.

    (x, 0) for zeros, infinities and NaN.
    """,
)
ldexp = both_widths(
    "ldexp",
    scaling.ldexp_f32,
    scaling.ldexp_f64,
    """x·2^n for any int32 n, rounded once (where the result is subnormal); infinity beyond the
    largest float.
    """,
)
modf = both_widths(
    "modf",
    scaling.modf_f32,
    scaling.modf_f64,
    """(fraction, whole part) of x, exactly, both of x's type and sign; (±0, ±∞) for infinities.""",
)
