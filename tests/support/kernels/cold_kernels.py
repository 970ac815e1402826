"""Kernels that call cold functions for rare inputs."""

# pyright: reportReturnType=false

from __future__ import annotations

from samebits import Array, ReadOnly, bitcast, float32, float64, int32, kernel, math, rotl, uint64
from samebits.mathlib.primitives import cold_kernel


@cold_kernel
def by_series(x: float64, terms: uint64, minus: bool) -> float64:
    total = float64(0.0)
    term = x
    for i in range(1, 20):
        if uint64(i) < terms:
            total = total + term
        term = term * x / float64(i)
    return -total if minus else total


@kernel
def curve(x: float64) -> float64:
    z = x * x
    y = (z * 0.25 + x) * z + (x - 1.0 / (z + 1.0))
    y = y * (z + 3.0) - (y + 1.0) * x + (z * 0.125 - y * y) * 0.5
    if z > 9.0:
        return by_series(x, 7, x < 0.0)
    return y


@kernel
def curves(x: ReadOnly[float64], result: Array[float64]) -> None:
    for i in range(len(result)):
        result[i] = curve(x[i])


@cold_kernel
def rounded_up(x: float32, bits: int32) -> float32:
    y = x
    for _ in range(8):
        y = y * float32(1.5) + float32(bits)
    return y


RARE_INPUTS = (1e300, -(2.0**40), 5e-324, 1e-310, -0.0, 0.0, 1.0, -1.0, 709.7, -745.0, 8.0)


@kernel
def many(x: ReadOnly[float64], out: Array[uint64]) -> None:
    for i in range(len(x)):
        v = x[i]
        bits = bitcast(uint64, math.sin(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.cos(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.tan(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.asin(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.acos(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.atan(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.sinh(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.cosh(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.tanh(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.asinh(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.exp(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.exp10(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.expm1(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.log(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.log2(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.log1p(v))
        bits = rotl(bits, 7) ^ bitcast(uint64, math.cbrt(v))
        out[i] = bits
