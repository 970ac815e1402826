"""The script that prints mathlib/float64/inverse_trigonometric_f64_table.py.

Needs gmpy2.
"""

from __future__ import annotations

from typing import Any

import gmpy2
from gmpy2 import mpfr

STEPS = 64
"""Tangents are multiples of 1/64."""
HEAD = '''"""Table of float64 angles, made by tools/math/inverse_trigonometric_f64_table.py."""

from __future__ import annotations

from samebits.lang.memory.tables import table
from samebits.lang.values.scalars import float64

_ANGLES = """'''
END = '''"""

ANGLES = table([float.fromhex(text) for text in _ANGLES.split()], float64)
"""α = atan(i/64), i = 0..64; then π/2 - α, π/2 + α and π - α: a float64, and its error."""'''


def text(value: float) -> str:
    """Hexadecimal, zero in short."""
    return value.hex() if value else "0x0p+0"


def pair(value: Any) -> tuple[float, float]:
    """A float64 and what it misses, rounded to float64."""
    high = float(mpfr(value, 53))
    return high, float(mpfr(value - mpfr(high), 53))


def main() -> None:
    """Print the module."""
    with gmpy2.context(precision=300):
        pi = gmpy2.const_pi()
        print(HEAD)
        for base, sign in ((mpfr(0), 1), (pi / 2, -1), (pi / 2, 1), (pi, -1)):
            for i in range(STEPS + 1):
                print(*map(text, pair(base + sign * gmpy2.atan(mpfr(i) / STEPS))))
        print(END)


if __name__ == "__main__":
    main()
