"""float32 log1p, correctly rounded on all 2³² inputs, in branch-free float64 code.

Owns the kernel at precision HIGH: 2^-k·(1 + x) − 1 without error in x, then as log does it.
"""

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, copysign, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.log_f32 import INFINITY, LN2, LN2_LOW, NAN, ROOT_HALF, log_near_one
from samebits.mathlib.primitives import muladd

# Logarithms so near a float32 tie that float64 gives the tie itself.
HARD_A = float.fromhex("0x1.800006p-21")
LOG1P_A = float.fromhex("0x1.7ffffep-21")
HARD_B = float.fromhex("-0x1.7ffffap-21")
LOG1P_B = float.fromhex("-0x1.800002p-21")
HARD_C = float.fromhex("0x1.200036p-17")
LOG1P_C = float.fromhex("0x1.1fffe6p-17")
HARD_D = float.fromhex("-0x1.1fffcap-17")
LOG1P_D = float.fromhex("-0x1.20001ap-17")
HARD_E = float.fromhex("-0x1.1d9188p-9")
LOG1P_E = float.fromhex("-0x1.1de14ap-9")
HARD_F = float.fromhex("0x1.b121a6p76")
LOG1P_F = float.fromhex("0x1.a9a3f2p5")
HARD_G = float.fromhex("0x1.6351d8p95")
LOG1P_G = float.fromhex("0x1.08b512p6")


@kernel
def log1p(x: float32) -> float32:
    """log(1 + x), correctly rounded; −inf for −1, NaN below, −0 for −0."""
    bits = bitcast(int32, x + 1.0)
    k = (bits - ROOT_HALF) >> 23
    inverse = bitcast(float64, uint64(1023 - k) << 52)
    f = muladd(inverse, float64(x), inverse - 1.0)  # 1 + f = 2^-k·(1 + x)
    n = float64(k)
    y = muladd(n, LN2, muladd(n, LN2_LOW, log_near_one(f, f / (f + 2.0))))
    result = select(x == HARD_A, LOG1P_A, copysign(float32(y), x))
    result = select(x == HARD_B, LOG1P_B, result)
    result = select(x == HARD_C, LOG1P_C, result)
    result = select(x == HARD_D, LOG1P_D, result)
    result = select(x == HARD_E, LOG1P_E, result)
    result = select(x == HARD_F, LOG1P_F, result)
    result = select(x == HARD_G, LOG1P_G, result)
    result = select(x < INFINITY, result, x)
    return select(x > -1.0, result, select(x == -1.0, -INFINITY, NAN))
