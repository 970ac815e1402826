"""The script that prints src/samebits/mathlib/float64/gamma_f64_table.py.

With `--constants` it prints those of tgamma_f64.py. Needs gmpy2.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any

import gmpy2
from gmpy2 import mpfr

PRECISION = 3000
"""Most of it cancels in the divided differences, and what those miss is about DISTANCE."""
DISTANCE = mpfr(2) ** -200
"""Between the points that the differences are of."""
STEPS = 32
"""Steps in a unit."""
LAST = 8 * STEPS
BELOW_0 = STEPS // 4
LAST_LOG = 7 * STEPS
TERMS = 12
IN_TWO_PARTS = 3
DEGREE = 7
"""Of the polynomial for what Stirling's series has beyond 1/(12z)."""
LEAST = 8
HEAD = '''"""Tables of Γ and ln Γ around points, made by tools/math/gamma_f64_table.py."""

from __future__ import annotations

from samebits.lang.memory.tables import table
from samebits.lang.values.scalars import float64
'''


def parts(value: Any) -> list[str]:
    """A float64 and what it misses, rounded to float64, hexadecimal."""
    high = float(mpfr(value, 53))
    low = float(mpfr(value - mpfr(high), 53))
    return [part.hex() for part in (high, low)]


def taylor(function: Callable[[Any], Any], c: Any, count: int) -> list[Any]:
    """Coefficients of h^n in function(c + h), from its divided differences around c."""
    points = [c + (n - count // 2) * DISTANCE for n in range(count)]
    row = [function(p) for p in points]
    newton = [row[0]]
    for n in range(1, count):
        row = [(b - a) / (n * DISTANCE) for a, b in pairwise(row)]
        newton.append(row[0])
    # Newton's form about its points, expanded in h.
    found = [newton[-1]]
    for n in range(count - 2, -1, -1):
        offset = points[n] - c
        found = [newton[n] - offset * found[0]] + [
            before - offset * after for before, after in zip(found, [*found[1:], 0], strict=True)
        ]
    return found


@cache
def gamma(x: Any) -> Any:
    """Γ(x) for x > 0, above 2 by way of Γ(x) = (x - 1)·Γ(x - 1): each table has the same
    fractions."""
    return (x - 1) * gamma(x - 1) if x > 2 else gmpy2.gamma(x)


def scaled_log(c: Any) -> list[Any]:
    """Coefficients of ln Γ(1 + c + h)/((c + h)(c - 1 + h))."""
    logs = taylor(lambda x: gmpy2.log(gamma(x)), c + 1, TERMS + 1)
    whole, slope = c * (c - 1), 2 * c - 1
    found: list[Any] = []
    for n in range(TERMS):
        two_before = found[n - 2] if n > 1 else 0
        before = found[n - 1] if n > 0 else 0
        if whole == 0:
            found.append((logs[n + 1] - before) / slope)
        else:
            found.append((logs[n] - slope * before - two_before) / whole)
    return found


def print_table(name: str, rows: list[list[Any]], meaning: str) -> None:
    """Print a table of coefficients, 15 words and a zero a row."""
    print(f'\n_{name} = """')
    for row in rows:
        words = [word for value in row[:IN_TWO_PARTS] for word in parts(value)]
        words += [float(mpfr(value, 53)).hex() for value in row[IN_TWO_PARTS:]]
        for at in range(0, len(words), 4):
            print(*words[at : at + 4])
    print('"""')
    print(f"\n{name} = table([float.fromhex(text) for text in _{name}.split()], float64)")
    print(f'"""{meaning}"""')


def stirling_rest(u: Any) -> Any:
    """((ln Γ(z) - (z - 1/2)·ln z + z - ln(2π)/2)·z - 1/12)/u for z = u^(-1/2)."""
    z = 1 / gmpy2.sqrt(u)
    series = gmpy2.lgamma(z)[0] - (z - 0.5) * gmpy2.log(z) + z - gmpy2.log(2 * gmpy2.const_pi()) / 2
    return (series * z - mpfr(1) / 12) / u


def print_constants() -> None:
    """Print what Stirling's series has beyond 1/(12z), for z ≥ 8, as a polynomial in 1/z² that
    agrees with it at Chebyshev's points."""
    end = mpfr(1) / LEAST**2
    count = DEGREE + 1
    angles = [gmpy2.const_pi() * (2 * k + 1) / (2 * count) for k in range(count)]
    points = [end / 2 * (1 + gmpy2.cos(a)) for a in angles]
    table = [stirling_rest(u) for u in points]
    for n in range(1, count):
        for k in range(count - 1, n - 1, -1):
            table[k] = (table[k] - table[k - 1]) / (points[k] - points[k - n])
    found = [table[-1]]
    for n in range(count - 2, -1, -1):
        found = [table[n] - points[n] * found[0]] + [
            a - points[n] * b for a, b in zip(found, [*found[1:], 0], strict=True)
        ]
    rounded = [float(mpfr(value, 53)) for value in found]
    for n, value in enumerate(rounded):
        print(f'R{n} = float.fromhex("{value.hex()}")')
    worst = mpfr(0)
    for k in range(1, 2000):
        u = end * k / 2000
        value = sum(mpfr(a) * u**n for n, a in enumerate(rounded))
        worst = max(worst, abs(value - stirling_rest(u)) * u ** mpfr(1.5))
    print(f"# off by 2^{float(gmpy2.log2(worst)):.1f} at most")
    print("TWELFTH", *parts(mpfr(1) / 12))
    print("HALF_LOG_TURN", *parts(gmpy2.log(2 * gmpy2.const_pi()) / 2))
    print("LOG_PI", *parts(gmpy2.log(gmpy2.const_pi())))


def main() -> None:
    """Print the module."""
    print(HEAD, end="")
    print_table(
        "GAMMA_STEPS",
        [taylor(gamma, mpfr(j) / STEPS + 1, TERMS) for j in range(LAST + 1)],
        "Coefficients of h^n in Γ(1 + c + h), n = 0..11, after the first three what they miss;\n"
        "c = j/32, j = 0..256, in the 15 entries from 15·j.",
    )
    print_table(
        "LOG_GAMMA_STEPS",
        [scaled_log(mpfr(j) / STEPS) for j in range(-BELOW_0, LAST_LOG + 1)],
        "The same in ln Γ(1 + w)/(w·(w - 1)), w = c + h, c = (j - 8)/32, j = 0..232.",
    )


if __name__ == "__main__":
    with gmpy2.context(precision=PRECISION):
        if sys.argv[1:] == ["--constants"]:
            print_constants()
        else:
            main()
