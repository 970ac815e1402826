"""The Benchmarks Game's fannkuch-redux: permutations in small arrays, branches, no arithmetic."""

import numpy as np

import samebits as sb
from benchmarks.peers import Arguments, Benchmark
from samebits import int32

SIZE = 8


@sb.kernel
def fannkuch(n: int, out: sb.Array[int32]) -> None:
    order = sb.zeros(16, int32)
    flipped = sb.zeros(16, int32)
    count = sb.zeros(16, int32)
    for k in range(n):
        order[k] = k
    checksum, most, sign, r = 0, 0, 1, n
    while True:
        while r > 1:
            count[r - 1] = r
            r -= 1
        if order[0] != 0:
            for k in range(n):
                flipped[k] = order[k]
            flips = 0
            while flipped[0] != 0:
                low, high = 0, int(flipped[0])
                while low < high:
                    flipped[low], flipped[high] = flipped[high], flipped[low]
                    low += 1
                    high -= 1
                flips += 1
            most = max(most, flips)
            checksum += sign * flips
        sign = -sign
        while True:
            if r == n:
                out[0] = int32(checksum)
                out[1] = int32(most)
                return
            first = order[0]
            for k in range(r):
                order[k] = order[k + 1]
            order[r] = first
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


C = """
#include <stdint.h>

void fannkuch(int64_t n, int32_t *out) {
    int32_t order[16] = {0}, flipped[16] = {0}, count[16] = {0};
    int64_t checksum = 0, most = 0, sign = 1, r = n;
    for (int64_t k = 0; k < n; k++) order[k] = (int32_t)k;
    for (;;) {
        for (; r > 1; r--) count[r - 1] = (int32_t)r;
        if (order[0] != 0) {
            for (int64_t k = 0; k < n; k++) flipped[k] = order[k];
            int64_t flips = 0;
            while (flipped[0] != 0) {
                for (int64_t low = 0, high = flipped[0]; low < high; low++, high--) {
                    int32_t held = flipped[low];
                    flipped[low] = flipped[high];
                    flipped[high] = held;
                }
                flips++;
            }
            if (flips > most) most = flips;
            checksum += sign * flips;
        }
        sign = -sign;
        for (;; r++) {
            if (r == n) {
                out[0] = (int32_t)checksum;
                out[1] = (int32_t)most;
                return;
            }
            int32_t first = order[0];
            for (int64_t k = 0; k < r; k++) order[k] = order[k + 1];
            order[r] = first;
            if (--count[r] > 0) break;
        }
    }
}
"""


def numba_fannkuch(n, out):
    order = np.zeros(16, np.int32)
    flipped = np.zeros(16, np.int32)
    count = np.zeros(16, np.int32)
    for k in range(n):
        order[k] = k
    checksum, most, sign, r = 0, 0, 1, n
    while True:
        while r > 1:
            count[r - 1] = r
            r -= 1
        if order[0] != 0:
            for k in range(n):
                flipped[k] = order[k]
            flips = 0
            while flipped[0] != 0:
                low, high = 0, flipped[0]
                while low < high:
                    flipped[low], flipped[high] = flipped[high], flipped[low]
                    low += 1
                    high -= 1
                flips += 1
            most = max(most, flips)
            checksum += sign * flips
        sign = -sign
        while True:
            if r == n:
                out[0] = checksum
                out[1] = most
                return
            first = order[0]
            for k in range(r):
                order[k] = order[k + 1]
            order[r] = first
            count[r] -= 1
            if count[r] > 0:
                break
            r += 1


def arguments(size: int = SIZE) -> Arguments:
    return (size, np.zeros(2, np.int32))


BENCHMARK = Benchmark(
    name="fannkuch",
    title="fannkuch-redux",
    kernel=fannkuch,
    c=C,
    numba=numba_fannkuch,
    arguments=arguments,
    lengths=lambda a: (),
)
