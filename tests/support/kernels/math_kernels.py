"""Loops over arrays that the tests of math functions run, and ways to compare results."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np

import samebits as sb
from samebits import Array, ReadOnly, float32, float64, math


@sb.kernel
def sines_f32(x: ReadOnly[float32], result: Array[float32]) -> None:
    for i in range(len(result)):
        result[i] = math.sin(x[i])


@sb.kernel
def cosines_f32(x: ReadOnly[float32], result: Array[float32]) -> None:
    for i in range(len(result)):
        result[i] = math.cos(x[i])


@sb.kernel
def sines_f64(x: ReadOnly[float64], result: Array[float64]) -> None:
    for i in range(len(result)):
        result[i] = math.sin(x[i])


@sb.kernel
def cosines_f64(x: ReadOnly[float64], result: Array[float64]) -> None:
    for i in range(len(result)):
        result[i] = math.cos(x[i])


def patterns(values: Any) -> Any:
    """The bits of an array of floats."""
    return values.view(np.uint32 if values.dtype == np.float32 else np.uint64)


def assert_same_patterns(found: Any, wanted: Any, x: Any, what: object) -> None:
    """Equal bits; otherwise the first input that differs is named."""
    differ = np.flatnonzero(patterns(found) != patterns(wanted))
    if differ.size:
        k = differ[0]
        a, b = (int(patterns(values)[k]) for values in (found, wanted))
        place = f"{what} of {float(x[k]).hex()}"
        raise AssertionError(f"{place}: {a:x}, not {b:x}; {differ.size} of {len(x)} differ")


def results(run: Any, x: Any) -> Any:
    """What `run(x, result)` leaves."""
    result = np.empty_like(x)
    run(x, result)
    return result


def called_in_loops(assembly: str, within: str) -> list[str]:
    """Functions with `within` in their names that are called, but for two calls each: those of the
    loop's slow copies, for arrays that overlap or are of other lengths."""
    called = Counter(t for t in re.findall(r"\tcallq?\t(\S+)", assembly) if within in t)
    return [target for target, count in called.items() if count > 2]
