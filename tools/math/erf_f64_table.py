"""The script that prints src/samebits/mathlib/float64/erf_f64_table.py.

Needs gmpy2.
"""

from __future__ import annotations

from typing import Any

import gmpy2
from gmpy2 import mpfr

PRECISION = 400
STEPS = 64
"""Steps in a unit."""
LAST = 6
HEAD = '''"""Table of erf and its derivative, made by tools/math/erf_f64_table.py."""

from __future__ import annotations

from samebits.lang.memory.tables import table
from samebits.lang.values.scalars import float64

_STEPS = """'''
END = '''"""

ERF_STEPS = table([float.fromhex(text) for text in _STEPS.split()], float64)
"""erf(c) and erf'(c) for c = i/64, i = 0..384, at 4i and 4i + 2, each before what it misses."""'''


def parts(value: Any) -> list[str]:
    """A float64 and what it misses, rounded to float64, hexadecimal."""
    high = float(mpfr(value, 53))
    low = float(mpfr(value - mpfr(high), 53))
    return [part.hex() if part else "0x0p+0" for part in (high, low)]


def main() -> None:
    """Print the module."""
    with gmpy2.context(precision=PRECISION):
        print(HEAD)
        slope = 2 / gmpy2.sqrt(gmpy2.const_pi())
        for i in range(LAST * STEPS + 1):
            c = mpfr(i) / STEPS
            print(*parts(gmpy2.erf(c)), *parts(slope * gmpy2.exp(-c * c)))
        print(END)


if __name__ == "__main__":
    main()
