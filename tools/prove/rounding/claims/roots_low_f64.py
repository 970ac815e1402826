"""float64 rsqrt, cbrt and hypot at LOW: of any length, whose powers the arguments are times."""

from __future__ import annotations

import sys
from functools import cache

import numpy as np
from flint import arb, arb_series
from tools.prove.rounding.cells import Measured, Proof, a_float, length, linked, pieces, variable
from tools.prove.rounding.claims.cube_root_f64 import NEAR, ROUNDED, STEP
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import First, Machine
from tools.prove.rounding.numbers import Number
from tools.prove.rounding.ulps import Cuts, most, off, promised

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import roots_f64

FAR = 0.0685
"""Bounds |1 - x·y²| of rsqrt's start y."""
WORDS = 2 << 19
"""High words of x, of 31 bits, after which those of the start come again."""
CELLS = 16
"""Of what 1 - x·y² or 1 - x·y³ is."""
PARTS = 8
"""Of a binade of lengths."""
LEG_PARTS = 48
"""The same of the longer leg."""
THIRDS, HALVES = (-341, 0, 340), (-512, 0, 510, 511)
"""Exponents of a start: of the largest x, of one between, and of the smallest normal ones."""
LEGS = (-480, 0, 509)
"""Exponents of the longer leg."""
ONE = Expansion.constant(arb(1))


@cache
def half_root_start() -> Proof:
    """x is of the two binades that come again: x·y² at both ends of those of a word."""
    proof = Proof("start", sys.modules[__name__], ("FAR",))
    words = np.arange(1 << 29, (1 << 29) + WORDS + 1, dtype=np.uint64)
    y = ((np.uint64(roots_f64.HALF_ROOT_WORD) - words) << np.uint64(32)).view(np.float64)
    x = (words << np.uint64(33)).view(np.float64)
    ends = (x[:-1] * y[:-1] ** 2, x[1:] * y[:-1] ** 2)
    worst = max(float(np.abs(1 - end).max()) for end in ends) + ROUNDED
    if not (y[WORDS] * 2 == y[0] and worst <= FAR):
        proof.failures.append(f"a start is off by {worst}")
    proof.cells, proof.worst, proof.where = WORDS, worst / FAR, "two binades"
    return proof


def _root(
    proof: Proof, kernel: Kernel, power: int, bound: float, exponents: tuple[int, ...],
    start: tuple[str, str], out: int,
) -> Proof:  # fmt: skip
    """x^(out/power), by a start y with |1 - x·y^power| ≤ bound."""
    module, name = linked(kernel)
    for e in exponents:
        for lengths in pieces(2.0**e, 2.0 ** (e + 1), PARTS):

            def measure(one: Number, lengths: tuple[float, float] = lengths) -> Measured:
                whole = ONE - one.expansion
                exact = whole * length(*lengths, -power)
                if not _some_normal(exact):
                    return Machine(module), lambda: 0.0
                x = a_float(exact, "x", normal=True)
                cuts: Cuts = {start: First(a_float(length(*lengths), "y"))}
                machine = Machine(module, cuts)
                share = arb(out) / power
                root = whole.of(lambda s: (s.log() * share).exp()) * length(*lengths, -out)

                def part() -> float:
                    (found,) = machine.call(name, [x])
                    return off(found.expansion, root) / most(proof)

                return machine, part

            for ends in pieces(-bound, bound, CELLS):
                proof.bound(f"y in {lengths}", measure, variable(*ends))
    return proof


def _some_normal(exact: Expansion) -> bool:
    ends = exact.ends()
    return ends is not None and not (ends[1] < sys.float_info.min or ends[0] > sys.float_info.max)


def cbrt_low() -> Proof:
    """The start and the first step are those of cbrt at HIGH."""
    proof = promised("cbrt", "LOW")
    return _root(proof, roots_f64.cbrt_low, 3, NEAR, THIRDS, (STEP, "near"), 1)


def rsqrt_low() -> Proof:
    proof = promised("rsqrt", "LOW")
    return _root(proof, roots_f64.rsqrt_low, 2, FAR, HALVES, ("rsqrt_low", "y"), -1)


def hypot_low() -> Proof:
    """Of legs of which one is a length, and one so many times that."""
    proof = promised("hypot", "LOW")
    module, name = linked(roots_f64.hypot_low)
    for e in LEGS:
        for lengths in pieces(2.0**e, 2.0 ** (e + 1), LEG_PARTS):

            def measure(ratio: Number, lengths: tuple[float, float] = lengths) -> Measured:
                long = a_float(length(*lengths), "long")
                short = a_float(ratio.expansion * length(*lengths), "short")
                machine = Machine(module)
                squares = ONE + ratio.expansion * ratio.expansion
                root = squares.of(arb_series.sqrt) * length(*lengths)

                def part() -> float:
                    (found,) = machine.call(name, [long, short])
                    return off(found.expansion, root) / most(proof)

                return machine, part

            for ends in pieces(0.0, 1.0, CELLS):
                proof.bound(f"a leg in {lengths}, the other so many times", measure,
                            variable(*ends))  # fmt: skip
    return proof
