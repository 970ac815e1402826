"""float64 asin, acos, atan and their kin in half turns at LOW: the kernels as they are."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from math import nextafter

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, variable
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.ulps import LEAST, Truth, compare, near_zero, promised, towards_zero

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import atanpi_low_f64
from samebits.mathlib.float64 import inverse_trigonometric_low_f64 as arcs

AROUND = 8
"""So many floats on both sides of one where a choice changes are cells of their own."""
Cells = Iterator[tuple[float, float]]
PI = arb.pi()
MOST = sys.float_info.max


def _moved(x: float, count: int) -> float:
    for _ in range(abs(count)):
        x = nextafter(x, sys.float_info.max if count > 0 else -sys.float_info.max)
    return x


def _cut(low: float, high: float, *places: float) -> Cells:
    """All floats from `low` to `high`, those around the places each by itself."""
    for place in places:
        yield low, _moved(place, -AROUND - 1)
        for n in range(-AROUND, AROUND + 1):
            yield _moved(place, n), _moved(place, n)
        low = _moved(place, AROUND + 1)
    yield low, high


def _both(cells: Cells) -> Cells:
    for low, high in cells:
        yield low, high
        yield -high, -low


def _small(end: float) -> Cells:
    """Positive floats below `end`, a power of two."""
    for low, high in towards_zero(end, LEAST):
        if low > 0:
            yield low, min(high, nextafter(end, 0.0))


def _each(proof: Proof, kernel: Kernel, function: Truth, cells: Cells) -> Proof:
    for low, high in cells:
        compare(proof, kernel, function, "x", variable(low, high))
    return proof


def _tangents() -> Cells:
    """Where the arc tangent is taken."""
    t = arcs.TAN_EIGHTH_PI
    yield from _small(0.25)
    yield from _cut(0.25, 1.0, t)
    yield from _cut(nextafter(1.0, 2.0), nextafter(4.0, 0.0), 1 / t)
    for e in range(2, 60):
        yield 2.0**e, nextafter(2.0 ** (e + 1), 0.0)
    yield arcs.STEEP, arcs.STEEP
    for e in range(60, 1024):
        low = max(2.0**e, nextafter(arcs.STEEP, MOST))
        yield low, nextafter(2.0**e, 0.0) * 2.0


def _atan(x: Expansion) -> Expansion:
    least = arb(x.range().abs_lower())
    if least > arcs.STEEP:
        half = Expansion.constant(PI / 2) + Expansion.error(1 / least, "rest")
        return half if x.range() > 0 else half.scaled(arb(-1))
    return x.of(arb_series.atan)


def _sines() -> Cells:
    """Where the arc sine is taken, but 0 and ±1."""
    yield from _small(0.5)
    yield 0.5, 0.5
    yield nextafter(0.5, 1.0), nextafter(0.75, 0.0)
    for e in range(2, 53):
        yield 1.0 - 2.0**-e, nextafter(1.0 - 2.0 ** -(e + 1), 0.0)
    yield 1.0 - 2.0**-53, 1.0 - 2.0**-53


def _ends(proof: Proof, kernel: Kernel, *values: tuple[float, arb]) -> Proof:
    """Of single arguments, at which a function has no derivative."""
    for x, exact in values:
        compare(proof, kernel, lambda _, exact=exact: Expansion.constant(exact), "x",
                variable(x, x))  # fmt: skip
    return proof


def _over_pi(function: Truth) -> Truth:
    return lambda x: function(x).scaled(1 / PI)


ATAN = near_zero(_atan, 0.0)
ASIN = near_zero(lambda x: x.of(arb_series.asin), 0.0)


def _acos(x: Expansion) -> Expansion:
    return x.of(arb_series.acos)


def atan_low() -> Proof:
    return _each(promised("atan", "LOW"), arcs.atan, ATAN, _both(_tangents()))


def atanpi_low() -> Proof:
    proof = promised("atanpi", "LOW")
    return _each(proof, atanpi_low_f64.atanpi, _over_pi(ATAN), _both(_tangents()))


def asin_low() -> Proof:
    proof = _each(promised("asin", "LOW"), arcs.asin, ASIN, _both(_sines()))
    return _ends(proof, arcs.asin, (1.0, PI / 2), (-1.0, -PI / 2))


def asinpi_low() -> Proof:
    kernel = atanpi_low_f64.asinpi
    proof = _each(promised("asinpi", "LOW"), kernel, _over_pi(ASIN), _both(_sines()))
    return _ends(proof, kernel, (1.0, arb(0.5)), (-1.0, arb(-0.5)))


def acos_low() -> Proof:
    proof = _each(promised("acos", "LOW"), arcs.acos, _acos, _both(_sines()))
    return _ends(proof, arcs.acos, (-1.0, PI))


def acospi_low() -> Proof:
    kernel = atanpi_low_f64.acospi
    proof = _each(promised("acospi", "LOW"), kernel, _over_pi(_acos), _both(_sines()))
    return _ends(proof, kernel, (-1.0, arb(1)))
