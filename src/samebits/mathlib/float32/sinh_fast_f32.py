"""float32 sinh, cosh and tanh at MEDIUM precision, in float64, and at LOW, in float32.

Owns these kernels. Nothing is fused: the results are not correctly rounded, and have to be the same
everywhere nevertheless.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, copysign, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.exp_f32 import ROUNDER, ROUNDER_BITS
from samebits.mathlib.float32.exp_fast_f32 import LN2, LOG2_E

# cosh r = 1 + r²·(C2 + …) and sinh r = r + r³·(S3 + …) for |r| ≤ 0.3475, relative errors 2^-34.3
# and 2^-37.4: for MEDIUM. With an L, 2^-23.4 and 2^-26.2: for LOW. Made by
# tools/math/medium_low_f32.sollya.
C2 = 0.50000000790889409518769070928101427853107452392578125
C4 = 4.16662663645784581145647962330258451402187347412109375e-2
C6 = 1.39463224364596584912978638470804071403108537197113037109375e-3
S3 = 0.1666666675543432007966515544485023282468318939208984375
S5 = 8.33328862459423690134396878193001861089574337005615234375e-3
S7 = 1.990521270334514301360295807086231434368528425693511962890625e-4
CL2 = 0.499991357326507568359375
CL4 = 4.18996475636959075927734375e-2
SL3 = 0.16666541993618011474609375
SL5 = 8.366726338863372802734375e-3
LIMIT_LOW = 87.0
HUGE = 2.0**127


@kernel
def parts(x: float32) -> tuple[float64, float64, float64, float64]:
    """cosh r, sinh r, 2^(k-1) and 2^(-k-1) with x = k·ln 2 + r, |r| ≤ 0.3475, for |x| ≤ 100."""
    rounded = x * LOG2_E + ROUNDER
    r = float64(x) - float64(rounded - ROUNDER) * LN2
    z = r * r
    c = 1.0 + z * (C2 + z * (C4 + z * C6))
    s = r + (r * z) * (S3 + z * (S5 + z * S7))
    n = bitcast(int32, rounded) - ROUNDER_BITS
    up = bitcast(float64, uint64(1022 + n) << 52)
    down = bitcast(float64, uint64(1022 - n) << 52)
    return c, s, up, down


@kernel
def sinh_medium(x: float32) -> float32:
    """Hyperbolic sine, at most 0.51 ULP off; −0 for −0."""
    x = select(x > 90.0, 90.0, x)
    x = select(x < -90.0, -90.0, x)
    c, s, up, down = parts(x)
    return copysign(float32((up + down) * s + (up - down) * c), x)


@kernel
def cosh_medium(x: float32) -> float32:
    """Hyperbolic cosine, at most 0.51 ULP off."""
    x = select(x > 90.0, 90.0, x)
    x = select(x < -90.0, -90.0, x)
    c, s, up, down = parts(x)
    return float32((up + down) * c + (up - down) * s)


@kernel
def tanh_medium(x: float32) -> float32:
    """Hyperbolic tangent, at most 0.51 ULP off; −0 for −0."""
    x = select(x > 10.0, 10.0, x)
    x = select(x < -10.0, -10.0, x)
    c, s, up, down = parts(x)
    total = up + down
    difference = up - down
    return copysign(float32((total * s + difference * c) / (total * c + difference * s)), x)


@kernel
def parts_low(x: float32) -> tuple[float32, float32, float32, float32]:
    """As `parts`, in float32, for |x| ≤ LIMIT_LOW."""
    rounded = x * LOG2_E + ROUNDER
    r = x - (rounded - ROUNDER) * LN2
    z = r * r
    c = 1.0 + z * (CL2 + z * CL4)
    s = r + (r * z) * (SL3 + z * SL5)
    n = bitcast(int32, rounded) - ROUNDER_BITS
    up = bitcast(float32, (126 + n) << 23)
    down = bitcast(float32, (126 - n) << 23)
    return c, s, up, down


@kernel
def sinh_low(x: float32) -> float32:
    """Hyperbolic sine, at most 100 ULP off for |x| < 87; ±inf beyond, −0 for −0."""
    c, s, up, down = parts_low(x)
    y = copysign((up + down) * s + (up - down) * c, x)
    return select(abs(x) < LIMIT_LOW, y, x * HUGE)


@kernel
def cosh_low(x: float32) -> float32:
    """Hyperbolic cosine, at most 100 ULP off for |x| < 87; inf beyond."""
    c, s, up, down = parts_low(x)
    return select(abs(x) < LIMIT_LOW, (up + down) * c + (up - down) * s, abs(x) * HUGE)


@kernel
def tanh_low(x: float32) -> float32:
    """Hyperbolic tangent, at most 20 ULP off; −0 for −0."""
    x = select(x > 10.0, 10.0, x)
    x = select(x < -10.0, -10.0, x)
    c, s, up, down = parts_low(x)
    total = up + down
    difference = up - down
    return copysign((total * s + difference * c) / (total * c + difference * s), x)
