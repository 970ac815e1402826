"""float64 sin, cos, sincos and tan at LOW: for every distance d from a multiple of a turn.

The kernels take k·T off x, T a turn's part of four parts of which three have so few digits that
their products with k are exact, one after the other: d1, d2, d3, d. Each difference rounds by half
an ULP at most, and nothing where it is smaller than 2^53 times what its operands are multiples of;
and each is within what the parts after it sum up to of d. How near a float is to a multiple of a
quarter turn is found by looking at all of these multiples.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import frexp

from flint import arb
from tools.prove.rounding.cells import Proof, variable
from tools.prove.rounding.claims.half_turns_low_f64 import PI, SIN, TAN
from tools.prove.rounding.numbers import Number, ball, constant, error_atom, fraction
from tools.prove.rounding.rounding_rules import BINARY64
from tools.prove.rounding.ulps import LEAST, Cuts, Truth, compare, promised, towards_zero

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import trigonometric_low_f64 as low

NEAREST = -62
"""No distance but of a count of 0 is below 2^NEAREST."""
LIMIT = Fraction(2) ** 20
"""Of the arguments for which errors are promised."""
TOP = Fraction(1, 2**12)
"""Of a binade, its end."""
ROUNDED = Fraction(1, 2**30)
"""More than roundings add to what is taken off after a difference."""
DIGITS = 53


@dataclass(frozen=True)
class Turns:
    """T in four parts; `halves` where counts are halves of odd numbers. From an argument of 1/2 on,
    or 1 where `from_1`, the count is not 0."""

    parts: tuple[float, ...]
    turn: arb
    largest: float
    """Of d: half a turn, and what rounding the count adds."""
    halves: bool = False
    from_1: bool = False

    @property
    def count(self) -> Fraction:
        """The largest count, and a little more."""
        return LIMIT / Fraction(3) * (1 if self.parts[0] > 3 else 2) + 1

    @property
    def grid(self) -> int:
        return -1 if self.halves else 0


HALF_TURNS = Turns(
    (low.HALF_TURN_1, low.HALF_TURN_2, low.HALF_TURN_3, low.HALF_TURN_4), PI, 1.5707964,
    from_1=True,
)  # fmt: skip
BETWEEN = Turns(HALF_TURNS.parts, PI, 1.5707964, halves=True)
QUARTER_TURNS = Turns(
    (low.QUARTER_TURN_1, low.QUARTER_TURN_2, low.QUARTER_TURN_3, low.QUARTER_TURN_4), PI / 2,
    0.7853982,
)  # fmt: skip


def unit_of(x: float) -> int:
    """x is an odd multiple of 2 to that."""
    exact = Fraction(x)
    return (exact.numerator & -exact.numerator).bit_length() - exact.denominator.bit_length()


@cache
def nearest() -> Fraction:
    """The least distance of a float from a multiple of a quarter turn, up to LIMIT and beyond."""
    bits = 160
    quarter = fraction(arb((PI / 2).mid())) * 2**bits
    turn = quarter.numerator // quarter.denominator
    found = 1 << bits
    for k in range(1, int(LIMIT / Fraction(3, 2)) + 2):
        exact = k * turn
        spacing = 1 << (exact.bit_length() - DIGITS)
        rest = exact % spacing
        found = min(found, rest, spacing - rest)
    return Fraction(found - k, 2**bits)  # the turn is cut off below its last bit


def obligations(proof: Proof, it: Turns) -> None:
    """That products with three parts are exact, and d is no larger than is said."""
    if nearest() < Fraction(2) ** NEAREST:
        proof.failures.append("the nearest float")
    for part in it.parts[:3]:
        digits = frexp(part)[1] - unit_of(part)
        if digits + frexp(float(it.count))[1] - it.grid > DIGITS:
            proof.failures.append(f"products with {part} round")
    rounding = it.count * Fraction(1, 2**51) + Fraction(1, 2**52)
    if not it.turn * ball(Fraction(1, 2) + rounding) + arb(2) ** -40 < it.largest:
        proof.failures.append("the largest distance")


def lost(it: Turns, most: Fraction) -> Fraction:
    """What d misses at most, for |d| ≤ most."""
    multiples = -52 if it.from_1 else -53
    total = Fraction(0)
    for n in range(4):
        after = sum((Fraction(abs(p)) for p in it.parts[n + 1 :]), Fraction(0)) * it.count
        size = most + after * (1 + ROUNDED)
        if n < 3:
            multiples = min(multiples, unit_of(it.parts[n]) + it.grid)
            if size <= Fraction(2) ** (DIGITS + multiples):
                continue
        total += fraction(BINARY64.half_ulp(ball(size)))
    product = it.count * Fraction(abs(it.parts[3])) / 2**DIGITS
    turn = fraction(arb((it.turn - sum((arb(p) for p in it.parts), arb(0))).abs_upper()))
    return total + product + it.count * turn


def distances(it: Turns) -> Iterator[tuple[Fraction, Fraction]]:
    """Between what a distance is: near the end of a binade a difference may be
    in the next one."""
    for e in range(NEAREST, 1):
        first, last = Fraction(2) ** e, Fraction(2) ** (e + 1)
        end = min(last, Fraction(it.largest))
        for low_end, high_end in ((first, last * (1 - TOP)), (last * (1 - TOP), last)):
            if low_end < end:
                yield low_end, min(high_end, end)


def _turned(proof: Proof, kernel: Kernel, it: Turns, count: int, of: Truth) -> None:
    """Of any count with the parity of `count`."""
    obligations(proof, it)
    name = kernel.__name__

    def cuts(d: Number) -> Cuts:
        return {(name, "d"): d, (name, "rounded"): constant(low.ROUNDER + count)}

    for first, last in distances(it):
        off = error_atom(ball(lost(it, last)), "reduction").expansion
        for sign in (1, -1):
            compare(proof, kernel, lambda d, off=off: of(d + off), f"count {count}",
                    variable(*sorted((sign * first, sign * last))), cuts=cuts,
                    args=[constant(3.0)])  # fmt: skip


def _as_it_is(proof: Proof, kernel: Kernel, end: float, of: Truth) -> None:
    """Where the count is 0."""
    for first, last in towards_zero(end, LEAST):
        if first and last:
            compare(proof, kernel, of, "count 0", variable(first, last))


def sin_low() -> Proof:
    proof = promised("sin", "LOW")
    _as_it_is(proof, low.sin, 1.57, SIN)
    _turned(proof, low.sin, HALF_TURNS, 0, SIN)
    return proof


def cos_low() -> Proof:
    """cos x = sin(d + kπ), k + 1/2 the count."""
    proof = promised("cos", "LOW")
    _turned(proof, low.cos, BETWEEN, 0, SIN)
    return proof


def tan_low() -> Proof:
    proof = promised("tan", "LOW")
    _as_it_is(proof, low.tan, 0.78, TAN)
    _turned(proof, low.tan, QUARTER_TURNS, 0, TAN)
    _turned(proof, low.tan, QUARTER_TURNS, 1, lambda d: TAN(d).inverse().scaled(arb(-1)))
    return proof
