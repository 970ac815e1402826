"""SHA-256 (FIPS 180-4) of an array of whole blocks: rotations and sums of uint32."""

import numba
import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import uint8, uint32

BLOCKS = 256


def root_bits(prime: int, power: int) -> int:
    """The first 32 bits of the fraction of a prime's square or cube root, by whole numbers."""
    scaled = prime << (32 * power)
    low, high = 0, 1 << 40
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if middle**power <= scaled else (low, middle)
    return low & 0xFFFFFFFF


PRIMES = [n for n in range(2, 312) if all(n % p for p in range(2, n))]
ROUNDS = np.array([root_bits(p, 3) for p in PRIMES[:64]], np.uint32)
START = np.array([root_bits(p, 2) for p in PRIMES[:8]], np.uint32)

K = sb.table(ROUNDS.tolist(), uint32)


@sb.kernel
def sha256(data: sb.ReadOnly[uint8], state: sb.Array[uint32]) -> None:
    w = sb.zeros(64, uint32)
    for block in range(len(data) // 64):
        for t in range(16):
            at = 64 * block + 4 * t
            w[t] = (
                uint32(data[at]) << 24 | uint32(data[at + 1]) << 16
                | uint32(data[at + 2]) << 8 | uint32(data[at + 3])
            )  # fmt: skip
        for t in range(16, 64):
            s0 = sb.rotr(w[t - 15], 7) ^ sb.rotr(w[t - 15], 18) ^ (w[t - 15] >> 3)
            s1 = sb.rotr(w[t - 2], 17) ^ sb.rotr(w[t - 2], 19) ^ (w[t - 2] >> 10)
            w[t] = w[t - 16] + s0 + w[t - 7] + s1
        a, b, c, d = state[0], state[1], state[2], state[3]
        e, f, g, h = state[4], state[5], state[6], state[7]
        for t in range(64):
            s1 = sb.rotr(e, 6) ^ sb.rotr(e, 11) ^ sb.rotr(e, 25)
            first = h + s1 + ((e & f) ^ (~e & g)) + K[t] + w[t]
            s0 = sb.rotr(a, 2) ^ sb.rotr(a, 13) ^ sb.rotr(a, 22)
            second = s0 + ((a & b) ^ (a & c) ^ (b & c))
            a, b, c, d, e, f, g, h = first + second, a, b, c, d + first, e, f, g
        state[0] += a
        state[1] += b
        state[2] += c
        state[3] += d
        state[4] += e
        state[5] += f
        state[6] += g
        state[7] += h


C = (
    """
#include <stdint.h>

static const uint32_t K[64] = {"""
    + ", ".join(f"{k:#x}" for k in ROUNDS)
    + """};

static uint32_t rotr(uint32_t x, int n) { return x >> n | x << (32 - n); }

void sha256(const uint8_t *data, uint32_t *state, int64_t n) {
    uint32_t w[64];
    for (int64_t block = 0; block < n / 64; block++) {
        for (int64_t t = 0; t < 16; t++) {
            const uint8_t *at = data + 64 * block + 4 * t;
            w[t] = (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
        }
        for (int64_t t = 16; t < 64; t++) {
            uint32_t s0 = rotr(w[t - 15], 7) ^ rotr(w[t - 15], 18) ^ (w[t - 15] >> 3);
            uint32_t s1 = rotr(w[t - 2], 17) ^ rotr(w[t - 2], 19) ^ (w[t - 2] >> 10);
            w[t] = w[t - 16] + s0 + w[t - 7] + s1;
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int64_t t = 0; t < 64; t++) {
            uint32_t s1 = rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25);
            uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + K[t] + w[t];
            uint32_t s0 = rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22);
            uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
            h = g; g = f; f = e; e = d + first;
            d = c; c = b; b = a; a = first + second;
        }
        state[0] += a; state[1] += b; state[2] += c; state[3] += d;
        state[4] += e; state[5] += f; state[6] += g; state[7] += h;
    }
}
"""
)


@numba.njit(inline="always")
def numba_rotr(x, n):
    return np.uint32(np.uint32(x >> np.uint32(n)) | np.uint32(x << np.uint32(32 - n)))


def numba_sha256(data, state):
    w = np.zeros(64, np.uint32)
    for block in range(len(data) // 64):
        for t in range(16):
            at = 64 * block + 4 * t
            w[t] = (
                np.uint32(data[at]) << np.uint32(24) | np.uint32(data[at + 1]) << np.uint32(16)
                | np.uint32(data[at + 2]) << np.uint32(8) | np.uint32(data[at + 3])
            )  # fmt: skip
        for t in range(16, 64):
            p, q = w[t - 15], w[t - 2]
            s0 = numba_rotr(p, 7) ^ numba_rotr(p, 18) ^ (p >> np.uint32(3))
            s1 = numba_rotr(q, 17) ^ numba_rotr(q, 19) ^ (q >> np.uint32(10))
            w[t] = np.uint32(w[t - 16] + s0 + w[t - 7] + s1)
        a, b, c, d = state[0], state[1], state[2], state[3]
        e, f, g, h = state[4], state[5], state[6], state[7]
        for t in range(64):
            s1 = numba_rotr(e, 6) ^ numba_rotr(e, 11) ^ numba_rotr(e, 25)
            first = np.uint32(h + s1 + ((e & f) ^ (~e & g)) + ROUNDS[t] + w[t])
            s0 = numba_rotr(a, 2) ^ numba_rotr(a, 13) ^ numba_rotr(a, 22)
            second = np.uint32(s0 + ((a & b) ^ (a & c) ^ (b & c)))
            a, b, c, d, e, f, g, h = (
                np.uint32(first + second), a, b, c, np.uint32(d + first), e, f, g
            )  # fmt: skip
        state[0] = np.uint32(state[0] + a)
        state[1] = np.uint32(state[1] + b)
        state[2] = np.uint32(state[2] + c)
        state[3] = np.uint32(state[3] + d)
        state[4] = np.uint32(state[4] + e)
        state[5] = np.uint32(state[5] + f)
        state[6] = np.uint32(state[6] + g)
        state[7] = np.uint32(state[7] + h)


def arguments(blocks: int = BLOCKS) -> Arguments:
    data = np.random.default_rng(25).integers(0, 256, 64 * blocks, np.uint8)
    return (data, START.copy())


BENCHMARK = Benchmark(
    name="sha256",
    title="SHA-256",
    kernel=sha256,
    c=C,
    numba=numba_sha256,
    arguments=arguments,
    lengths=lambda a: (len(a[0]),),
)
