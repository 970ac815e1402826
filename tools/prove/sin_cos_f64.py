"""Tests float64 sin and cos for correct rounding, as compiled, against MPFR.

Takes CORE-MATH's published hard cases, random inputs of every magnitude, and inputs near multiples
of π/256 and π/2; both functions on each, and on its negative. Prints what was covered; exit
status 1 if any result is wrong. No proof: 2⁶⁴ inputs are too many.
"""

from __future__ import annotations

import argparse
import lzma
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np

import samebits as sb
from samebits import Array, ReadOnly, float64, math
from samebits.backend import llvm
from samebits.runtime.kernel import compile_native

HARD_CASES = Path(__file__).parents[3] / "shared" / "data" / "core-math"
LARGEST = float.fromhex("0x1.fffffffffffffp1023")


@sb.kernel
def sines(x: ReadOnly[float64], result: Array[float64]) -> None:
    """sin of every element."""
    for i in range(len(result)):
        result[i] = math.sin(x[i])


@sb.kernel
def cosines(x: ReadOnly[float64], result: Array[float64]) -> None:
    """cos of every element."""
    for i in range(len(result)):
        result[i] = math.cos(x[i])


def hard_cases(path: Path) -> Iterator[float]:
    """The inputs of one of CORE-MATH's lists; `-snan` and the like are left out."""
    with lzma.open(path, "rt") as file:
        for line in file:
            text = line.split("#")[0].strip()
            if text and "nan" not in text:
                yield float.fromhex(text)


def by_value(random: np.random.Generator, low: float, high: float, count: int) -> Any:
    """Uniform in [low, high)."""
    return low + (high - low) * random.random(count)


def by_pattern(random: np.random.Generator, low: float, high: float, count: int) -> Any:
    """Uniform among the float64 in [low, high): every binade alike."""
    first, last = (int(np.float64(v).view(np.int64)) for v in (low, high))
    return random.integers(first, last, count).view(np.float64)


def near_multiples(random: np.random.Generator, step: Any, largest: int, count: int) -> Any:
    """Multiples of `step` up to `largest` times, off by 0 to 2^31 float64, nearer ones as often."""
    with gmpy2.context(precision=200):
        whole = [float(step() * k) for k in random.integers(1, largest, count).tolist()]
    off = random.integers(0, 1 << 31, count) >> random.integers(0, 32, count)
    patterns = np.array(whole).view(np.int64) + np.where(random.random(count) < 0.5, off, -off)
    return patterns.view(np.float64)


def ranges(seed: int, count: int) -> Iterator[tuple[str, Any]]:
    """Random inputs, and what they are."""
    random = np.random.default_rng(seed)
    yield "2^-1074 to 2^-27, by exponent", by_pattern(random, 2.0**-1074, 2.0**-27, count // 10)
    yield "2^-30 to 2^-8, by exponent", by_pattern(random, 2.0**-30, 2.0**-8, count)
    yield "0 to pi/4", by_value(random, 0.0, 0.7854, count)
    yield "0 to 2 pi", by_value(random, 0.0, 6.2832, count)
    yield "2^-8 to 32768, by exponent", by_pattern(random, 2.0**-8, 32768.0, count)
    yield "0 to 32768", by_value(random, 0.0, 32768.0, count)
    yield "32768 to 2^64, by exponent", by_pattern(random, 32768.0, 2.0**64, count)
    yield "2^64 to 2^1024, by exponent", by_pattern(random, 2.0**64, LARGEST, count)
    yield (
        "near k pi/256, k < 4e6",
        near_multiples(random, lambda: gmpy2.const_pi() / 256, 4_000_000, count),
    )
    yield (
        "near k pi/2, k < 2^40",
        near_multiples(random, lambda: gmpy2.const_pi() / 2, 1 << 40, count),
    )


def check(run: Any, exact: Callable[[Any], Any], x: Any) -> list[float]:
    """The inputs whose result is not MPFR's, rounded to 53 bits."""
    got = np.empty_like(x)
    run(x, got)
    with gmpy2.context(precision=53, emin=-1073, emax=1024, subnormalize=True):
        wanted = np.array([float(exact(gmpy2.mpfr(v))) for v in x.tolist()])
    wanted[np.isnan(wanted)] = np.nan
    return x[got.view(np.uint64) != wanted.view(np.uint64)].tolist()


def main() -> int:
    """Test, print, and say whether all is right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default=llvm.host_target().name, help="a row that runs here")
    parser.add_argument("--count", type=int, default=400_000, help="random inputs a range")
    parser.add_argument("--seed", type=int, default=1)
    help_text = "folder with sin.wc.xz and cos.wc.xz"
    parser.add_argument("--hard-cases", type=Path, default=HARD_CASES, help=help_text)
    options = parser.parse_args()
    rows = {h.target.name: h.target for h in llvm.available_targets() if h.reason is None}
    if options.target not in rows:
        parser.error(f"{options.target} does not run here; these do: {', '.join(rows)}")
    inputs: list[tuple[str, Any]] = []
    for name in ("sin", "cos"):
        path = options.hard_cases / f"{name}.wc.xz"
        if path.exists():
            inputs.append((f"CORE-MATH {path.name}", np.array([*hard_cases(path)])))
        else:
            print(f"float64: the hard cases {path.name} are not there: not tested")
    inputs += ranges(options.seed, options.count)
    runs: list[tuple[str, Any, Callable[[Any], Any]]] = []
    for name, kernel, exact in (("sin", sines, gmpy2.sin), ("cos", cosines, gmpy2.cos)):
        assert kernel.fixed_types is not None
        run = compile_native(kernel, kernel.fixed_types, rows[options.target])
        runs.append((name, run, exact))
    total = wrong = 0
    started = time.monotonic()
    for what, x in inputs:
        both = np.concatenate([x, -x])
        for name, run, exact in runs:
            failed = check(run, exact, both)
            total += len(both)
            wrong += len(failed)
            counts = f"{len(both)} inputs, {len(failed)} misrounded"
            print(f"float64 {name}, {what}: {counts}", flush=True)
            for value in failed[:5]:
                print(f"  {name}({value.hex()}) is wrong")
    print(
        f"float64 sin and cos on {options.target}: {total} results, {wrong} misrounded; "
        f"{time.monotonic() - started:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
