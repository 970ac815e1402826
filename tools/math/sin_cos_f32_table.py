"""Makes src/samebits/mathlib/sin_cos_f32_table.py, printed to standard output.

Needs gmpy2. Row i of 2/π is for |x| in [2^(25+i), 2^(26+i)): of x·2/π in quarter turns, multiples
of four do not matter, so bits of 2/π of weight 2^-i and more are left out; the next 53 are one
float64, the rest, rounded, another. Row 0 is 2/π itself.
"""

from __future__ import annotations

import struct

import gmpy2
from gmpy2 import mpfr, mpq, mpz

BITS = 1600
"""Bits of 2/π after the point that the rows are made from."""
ROWS = 104
"""One for each biased exponent from 152 to 255; the last is read only for infinities and NaN."""
HEAD = '''"""Rows of 2/π for float32 sine and cosine, as the bits of two float64 for each exponent.

Row i serves biased exponents 152 + i, |x| in [2^(25+i), 2^(26+i)); everything below takes row 0,
which is 2/π itself. The high part holds the 53 bits of 2/π just below weight 2^-i (heavier bits
give multiples of four quarter turns), the low part the next 53. Made by
tools/math/sin_cos_f32_table.py.
"""

from __future__ import annotations

from samebits.lang.scalars import uint64
from samebits.lang.tables import table
'''


def two_over_pi() -> mpz:
    """2/π times 2^BITS, cut."""
    with gmpy2.context(precision=BITS + 100):
        return mpz(gmpy2.floor(2 / gmpy2.const_pi() * mpfr(2) ** BITS))


def row(whole: mpz, i: int) -> tuple[int, int]:
    """The bit patterns of the two parts of row i."""
    left = whole if i == 0 else whole % (mpz(1) << (BITS - i))
    cut = BITS - i - 53
    high = left >> cut << cut
    return pattern(high), pattern(left - high)


def pattern(scaled: mpz) -> int:
    """scaled·2^-BITS as the bits of a float64."""
    with gmpy2.context(precision=53):
        value = float(mpfr(mpq(scaled, mpz(1) << BITS)))
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def main() -> None:
    """Print the module."""
    whole = two_over_pi()
    rows = [row(whole, i) for i in range(ROWS)]
    print(HEAD)
    for part, name in enumerate(("TWO_OVER_PI_HIGH", "TWO_OVER_PI_LOW")):
        print(f"{name} = table(\n    [")
        for i in range(0, ROWS, 4):
            print("        " + " ".join(f"0x{r[part]:016x}," for r in rows[i : i + 4]))
        print("    ],\n    uint64,\n)  # fmt: skip")


if __name__ == "__main__":
    main()
