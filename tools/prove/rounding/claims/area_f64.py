"""float64 asinh, acosh and atanh at HIGH.

How far the argument is off that they give to `log1p_in_two_parts`. What that makes of it is a
phase of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import frexp, nextafter

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, linked, pieces, variable
from tools.prove.rounding.claims import log1p_f64
from tools.prove.rounding.claims.log1p_f64 import LOW, SLACK, TINY
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Machine, UndecidedError
from tools.prove.rounding.numbers import Number, combined, expanded

from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import asinh_f64

PER_BINADE = 8
SMALL = -60
"""Below 2^SMALL a binade is one cell."""
DEPTH = 5
"""How often a cell is halved."""
ROOM = 40
"""Up to 2^ROOM x - 1 is less than the root of x² - 1 by far more than that rounds."""
TOGETHER = 20
"""So many floats, as a power of two, are one cell above a power of two."""
LAST = 479
"""The largest argument's exponent, less one."""
ONE_BY_ONE = 64
"""Floats on either side of 1."""
SLOTS = (("log1p_in_two_parts", "x"), ("log1p_in_two_parts", "x_low"))
ONE = Expansion.constant(arb(1))
Truth = Callable[[Expansion], Expansion]


def _proof(kernel: Kernel, cells: Iterator[Number], truth: Truth) -> Proof:
    """The argument is off by SLACK at most, and its second part LOW of the first."""
    proof = Proof("argument of log1p", log1p_f64, ("SLACK",))
    module, symbol = linked(kernel)
    for x in cells:
        _attempt(proof, module, symbol, x, truth, DEPTH)
    return proof


def _attempt(
    proof: Proof, module: Module, symbol: str, x: Number, truth: Truth, depth: int
) -> None:
    machine = Machine(module)
    try:
        machine.reach(symbol, [x], SLOTS)
    except UndecidedError:
        ratio = float("inf")
    else:
        u, u_low = (machine.reached[slot] for slot in SLOTS)
        found = expanded(combined(u.form, u_low.form, Fraction(1)))
        off = found - truth(x.expansion)
        least = arb(u.range.abs_lower())
        offs = max(magnitude(piece) for piece in off.pieces())
        ratio = float((offs / (least * SLACK)).upper())
        if not u_low.size <= least * LOW:
            ratio = float("inf")
    assert x.ends is not None
    low, high = x.ends
    middle = (low + high) / 2
    if not ratio <= 1 and depth and low < middle < high:
        parts = [(low, middle), (middle, high)]
        if frexp(low)[0] == 0.5:  # around a power of two the unit in the last place changes
            parts[:1] = [(low, low), (nextafter(low, high), middle)]
        for ends in parts:
            _attempt(proof, module, symbol, variable(*ends), truth, depth - 1)
        return
    proof.take(machine)
    if not ratio <= 1:
        proof.failures.append(f"x in {x.ends}: {ratio:.4g}")
    if not ratio <= proof.worst:
        proof.worst, proof.where = ratio, f"x in {x.ends}"


def _positive(first: int, last: int) -> Iterator[Number]:
    for e in range(first, last + 1):
        count = PER_BINADE if e >= SMALL else 1
        for low, high in pieces(2.0**e, 2.0 ** (e + 1), count):
            yield variable(low, high)


def of_asinh(x: Expansion) -> Expansion:
    z = x * x
    return x + z * (ONE + (ONE + z).of(arb_series.sqrt)).of(lambda t: t.inv())


def of_acosh(x: Expansion) -> Expansion:
    t = x - ONE
    return t + (t * (x + ONE)).of(arb_series.sqrt)


def of_atanh(x: Expansion) -> Expansion:
    return x.scaled(arb(2)) * (ONE - x).of(lambda t: t.inv())


def asinh() -> Proof:
    return _proof(asinh_f64.asinh, _positive(TINY, LAST), of_asinh)


def near_one(unit: int, last: int, sign: int) -> Iterator[Number]:
    """1 + sign·n·2^unit for n below 2^(last - unit): the first one by one."""
    for n in range(1, ONE_BY_ONE):
        yield variable(*[1 + sign * n * Fraction(2) ** unit] * 2)
    n = ONE_BY_ONE
    while n < 2 ** (last - unit):
        step = 2 ** (n.bit_length() - 4)
        both = (1 + sign * k * Fraction(2) ** unit for k in (n, n + step))
        yield variable(*sorted(both))
        n += step


def _from_powers(first: int, last: int) -> Iterator[Number]:
    """All floats from 2^first up to 2^(last + 1), which is one by itself as every power of two is:
    from each in cells that double, so that x - 1 and what the root of x² - 1 rounds to are known
    to be in one binade."""
    for e in range(first, last + 1):
        whole, unit = Fraction(2) ** e, Fraction(2) ** (e - 52)
        yield variable(whole, whole)
        n = 1
        while n < 2**52:
            far = 2**TOGETHER if n == 1 else min(2 * n, n + 2**52 // PER_BINADE)
            yield variable(whole + n * unit, whole + (far - (far == 2**52)) * unit)
            n = far
    yield variable(2.0 ** (last + 1), 2.0 ** (last + 1))


def acosh() -> Proof:
    def cells() -> Iterator[Number]:
        yield from near_one(-52, 0, 1)
        yield from _positive(1, ROOM - 1)
        yield from _from_powers(ROOM, LAST)

    return _proof(asinh_f64.acosh, cells(), of_acosh)


def atanh() -> Proof:
    def cells() -> Iterator[Number]:
        yield from _positive(TINY, -2)
        yield from near_one(-53, -1, -1)

    return _proof(asinh_f64.atanh, cells(), of_atanh)
