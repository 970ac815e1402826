"""Finds the largest relative error of the first step of float64 sine, against MPFR.

The rounding test of sin_cos_f64.py allows 2^-64. Prints the worst input of each range.
"""

from __future__ import annotations

import math
import sys

import gmpy2
import numpy as np

import samebits as sb
from samebits import Array, ReadOnly, float64, uint64
from samebits.mathlib.reduce_f64 import reduce
from samebits.mathlib.sin_cos_f64 import NEAREST, sin_in_two_parts

RANGES = (2.0**-20, 0.0064, 0.02, 0.8, 6.3, 32768.0, 2.0**60)
COUNT = 100_000
"""Inputs a range and function, unless the command line gives another number."""


@sb.kernel
def two_parts(x: ReadOnly[float64], turns: uint64, s: Array[float64], low: Array[float64]) -> None:
    """The first step for every element; zeros where it is not used."""
    for i in range(len(x)):
        n, d, d_low = reduce(x[i])
        if sb.abs(d) >= NEAREST:
            s[i], low[i] = sin_in_two_parts(n, d, d_low, turns)


def main() -> None:
    """Print the worst of each range."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COUNT
    random = np.random.default_rng(7)
    for limit in RANGES:
        x = np.maximum(random.random(count) * limit, 2.0**-27)
        for turns, exact in ((0, gmpy2.sin), (1, gmpy2.cos)):
            s, low = np.zeros(count), np.zeros(count)
            two_parts(x, uint64(turns), s, low)
            worst, at = 0.0, 0.0
            with gmpy2.context(precision=200):
                for value, a, b in zip(x.tolist(), s.tolist(), low.tolist(), strict=True):
                    if a:
                        wanted = abs(exact(gmpy2.mpfr(value)))
                        error = float(abs(wanted - abs(gmpy2.mpfr(a) + b)) / wanted)
                        worst, at = max((worst, at), (error, value))
            print(f"[0, {limit:g}), {turns} turns: 2^{math.log2(worst):.2f} at {at.hex()}")


if __name__ == "__main__":
    main()
