"""Makes src/samebits/mathlib/sin_cos_f64_table.py, printed to standard output.

Needs gmpy2. With --constants it prints instead the parts of π/256, π/2 and π/4 that reduce_f64.py
and sin_cos_exact_f64.py hold.
"""

from __future__ import annotations

import sys
from typing import Any

import gmpy2
from gmpy2 import mpfr, mpz

PRECISION = 2400
STEPS = 128
"""Steps of π/256 in a quarter turn."""
WORDS = 39
"""32-bit words of 2/π after the point: the highest read is 38, for an exponent of 971."""
PADDING = 4
"""Zero words before the point, for |x| < 1."""
HEAD = '''"""Tables of float64 sine and cosine, made by tools/math/sin_cos_f64_table.py."""

from __future__ import annotations

from samebits.lang.scalars import float64, uint64
from samebits.lang.tables import table

_SIN_STEPS = """'''
SIN_END = '''"""

SIN_STEPS = table([float.fromhex(text) for text in _SIN_STEPS.split()], float64)
"""sin(i·π/256), i = 0..128: entry 2i is the value rounded to float64, 2i + 1 what is missing."""'''


def rounded(value: Any) -> float:
    """Rounded to float64."""
    return float(mpfr(value, 53))


def text(value: float) -> str:
    """Hexadecimal, zero in short."""
    return value.hex() if value else "0x0p+0"


def pair(value: Any) -> tuple[float, float]:
    """A float64 and what it misses, rounded to float64."""
    high = rounded(value)
    return high, rounded(value - mpfr(high))


def cut(value: Any, lowest: int) -> Any:
    """`value` cut toward zero to multiples of 2^lowest."""
    scale = mpfr(2) ** -lowest
    return gmpy2.trunc(value * scale) / scale


def fraction(value: Any) -> tuple[int, int]:
    """The high and low word of value·2^128, rounded."""
    scaled = int(gmpy2.floor(value * mpfr(2) ** 128 + mpfr(0.5)))
    return scaled >> 64, scaled & (1 << 64) - 1


def sine(i: int) -> Any:
    """sin(i·π/256), exact at both ends."""
    if i in (0, STEPS):
        return mpfr(i // STEPS)
    return gmpy2.sin(gmpy2.const_pi() * i / (2 * STEPS))


def print_words(name: str, words: list[str], columns: int, meaning: str) -> None:
    """Print a table of integers."""
    print(f"\n{name} = table(\n    [")
    for i in range(0, len(words), columns):
        print("        " + ", ".join(words[i : i + columns]) + ",")
    print(f'    ],\n    uint64,\n)  # fmt: skip\n"""{meaning}"""')


def print_factors(name: str, values: list[Any], meaning: str) -> None:
    """Print a table of fractions."""
    words = [f"0x{word:016x}" for value in values for word in fraction(value)]
    print_words(name, words, 2, meaning)


def tables() -> None:
    """Print the module."""
    print(HEAD)
    for i in range(STEPS + 1):
        print(*map(text, pair(sine(i))))
    print(SIN_END)
    bits = mpz(gmpy2.floor(2 / gmpy2.const_pi() * mpfr(2) ** (32 * WORDS)))
    words = [int(bits >> (32 * (WORDS - 1 - i)) & 0xFFFFFFFF) for i in range(WORDS)]
    print_words(
        "TWO_OVER_PI_WORDS", [f"0x{w:08x}" for w in [0] * PADDING + words], 6,
        "The bits of 2/π, 32 an entry; the first has weight 2^127, so that four are zero.",
    )  # fmt: skip
    print_factors(
        "SIN_FACTORS", [1 / mpfr(2 * j * (2 * j + 1)) for j in range(1, 17)],
        "1/(2j(2j+1)), j = 1..16, as fractions of 2^128: high word, low word.",
    )  # fmt: skip
    print_factors(
        "COS_FACTORS", [1 / mpfr((2 * j - 1) * 2 * j) for j in range(1, 17)],
        "1/((2j-1)2j), j = 1..16, as fractions of 2^128 (1/2 first): high word, low word.",
    )  # fmt: skip


def constants() -> None:
    """Print the constants by name."""
    pi = gmpy2.const_pi()
    step = pi / (2 * STEPS)
    first = cut(step, -37)  # 31 bits: times a count of up to 22 bits it is exact
    second = cut(step - first, -68)  # 31 bits again
    half, half_low = pair(pi / 2)
    half_top = rounded(cut(mpfr(half), -24))  # 25 bits: times 26 bits it is exact
    for name, value in (
        ("STEP_1", rounded(first)), ("STEP_2", rounded(second)),
        ("STEP_3", rounded(step - first - second)), ("STEPS_PER_UNIT", rounded(1 / step)),
        ("HALF_PI", half), ("HALF_PI_LOW", half_low),
        ("HALF_PI_TOP", half_top), ("HALF_PI_REST", half - half_top),
    ):  # fmt: skip
        print(f"{name} = {value.hex()}")
    high, low = fraction(pi / 4)
    print(f"QUARTER_PI_HIGH = 0x{high:016x}\nQUARTER_PI_LOW = 0x{low:016x}")


def main() -> None:
    """Print what the command line asks for."""
    with gmpy2.context(precision=PRECISION):
        (constants if "--constants" in sys.argv[1:] else tables)()


if __name__ == "__main__":
    main()
