"""The script that prints src/samebits/mathlib/float32/sin_cos_f32_table.py.

Needs gmpy2. Row 0 of 2/π is 2/π itself and serves |x| < 2^42. Each of the other five serves
eighteen exponents from 2^FIRST on: of x·2/π in quarter turns, multiples of four do not matter, so
the bits of 2/π that give the least of those x nothing else are left out. The next 53 are split in
29 and 24, and the rest is rounded to a float64.
"""

from __future__ import annotations

import gmpy2
from gmpy2 import mpfr, mpq, mpz

BITS = 1600
"""Bits of 2/π after the point that the rows are made from."""
FIRST = 42
EXPONENTS = 18
"""Exponents that share a row: the fraction of a turn is off by 2^-64 at worst."""
ROWS = 6
HEAD = '''"""Rows of 2/π for float32 sine and cosine, each as three float64, HIGH + REST + LOW.

Row i serves |x| >= FROM_i, up to the next row; row 0, which is 2/π itself, everything below
FROM_1. Bits of 2/π that give multiples of four quarter turns for all of a row's x are left out:
HIGH holds the 29 bits below those, REST the next 24, LOW the next 53. A float32 has 24 bits, so
its products with HIGH and REST are exact. Made by tools/math/sin_cos_f32_table.py.
"""

from __future__ import annotations
'''


def two_over_pi() -> mpz:
    """2/π times 2^BITS, cut."""
    with gmpy2.context(precision=BITS + 100):
        return mpz(gmpy2.floor(2 / gmpy2.const_pi() * mpfr(2) ** BITS))


def row(whole: mpz, i: int) -> tuple[float, float, float]:
    """HIGH, REST and LOW of row i."""
    # A float32 from 2^e on is a multiple of 2^(e-23): bits of weight 2^(25-e) and more give fours.
    left = whole
    if i > 0:
        left = whole % (mpz(1) << (BITS + 25 - FIRST - EXPONENTS * (i - 1)))
    shift = left.bit_length() - 29
    high = left >> shift << shift
    rest = (left - high) >> (shift - 24) << (shift - 24)
    return number(high), number(rest), number(left - high - rest)


def number(scaled: mpz) -> float:
    """scaled·2^-BITS as the nearest float64."""
    with gmpy2.context(precision=53):
        return float(mpfr(mpq(scaled, mpz(1) << BITS)))


def main() -> None:
    """Print the module."""
    whole = two_over_pi()
    print(HEAD)
    for i in range(ROWS):
        if i > 0:
            print(f"FROM_{i} = 2.0**{FIRST + EXPONENTS * (i - 1)}")
        for name, value in zip(("HIGH", "REST", "LOW"), row(whole, i), strict=True):
            print(f'{name}_{i} = float.fromhex("{value.hex()}")')


if __name__ == "__main__":
    main()
