"""The search for float64 arguments whose function is hard to round, against MPFR.

On runs of 2^16 consecutive arguments the result is a quadratic function of the place, in units of
its last place to 2^-50: modulo 1 that is arithmetic of uint64, which wraps. Prints, for each
function named, the arguments whose results are nearest to half way between two float64, nearest
first, with the result that is right and the logarithm of the distance in units in the last place:

    python -m tools.math.hard_cases_f64 COUNT RUNS FUNCTION...
"""

from __future__ import annotations

import math
import sys
from typing import Any

import gmpy2
import numpy as np
from tools.prove.functions import FORMATS, NAMED, Function, rounded

RUN = 1 << 16
FORM = FORMATS["float64"]


def _distance(value: Any) -> tuple[Any, int]:
    """A result in units of its last place, less a half: what is next to an integer is hard."""
    exponent = max(gmpy2.get_exp(value), -1021)
    with gmpy2.context(precision=300):
        return abs(value) * gmpy2.exp2(53 - exponent) + gmpy2.mpfr("0.5"), exponent


def _hardest(function: Function, start: float, more: tuple[float, ...]) -> float | None:
    """Of a run of arguments the one nearest to half way; None where the run is not smooth."""
    step = math.ulp(start)
    ends = [start + step * place for place in (0, RUN // 2, RUN)]
    if not all(map(math.isfinite, ends)) or math.ulp(ends[2]) != step or start == 0.0:
        return None
    with gmpy2.context(precision=300):
        values = [function.exact(gmpy2.mpfr(x), *map(gmpy2.mpfr, more)) for x in ends]
        if not all(map(gmpy2.is_finite, values)) or any(map(gmpy2.is_zero, values)):
            return None
        units = [_distance(value) for value in values]
        if len({exponent for _, exponent in units}) > 1:
            return None
        first, middle, last = (unit for unit, _ in units)
        curve = 2 * (first - 2 * middle + last) / RUN**2
        slope = (last - first) / RUN - curve * RUN
        one = gmpy2.mpz(1) << 64
        terms = [int(gmpy2.rint((t - gmpy2.floor(t)) * one)) % int(one)
                 for t in (first, slope, curve)]  # fmt: skip
    place = np.arange(RUN, dtype=np.uint64)
    a, b, c = (np.uint64(t) for t in terms)
    near = (a + place * (b + place * c)).view(np.int64)
    return start + step * int(np.argmin(np.abs(near)))


def search(function: Function, runs: int, seed: int = 1) -> list[tuple[float, tuple[float, ...]]]:
    """The hardest arguments of many runs, with how hard they are, hardest first."""
    rng = np.random.default_rng([seed, *function.name.encode()])
    low, high = function.interesting
    found: dict[tuple[float, ...], float] = {}
    for number in range(runs):
        start = float(low + (high - low) * rng.random())
        if number % 2:
            start = math.copysign(2.0 ** rng.uniform(-30, 2), start)
        more = (float(rng.integers(2, 40)),) if function.arity == 2 else ()
        x = _hardest(function, start, more)
        if x is None:
            continue
        with gmpy2.context(precision=300):
            unit, _ = _distance(function.exact(*map(gmpy2.mpfr, (x, *more))))
            off = abs(unit - gmpy2.rint(unit))
        if off:
            found[x, *more] = float(gmpy2.log2(off))
    return [(found[key], key) for key in sorted(found, key=lambda key: found[key])]


def main() -> None:
    """Print what is found."""
    count, runs = int(sys.argv[1]), int(sys.argv[2])
    for name in sys.argv[3:]:
        for off, arguments in search(NAMED[name], runs)[:count]:
            right = rounded(NAMED[name], FORM, arguments)
            words = " ".join(float(x).hex() for x in (*arguments, right))
            print(f"{name} {words} # 2^{off:.1f}", flush=True)


if __name__ == "__main__":
    main()
