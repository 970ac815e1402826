"""Decisions of a float64, by its test, to which float32 what it stands for is rounded."""

from __future__ import annotations

from flint import arb
from tools.prove.rounding.cells import greater
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import SidesTest, Test, TieTest, UndecidedError
from tools.prove.rounding.ulps import ulp


def used(test: Test, truth: Expansion) -> float:
    """How much of a test's margin is used at most by the error of what is tested: where that is
    below 1, no tie is between it and the truth that the test does not see."""
    match test:
        case SidesTest():
            return _between(test, truth)
        case TieTest():
            return _beside_ties(test, truth)
        case _:
            raise UndecidedError("a test of another kind")


def _between(test: SidesTest, truth: Expansion) -> float:
    """The truth is between both sides, which round to the same."""
    below, above = test.below.expansion, test.above.expansion
    room = (above - below).scaled(arb(0.5))
    worst = 0.0
    for gap in (truth - below, above - truth):
        for left, half in zip(gap.pieces(), room.pieces(), strict=True):
            if not half > 0:
                return float("inf")
            worst = greater(worst, 1 - arb(left.lower()) / arb(half.upper()))
    return worst


def _beside_ties(test: TieTest, truth: Expansion) -> float:
    """Less than `margin` units in the last place from the truth: no tie is so near, as those of
    other binades are 2^27 units away at least."""
    off = test.of.expansion - truth
    worst = 0.0
    for error, found in zip(off.pieces(), test.of.expansion.pieces(), strict=True):
        worst = greater(worst, magnitude(error) / (ulp(found) * test.margin))
    return worst if worst < 1 else float("inf")
