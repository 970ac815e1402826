"""The coefficients of (e^r - 1 - r)/r² for |r| ≤ 0.347 in exp_fast_f64.py, with their error.

Interpolates at Chebyshev's nodes; needs gmpy2.
"""

from __future__ import annotations

import math
from typing import Any

import gmpy2
from gmpy2 import mpfr

DEGREE = 8
HALF = 0.347


def wanted(r: Any) -> Any:
    """The function, at 300 bits."""
    return (gmpy2.expm1(r) - r) / (r * r) if abs(r) > 1e-20 else mpfr(0.5)


def interpolated(nodes: list[Any]) -> list[Any]:
    """Coefficients of the polynomial through the function's values, by Newton's differences."""
    differences = [wanted(x) for x in nodes]
    for k in range(1, len(nodes)):
        for i in range(len(nodes) - 1, k - 1, -1):
            differences[i] = (differences[i] - differences[i - 1]) / (nodes[i] - nodes[i - k])
    result = [differences[-1]]
    for i in range(len(nodes) - 2, -1, -1):
        shifted = [mpfr(0), *result]
        result = [a - nodes[i] * b for a, b in zip(shifted, [*result, mpfr(0)], strict=True)]
        result[0] += differences[i]
    return result


def main() -> None:
    """Print the coefficients and log2 of the largest error, relative to e^r - 1."""
    with gmpy2.context(precision=300):
        count = DEGREE + 1
        nodes = [
            mpfr(HALF) * gmpy2.cos(gmpy2.const_pi() * (2 * i + 1) / (2 * count))
            for i in range(count)
        ]
        coefficients = [float(c) for c in interpolated(nodes)]
        worst = mpfr(0)
        for i in range(-500, 501):
            if i:
                r = mpfr(HALF) * i / 500
                found = sum(mpfr(c) * r**k for k, c in enumerate(coefficients))
                worst = max(worst, abs((r + r * r * found) / gmpy2.expm1(r) - 1))
        for k, c in enumerate(coefficients):
            print(f'L{k + 2} = float.fromhex("{c.hex()}")')
        print(f"relative error 2^{math.log2(worst):.1f}")


if __name__ == "__main__":
    main()
