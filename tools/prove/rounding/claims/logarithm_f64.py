"""float64 log, log2 and log10 at HIGH: table index by table index, for every exponent.

x = z·2^e, of which z is between 11/16 and 11/8 and its index i in the table says the short
reciprocal c; r = z·c - 1.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from flint import arb
from tools.prove.rounding.cells import Proof, linked, variable
from tools.prove.rounding.expansions import Ball, Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import ONE, Number, ball, error_atom

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import log_f64

INDICES = range(128)
ANY = [variable(1.0, 1.0 + 2.0**-30)]
"""An argument where all that follows from it is replaced."""
TERMS = 20
"""Of the logarithm's series, for small arguments."""
NEAR_ZERO = -14
"""Reduced arguments below 2^NEAR_ZERO are in one cell where the logarithm is not near 0."""
EXPONENTS = ((1, 1024), (0, 0), (-1074, -1))
"""Each of these ranges is one cell."""


def _float(bits: int) -> float:
    return struct.unpack("<d", bits.to_bytes(8, "little"))[0]


def _significands(i: int) -> tuple[float, float]:
    """The least and the greatest z of an index."""
    first = log_f64.OFFSET + (i << 45)
    return _float(first), _float(first + (1 << 45) - 1)


def exponent(first: int, last: int) -> Number:
    """Any integer from `first` to `last`."""
    middle, radius = Fraction(first + last, 2), Fraction(last - first, 2)
    whole = arb(first).union(arb(last))
    if not radius:
        return Number({ONE: middle} if middle else {}, 0 if middle else 2000, limit=whole)
    atom = error_atom(ball(radius), "e")
    return Number({atom: Fraction(1), ONE: middle}, 0, limit=whole)


def scaling(proof: Proof) -> None:
    """`reduce_log` gives z and e with x = z·2^e, over all of each z's range."""
    module, name = linked(log_f64.reduce_log)
    for e in range(-1022, 1024):
        for low, high in (("0x1.6p-1", "0x1.fffffffffffffp-1"), ("0x1.0p0", "0x1.5ffffffffffffp0")):
            scale = Fraction(2) ** e
            ends = [Fraction(float.fromhex(end)) * scale for end in (low, high)]
            if ends[0] < Fraction(2) ** -1022 or ends[1] >= Fraction(2) ** 1024:
                continue
            machine = Machine(module)
            x = variable(*ends)
            _, bits, found = machine.call(name, [x])
            proof.take(machine)
            z = machine.float_of(bits)
            if found.value != e or z.form != {a: c / scale for a, c in x.form.items()}:
                proof.failures.append(f"reduce_log of 2^{e}")


def ends_of(proof: Proof, i: int, c: Fraction) -> tuple[Fraction, Fraction, int]:
    """Between what the r of an index are, and what they are multiples of: `reduced` is exact."""
    module, name = linked(log_f64.reduced)
    low, high = _significands(i)
    machine = Machine(module)
    z = variable(low, high)
    (r,) = machine.call(name, [z, i << 45])
    proof.take(machine)
    (atom,) = z.form
    if r.form != {atom: c, ONE: Fraction(-1)}:
        proof.failures.append(f"reduced of index {i} rounds")
    return Fraction(low) * c - 1, Fraction(high) * c - 1, r.grid


def cells_of(
    low: Fraction, high: Fraction, grid: int, least: int | None = None
) -> Iterator[Number]:
    """Multiples of 2^grid from `low` to `high`: binade by binade on both sides of 0, what is below
    2^least in one cell; without `least` 0 is in none."""
    tiny = Fraction(2) ** (grid if least is None else least)
    for sign, first, last in ((1, low, high), (-1, -high, -low)):
        first = max(first, tiny)
        while first < last:
            end = min(Fraction(2) ** (_floor_log2(first) + 1), last)
            yield variable(*sorted((sign * first, sign * end)), grid)
            first = end
    if least is not None and low < tiny and high > -tiny:
        yield variable(max(low, -tiny), min(high, tiny), grid)


def _floor_log2(x: Fraction) -> int:
    e = x.numerator.bit_length() - x.denominator.bit_length()
    return e if Fraction(2) ** e <= x else e - 1


def _logarithm(
    proof: Proof, kernel: Kernel, within: str, holds: tuple[str, str], unit: Ball
) -> None:
    """For every index and exponent: a test of (e·log 2 - log c + log(1 + r))·unit. `within` is the
    function with the slots u and e, `holds` the one with r."""
    scaling(proof)
    module, name = linked(kernel)
    for i in INDICES:
        c = Fraction(log_f64.RECIPROCALS[i])
        log_c = ball(c).log()
        low, high, grid = ends_of(proof, i, c)
        for first, last in EXPONENTS:
            e = exponent(first, last)
            near_one = c == 1 and first == last == 0

            def run(r: Number, i: int = i, e: Number = e, log_c: Ball = log_c) -> tuple[Any, ...]:
                cuts = {(within, "u"): i << 45, (within, "e"): e, holds: r}
                truth = log1p_of(r.expansion) + e.expansion.scaled(arb(2).log())
                truth = (truth - Expansion.constant(log_c)).scaled(unit)
                return Machine(module, cuts), name, ANY, truth

            for r in cells_of(low, high, grid, None if near_one else NEAR_ZERO):
                proof.attempt(f"index {i}, e from {first} to {last}", run, r)


def log1p_of(x: Expansion) -> Expansion:
    """log(1 + x)."""
    size = magnitude(x.range())
    if size > 2.0**-16:
        return x.of(lambda s: (1 + s).log())
    power, total = x, x
    for n in range(2, TERMS):
        power = power * x
        total = total.plus(power, arb(-1 if n % 2 == 0 else 1) / n)
    return total + Expansion.constant(arb(0, 1) * size**TERMS)


def log() -> Proof:
    proof = Proof("sum", log_f64, ("MARGIN_R", "MARGIN_S"))
    _logarithm(proof, log_f64.log, "log", ("log_in_two_parts", "r"), arb(1))
    return proof


def log2() -> Proof:
    proof = Proof("sum", log_f64, ("SCALED_MARGIN_R", "MARGIN_S"))
    _logarithm(proof, log_f64.log2, "log2_in_two_parts", ("scaled_log_in_two_parts", "r"),
               1 / arb(2).log())  # fmt: skip
    return proof


def log10() -> Proof:
    proof = Proof("sum", log_f64, ("SCALED_MARGIN_R", "MARGIN_S"))
    _logarithm(proof, log_f64.log10, "log10_in_two_parts", ("scaled_log_in_two_parts", "r"),
               1 / arb(10).log())  # fmt: skip
    return proof
