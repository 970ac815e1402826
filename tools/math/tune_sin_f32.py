"""The last bits of S1, S3 and S5 of sin_cos_f32.py that round every hard float32 input right.

The coefficients that trigonometry_f32.sollya makes round one sine wrong, of 0x1.33333p13. This
moves them by a few units in the last place and prints every choice that rounds all inputs of
tests/unit/mathlib/float32/hard_sin_cos_f32.txt up to 2^24 right, with products fused into sums and
without.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np

from samebits.mathlib.float32 import sin_cos_f32 as f32

HARD = Path(__file__).parents[2] / "tests" / "unit" / "mathlib" / "float32" / "hard_sin_cos_f32.txt"
MADE = (
    float.fromhex("0x1.921fb54442d17p1"),
    float.fromhex("-0x1.4abbce625bd48p2"),
    float.fromhex("0x1.466bc6775086fp1"),
)
CHANGES = (range(-2, 3), range(-4, 5), range(-16, 17, 4))
"""In units of the last place."""


def fused(a: float, b: float, c: float) -> float:
    """a·b + c, rounded once."""
    return float(gmpy2.fma(a, b, c))


def rounded_twice(a: float, b: float, c: float) -> float:
    """a·b + c, rounded twice."""
    return a * b + c


def evaluated(x: float, cosine: bool, s: tuple[float, ...], muladd: Callable[..., float]) -> Any:
    """As `sin` and `cos` do it, with coefficients `s`."""
    if cosine:
        rounded = muladd(x, f32.INVERSE_PI, 0.5) + f32.ROUNDER
        shift = (f32.ROUNDER - rounded) + 0.5
    else:
        rounded = muladd(x, f32.INVERSE_PI, f32.ROUNDER)
        shift = -(rounded - f32.ROUNDER)
    f = muladd(x, f32.INVERSE_PI_REST, muladd(x, f32.INVERSE_PI_HIGH, shift))
    z = f * f
    p = s[-1]
    for c in s[-2::-1]:
        p = muladd(z, p, c)
    return np.float32(-f * p if rounded % 2 else f * p)


def main() -> None:
    """Search, and print."""
    rows = [line.split() for line in HARD.read_text().splitlines()]
    patterns = np.array([[int(x, 16), int(y, 16)] for _, x, y in rows], np.uint32)
    cases = [
        (float(x), which == "1", y)
        for (which, _, _), (x, y) in zip(rows, patterns.view(np.float32), strict=True)
        if abs(x) <= f32.LIMIT
    ]
    rest = (f32.S7, f32.S9, f32.S11, f32.S13, f32.S15)
    for steps in itertools.product(*CHANGES):
        moved = (
            float((np.float64(c).view(np.int64) + n).view(np.float64))
            for c, n in zip(MADE, steps, strict=True)
        )
        s = (*moved, *rest)
        if all(
            evaluated(x, cosine, s, way) == y
            for x, cosine, y in cases
            for way in (fused, rounded_twice)
        ):
            print(steps, *(c.hex() for c in s[:3]))


if __name__ == "__main__":
    main()
