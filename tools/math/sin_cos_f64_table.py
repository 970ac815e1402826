"""The script that prints src/samebits/mathlib/float64/sin_cos_f64_table.py.

Needs gmpy2. With --constants it prints instead the parts of π/256, π and π/2 that
trigonometric_f64.py and trigonometric_low_f64.py hold.
"""

from __future__ import annotations

import sys
from typing import Any

import gmpy2
from gmpy2 import mpfr

PRECISION = 400
STEPS = 512
"""Steps of π/256 in a whole turn."""
HEAD = '''"""Table of float64 sines, made by tools/math/sin_cos_f64_table.py."""

from __future__ import annotations

from samebits.lang.memory.tables import table
from samebits.lang.values.scalars import float64

_SIN_STEPS = """'''
END = '''"""

SIN_STEPS = table([float.fromhex(text) for text in _SIN_STEPS.split()], float64)
"""sin(i·π/256), i = 0..511: entry 2i is the value rounded to float64, 2i + 1 what is missing."""'''


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


def sine(i: int) -> Any:
    """sin(i·π/256), exact at quarter turns."""
    quarters, rest = divmod(i, STEPS // 4)
    if rest == 0:
        return mpfr((0, 1, 0, -1)[quarters])
    return gmpy2.sin(gmpy2.const_pi() * i / (STEPS // 2))


def print_parts(name: str, value: Any, *lowest: int) -> None:
    """Print a step in parts: one cut at each bit, and the rest; and how many make a unit."""
    rest = value
    for n, bit in enumerate(lowest, 1):
        part = cut(rest, bit)
        rest = rest - part
        print(f"{name}_{n} = {rounded(part).hex()}")
    print(f"{name}_{len(lowest) + 1} = {rounded(rest).hex()}")
    print(f"{name}S_PER_UNIT = {rounded(1 / value).hex()}")


def main() -> None:
    """Print what the command line asks for."""
    with gmpy2.context(precision=PRECISION):
        if "--constants" in sys.argv[1:]:
            pi = gmpy2.const_pi()
            # 26 bits each: exact times a count of up to 27 bits.
            print_parts("STEP", pi / (STEPS // 2), -32, -58)
            # 32 bits each: exact times a count of up to 21 bits.
            print_parts("HALF_TURN", pi, -30, -62, -94)
            print_parts("QUARTER_TURN", pi / 2, -31, -63, -95)
            return
        print(HEAD)
        for i in range(STEPS):
            print(*map(text, pair(sine(i))))
        print(END)


if __name__ == "__main__":
    main()
