"""Cells of inputs, and whether a rounding test holds all over one."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from math import frexp, inf, isnan, nextafter
from types import ModuleType

from flint import arb, arb_poly
from tools.prove.rounding.expansions import Ball, Expansion, Unit, magnitude
from tools.prove.rounding.machine import Machine, RoundingTest, UndecidedError
from tools.prove.rounding.numbers import (
    Atom,
    Number,
    ball,
    combined,
    error_atom,
    expanded,
    fraction,
)
from tools.prove.rounding.rounding_rules import BINARY64, Format

from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel


def variable(
    low: float | Fraction, high: float | Fraction, grid: int | None = None,
    format: Format = BINARY64,
) -> Number:  # fmt: skip
    """The cell's variable: any float from `low` to `high`, a multiple of 2^grid where that is
    given."""
    low, high = Fraction(low), Fraction(high)
    middle, radius = (low + high) / 2, (high - low) / 2
    atom = Atom(
        Expansion.of_ends(ball(middle), ball(radius)), "x", is_float=True, given=(low, high)
    )
    whole = ball(low).union(ball(high))
    found = Number({atom: Fraction(1)}, format.least, limit=whole, ends=(float(low), float(high)))
    spacing = format.least if found.least is None else format.spacing(found.least)
    known = max(spacing, format.least if grid is None else grid)
    return Number(found.form, known, limit=whole, ends=found.ends)


def length(first: float, last: float, power: int = 1) -> Expansion:
    """A power of a length between two numbers."""
    return Expansion(arb_poly([arb(1)]), unit=Unit(1, first, last).to(power))


def a_float(
    expansion: Expansion, name: str, *, normal: bool = False, format: Format = BINARY64
) -> Number:
    """Any float of which an expansion is known, such as that it is so many times a length: a
    positive one, and only those that are normal where that is said."""
    found = expansion.ends()
    ends = found or (arb(expansion.range().lower()), arb(expansion.range().upper()))
    low, high = fraction(ends[0]), min(fraction(ends[1]), Fraction(sys.float_info.max))
    if normal:
        low = max(low, Fraction(sys.float_info.min))
    atom = Atom(expansion, name, is_float=True, given=(low, high))
    whole = ball(low).union(ball(high))
    least, most = float(low), float(high)
    least = nextafter(least, 0.0) if Fraction(least) > low else least
    most = nextafter(most, inf) if Fraction(most) < high else most
    spacing = format.spacing(frexp(least)[1] - 1) if least > 0 else format.least
    return Number({atom: Fraction(1)}, spacing, limit=whole, ends=(least, most))


def small(bound: float | Ball, name: str, grid: int = BINARY64.least) -> Number:
    """Any float of magnitude `bound` at most."""
    atom = error_atom(arb(bound), name, is_float=True)
    return Number({atom: Fraction(1)}, grid)


def binades(first: int, last: int) -> Iterator[tuple[float, float]]:
    """[2^e, 2^(e+1)] for every e from `first` to `last`."""
    for e in range(first, last + 1):
        yield 2.0**e, 2.0 ** (e + 1)


def both_signs(tiny: int, largest: float) -> Iterator[Number]:
    """Every argument up to `largest`: binade by binade, those below 2^tiny together."""
    yield variable(-(2.0**tiny), 2.0**tiny)
    for low, high in binades(tiny, frexp(largest)[1] - 1):
        yield variable(low, min(high, largest))
        yield variable(-min(high, largest), -low)


def pieces(low: float, high: float, count: int) -> Iterator[tuple[float, float]]:
    """An interval in `count` equal pieces."""
    ends = [low + (high - low) * k / count for k in range(count)] + [high]
    yield from pairwise(ends)


def linked(kernel: Kernel) -> tuple[Module, str]:
    """The IR of a kernel with all that it calls, and its symbol."""
    types = kernel.fixed_types
    assert types is not None
    unit = compile_kernel(kernel, types)
    return link(unit), unit.function.name


@dataclass(frozen=True)
class Within:
    """What is to be between both sides of a test is known to be within `off` of `truth`; the margin
    covers `apart` besides, which is not counted as a part of it."""

    truth: Expansion
    off: Expansion
    apart: Expansion


Truth = Expansion | Within
Run = Callable[[Number], tuple[Machine, str, list[Number], Truth]]
"""From the cell's variable to a machine, the function and arguments that it is to run, and the
truth."""
Measured = tuple[Machine, Callable[[], float]]
"""A machine, and what runs it and says how much of its bound an error is at most."""
DEPTH = 6
"""How often a cell is halved."""


@dataclass
class Proof:
    """What was shown of one phase: `worst` is the greatest error found possible, as a part of the
    margin in the source; the proof holds where it is 1 at most."""

    name: str
    """Of the phase."""
    source: ModuleType
    margin: tuple[str, ...]
    """What the margins are called in the source."""
    cells: int = 0
    worst: float = 0.0
    where: str = ""
    discharged: Counter[str] = field(default_factory=Counter[str])
    rounded: int = 0
    failures: list[str] = field(default_factory=list[str])

    def margins(self) -> dict[str, float]:
        """The margins by name."""
        return {name: getattr(self.source, name) for name in self.margin}

    def attempt(self, cell: str, run: Run, x: Number) -> None:
        """Show that between both sides of a rounding test lies the truth, all over the cell of
        `x`."""

        def measure(x: Number) -> Measured:
            machine, name, args, truth = run(x)
            return machine, lambda: _ratio(machine.test(name, args), truth)

        self.bound(cell, measure, x)

    def bound(
        self, cell: str, measure: Callable[[Number], Measured], x: Number, depth: int | None = None
    ) -> None:
        """Show that an error is at most 1 of its bound, all over the cell of `x`: half by half
        where the whole shows too little."""
        depth = DEPTH if depth is None else depth
        machine, part = measure(x)
        failed, ratio = None, 0.0
        try:
            ratio = part()
        except UndecidedError as error:
            failed = str(error)
        else:
            if not ratio <= 1:
                failed = f"{ratio:.4g} of the margin"
        if failed is None or depth == 0 or x.ends is None:
            self.take(machine)
            if failed is not None:
                self.failures.append(f"{cell}, {x.ends}: {failed}")
            if not ratio <= self.worst:
                self.worst, self.where = ratio, f"{cell}, {x.ends}"
            return
        low, high = x.ends
        for ends in ((low, (low + high) / 2), ((low + high) / 2, high)):
            self.bound(cell, measure, variable(*ends, x.grid), depth - 1)

    def note(self, part: Ball, where: str) -> None:
        """An error that is `part` of its bound."""
        ratio = greater(0.0, part)
        if not ratio <= 1:
            self.failures.append(f"{where}: {ratio:.4g} of the margin")
        if not ratio <= self.worst:
            self.worst, self.where = ratio, where

    def take(self, machine: Machine) -> None:
        self.cells += 1
        self.discharged += machine.discharged
        self.rounded += machine.rounded


def part_of(off: Expansion, bound: Expansion) -> float:
    """How much of a bound an error is at most."""
    worst = 0.0
    for error, most in zip(off.pieces(), bound.pieces(), strict=True):
        if not most > 0:
            return float("inf")
        worst = greater(worst, magnitude(error) / arb(most.lower()))
    return worst


def greater(worst: float, part: Ball) -> float:
    """The greater of a part and what a ball is at most: infinite where that is unknown, as of what
    Arb cannot enclose."""
    most = float(arb(part.upper()))
    return inf if isnan(most) else max(worst, most)


def _ratio(test: RoundingTest, truth: Truth) -> float:
    """How much of the margin is used at most by the error of s + low, and by the rounding of
    low ± margin: where that is 1 or less, the truth is between both sides."""
    below = expanded(combined(test.s.form, test.below.form, Fraction(1)))
    above = expanded(combined(test.s.form, test.above.form, Fraction(1)))
    margins = test.margin.expansion
    if isinstance(truth, Within):
        gaps = truth.truth - truth.off - below, above - truth.truth - truth.off
        margins = margins - truth.apart
    else:
        gaps = truth - below, above - truth
    worst = 0.0
    for gap in gaps:
        for left, margin in zip(gap.pieces(), margins.pieces(), strict=True):
            if not margin > 0:
                return float("inf")
            worst = greater(worst, 1 - arb(left.lower()) / arb(margin.upper()))
    return worst
