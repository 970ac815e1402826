"""float64 sin, cos, sincos, sinpi and cospi at MEDIUM.

For every distance d + d_low from a multiple of a quarter turn.

Of radians, k·T1 is taken off x exactly, k·T2 and k·T3 are exact as well, and of the differences t
and u what they round is found exactly (2Sum): their sum with k·T4 is all that is rounded. Where t
or u is smaller than 2^53 times what it is a multiple of, it rounds nothing.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, small, variable
from tools.prove.rounding.claims.half_turns_low_f64 import DIRECT, PI, SHORTEST, SIN, is_exact
from tools.prove.rounding.claims.turns_low_f64 import (
    DIGITS,
    QUARTER_TURNS,
    distances,
    obligations,
    unit_of,
)
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.numbers import (
    Number,
    ball,
    combined,
    constant,
    error_atom,
    fraction,
)
from tools.prove.rounding.rounding_rules import BINARY64
from tools.prove.rounding.ulps import LEAST, Cuts, Truth, compare, promised, towards_zero

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import trigonometric_medium_f64 as medium

COUNT_0 = 0.78
"""Up to here the count of quarter turns is 0."""
TOP_DIGITS = 26
"""Of a number's leading part."""
QUARTER = 0.25 * (1 + 2.0**-20)
"""A little more than a quarter, as balls have radii of 30 bits."""
ROUNDED = Fraction(1, 2**30)


def cosine(x: Expansion) -> Expansion:
    return x.of(arb_series.cos)


def _rounding(most: Fraction, unit: int) -> Fraction:
    """How far a difference rounds that is a multiple of 2^unit and at most `most`."""
    if most <= Fraction(2) ** (DIGITS + unit):
        return Fraction(0)
    return fraction(BINARY64.half_ulp(ball(most)))


def _rest(most: Fraction) -> Fraction:
    """How large at most is what is added to u, for |d| ≤ most."""
    it = QUARTER_TURNS
    third, fourth = (Fraction(abs(part)) * it.count for part in it.parts[2:])
    of_x = min(-DIGITS, unit_of(it.parts[0]))
    u = (most + fourth) * (1 + ROUNDED)
    t = (u + third) * (1 + ROUNDED)
    in_t = _rounding(t, min(of_x, unit_of(it.parts[1])))
    in_u = _rounding(u, min(of_x, *(unit_of(part) for part in it.parts[1:3])))
    return (in_t + in_u + fourth) * (1 + ROUNDED)


def lost(most: Fraction) -> Fraction:
    """What d + d_low misses at most, for |d| ≤ most: what is added to u is a sum of three, of which
    one is a product, and rounds three times; and T is longer than its parts."""
    it = QUARTER_TURNS
    turn = fraction(arb((it.turn - sum((arb(p) for p in it.parts), arb(0))).abs_upper()))
    return 3 * _rest(most) / 2**DIGITS + it.count * turn


def turned(proof: Proof, quarters: int, of: Truth) -> None:
    """Of the kernel that both take: any count with the parity of `quarters`."""
    obligations(proof, QUARTER_TURNS)
    for first, last in distances(QUARTER_TURNS):
        if not first >= 4 * _rest(last):  # or d + d_low were not u and that
            proof.failures.append(f"what is left beside a distance of {float(first)}")
        off = error_atom(ball(lost(last)), "reduction").expansion
        d_low = small(BINARY64.half_ulp(ball(last)), "d_low")

        def cuts(d: Number, d_low: Number = d_low) -> Cuts:
            return {("turned", "d"): d, ("turned", "d_low"): d_low}

        rest = off + d_low.expansion
        for sign in (1, -1):
            ends = sorted((sign * first, sign * last))
            compare(proof, medium.turned, lambda d, rest=rest: of(d + rest), f"quarters {quarters}",
                    variable(*ends), cuts=cuts,
                    args=[quarters, constant(0.5), constant(0.0)])  # fmt: skip


def _as_it_is(proof: Proof, kernel: Kernel, of: Truth, *, at_0: bool) -> None:
    for first, last in towards_zero(COUNT_0, LEAST):
        if at_0 or (first and last):
            compare(proof, kernel, of, "count 0", variable(first, last))


def sin() -> Proof:
    proof = promised("sin", "MEDIUM")
    _as_it_is(proof, medium.sin, SIN, at_0=False)
    turned(proof, 0, SIN)
    turned(proof, 1, cosine)
    return proof


def cos() -> Proof:
    proof = promised("cos", "MEDIUM")
    _as_it_is(proof, medium.cos, cosine, at_0=True)
    turned(proof, 0, SIN)
    turned(proof, 1, cosine)
    return proof


def _half_turns(proof: Proof, kernel: Kernel, *, is_sine: bool) -> None:
    """The fraction is exact, and any number up to 1/4. Its leading part is what is left of it
    without a rest, which is any number as small as the digits say; below SMALLEST, where there may
    be fewer, neither is used."""
    is_exact(proof, medium.reduce_half_turns, QUARTER, medium.HALF_TURNS_LIMIT)

    def top(f: Number) -> Number:
        least = f.least
        if least is None:
            return f
        size = arb(2) ** (least + 2 - TOP_DIGITS)
        rest = small(size, "rest", f.grid)
        whole = combined(f.form, rest.form, Fraction(-1))
        return Number(whole, max(least + 1 - TOP_DIGITS, LEAST), limit=f.range + arb(0, 1) * size)

    def cuts(f: Number) -> Cuts:
        return {("reduce_half_turns", "top"): top(f)}

    def of_fraction(f: Number) -> Cuts:
        return {**cuts(f), ("reduce_half_turns", "f"): f}

    for first, last in towards_zero(DIRECT, LEAST):
        if not is_sine or (first and last):
            of = SIN if is_sine else cosine
            compare(proof, kernel, lambda x, of=of: of(x.scaled(PI)), "x",
                    variable(first, last), cuts=cuts)  # fmt: skip
    ends = (DIRECT, DIRECT), (-DIRECT, -DIRECT)
    for first, last in (*towards_zero(DIRECT, SHORTEST), *ends):
        # Of arguments whose quarter turns are 4·n, 4·n + 1, and 4·n - 1 for cosines.
        for given, of in ((2.0, SIN), (0.5, cosine)) if is_sine else ((2.0, cosine), (1.5, SIN)):
            if not (first and last):  # a multiple of 2^SHORTEST, so 0
                first, last = 0.0, 0.0
            if last or first or of is cosine:
                compare(proof, kernel, lambda f, of=of: of(f.scaled(PI)), f"from {given}",
                        variable(first, last), cuts=of_fraction,
                        args=[constant(given)])  # fmt: skip


def sinpi() -> Proof:
    proof = promised("sinpi", "MEDIUM")
    _half_turns(proof, medium.sinpi, is_sine=True)
    return proof


def cospi() -> Proof:
    proof = promised("cospi", "MEDIUM")
    _half_turns(proof, medium.cospi, is_sine=False)
    return proof
