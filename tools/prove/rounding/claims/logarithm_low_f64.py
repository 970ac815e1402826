"""float64 log, log2, log10, log1p, log2p1 and log10p1 at LOW.

x = z·2^e with z between 11/16 and 11/8, as `reduce_log` is shown to give them; what is shown of z
holds for every exponent e. Where the logarithm is next to 0 the kernel is run as it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import nextafter

from flint import arb
from tools.prove.rounding.cells import Proof, linked, pieces, small, variable
from tools.prove.rounding.claims.log1p_f64 import LOST
from tools.prove.rounding.claims.logarithm_f64 import exponent, log1p_of, scaling
from tools.prove.rounding.expansions import Ball, Expansion
from tools.prove.rounding.machine import Bits, Machine
from tools.prove.rounding.numbers import Number, constant
from tools.prove.rounding.ulps import LEAST, Cuts, compare, near_zero, promised, towards_zero

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import log2p1_low_f64, log_fast_f64

FIRST, LAST = 11 / 16, nextafter(11 / 8, 0.0)
"""Between which z is."""
NEAR = 0.25
"""Up to this distance from 1 the kernel is run as it is."""
CUTS = 16
"""Pieces of z."""
SPREAD = [(2**n + 1, 2 ** (n + 1)) for n in range(3, 10)]
EXPONENTS = [
    *SPREAD,
    *((-b, -a) for a, b in SPREAD),
    (-1074, -1025),
    *((e, e) for e in range(-8, 9)),
]
"""Each of these ranges is one cell."""
SURE = 54
"""From this exponent on what 1 + x misses is left out."""
LN2, LN10 = arb(2).log(), arb(10).log()
ONE = Expansion.constant(arb(1))


def _log(z: Expansion) -> Expansion:
    return log1p_of(z - ONE)


def significands(e: int) -> Iterator[tuple[float, float]]:
    """Pieces of z, but of those near 1 where the exponent is 0."""
    if e:
        yield from pieces(FIRST, LAST, CUTS)
        return
    yield from pieces(FIRST, 1 - NEAR / 2, CUTS)
    yield from pieces(1 + NEAR / 2, LAST, CUTS)


def _logarithm(function: str, kernel: Kernel, base: Ball) -> Proof:
    """log x, in units of log(base)."""
    proof = promised(function, "LOW")
    scaling(proof)
    name = kernel.__name__
    unit = 1 / base.log()
    for first, last in EXPONENTS:
        e = exponent(first, last)

        def cuts(z: Number, e: Number = e) -> Cuts:
            return {(name, "z_bits"): Bits(z), (name, "e"): e}

        def truth(z: Expansion, e: Number = e) -> Expansion:
            return (_log(z) + e.expansion.scaled(LN2)).scaled(unit)

        for low, high in significands(first):
            compare(proof, kernel, truth, f"e from {first} to {last}", variable(low, high),
                    cuts=cuts, args=[constant(1.5)])  # fmt: skip
    for low, high in next_to_1():
        compare(proof, kernel, lambda x: _log(x).scaled(unit), "near 1", variable(low, high))
    is_zero(proof, kernel, 1.0)
    return proof


def next_to_1() -> Iterator[tuple[float, float]]:
    """All floats up to NEAR from 1, but 1."""
    for e in range(-52, -2):
        yield 1.0 + 2.0**e, nextafter(1.0 + 2.0 ** (e + 1), 0.0)
        yield nextafter(1.0 - 2.0**e, 1.0), 1.0 - 2.0 ** (e - 1)
    yield 1.0 - NEAR, 1.0 - NEAR / 2


def is_zero(proof: Proof, kernel: Kernel, x: float) -> None:
    module, name = linked(kernel)
    machine = Machine(module)
    (found,) = machine.call(name, [constant(x)])
    proof.take(machine)
    if found.value != Fraction(0):
        proof.failures.append(f"the logarithm of {x}")


def _one_more(function: str, kernel: Kernel, reduction: str, base: Ball) -> Proof:
    """log(1 + x), in units of log(base); `reduction` is the function that reduces the sum."""
    proof = promised(function, "LOW")
    scaling(proof)
    unit = 1 / base.log()
    log1p = near_zero(log1p_of, -0.5)
    for low, high in towards_zero(NEAR, LEAST):
        if low and high:
            compare(proof, kernel, lambda x: log1p(x).scaled(unit), "near 0", variable(low, high))
    for first, last in EXPONENTS:
        e = exponent(first, last)

        def cuts(z: Number, e: Number = e) -> Cuts:
            parts = {"z_bits": Bits(z), "e": e, "lost": LOST_PART, "down": constant(1.0)}
            return {(reduction, slot): value for slot, value in parts.items()}

        def truth(z: Expansion, e: Number = e) -> Expansion:
            return (_log(z + LOST_PART.expansion) + e.expansion.scaled(LN2)).scaled(unit)

        for low, high in significands(first):
            for x in _sums(first, last):
                compare(proof, kernel, truth, f"e from {first} to {last}", variable(low, high),
                        cuts=cuts, args=[constant(x)])  # fmt: skip
    return proof


LOST_PART = small(LOST, "lost")


def _sums(first: int, last: int) -> Sequence[float]:
    """An argument for each way that is taken at these exponents."""
    return [1.5] * (first <= SURE) + [2.0**60] * (last >= SURE)


def log_low() -> Proof:
    return _logarithm("log", log_fast_f64.log_low, arb(1).exp())


def log2_low() -> Proof:
    return _logarithm("log2", log_fast_f64.log2_low, arb(2))


def log10_low() -> Proof:
    return _logarithm("log10", log_fast_f64.log10_low, arb(10))


def log1p_low() -> Proof:
    return _one_more("log1p", log_fast_f64.log1p_low, "log1p_low", arb(1).exp())


def log2p1_low() -> Proof:
    return _one_more("log2p1", log2p1_low_f64.log2p1_low, "reduced_series", arb(2))


def log10p1_low() -> Proof:
    return _one_more("log10p1", log2p1_low_f64.log10p1_low, "reduced_series", arb(10))
