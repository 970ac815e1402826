"""float32 log, log2, log10 and log1p at MEDIUM precision, in float64, and at LOW, in float32.

Owns these kernels. Nothing is fused: the results are not correctly rounded, and have to be the same
everywhere nevertheless.
"""

# pyright: reportReturnType=false
# Arithmetic gives samebits' scalars, which NumPy's stubs do not know.

from __future__ import annotations

from samebits.lang.decorators import kernel
from samebits.lang.intrinsics import bitcast, copysign, select
from samebits.lang.values.scalars import float32, float64, int32, uint64
from samebits.mathlib.float32.exp_fast_f32 import LN2, LOG10_2
from samebits.mathlib.float32.log_f32 import INFINITY, NAN, ROOT_HALF, split, with_special_cases

# log((1 + s)/(1 - s)) = 2·s + s³·(A3 + …) for |s| ≤ 0.2010, relative error 2^-35.3, and
# log2 and log10 of that = s·(G1 + …) and s·(H1 + …) for |s| ≤ 0.1717, 2^-30.4: for MEDIUM. Made by
# tools/math/medium_low_f32.sollya, as are those for LOW.
A3 = 0.66666662963172196310068784441682510077953338623046875
A5 = 0.400008852908031453665671506314538419246673583984375
A7 = 0.285058849433833472186705648709903471171855926513671875
A9 = 0.2411710824292741250918226114663411863148212432861328125
G1 = 2.885390079776939398215063192765228450298309326171875
G3 = 0.96179885740287296425066188021446578204631805419921875
G5 = 0.57671327985524356574131843444774858653545379638671875
G7 = 0.43176585585029469971374282977194525301456451416015625
H1 = 0.8685889632041463581657581016770564019680023193359375
H3 = 0.2895303058736262702410613201209343969821929931640625
H5 = 0.1736079961330057319646158475734409876167774200439453125
H7 = 0.1299744737373307590377891074240324087440967559814453125

# log(1 + f)/f and, to other bases, log2(1 + f)/f and log10(1 + f)/f for -0.2929 ≤ f ≤ 0.4143,
# relative errors 2^-19.5 and less: for LOW.
L1 = -0.50000846385955810546875
L2 = 0.333192050457000732421875
L3 = -0.2491915524005889892578125
L4 = 0.2044960558414459228515625
L5 = -0.18586786091327667236328125
L6 = 0.119460761547088623046875
B0 = 1.44269645214080810546875
B1 = -0.721363544464111328125
B2 = 0.4806263148784637451171875
B3 = -0.3593729436397552490234375
B4 = 0.295708835124969482421875
B5 = -0.2693091928958892822265625
B6 = 0.1715707480907440185546875
T0 = 0.4342949092388153076171875
T1 = -0.21715207397937774658203125
T2 = 0.144682824611663818359375
T3 = -0.108181692659854888916015625
T4 = 8.9018173515796661376953125e-2
T5 = -8.107309043407440185546875e-2
T6 = 5.16487620770931243896484375e-2


@kernel
def log_of_ratio(s: float64) -> float64:
    """log((1 + s)/(1 - s)) for |s| ≤ 0.2010, relative error 2^-35."""
    z = s * s
    return (s + s) + (s * z) * ((A3 + z * A5) + (z * z) * (A7 + z * A9))


@kernel
def log2_of_ratio(s: float64) -> float64:
    """log2((1 + s)/(1 - s)) for |s| ≤ 0.1717, relative error 2^-30."""
    z = s * s
    return s * ((G1 + z * G3) + (z * z) * (G5 + z * G7))


@kernel
def log10_of_ratio(s: float64) -> float64:
    """log10((1 + s)/(1 - s)) for |s| ≤ 0.1717, relative error 2^-30."""
    z = s * s
    return s * ((H1 + z * H3) + (z * z) * (H5 + z * H7))


@kernel
def log_medium(x: float32) -> float32:
    """Natural logarithm, at most 0.51 ULP off; −inf for zeros, NaN below."""
    k, m = split(x)
    y = k * LN2 + log_of_ratio((m - 1.0) / (m + 1.0))
    return with_special_cases(x, float32(y))


@kernel
def log2_medium(x: float32) -> float32:
    """Logarithm to base 2, at most 0.52 ULP off; −inf for zeros, NaN below."""
    k, m = split(x)
    y = k + log2_of_ratio((m - 1.0) / (m + 1.0))
    return with_special_cases(x, float32(y))


@kernel
def log10_medium(x: float32) -> float32:
    """Logarithm to base 10, at most 0.52 ULP off; −inf for zeros, NaN below."""
    k, m = split(x)
    y = k * LOG10_2 + log10_of_ratio((m - 1.0) / (m + 1.0))
    return with_special_cases(x, float32(y))


@kernel
def log1p_medium(x: float32) -> float32:
    """log(1 + x), at most 0.51 ULP off; −inf for −1, NaN below, −0 for −0."""
    k = (bitcast(int32, x + 1.0) - ROOT_HALF) >> 23
    inverse = bitcast(float64, uint64(1023 - k) << 52)
    f = inverse * float64(x) + (inverse - 1.0)
    y = float64(k) * LN2 + log_of_ratio(f / (f + 2.0))
    result = copysign(float32(y), x)
    result = select(x < INFINITY, result, x)
    return select(x > -1.0, result, select(x == -1.0, -INFINITY, NAN))


@kernel
def split_low(x: float32) -> tuple[float32, float32]:
    """k and f with x = 2^k·(1 + f), for normal x > 0; else any numbers."""
    bits = bitcast(int32, x)
    k = (bits - ROOT_HALF) >> 23
    return float32(k), bitcast(float32, bits - (k << 23)) - 1.0


@kernel
def log_near_one(f: float32) -> float32:
    """log(1 + f) for −0.2929 ≤ f ≤ 0.4143."""
    z = f * f
    return f + z * ((L1 + f * L2) + z * ((L3 + f * L4) + z * (L5 + f * L6)))


@kernel
def log_low(x: float32) -> float32:
    """Natural logarithm, at most 30 ULP off for normal x > 0; −inf for zeros, NaN below."""
    k, f = split_low(x)
    return with_special_cases(x, k * LN2 + log_near_one(f))


@kernel
def log2_low(x: float32) -> float32:
    """Logarithm to base 2, at most 30 ULP off for normal x > 0; −inf for zeros, NaN below."""
    k, f = split_low(x)
    z = f * f
    p = (B0 + f * B1) + z * ((B2 + f * B3) + z * ((B4 + f * B5) + z * B6))
    return with_special_cases(x, k + f * p)


@kernel
def log10_low(x: float32) -> float32:
    """Logarithm to base 10, at most 30 ULP off for normal x > 0; −inf for zeros, NaN below."""
    k, f = split_low(x)
    z = f * f
    p = (T0 + f * T1) + z * ((T2 + f * T3) + z * ((T4 + f * T5) + z * T6))
    return with_special_cases(x, k * LOG10_2 + f * p)


@kernel
def log1p_low(x: float32) -> float32:
    """log(1 + x), at most 30 ULP off; −inf for −1, NaN below, −0 for −0."""
    k, f = split_low(x + 1.0)
    y = copysign(k * LN2 + log_near_one(select(k == 0.0, x, f)), x)
    y = select(x < INFINITY, y, x)
    return select(x > -1.0, y, select(x == -1.0, -INFINITY, NAN))
