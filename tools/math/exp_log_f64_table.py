"""The script that prints src/samebits/mathlib/float64/exp_log_f64_table.py.

Needs gmpy2.

With --constants it prints instead the split constants of exp_f64.py, log_f64.py and pow_f64.py.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import gmpy2
from gmpy2 import mpfr

STEPS = 128
OFFSET = 0x3FE6_0000_0000_0000
"""The bits of 11/16: significands are taken in [11/16, 11/8)."""
GRID = -42
"""Logarithms' high parts are multiples of 2^GRID, so that with e·log 2 they add exactly."""
HEAD = '''"""Tables of float64 exp and log, made by tools/math/exp_log_f64_table.py."""

from __future__ import annotations

from samebits.lang.memory.tables import table
from samebits.lang.values.scalars import float64
'''


def rounded(value: Any) -> float:
    """Rounded to float64."""
    return float(mpfr(value, 53))


def pair(value: Any) -> tuple[float, float]:
    """A float64 and what it misses, rounded to float64."""
    high = rounded(value)
    return high, rounded(value - mpfr(high))


def split(value: Any, lowest: int) -> tuple[float, float]:
    """`value` rounded to multiples of 2^lowest, and what that misses."""
    scale = mpfr(2) ** -lowest
    high = gmpy2.rint(value * scale) / scale
    return rounded(high), rounded(value - high)


def from_bits(bits: int) -> Fraction:
    """The positive float64 with these bits."""
    return Fraction((bits & ((1 << 52) - 1)) | 1 << 52) * Fraction(2) ** ((bits >> 52) - 1075)


def reciprocals() -> list[Fraction]:
    """c[i], near 1/z in interval i of z, such that z·c - 1 is a float64 for every z there.

    A float64 z below 1 is a multiple of 2^-53 and c one of 2^-7, above of 2^-52 and 2^-8; then
    z·c - 1 is a multiple of 2^-60, and below 2^-7. Around 1, c is 1.
    """
    found: list[Fraction] = []
    for i in range(STEPS):
        first = from_bits(OFFSET + (i << 45))
        last = from_bits(OFFSET + ((i + 1) << 45) - 1)
        grid = 128 if first < 1 else 256
        c = Fraction(round(grid * 2 / (first + last)), grid)
        if i in (79, 80):
            c = Fraction(1)
        assert max(abs(first * c - 1), abs(last * c - 1)) < Fraction(1, 128)
        found.append(c)
    return found


def print_table(name: str, rows: list[tuple[float, ...]], meaning: str) -> None:
    """Print a table of floats, a row a line."""
    print(f'\n_{name} = """')
    for row in rows:
        print(*(value.hex() if value else "0x0p+0" for value in row))
    print(f'"""\n{name} = table([float.fromhex(text) for text in _{name}.split()], float64)')
    print(f'"""{meaning}"""')


def logarithms(log: Callable[[Any], Any]) -> list[tuple[float, ...]]:
    """-log(c[i]) in two parts."""
    return [split(-log(mpfr(c.numerator) / c.denominator), GRID) for c in reciprocals()]


def tables() -> None:
    """Print the module."""
    print(HEAD, end="")
    print_table(
        "POWERS", [pair(mpfr(2) ** (mpfr(i) / STEPS)) for i in range(STEPS)],
        "2^(i/128): entry 2i is the value rounded to float64, 2i + 1 what is missing.",
    )  # fmt: skip
    cs = reciprocals()
    print_table(
        "RECIPROCALS", [tuple(float(c) for c in cs[i : i + 4]) for i in range(0, STEPS, 4)],
        "c[i] of 8 bits near 1/z in the interval of z from 11/16 that has index i.",
    )  # fmt: skip
    for name, log, text in (
        ("LOGS", gmpy2.log, "log"), ("LOG2S", gmpy2.log2, "log2"), ("LOG10S", gmpy2.log10, "log10")
    ):  # fmt: skip
        print_table(
            name, logarithms(log),
            f"-{text} c[i]: entry 2i is a multiple of 2^-42, 2i + 1 what is missing.",
        )  # fmt: skip


def constants() -> None:
    """Print the constants by name."""
    ln2, ln10 = gmpy2.const_log2(), gmpy2.log(mpfr(10))
    lg2 = gmpy2.log10(mpfr(2))
    for name, values in (
        ("STEPS_PER_UNIT", (rounded(STEPS / ln2),)),
        ("STEP", split(ln2 / STEPS, -42)),
        ("STEPS_PER_UNIT_10", (rounded(STEPS / lg2),)),
        ("STEP_10", split(lg2 / STEPS, -43)),
        ("LN2", pair(ln2)), ("LN10", pair(ln10)),
        ("LN2_42", split(ln2, GRID)), ("LG2_42", split(lg2, GRID)),
        ("PER_LN2", pair(1 / ln2)), ("PER_LN10", pair(1 / ln10)),
    ):  # fmt: skip
        print(name, *(v.hex() for v in values))


def main() -> None:
    """Print what the command line asks for."""
    with gmpy2.context(precision=400):
        (constants if "--constants" in sys.argv[1:] else tables)()


if __name__ == "__main__":
    main()
