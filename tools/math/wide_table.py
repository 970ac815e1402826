"""The script that prints src/samebits/mathlib/wide/table.py.

Needs gmpy2.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

import gmpy2
from gmpy2 import mpfr, mpq

PRECISION = 1600
STEPS = 64
TERMS = 32
"""Of Stirling's series."""
WORDS = 22
"""Words of 2/π after the point: the last is read for an exponent of 1024."""
HEAD = '''"""Tables of 192-bit fractions, made by tools/math/wide_table.py.

A number is three entries, highest word first; what is missing is below 2^-192.
"""

from __future__ import annotations

from samebits.lang.memory.tables import table
from samebits.lang.values.scalars import uint64'''


def words(value: Any) -> list[int]:
    """value·2^192, cut, as three words, highest first."""
    scaled = int(gmpy2.floor(value * mpfr(2) ** 192))
    assert 0 <= scaled < 1 << 192
    return [scaled >> 128, scaled >> 64 & (1 << 64) - 1, scaled & (1 << 64) - 1]


def print_table(name: str, values: list[Any], meaning: str) -> None:
    """Print a table of fractions."""
    print(f"\n{name} = table(\n    [")
    for value in values:
        print("        " + ", ".join(f"0x{word:016X}" for word in words(value)) + ",")
    print(f'    ],\n    uint64,\n)  # fmt: skip\n"""{meaning}"""')


def print_constant(name: str, value: Any, meaning: str) -> None:
    """Print the three words of a fraction."""
    print()
    for place, word in zip(("HIGH", "MIDDLE", "LOW"), words(value), strict=True):
        print(f"{name}_{place} = 0x{word:016X}")
    print(f'"""{meaning}"""')


def bernoulli(count: int) -> list[Fraction]:
    """The first of Bernoulli's numbers, B(1) = -1/2: Σ C(n + 1, k)·B(k) over k ≤ n is 0."""
    found = [Fraction(1)]
    for n in range(1, count):
        found.append(-sum(comb(n + 1, k) * found[k] for k in range(n)) / Fraction(n + 1))
    return found


def stirling() -> list[Any]:
    """Coefficients of Stirling's series for ln Γ(32x) in 1/x, without their signs."""
    numbers = bernoulli(2 * TERMS + 1)
    return [
        abs(mpq(numbers[2 * k] / (2 * k * (2 * k - 1) * 32 ** (2 * k - 1))))
        for k in range(1, TERMS + 1)
    ]


def main() -> None:
    """Print the module."""
    log_2 = gmpy2.const_log2()
    print(HEAD)
    print_constant("LN2", log_2, "ln 2.")
    print_constant("LOG2_E", 1 / (2 * log_2), "Half of log2 e.")
    print_constant("LOG10_E", 2 / gmpy2.log(mpfr(10)), "Twice log10 e.")
    print_constant("LOG2_10", gmpy2.log2(mpfr(10)) / 4, "A quarter of log2 10.")
    print_constant("QUARTER_PI", gmpy2.const_pi() / 4, "π/4.")
    print_constant(
        "SLOPE", 1 / gmpy2.sqrt(gmpy2.const_pi()), "1/√π, half the derivative of erf at 0."
    )
    print_constant("INVERSE_PI", 2 / gmpy2.const_pi(), "Twice 1/π.")
    print_constant(
        "HALF_LOG_TURN", gmpy2.log(2 * gmpy2.const_pi()) / 2, "Half of ln 2π, Stirling's constant."
    )
    factorials = [1 / mpfr(2 * gmpy2.fac(j)) for j in range(48)]
    odd = [1 / mpfr(2 * (2 * j + 1)) for j in range(16)]
    print_table(
        "COEFFICIENTS", factorials + odd,
        "Halves of 1/j!, j = 0..47, and from entry 48 of 1/(2j + 1), j = 0..15.",
    )  # fmt: skip
    print_table(
        "EXP2_STEPS", [gmpy2.exp2(mpfr(i) / STEPS) / 2 for i in range(STEPS)],
        "Halves of 2^(i/64), i = 0..63.",
    )  # fmt: skip
    print_table(
        "LOG_STEPS", [abs(gmpy2.log(mpfr((i - 32) % STEPS + 32) / STEPS)) for i in range(STEPS)],
        "|ln(i/64)| for i = 32..95, at i modulo 64.",
    )  # fmt: skip
    print_table(
        "ATAN_STEPS", [gmpy2.atan(mpfr(i) / STEPS) for i in range(STEPS)], "atan(i/64), i = 0..63."
    )
    print_table(
        "STIRLING",
        stirling(),
        "|B(2k)|/(2k·(2k - 1)·32^(2k - 1)), k = 1..32, B Bernoulli's numbers.",
    )
    bits = int(gmpy2.floor(2 / gmpy2.const_pi() * mpfr(2) ** (64 * WORDS)))
    print("\nTWO_OVER_PI = table(\n    [")
    turns = [0, 0] + [bits >> 64 * (WORDS - 1 - i) & (1 << 64) - 1 for i in range(WORDS)]
    for i in range(0, len(turns), 3):
        print("        " + ", ".join(f"0x{word:016X}" for word in turns[i : i + 3]) + ",")
    print("    ],\n    uint64,\n)  # fmt: skip")
    print('"""The bits of 2/π; the first word has weight 2^128, so that two are zero."""')


if __name__ == "__main__":
    with gmpy2.context(precision=PRECISION):
        main()
