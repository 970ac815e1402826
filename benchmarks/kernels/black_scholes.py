"""Black and Scholes's prices of European options (1973), calls and puts, in float32.

The normal distribution is Abramowitz and Stegun's 26.2.17, as in the usual benchmark.
"""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import float32, math

COUNT = 8_192
RATE = 0.02
VOLATILITY = 0.30
GAMMA = 0.2316419
A1, A2, A3, A4, A5 = 0.319381530, -0.356563782, 1.781477937, -1.821255978, 1.330274429
ROOT = 0.3989422804
"""1 / sqrt(2 pi)"""


@sb.kernel
def normal(d: float32) -> float32:
    k = 1.0 / (1.0 + GAMMA * math.abs(d))
    tail = k * (A1 + k * (A2 + k * (A3 + k * (A4 + k * A5))))
    area = ROOT * math.exp(-0.5 * d * d) * tail
    return 1.0 - area if d > 0 else area


@sb.kernel
def black_scholes(
    price: sb.ReadOnly[float32],
    strike: sb.ReadOnly[float32],
    years: sb.ReadOnly[float32],
    call: sb.Array[float32],
    put: sb.Array[float32],
) -> None:
    for i in range(len(price)):
        s, x, t = price[i], strike[i], years[i]
        spread = VOLATILITY * math.sqrt(t)
        d1 = (math.log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / spread
        n1 = normal(d1)
        n2 = normal(d1 - spread)
        discounted = x * math.exp(-RATE * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - s * (1.0 - n1)


@sb.kernel
def black_scholes_parallel(
    price: sb.ReadOnly[float32],
    strike: sb.ReadOnly[float32],
    years: sb.ReadOnly[float32],
    call: sb.Array[float32],
    put: sb.Array[float32],
) -> None:
    for i in sb.prange(len(price)):
        s, x, t = price[i], strike[i], years[i]
        spread = VOLATILITY * math.sqrt(t)
        d1 = (math.log(s / x) + (RATE + 0.5 * VOLATILITY * VOLATILITY) * t) / spread
        n1 = normal(d1)
        n2 = normal(d1 - spread)
        discounted = x * math.exp(-RATE * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (1.0 - n2) - s * (1.0 - n1)


C = """
#include <math.h>
#include <stdint.h>

static float normal(float d) {
    float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float tail = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f +
                 k * (-1.821255978f + k * 1.330274429f))));
    float area = 0.3989422804f * expf(-0.5f * d * d) * tail;
    return d > 0 ? 1.0f - area : area;
}

void black_scholes(const float *restrict price, const float *restrict strike,
                   const float *restrict years, float *restrict call, float *restrict put,
                   int64_t n) {
    const float rate = 0.02f, volatility = 0.30f, drift = (float)(0.02 + 0.5 * 0.30 * 0.30);
    for (int64_t i = 0; i < n; i++) {
        float s = price[i], x = strike[i], t = years[i];
        float spread = volatility * sqrtf(t);
        float d1 = (logf(s / x) + drift * t) / spread;
        float n1 = normal(d1), n2 = normal(d1 - spread);
        float discounted = x * expf(-rate * t);
        call[i] = s * n1 - discounted * n2;
        put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
    }
}
"""

F = np.float32
ONE, HALF, ROOT_32, GAMMA_32 = map(F, (1, -0.5, ROOT, GAMMA))
B1, B2, B3, B4, B5 = map(F, (A1, A2, A3, A4, A5))
RATE_32, VOLATILITY_32, DRIFT_32 = map(F, (RATE, VOLATILITY, RATE + 0.5 * VOLATILITY**2))


@numba.njit(fastmath=True)
def numba_normal(d):
    k = ONE / (ONE + GAMMA_32 * abs(d))
    tail = k * (B1 + k * (B2 + k * (B3 + k * (B4 + k * B5))))
    area = ROOT_32 * np.exp(HALF * d * d) * tail
    return ONE - area if d > 0 else area


def numba_black_scholes(price, strike, years, call, put):
    for i in numba.prange(len(price)):
        s, x, t = price[i], strike[i], years[i]
        spread = VOLATILITY_32 * np.sqrt(t)
        d1 = (np.log(s / x) + DRIFT_32 * t) / spread
        n1 = numba_normal(d1)
        n2 = numba_normal(d1 - spread)
        discounted = x * np.exp(-RATE_32 * t)
        call[i] = s * n1 - discounted * n2
        put[i] = discounted * (ONE - n2) - s * (ONE - n1)


def arguments(count: int = COUNT) -> Arguments:
    random = np.random.default_rng(11)
    ranges = ((5, 30), (1, 100), (0.25, 10))
    given = (random.uniform(low, high, count).astype(np.float32) for low, high in ranges)
    return (*given, np.zeros(count, np.float32), np.zeros(count, np.float32))


BENCHMARK = Benchmark(
    name="black_scholes",
    title="Black-Scholes",
    kernel=black_scholes,
    parallel=black_scholes_parallel,
    c=C,
    numba=numba_black_scholes,
    arguments=arguments,
    heavy=lambda: arguments(4_194_304),
    lengths=lambda a: (len(a[0]),),
    exact=False,
    reason="the C library's expf and logf are not correctly rounded",
)
