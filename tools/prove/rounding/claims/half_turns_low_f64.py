"""float64 sinpi, cospi and tanpi at LOW: the fraction of a half turn is exact, and is any float."""

from __future__ import annotations

from collections.abc import Iterator
from math import frexp, nextafter
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, binades, linked, variable
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, constant
from tools.prove.rounding.ulps import (
    LEAST,
    Cuts,
    Truth,
    compare,
    near_zero,
    promised,
    towards_zero,
)

from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import atanpi_low_f64
from samebits.mathlib.float64 import trigonometric_low_f64 as low

LIMIT = 2.0**50
"""Up to which errors are promised."""
SHORTEST = -54
"""From DIRECT on arguments are multiples of 2^SHORTEST, and so are fractions."""
HALF = 0.5 * (1 + 2.0**-20)
"""A little more than a half, as balls have radii of 30 bits."""
DIRECT = 0.25
"""Below, the kernels are run as they are."""
PI = arb.pi()
SIN = near_zero(lambda x: x.of(arb_series.sin), 0.0)
TAN = near_zero(lambda x: x.of(arb_series.tan), 0.0)


def is_exact(proof: Proof, kernel: Kernel, most: float = HALF, limit: float = LIMIT) -> None:
    """From DIRECT to `limit` the fraction is what rounding leaves, and `most` at most."""
    module, name = linked(kernel)
    slot = kernel.__name__, "f"
    for x in _arguments(limit):
        machine = Machine(module, _counted(module, name, kernel, x))
        machine.reach(name, [x], [slot])
        proof.take(machine)
        f: Number = machine.reached[slot]
        if f.error is not None or not f.size <= most:
            proof.failures.append(f"the fraction of x in {x.ends}")


def _counted(module: Module, name: str, kernel: Kernel, x: Number) -> Cuts:
    """The count, where it is the same at both ends: what is made of sums alone is monotonic."""
    assert x.ends is not None
    slot, found = (kernel.__name__, "rounded"), set[Any]()
    for end in x.ends:
        machine = Machine(module)
        machine.reach(name, [constant(end)], [slot])
        found.add(machine.reached[slot].value)
    (value, *others) = found
    return {} if others or value is None else {slot: constant(value)}


def _arguments(limit: float) -> Iterator[Number]:
    """From DIRECT to `limit` on both sides: at the end of a binade a half more has a bit less."""
    for start, high in binades(-2, frexp(limit)[1] - 2):
        middle = max(start, high - 0.5)
        for first, last in ((start, middle), (middle, nextafter(high, 0.0))):
            for sign in (1, -1):
                yield variable(*sorted((sign * first, sign * last)))
    for x in (limit, -limit):
        yield variable(x, x)


def _fractions(proof: Proof, kernel: Kernel, count: int, truth: Truth, cell: str) -> None:
    def cuts(f: Number) -> Cuts:
        name = kernel.__name__
        return {(name, "f"): f, (name, "rounded"): constant(low.ROUNDER + count)}

    for first, last in towards_zero(0.5, SHORTEST):
        if first and last:
            compare(proof, kernel, truth, cell, variable(first, last), cuts=cuts,
                    args=[constant(1.25)])  # fmt: skip
    for half in (-0.5, 0.5):
        compare(proof, kernel, truth, cell, variable(half, half), cuts=cuts,
                args=[constant(1.25)])  # fmt: skip


def _near_0(proof: Proof, kernel: Kernel, truth: Truth) -> None:
    for first, last in towards_zero(DIRECT, LEAST):
        if first and last:
            compare(proof, kernel, truth, "x", variable(first, last))


def sinpi_low() -> Proof:
    proof = promised("sinpi", "LOW")
    is_exact(proof, low.sinpi)
    _fractions(proof, low.sinpi, 0, lambda f: SIN(f.scaled(PI)), "fraction")
    _near_0(proof, low.sinpi, lambda x: SIN(x.scaled(PI)))
    return proof


def cospi_low() -> Proof:
    proof = promised("cospi", "LOW")
    is_exact(proof, low.cospi)
    _fractions(proof, low.cospi, 0, lambda f: SIN(f.scaled(PI)), "fraction")
    for first, last in towards_zero(DIRECT, LEAST):
        # Half an ULP of 1/2 from 0 the count is 0 or 1.
        for count in (0, 1) if max(-first, last) < 2.0**-50 else (None,):
            cuts = {} if count is None else {("cospi", "rounded"): constant(low.ROUNDER + count)}
            compare(proof, low.cospi, lambda x: x.scaled(PI).of(arb_series.cos), "x",
                    variable(first, last), cuts=lambda x, cuts=cuts: cuts)  # fmt: skip
    return proof


def tanpi_low() -> Proof:
    proof = promised("tanpi", "LOW")
    kernel = atanpi_low_f64.tanpi
    is_exact(proof, kernel)
    _near_0(proof, kernel, lambda x: TAN(x.scaled(PI)))
    _fractions(proof, kernel, 0, lambda f: TAN(f.scaled(PI / 2)), "even")
    _fractions(proof, kernel, 1,
               lambda f: TAN(f.scaled(PI / 2)).inverse().scaled(arb(-1)), "odd")  # fmt: skip
    return proof
