"""The largest error of the fixed-point functions, in steps, over all inputs of fix16 or many of
the wider types.

    python tools/math/fixed_point_error.py fix16 sin              # all 2^32
    python tools/math/fixed_point_error.py fix32 exp --count 100000000

The reference is float64 for fix16 and the host's long double for the others, which has to have 64
bits of precision; the worst input of each is computed again with MPFR. Results that overflow, and
those outside a function's domain, are left out.
"""

import argparse
import time
from typing import Any

import gmpy2
import numpy as np

import samebits as sb
from samebits import math

CHUNK = 1 << 21
ONE_ARGUMENT = ("sin", "cos", "tan", "exp", "log")
TWO_ARGUMENTS = ("atan2", "pow")
NUMPY = {"atan2": np.arctan2, "pow": np.power, "exp": np.exp, "log": np.log,
         "sin": np.sin, "cos": np.cos, "tan": np.tan}  # fmt: skip


def loop(name: str, cls: Any) -> Any:
    """A kernel that maps a function over arrays of a type that saturates."""
    function = getattr(math, name)

    @sb.kernel
    def one(a: sb.ReadOnly[cls], b: sb.ReadOnly[cls], out: sb.Array[cls]) -> None:
        for i in range(len(a)):
            out[i] = function(a[i])

    @sb.kernel
    def two(a: sb.ReadOnly[cls], b: sb.ReadOnly[cls], out: sb.Array[cls]) -> None:
        for i in range(len(a)):
            out[i] = function(a[i], b[i])

    return two if name in TWO_ARGUMENTS else one


def mpfr_error(name: str, t: Any, a: int, b: int, out: int) -> float:
    """The error in steps, computed with 300 bits."""
    with gmpy2.context(precision=300):
        x, y = (gmpy2.mpfr(n) / (1 << t.fraction) for n in (a, b))
        of = {"pow": lambda x, y: x**y}.get(name, getattr(gmpy2, name, None))
        exact = of(x, y) if name in TWO_ARGUMENTS else of(x)
        return float(abs(exact * (1 << t.fraction) - out))


def inputs(name: str, t: Any, start: int, count: int, rng: Any, every: bool) -> Any:
    """Integers: `count` from `start` on, or random ones of every size."""
    if every:
        values = np.arange(start, start + count, dtype=np.int64) + t.minimum
    else:
        values = rng.integers(-(1 << 63), 1 << 63, count, np.int64)
        values >>= rng.integers(64 - t.bits, 63, count)
        if name == "exp":
            values %= 60 << t.fraction
            values -= 38 << t.fraction
    if name in ("log", "pow"):
        values = np.abs(values)
    return values.astype(t.dtype)


def main() -> None:
    """Search one function of one type."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("type", choices=["fix16", "fix32", "fix48"])
    parser.add_argument("function", choices=[*ONE_ARGUMENT, *TWO_ARGUMENTS])
    parser.add_argument("--count", type=int, default=1 << 32)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    cls: Any = getattr(sb, f"{options.type}_sat")
    t, name = cls.__sb_type__, options.function
    run, rng, began = loop(name, cls), np.random.default_rng(options.seed), time.monotonic()
    real: Any = np.float64 if t.bits == 32 else np.longdouble
    every = t.bits == 32 and name in ONE_ARGUMENT and options.count == 1 << 32
    worst, relative, done, at = 0.0, 0.0, 0, (0, 0, 0)
    unit = real(2.0) ** -t.fraction
    while done < options.count:
        count = min(CHUNK, options.count - done)
        a = inputs(name, t, done, count, rng, every)
        b = inputs("", t, done, count, rng, False)
        out = np.zeros_like(a)
        run(a, b, out)
        x, y = a.astype(real) * unit, b.astype(real) * unit
        with np.errstate(all="ignore"):
            exact = NUMPY[name](x, y) if name in TWO_ARGUMENTS else NUMPY[name](x)
        error = np.abs(exact / unit - out.astype(real))
        inside = np.isfinite(exact) & (out > t.minimum) & (out < t.maximum)
        if name == "pow":
            inside &= a > 0
        error = np.where(inside, error, 0)
        size = np.maximum(np.abs(np.where(inside, exact, 1)), unit) / unit
        ratio = np.where(error > 0.51, (error - 0.5) / size, 0)
        relative = max(relative, float(ratio.max()))
        i = int(error.argmax())
        if float(error[i]) > worst:
            worst, at = float(error[i]), (int(a[i]), int(b[i]), int(out[i]))
        done += count
    print(
        f"{t} {name}: {done} inputs, largest error {worst:.5f} steps "
        f"(MPFR {mpfr_error(name, t, *at):.5f}) at {at[:2]}, beyond half a step "
        f"2^{np.log2(relative) if relative else -np.inf:.1f} of the result, "
        f"{time.monotonic() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
