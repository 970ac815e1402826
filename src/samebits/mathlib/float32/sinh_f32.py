"""float32 sinh, cosh and tanh, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns these kernels at precision HIGH. With x = k·ln 2 + r, sinh x = sinh(k·ln 2)·cosh r +
cosh(k·ln 2)·sinh r, and cosh x likewise: no division, and for a zero k no cancellation.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import abs, bitcast, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.exp_f32 import LN2, LN2_LOW, LOG2_E, ROUNDER, ROUNDER_BITS
from samebits.mathlib.primitives import muladd

# cosh r = 1 + r²·(C2 + C4·r² + …) and sinh r = r + r³·(S3 + S5·r² + …) for |r| ≤ 0.3475, relative
# errors 2^-57.3 and 2^-61.7. Made by tools/math/hyperbolic_f32.sollya.
C2 = 0.5
C4 = float.fromhex("0x1.555555555311fp-5")
C6 = float.fromhex("0x1.6c16c17d141dp-10")
C8 = float.fromhex("0x1.a019aa19cde8ap-16")
C10 = float.fromhex("0x1.28a0afa81184cp-22")
S3 = float.fromhex("0x1.5555555555559p-3")
S5 = float.fromhex("0x1.111111110f62dp-7")
S7 = float.fromhex("0x1.a01a01b01ed66p-13")
S9 = float.fromhex("0x1.71ddf7b31fcacp-19")
S11 = float.fromhex("0x1.af5fefcf2fdc1p-26")

# A value of sinh so near a float32 tie that float64 gives the tie itself.
HARD_A = float.fromhex("0x1.250bfep-11")


@kernel
def parts(x: float32) -> tuple[float64, float64, float64, float64]:
    """cosh r, sinh r, 2^(k-1) and 2^(-k-1) with x = k·ln 2 + r, |r| ≤ 0.3475, for |x| ≤ 100."""
    rounded = muladd(x, LOG2_E, ROUNDER)
    k = float64(rounded - ROUNDER)
    r = muladd(k, -LN2_LOW, muladd(k, -LN2, float64(x)))
    z = r * r
    w = z * z
    c = muladd(w, muladd(w, C10, muladd(z, C8, C6)), muladd(z, C4, C2))
    s = muladd(w, muladd(z, muladd(z, S11, S9), S7), muladd(z, S5, S3))
    n = bitcast(int32, rounded) - ROUNDER_BITS
    up = bitcast(float64, uint64(1022 + n) << 52)
    down = bitcast(float64, uint64(1022 - n) << 52)
    return muladd(z, c, 1.0), muladd(r * z, s, r), up, down


@kernel
def sinh(x: float32) -> float32:
    """Hyperbolic sine, correctly rounded; −0 for −0."""
    x = select(x > 90.0, 90.0, x)
    x = select(x < -90.0, -90.0, x)
    c, s, up, down = parts(x)
    # The inner difference is +0 for k = 0, and its negative leaves a zero s its sign.
    y = float32(muladd(up + down, s, -((down - up) * c)))
    return select(abs(x) == HARD_A, x, y)  # its sinh rounds to itself


@kernel
def cosh(x: float32) -> float32:
    """Hyperbolic cosine, correctly rounded."""
    x = select(x > 90.0, 90.0, x)
    x = select(x < -90.0, -90.0, x)
    c, s, up, down = parts(x)
    return float32(muladd(up + down, c, (up - down) * s))


@kernel
def tanh(x: float32) -> float32:
    """Hyperbolic tangent, correctly rounded; −0 for −0."""
    x = select(x > 10.0, 10.0, x)
    x = select(x < -10.0, -10.0, x)
    c, s, up, down = parts(x)
    total = up + down
    difference = down - up
    y = muladd(total, s, -(difference * c)) / muladd(total, c, -(difference * s))
    return float32(y)
