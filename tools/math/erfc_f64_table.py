"""The script that prints src/samebits/mathlib/float64/erfc_f64_table.py.

Needs gmpy2.
"""

from __future__ import annotations

from typing import Any

import gmpy2
from gmpy2 import mpfr

PRECISION = 3000
"""Most of it cancels in the derivatives: their recurrence loses bits."""
STEPS = 64
"""Steps in an octave."""
OCTAVES = 6
NEAR = 128
"""Steps in a unit up to 1/2."""
TERMS = 10
HEAD = '''"""Table of e^(x²)·erfc(x) around points, made by tools/math/erfc_f64_table.py."""

from __future__ import annotations

from samebits.lang.memory.tables import table
from samebits.lang.values.scalars import float64

_SCALED = """'''
END = '''"""

SCALED_ERFC = table([float.fromhex(text) for text in _SCALED.split()], float64)
"""Coefficients of h^n in e^(x²)·erfc(x), x = c + h, n = 0..9, after the first two what they miss;
c = (1 + (j + 1/2)/64)·2^(k - 1), in the 12 entries from 12·(64k + j), j = 0..63 and k = 0..5, and
then c = j/128, j = 0..64."""'''


def parts(value: Any) -> list[str]:
    """A float64 and what it misses, rounded to float64, hexadecimal."""
    high = float(mpfr(value, 53))
    low = float(mpfr(value - mpfr(high), 53))
    return [part.hex() for part in (high, low)]


def coefficients(c: Any) -> list[Any]:
    """Of h^n: y' = 2xy - 2/√π, so that those of y obey (n + 1)·a' = 2(c·a + the one before)."""
    found = [gmpy2.exp(c * c) * gmpy2.erfc(c)]
    found.append(2 * c * found[0] - 2 / gmpy2.sqrt(gmpy2.const_pi()))
    for n in range(1, TERMS - 1):
        found.append(2 * (c * found[n] + found[n - 1]) / (n + 1))
    return found


def main() -> None:
    """Print the module."""
    with gmpy2.context(precision=PRECISION):
        print(HEAD)
        octaves = [mpfr(2) ** (k - 1) for k in range(OCTAVES)]
        points = [
            (1 + (mpfr(j) + 0.5) / STEPS) * octave for octave in octaves for j in range(STEPS)
        ]
        points += [mpfr(j) / NEAR for j in range(NEAR // 2 + 1)]
        for c in points:
            first, second, *rest = coefficients(c)
            words = [*parts(first), *parts(second), *(float(mpfr(a, 53)).hex() for a in rest)]
            for at in range(0, len(words), 4):
                print(*words[at : at + 4])
        print(END)


if __name__ == "__main__":
    main()
