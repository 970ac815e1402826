"""The error of the wide functions of src/samebits/mathlib, against MPFR.

Prints the greatest relative error found over random arguments, in bits. `to_float64` allows 2^-169.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gmpy2
import numpy as np
from gmpy2 import mpfr, mpz

import samebits as sb
from samebits import Array, ReadOnly, float64, int32, uint64
from samebits.mathlib.float64.gamma_exact_f64 import wide_gamma, wide_lgamma
from samebits.mathlib.wide.arithmetic import TOP_BIT, from_float64, reciprocal, reciprocal_root
from samebits.mathlib.wide.atan import atan2
from samebits.mathlib.wide.exp import exp2
from samebits.mathlib.wide.log import atanh_series, log
from samebits.mathlib.wide.sin_cos import quarter_turns, sine_or_cosine

COUNT = 5000
"""Random arguments a function."""
EXP2, EXP2_LESS_ONE, LOG, ATAN, ATANH, SIN, COS, SINH, COSH, RECIPROCAL, ROOT, TURNS = range(12)
GAMMA, LOG_GAMMA = 12, 13


@sb.kernel
def wide_results(which: int32, x: ReadOnly[float64], words: Array[uint64, 2]) -> None:
    """Three words, and the exponent plus 2^32, of a function of each |x|."""
    for i in range(len(x)):
        e, h = from_float64(x[i])
        x2 = h
        x1 = uint64(0)
        x0 = uint64(0)
        if which <= EXP2_LESS_ONE:
            _, e, x2, x1, x0 = exp2(x[i] < 0.0, e, h, 0, 0, which == EXP2_LESS_ONE)
        elif which == LOG:
            _, e, x2, x1, x0 = log(e, h, 0, 0)
        elif which == ATAN:
            e, x2, x1, x0 = atan2(e, h, 0, 0, False, 1, TOP_BIT, 0, 0)
        elif which == ATANH:
            _, e, x2, x1, x0 = atanh_series(False, e, h, 0, 0, False)
        elif which <= COSH:
            even = (which & 1) == (COS & 1)
            e, x2, x1, x0 = sine_or_cosine(e, h, 0, 0, even, which <= COS)
        elif which == RECIPROCAL:
            e, x2, x1, x0 = reciprocal(e, h, 0, 0)
        elif which == ROOT:
            e, x2, x1, x0 = reciprocal_root(e, h, 0, 0)
        elif which == GAMMA:
            _, e, x2, x1, x0 = wide_gamma(x[i])
        elif which == LOG_GAMMA:
            _, e, x2, x1, x0 = wide_lgamma(x[i])
        else:
            _turns, _, e, x2, x1, x0 = quarter_turns(x[i])
        words[i, 0] = x2
        words[i, 1] = x1
        words[i, 2] = x0
        words[i, 3] = uint64(e + 0x10000)


def log_uniform(low: float, high: float) -> Any:
    """Positive inputs of every size from 2^low to 2^high."""
    return np.exp2(np.random.default_rng(7).uniform(low, high, COUNT))


def turns(x: Any) -> Any:
    """The distance of x·2/π from the nearest integer."""
    value = 2 * x / gmpy2.const_pi()
    return value - gmpy2.rint(value)


def gamma(x: Any) -> Any:
    """Γ(x), to enough bits."""
    with gmpy2.context(precision=400):
        return gmpy2.gamma(x)


def log_gamma(x: Any) -> Any:
    """ln |Γ(x)|, to enough bits."""
    with gmpy2.context(precision=400):
        return gmpy2.lgamma(x)[0]


def exp2_less_one(x: Any) -> Any:
    """2^x - 1."""
    return gmpy2.expm1(x * gmpy2.const_log2())


def cases() -> list[tuple[str, int, Any, Callable[[Any], Any]]]:
    """Name, number, arguments and the exact function."""
    signs = np.where(np.arange(COUNT) % 2, 1.0, -1.0)
    near_half_turns = np.arange(1, COUNT) * (np.pi / 2)
    return [
        ("2^x, |x| < 1024", EXP2, signs * log_uniform(-30, 10), gmpy2.exp2),
        ("2^x - 1", EXP2_LESS_ONE, signs * log_uniform(-60, 5), exp2_less_one),
        ("ln x", LOG, log_uniform(-1000, 1000), gmpy2.log),
        ("ln x near 1", LOG, 1.0 + signs * log_uniform(-52, -1), gmpy2.log),
        ("atan x", ATAN, log_uniform(-60, 60), gmpy2.atan),
        ("atanh x, |x| < 2^-6", ATANH, log_uniform(-60, -6), gmpy2.atanh),
        ("sin x, |x| < 4/5", SIN, log_uniform(-60, 0) * 0.8, gmpy2.sin),
        ("cos x", COS, log_uniform(-60, 0) * 0.8, gmpy2.cos),
        ("sinh x", SINH, log_uniform(-60, 0) * 0.8, gmpy2.sinh),
        ("cosh x", COSH, log_uniform(-60, 0) * 0.8, gmpy2.cosh),
        ("1/x", RECIPROCAL, log_uniform(-60, 60), lambda x: 1 / x),
        ("1/√x", ROOT, log_uniform(-60, 60), gmpy2.rec_sqrt),
        ("Γ(x), x < 171", GAMMA, np.linspace(0.1, 171.1, COUNT), gamma),
        ("Γ(x), |x| < 1", GAMMA, signs * log_uniform(-1000, -0.1), gamma),
        ("Γ(x), x > -180", GAMMA, np.linspace(-0.01, -179.99, COUNT), gamma),
        ("ln Γ(x), x > 33", LOG_GAMMA, log_uniform(5.1, 1000), log_gamma),
        ("ln Γ(x), x > 2.01", LOG_GAMMA, np.linspace(2.01, 32.9, COUNT), log_gamma),
        ("ln Γ(x), 2^-52 from 1", LOG_GAMMA, 1.0 + signs * log_uniform(-52, -51.5), log_gamma),
        ("ln Γ(x), 2^-30 from 2", LOG_GAMMA, 2.0 + signs * log_uniform(-30, -29), log_gamma),
        ("ln |Γ(x)|, x > -33", LOG_GAMMA, np.linspace(-0.01, -32.99, COUNT), log_gamma),
        ("ln |Γ(x)|, x < -33", LOG_GAMMA, -np.floor(log_uniform(5.1, 45)) - 0.29, log_gamma),
        ("x·2/π modulo 1", TURNS, log_uniform(-50, 1024), turns),
        ("x·2/π near integers", TURNS, near_half_turns, turns),
        ("x·2/π at its worst", TURNS, np.array([float.fromhex("0x1.6ac5b262ca1ffp+849")]), turns),
    ]  # fmt: skip


def main() -> None:
    """Print a line for each function."""
    for name, number, x, exact in cases():
        words = np.zeros((len(x), 4), np.uint64)
        wide_results(int32(number), np.ascontiguousarray(x), words)
        worst, where = mpfr(0), 0.0
        with gmpy2.context(precision=2400):
            for value, row in zip(x.tolist(), words.tolist(), strict=True):
                found = mpfr(mpz(row[0] << 128 | row[1] << 64 | row[2])) * mpfr(2) ** (
                    row[3] - 0x10000 - 192
                )
                error = abs(found / abs(exact(mpfr(value))) - 1)
                if error > worst:
                    worst, where = error, value
            bits = float(gmpy2.log2(worst)) if worst else float("-inf")
        print(f"{name:22} 2^{bits:.1f} at {where.hex()}", flush=True)


if __name__ == "__main__":
    main()
