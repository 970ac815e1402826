"""The exponential functions as users see them: their kernels, and what each promises."""

from __future__ import annotations

from samebits.mathlib.float32 import (
    exp2m1_f32,
    exp2m1_fast_f32,
    exp_f32,
    exp_fast_f32,
    expm1_f32,
    pow_f32,
    powers_fast_f32,
    rootn_f32,
    rootn_low_f32,
)
from samebits.mathlib.float64 import (
    exp2m1_f64,
    exp2m1_low_f64,
    exp_f64,
    exp_fast_f64,
    expm1_f64,
    log_fast_f64,
    pow_f64,
    rootn_f64,
    rootn_low_f64,
)
from samebits.mathlib.primitives import both_widths

FIXED_POINT = "samebits.mathlib.fixed.exponential"

exp = both_widths(
    "exp",
    (exp_f32.exp, exp_fast_f32.exp_medium, exp_fast_f32.exp_low),
    (exp_f64.exp, exp_fast_f64.exp_medium, exp_fast_f64.exp_low),
    """e^x; 0 for −inf, inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.81 ULP off; at LOW: at most 150 for −87.3 < x < 88.3.
    float64: correctly rounded on every published hard case and all inputs tried.
    float64 at MEDIUM: at most 0.8 ULP off; at LOW: at most 10.
    """,
    fixed=FIXED_POINT,
)
exp2 = both_widths(
    "exp2",
    (exp_f32.exp2, exp_fast_f32.exp2_medium, exp_fast_f32.exp2_low),
    (exp_f64.exp2, exp_fast_f64.exp2_medium, exp_fast_f64.exp2_low),
    """2^x, exact for integers; 0 for −inf, inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.9 ULP off; at LOW: at most 60 for −126 ≤ x < 127.5.
    float64: correctly rounded on every published hard case and all inputs tried.
    float64 at MEDIUM: at most 0.8 ULP off; at LOW: at most 10.
    """,
)
exp10 = both_widths(
    "exp10",
    (exp_f32.exp10, exp_fast_f32.exp10_medium, exp_fast_f32.exp10_low),
    (exp_f64.exp10, exp_fast_f64.exp10_medium, exp_fast_f64.exp10_low),
    """10^x; 0 for −inf, inf beyond the range.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 1 ULP off; at LOW: at most 250 for −37.9 < x < 38.3.
    float64: correctly rounded on every published hard case and all inputs tried.
    float64 at MEDIUM: at most 0.8 ULP off; at LOW: at most 10.
    """,
)
expm1 = both_widths(
    "expm1",
    (expm1_f32.expm1, exp_fast_f32.expm1_medium, exp_fast_f32.expm1_low),
    (expm1_f64.expm1, expm1_f64.expm1, exp_fast_f64.expm1_low),
    """e^x − 1, accurate near 0 too; −1 for −inf, inf beyond the range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 100.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 40 ULP off.
    """,
)
exp2m1 = both_widths(
    "exp2m1",
    (exp2m1_f32.exp2m1, exp2m1_fast_f32.exp2m1_medium, exp2m1_fast_f32.exp2m1_low),
    (exp2m1_f64.exp2m1, exp2m1_f64.exp2m1, exp2m1_low_f64.exp2m1_low),
    """2^x − 1, accurate near 0 too, exact for integers that allow it; −1 for −inf, inf beyond the
    range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 40 ULP off.
    """,
)
exp10m1 = both_widths(
    "exp10m1",
    (exp2m1_f32.exp10m1, exp2m1_fast_f32.exp10m1_medium, exp2m1_fast_f32.exp10m1_low),
    (exp2m1_f64.exp10m1, exp2m1_f64.exp10m1, exp2m1_low_f64.exp10m1_low),
    """10^x − 1, accurate near 0 too, exact for integers that allow it; −1 for −inf, inf beyond the
    range, −0 for −0.

    float32: correctly rounded, proven on all 2³² inputs.
    float32 at MEDIUM: at most 0.51 ULP off; at LOW: at most 20.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 40 ULP off.
    """,
)
pow = both_widths(
    "pow",
    (pow_f32.pow, powers_fast_f32.pow_medium, powers_fast_f32.pow_low),
    (pow_f64.pow, pow_f64.pow, log_fast_f64.pow_low),
    """x^y, exact and half-way cases included; special cases as IEEE 754-2019 has them.

    1 for y = ±0 and for x = 1, even where the other is NaN; NaN for x < 0 unless y is an integer.
    ±0 and ±inf as x keep their sign for an odd y; (−1)^±inf is 1.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers.
    float32 at MEDIUM: at most 0.55 ULP off; at LOW: at most 560 for normal x and results from
    2^-126 to 2^127.4, for x < 0 with |y| ≤ 2^22 only.
    float64: correctly rounded on every published hard case and all inputs tried;
    at MEDIUM the same; at LOW at most 575 ULP off for normal x and results from
    1e-40 to 1e40.
    """,
    fixed=FIXED_POINT,
)
pown = both_widths(
    "pown",
    (rootn_f32.pown, rootn_f32.pown, rootn_low_f32.pown),
    (rootn_f64.pown, rootn_f64.pown, rootn_low_f64.pown),
    """x^n for an int32 n, exact and half-way cases included; 1 for n = 0, even where x is NaN.

    ±0 and ±inf as x keep their sign for an odd n.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers;
    at MEDIUM the same; at LOW at most 560 ULP off for normal x, |n| ≤ 2^22 and results from
    2^-126 to 2^127.4.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 575 ULP off
    for normal x and results from 1e-40 to 1e40.
    """,
    saturates=False,
)
powr = both_widths(
    "powr",
    (rootn_f32.powr, rootn_f32.powr, rootn_low_f32.powr),
    (rootn_f64.powr, rootn_f64.powr, rootn_low_f64.powr),
    """x^y as e^(y·log x), for x ≥ 0: NaN for x < 0, and where that has no limit, of 0^0, inf^0,
    1^±inf and a NaN; −0 counts as 0.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers;
    at MEDIUM the same; at LOW at most 560 ULP off for normal x and results from 2^-126 to 2^127.4.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 575 ULP off
    for normal x and results from 1e-40 to 1e40.
    """,
)
compound = both_widths(
    "compound",
    rootn_f32.compound,
    rootn_f64.compound,
    """(1 + x)^n for an int32 n: what grows by x, n times; C's compoundn. 1 for n = 0 unless
    x < −1, and NaN for x < −1.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers.
    float64: correctly rounded on all inputs tried. The same at every precision.
    """,
    saturates=False,
)
rootn = both_widths(
    "rootn",
    (rootn_f32.rootn, rootn_f32.rootn, rootn_low_f32.rootn),
    (rootn_f64.rootn, rootn_f64.rootn, rootn_low_f64.rootn),
    """The n-th root of x, x^(1/n), for an int32 n, exact for powers; NaN for n = 0, and for x < 0
    where n is even. ±0 and ±inf as x keep their sign for an odd n.

    float32: correctly rounded; what float64 leaves open is decided by 192-bit integers;
    at MEDIUM the same; at LOW at most 250 ULP off for normal x and |n| ≥ 2.
    float64: correctly rounded on all inputs tried; at MEDIUM the same; at LOW at most 450 ULP off
    for normal x and results from 1e-40 to 1e40.
    """,
    saturates=False,
)
