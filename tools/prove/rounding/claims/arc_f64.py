"""float64 atan, asin and acos at HIGH, and these over π: slope by slope of the table.

The kernel's count of steps is that of 1/64 nearest to the computed quotient of two legs. What is
shown of a count holds for all arguments whose quotient is as near to it; those few floats where
rounding may decide between two counts, or which leg is the longer, are run one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import inf, nextafter
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, binades, linked, pieces, variable
from tools.prove.rounding.expansions import Ball, Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, ball, combined, constant, expanded, fraction

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import atanpi_f64
from samebits.mathlib.float64 import inverse_trigonometric_f64 as kernels

COUNTS = range(65)
HALF_STEP = Fraction(1, 128)
NEAR = 8
"""Floats on both sides of where a count changes: by then the quotient, off by few units in the last
place, is not in doubt."""
TOGETHER = -36
"""Arguments nearer than 2^TOGETHER to a slope of the table are taken together."""
LEAST = -900
"""Below 2^LEAST the arc is the argument."""
PIECES = 32
"""Of a binade that a quotient or a root goes over."""
OVER_PI = atanpi_f64.atanpi, atanpi_f64.asinpi, atanpi_f64.acospi
Truth = Callable[[Expansion], Expansion]
Place = Callable[[Ball], Ball]
"""From a quotient of legs to the argument."""


def _within(place: Place, i: int) -> Iterator[Number]:
    """The arguments whose quotient of legs is about i/64 and at most 1: by their distance from the
    one where it is that, in binades."""
    last = min(Fraction(i, 64) + HALF_STEP, Fraction(1))
    ends = sorted(_float(place, t) for t in (Fraction(i, 64) - HALF_STEP, last))
    low, high = (Fraction(_moved(end, n)) for end, n in zip(ends, (NEAR, -NEAR), strict=True))
    middle, tiny = Fraction(_float(place, Fraction(i, 64))), Fraction(2) ** TOGETHER
    for side, end in ((1, high), (-1, low)):
        left = side * (end - middle)
        near = tiny
        while near < left:
            far = min(2 * near, left)
            yield variable(*sorted((middle + side * near, middle + side * far)))
            near = far
    yield variable(max(low, middle - tiny), min(high, middle + tiny))


def _float(place: Place, t: Fraction) -> float:
    return float(fraction(arb(place(ball(t)).mid())))


def _moved(x: float, count: int) -> float:
    """`count` floats further."""
    for _ in range(abs(count)):
        x = nextafter(x, inf if count > 0 else 0.0)
    return x


def _changes(place: Place, i: int) -> Iterator[float]:
    """The floats about where the count goes from i - 1 to i."""
    at = _float(place, Fraction(1) if i == 65 else Fraction(i, 64) - HALF_STEP)
    for n in range(-NEAR, NEAR + 1):
        yield _moved(at, n)


def _each(proof: Proof, kernel: Kernel, floats: Iterator[float], truth: Truth) -> None:
    """The same of a few floats, one by one."""
    module, name = linked(kernel)
    first = "q" if kernel in OVER_PI else "s"
    slots = [(name.rpartition(".")[2], slot) for slot in (first, "low", "margin")]
    for one in floats:
        x = constant(one)
        machine = Machine(module)
        machine.reach(name, [x], slots)
        proof.take(machine)
        s, low, margin = (machine.reached[slot] for slot in slots)
        found = expanded(combined(s.form, low.form, Fraction(1)))
        off = (found - truth(x.expansion)).range()
        if not magnitude(off) + magnitude(low.range) * arb(2) ** -52 <= margin.range:
            proof.failures.append(f"x = {one}")


def _steps(
    proof: Proof, kernel: Kernel, cells: Iterator[Number], i: int, steep: bool, truth: Truth
) -> None:
    module, name = linked(kernel)
    function = name.rpartition(".")[2]
    rounded = constant(kernels.STEPS_ROUNDER + i / 64)

    def run(x: Number) -> tuple[Any, ...]:
        cuts = {("angle_in_two_parts", "rounded"): rounded, (function, "steep"): steep}
        return Machine(module, cuts), name, [x], truth(x.expansion)

    for x in cells:
        proof.attempt(f"slope {i}/64{', steep' * steep}", run, x)


def _atan(x: Expansion) -> Expansion:
    return x.of(arb_series.atan)


def _tiny(proof: Proof, kernel: Kernel) -> None:
    """Below 2^LEAST the arc rounds to x, of which it is off by |x|³/3 at most."""
    module, name = linked(kernel)
    for low, high in binades(-1074, LEAST - 1):
        machine = Machine(module)
        slots = [(name.rpartition(".")[2], slot) for slot in ("s", "low", "margin")]
        x = variable(low, high)
        machine.reach(name, [x], slots)
        proof.take(machine)
        s, rest, margin = (machine.reached[slot] for slot in slots)
        if s.form != x.form or rest.value != 0 or margin.size > 2.0**-60 * arb(high):
            proof.failures.append(f"x in {x.ends}")


def _small(least: int = LEAST) -> Iterator[Number]:
    for low, high in binades(least, -8):
        yield variable(low, high)


def _large() -> Iterator[Number]:
    for first, last in binades(7, 59):
        for low, high in pieces(first, last, PIECES):
            yield variable(low, high)


def _slow(proof: Proof, unit: Ball) -> None:
    """All from STEEP on is a quarter turn, rounded."""
    quarter = arb.pi() / 2 * unit
    least = quarter - unit / arb(kernels.STEEP)
    if float(fraction(arb(least.lower()))) != float(fraction(arb(quarter.upper()))):
        proof.failures.append("STEEP")


def _proof() -> Proof:
    return Proof("sum", kernels, ("REST_MARGIN", "MARGIN"))


def _atans(kernel: Kernel, truth: Truth, unit: Ball) -> Proof:
    """Of arcs times `unit`."""
    proof = _proof()
    _slow(proof, unit)
    for i in COUNTS:
        for steep, place in ((False, lambda t: t), (True, lambda t: 1 / t)):
            cells = _within(place, i) if i else _large() if steep else _small()
            _steps(proof, kernel, cells, i, steep, truth)
            _each(proof, kernel, _changes(place, i + 1), truth)
    return proof


def atan() -> Proof:
    proof = _atans(kernels.atan, _atan, arb(1))
    if 0 in COUNTS:
        _tiny(proof, kernels.atan)
    return proof


def _over_pi(truth: Truth) -> Truth:
    return lambda x: truth(x).scaled(1 / arb.pi())


def atanpi() -> Proof:
    """Below 2^LEAST it is left to the exact phase, as asinpi."""
    return _atans(atanpi_f64.atanpi, _over_pi(_atan), 1 / arb.pi())


def _sine(t: Ball) -> Ball:
    """sin(atan t)."""
    return t / (1 + t * t).sqrt()


def _cosine(t: Ball) -> Ball:
    return 1 / (1 + t * t).sqrt()


ONE_BY_ONE = 64
"""Floats below 1."""


def _last() -> Iterator[float]:
    yield from (1 - n * 2.0**-53 for n in range(1, ONE_BY_ONE + 1))


def _near_one() -> Iterator[Number]:
    """Up to those near 1, by the distance from it."""
    far = int((1 - Fraction(_moved(_float(_cosine, HALF_STEP), NEAR))) * 2**53)
    least = ONE_BY_ONE
    while least < far:
        end = min(2 * least, far)
        step = -((least - end) // PIECES)
        for near in range(least, end, step):
            ends = (1 - Fraction(n, 2**53) for n in (min(near + step, end), near))
            yield variable(*ends)
        least = end


def _asin(x: Expansion) -> Expansion:
    return x.of(arb_series.asin)


def _asins(kernel: Kernel, truth: Truth) -> Proof:
    proof = _proof()
    for i in COUNTS:
        for steep, place in ((False, _sine), (True, _cosine)):
            cells = _within(place, i) if i else _near_one() if steep else _small()
            _steps(proof, kernel, cells, i, steep, truth)
            _each(proof, kernel, _changes(place, i + 1), truth)
    if 0 in COUNTS:
        _each(proof, kernel, _last(), truth)
    return proof


def asin() -> Proof:
    proof = _asins(kernels.asin, _asin)
    if 0 in COUNTS:
        _tiny(proof, kernels.asin)
    return proof


def asinpi() -> Proof:
    return _asins(atanpi_f64.asinpi, _over_pi(_asin))


def _acos(x: Expansion) -> Expansion:
    return Expansion.constant(arb.pi() / 2) - _asin(x)


def _negative(cells: Iterator[Number]) -> Iterator[Number]:
    for x in cells:
        assert x.ends is not None
        yield variable(-x.ends[1], -x.ends[0])


def _acoses(kernel: Kernel, truth: Truth) -> Proof:
    """For both signs, and small arguments of either sign together."""
    proof = _proof()
    for i in COUNTS:
        for steep, place in ((True, _sine), (False, _cosine)):
            for sign in (1, -1):
                cells = _within(place, i) if i else _small(TOGETHER) if steep else _near_one()
                cells = cells if sign > 0 else _negative(cells)
                _steps(proof, kernel, cells, i, steep, truth)
                changes = (sign * x for x in _changes(place, i + 1))
                _each(proof, kernel, changes, truth)
    if 0 in COUNTS:
        ends = (sign * x for x in _last() for sign in (1, -1))
        _each(proof, kernel, ends, truth)
        tiny = variable(0.0, 2.0**TOGETHER), variable(-(2.0**TOGETHER), -(2.0**-1074))
        _steps(proof, kernel, iter(tiny), 0, True, truth)
    return proof


def acos() -> Proof:
    return _acoses(kernels.acos, _acos)


def acospi() -> Proof:
    return _acoses(atanpi_f64.acospi, _over_pi(_acos))
