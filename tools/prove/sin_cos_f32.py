"""Proves float32 sin and cos correctly rounded: every one of the 2³² inputs, as compiled.

The reference is the system's float64 sin and cos, and MPFR wherever a float32 rounding boundary is
within 64 of their ULP. Prints what was covered; exit status 1 if any result is wrong.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gmpy2
import numpy as np

import samebits as sb
from samebits import Array, ReadOnly, float32, math
from samebits.backend import llvm
from samebits.lang.kernel import Kernel
from samebits.runtime.kernel import compile_native

BLOCK = 1 << 20
POSITIVE = 1 << 31
SAMPLE = 1 << 17
REFERENCE_ALLOWED = 8.0
"""Most error of the reference on the sample, in units of 2^-53; up to 128 would decide right."""


class Counts(ctypes.Structure):
    """As in reference_f32.c."""

    _fields_ = [
        *((name, ctypes.c_int64) for name in ("checked", "wrong", "asymmetric", "undecided")),
        *((name, ctypes.c_uint32) for name in ("first_wrong", "first_asymmetric")),
    ]  # fmt: skip


@sb.kernel
def sines(x: ReadOnly[float32], result: Array[float32]) -> None:
    """sin of every element."""
    for i in range(len(result)):
        result[i] = math.sin(x[i])


@sb.kernel
def cosines(x: ReadOnly[float32], result: Array[float32]) -> None:
    """cos of every element."""
    for i in range(len(result)):
        result[i] = math.cos(x[i])


@dataclass
class Function:
    """What is proven, and what was found so far."""

    name: str
    kernel: Kernel
    exact: Callable[[Any], Any]
    checked: int = 0
    wrong: int = 0
    asymmetric: int = 0
    undecided: list[int] = field(default_factory=list[int])
    complaints: list[str] = field(default_factory=list[str])


FUNCTIONS = (Function("sin", sines, gmpy2.sin), Function("cos", cosines, gmpy2.cos))


def reference_library(directory: Path) -> ctypes.CDLL:
    """The checker, compiled by ziglang's clang against the system's math library."""
    source, library = Path(__file__).with_name("reference_f32.c"), directory / "reference_f32.so"
    flags = ["-O2", "-std=c11", "-fno-sanitize=all", "-ffp-contract=off", "-shared", "-fPIC"]
    compiler = [sys.executable, "-m", "ziglang", "cc"]
    subprocess.run([*compiler, *flags, source, "-o", library, "-lm"], check=True)
    return ctypes.CDLL(str(library))


def as_floats(patterns: Any) -> Any:
    """Bit patterns as float32."""
    return np.asarray(patterns, np.uint32).view(np.float32)


def reference_error(library: ctypes.CDLL, function: Function) -> float:
    """Largest relative error of the reference on a sample of all magnitudes, in units of 2^-53."""
    reference = getattr(library, f"reference_{function.name}")
    reference.restype, reference.argtypes = ctypes.c_double, [ctypes.c_double]
    worst = 0.0
    step = 0x7F80_0000 // SAMPLE
    with gmpy2.context(precision=200):
        for x in as_floats(np.arange(1, 0x7F80_0000, step, dtype=np.uint32)).tolist():
            exact = function.exact(gmpy2.mpfr(x))
            worst = max(worst, float(abs((reference(x) - exact) / exact) * 2**53))
    return worst


def check_block(library: ctypes.CDLL, function: Function, run: Any, first: int) -> Counts:
    """`BLOCK` inputs from bit pattern `first`, and their negatives."""
    patterns = np.arange(first, first + BLOCK, dtype=np.uint32)
    got, mirrored = np.empty(BLOCK, np.float32), np.empty(BLOCK, np.float32)
    run(patterns.view(np.float32), got)
    run((patterns | np.uint32(1 << 31)).view(np.float32), mirrored)
    undecided = np.empty(BLOCK, np.uint32)
    counts = Counts()
    pointers = [ctypes.c_void_p(a.ctypes.data) for a in (got, mirrored, undecided)]
    getattr(library, f"check_{function.name}")(
        ctypes.c_uint32(first), ctypes.c_int64(BLOCK), *pointers, ctypes.byref(counts)
    )
    open_cases = undecided[: counts.undecided]
    function.undecided += open_cases.tolist()
    # The reference leaves these open: MPFR rounds them to 24 bits itself.
    with gmpy2.context(precision=24, emin=-148, emax=128, subnormalize=True):
        for u, found in zip(open_cases.tolist(), got[open_cases - first].tolist(), strict=True):
            wanted = float(function.exact(gmpy2.mpfr(float(as_floats(u)))))
            if wanted != found:
                counts.wrong += 1
                counts.first_wrong = u
    return counts


def prove(library: ctypes.CDLL, function: Function, run: Any, limit: int, threads: int) -> None:
    """Every input of `function` below bit pattern `limit`, and its negative."""
    with ThreadPoolExecutor(threads) as pool:
        blocks = range(0, limit, BLOCK)
        for first, counts in zip(
            blocks, pool.map(lambda b: check_block(library, function, run, b), blocks), strict=True
        ):
            function.checked += 2 * counts.checked
            function.wrong += counts.wrong
            function.asymmetric += counts.asymmetric
            if counts.wrong:
                function.complaints.append(f"{function.name} of {counts.first_wrong:08x} is wrong")
            if counts.asymmetric:
                u = counts.first_asymmetric
                function.complaints.append(f"{function.name} of -{u:08x} does not mirror {u:08x}")
            if sys.stderr.isatty():
                print(f"\r{function.name} {(first + BLOCK) / limit:6.1%}", end="", file=sys.stderr)


def main() -> int:
    """Prove, print, and say whether all is right."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--target", default=llvm.host_target().name, help="a row that runs here")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    help_text = "stop at this bit pattern, in hexadecimal; by default all are proven"
    parser.add_argument("--limit", type=lambda s: int(s, 16), default=POSITIVE, help=help_text)
    options = parser.parse_args()
    rows = {h.target.name: h.target for h in llvm.available_targets() if h.reason is None}
    if options.target not in rows:
        parser.error(f"{options.target} does not run here; these do: {', '.join(rows)}")
    right = True
    with tempfile.TemporaryDirectory() as directory:
        library = reference_library(Path(directory))
        for function in FUNCTIONS:
            started = time.monotonic()
            error = reference_error(library, function)
            types = function.kernel.fixed_types
            assert types is not None
            run = compile_native(function.kernel, types, rows[options.target])
            prove(library, function, run, options.limit, options.threads)
            ok = not function.wrong and not function.asymmetric and error <= REFERENCE_ALLOWED
            right = right and ok
            print(
                f"float32 {function.name} on {options.target}: {function.checked} inputs, "
                f"{function.wrong} misrounded, {function.asymmetric} not mirrored; "
                f"{len(function.undecided)} decided by MPFR, the rest by float64 "
                f"(at most {error:.2f}·2^-53 off on {SAMPLE} samples); "
                f"{time.monotonic() - started:.0f} s",
                flush=True,
            )
            for complaint in function.complaints[:20]:
                print(f"  {complaint}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
