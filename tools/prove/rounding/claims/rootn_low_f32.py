"""float32 rootn at LOW.

1/n; then what pow_low_f32 says of powers, of those numbers alone that a logarithm divided by 2 or
more can be.

The farther what 2 is raised to is from 0, the farther is the logarithm, which is known the better.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from functools import partial

from flint import arb, arb_series
from tools.prove.rounding.cells import Measured, Proof, binades, linked, pieces, variable
from tools.prove.rounding.claims import powers_f32
from tools.prove.rounding.claims.logarithm_f64 import exponent
from tools.prove.rounding.claims.pow_low_f32 import CUTS, LOW, NORMAL, OFF, exponents_from
from tools.prove.rounding.claims.power_low_f64 import relative
from tools.prove.rounding.claims.powers_f32 import LN2, ROUNDED, Of
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import Number, constant, error_atom
from tools.prove.rounding.rounding_rules import BINARY32
from tools.prove.rounding.ulps import Cuts, compare, promised

from samebits.mathlib.float32 import rootn_low_f32
from samebits.mathlib.float32.exp_f32 import ROUNDER

OFF_FAR = 2.375 * 2.0**-24
"""As OFF, for x = 2^k·(1 + f) with |k| ≥ FAR_EXPONENT, and so of every logarithm of FAR or more."""
FAR_EXPONENT = 64
FAR = 63.51
FAR_EXPONENTS = [(k, k + 7) for k in range(FAR_EXPONENT, 128, 8)] + [(128, 128)]
"""Each of these ranges, and each with the sign changed, is one cell."""
RECIPROCAL = 1.0625 * 2.0**-24
"""1/n is off by so much at most, relatively, for |n| ≤ 2^EXACT, which float32 has."""
RECIPROCAL_OF_ROUNDED = 2.0625 * 2.0**-24
"""The same for all others."""
EXACT = 24
LARGEST = 31
"""|n| is 2^LARGEST at most."""
TINY = -16
"""Up to 2^TINY what 2 is raised to is taken together."""
MOST = 64.0 + 2.0**-12
"""No float32 has a logarithm of 2·64 or more; the rest covers what is rounded."""
COUNTS = range(-64, 65)
"""Integers next to what 2 is raised to."""
ARGUMENT = 1.75
"""Any but 1, where all that follows from it is replaced."""
ROOT = Of(rootn_low_f32.rootn, "pow_low")
SIGNS = ((ARGUMENT, 2), (-ARGUMENT, 3))
"""An x and n of roots that are positive, and of those that are not."""


def far_exponents() -> Proof:
    """t is off by less than OFF_FAR·t, far from 0."""
    proof = Proof("exponent far from 0", sys.modules[__name__], ("OFF_FAR",))
    for first, last in FAR_EXPONENTS:
        exponents_from(proof, first, last)
        if first <= -NORMAL[0]:
            exponents_from(proof, max(-last, NORMAL[0]), -first)
    nearer = exponent(1 - FAR_EXPONENT, FAR_EXPONENT - 1).range
    significand = (arb(powers_f32.LOW).log() / LN2).union(arb(powers_f32.HIGH).log() / LN2)
    if not magnitude(nearer + significand) < FAR:
        proof.failures.append("a logarithm of FAR with a smaller exponent")
    return proof


def _reciprocal(proof: Proof, first: int, last: int) -> Proof:
    """y is 1/n, off by less than the proof's bound, relatively, for 2^first ≤ |n| ≤ 2^last."""
    module, name = linked(ROOT.kernel)
    slot = ("pow_low", "y")
    (bound,) = proof.margins().values()

    def measure(n: Number) -> Measured:
        machine = Machine(module)

        def part() -> float:
            machine.reach(name, [constant(ARGUMENT), n], [slot])
            ratio = relative(machine.reached[slot].expansion, n.expansion.inverse()) / bound
            return float(arb(ratio.upper()))

        return machine, part

    for low, high in binades(first, last - 1):
        proof.bound("n", measure, variable(low, high, 0))
        proof.bound("n", measure, variable(-high, -low, 0))
    return proof


def reciprocal() -> Proof:
    proof = Proof("reciprocal", sys.modules[__name__], ("RECIPROCAL",))
    return _reciprocal(proof, 1, EXACT)


def reciprocal_of_rounded() -> Proof:
    proof = Proof("reciprocal of rounded", sys.modules[__name__], ("RECIPROCAL_OF_ROUNDED",))
    return _reciprocal(proof, EXACT, LARGEST)


def counts() -> Proof:
    return powers_f32.counts(LOW, -MOST, MOST)


def off(size: float) -> float:
    """How far from the truth, relatively, t is at most whose magnitude is `size` or more: the
    logarithm is n times that, twice at least, and 128 at most."""
    beyond = 1 + 2.0**-20
    log = OFF_FAR if 2 * size > FAR * beyond else OFF
    whole = 2.0**EXACT * size > 128 * beyond
    return (log + (RECIPROCAL if whole else RECIPROCAL_OF_ROUNDED)) * beyond


def cells(count: int) -> Iterator[Number]:
    """All numbers next to a count, but, where that is 0, those up to 2^TINY in one cell."""
    low, high = max(count - ROUNDED, -MOST), min(count + ROUNDED, MOST)
    if count:
        yield from (variable(*ends, format=BINARY32) for ends in pieces(low, high, CUTS))
        return
    yield variable(-(2.0**TINY), 2.0**TINY, format=BINARY32)
    for near, far in binades(TINY, -2):
        far = ROUNDED if far == 0.5 else far
        yield variable(near, far, format=BINARY32)
        yield variable(-far, -near, format=BINARY32)


def result() -> Proof:
    """Of x < 0 with an odd n it is the negative one."""
    proof = promised("rootn", "LOW", "float32")
    for x, n in SIGNS:
        for count in COUNTS:
            for t in cells(count):
                _compare(proof, x, n, count, t)
    return proof


def _compare(proof: Proof, x: float, n: int, count: int, t: Number) -> None:
    def cuts(t: Number) -> Cuts:
        return {("pow_low", "t"): t, ("pow_low", "rounded"): constant(ROUNDER + count)}

    def truth(sign: int, lost: Expansion, t: Expansion) -> Expansion:
        left = t + lost - Expansion.constant(arb(count))
        return left.scaled(LN2).of(arb_series.exp).scaled(sign * arb(2) ** count)

    assert t.ends is not None
    low, high = sorted(map(abs, t.ends))
    least = 0.0 if t.ends[0] <= 0 <= t.ends[1] else low
    lost = error_atom(arb(high * off(least)), "exponent").expansion
    sign = 1 if x > 0 else -1
    compare(proof, ROOT.kernel, partial(truth, sign, lost), f"count {count}", t, cuts=cuts,
            args=[constant(x), n], format=BINARY32)  # fmt: skip
