"""A 64-tap finite impulse response filter over a float32 signal."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float32

COUNT = 16_384
TAPS = 64


@sb.kernel
def fir(signal: sb.ReadOnly[float32], taps: sb.ReadOnly[float32], out: sb.Array[float32]) -> None:
    sums = sb.zeros(TAPS, float32)
    for block in range(0, len(out), TAPS):
        for i in range(TAPS):
            sums[i] = 0
        for k in range(TAPS):
            for i in range(TAPS):
                sums[i] += signal[block + i + k] * taps[k]
        for i in range(TAPS):
            out[block + i] = sums[i]


@sb.kernel
def fir_plain(
    signal: sb.ReadOnly[float32], taps: sb.ReadOnly[float32], out: sb.Array[float32]
) -> None:
    for i in range(len(out)):
        acc = float32(0)
        for k in range(TAPS):
            acc += signal[i + k] * taps[k]
        out[i] = acc


@sb.kernel
def fir_parallel(
    signal: sb.ReadOnly[float32], taps: sb.ReadOnly[float32], out: sb.Array[float32]
) -> None:
    for i in sb.prange(len(out)):
        acc = float32(0)
        for k in range(TAPS):
            acc += signal[i + k] * taps[k]
        out[i] = acc


C = """
#include <stdint.h>

void fir(const float *restrict signal, const float *restrict taps, float *restrict out, int64_t n) {
    for (int64_t block = 0; block < n; block += 64) {
        float sums[64] = {0};
        for (int k = 0; k < 64; k++)
            for (int i = 0; i < 64; i++) sums[i] += signal[block + i + k] * taps[k];
        for (int i = 0; i < 64; i++) out[block + i] = sums[i];
    }
}
"""
C_FAST = """
#include <stdint.h>

void fir(const float *restrict signal, const float *restrict taps, float *restrict out, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        float acc = 0;
        for (int k = 0; k < 64; k++) acc += signal[i + k] * taps[k];
        out[i] = acc;
    }
}
"""


def numba_fir(signal, taps, out):
    for i in numba.prange(len(out)):
        acc = np.float32(0)
        for k in range(TAPS):
            acc += signal[i + k] * taps[k]
        out[i] = acc


def arguments(count: int = COUNT) -> Arguments:
    random = np.random.default_rng(12)
    signal = random.standard_normal(count + TAPS, np.float32)
    taps = np.hamming(TAPS).astype(np.float32) / np.float32(TAPS)
    return (signal, taps, np.zeros(count, np.float32))


BENCHMARK = Benchmark(
    name="fir",
    title="64-tap FIR",
    kernel=fir,
    plain=fir_plain,
    parallel=fir_parallel,
    c=C,
    c_fast=C_FAST,
    numba=numba_fir,
    arguments=arguments,
    heavy=lambda: arguments(8_388_608),
    lengths=lambda a: (len(a[2]),),
)
