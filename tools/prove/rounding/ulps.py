"""Errors of results in units in the last place, as is promised at MEDIUM and LOW.

The last phase of such a claim is that of the result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import frexp, nextafter
from types import SimpleNamespace
from typing import Any

from flint import arb
from tools.prove import promises
from tools.prove.rounding.cells import Measured, Proof, binades, greater, linked
from tools.prove.rounding.expansions import Ball, Expansion, magnitude, product_range
from tools.prove.rounding.machine import Machine, UndecidedError
from tools.prove.rounding.numbers import Number, combined, expanded, floor_exponent
from tools.prove.rounding.rounding_rules import BINARY64, Format

from samebits.lang.kernel import Kernel

SHORT = -30
"""Up to 2^SHORT two terms of a series are taken."""
LEAST = -1074
"""The exponent of the least number."""
Truth = Callable[[Expansion], Expansion]
"""The function itself, of an argument."""
Cuts = Mapping[tuple[str, str], Any]
"""What slots hold, by function's and by own name, instead of what was computed."""


def towards_zero(end: float, tiny: int) -> Iterator[tuple[float, float]]:
    """All floats in [-end, end], cut at 0 and below every power of two from 2^tiny on."""
    for low, high in ((0.0, 2.0**tiny), *binades(tiny, frexp(end)[1] - 1)):
        if low < end:
            high = min(nextafter(high, low), end)
            yield low, high
            yield -high, -low


def near_zero(function: Truth, bend: float) -> Truth:
    """f, of which f(x) = x + bend·x² + c·x³ with |c| ≤ 1/2 up to 2^SHORT, where its series from
    0 would lose all digits."""

    def truth(x: Expansion) -> Expansion:
        if not magnitude(x.range()) <= 2.0**SHORT:
            return function(x)
        rest = Expansion.error(arb(2.0 ** (2 * SHORT)), "series")
        return x * (Expansion.constant(arb(1)) + x.scaled(arb(bend)) + rest)

    return truth


def promised(function: str, precision: str, type_name: str = "float64") -> Proof:
    """The phase of a function that gives its result, and what is promised of that."""
    ulp = promises.promised(function, type_name, precision)
    return Proof("result", SimpleNamespace(ULP=ulp), ("ULP",))  # type: ignore[arg-type]


def most(proof: Proof) -> float:
    """What is promised."""
    return proof.margins()["ULP"]


def ulp(exact: Ball, format: Format = BINARY64) -> Ball:
    """The least spacing of numbers at what is in a ball."""
    least = floor_exponent(exact)
    if least is None:
        raise UndecidedError("a result next to 0")
    return arb(2) ** format.spacing(least)


def off(found: Expansion, truth: Expansion, format: Format = BINARY64) -> float:
    """How many ULP of the truth a result is off at most, all over the cell."""
    worst = 0.0
    lengths, ends = truth.unit.range, truth.ends() if truth.unit.power else None
    known = ends[0] if ends is not None and ends[0] > 0 else None
    for error, exact in zip((found - truth).pieces(), truth.pieces(), strict=True):
        if truth.unit.power:
            error = magnitude(error) * magnitude(lengths)
            exact = product_range(exact, lengths) if known is None else known
        worst = greater(worst, magnitude(error) / ulp(exact, format))
    return worst


ROUNDED = {"add", "sub", "mul", "div", "sqrt", "muladd", "convert"}
"""Operations that give the number nearest to what their operands give exactly."""


def off_at_most(found: Number, truth: Expansion, format: Format = BINARY64) -> float:
    """The same of a result. Where its last operation rounds, and what is rounded is off by one ULP
    at most, that and a half: also where the cell has a power of two in it, as what is next to that
    on the other side from the truth, where numbers are twice as far apart, is rounded to it."""
    worst = off(found.expansion, truth, format)
    if found.made[:1] and found.made[0] in ROUNDED and found.error is not None:
        form = combined(found.form, {found.error: Fraction(1)}, Fraction(-1))
        if found.error in found.form and found.error not in form:
            before = off(expanded(form), truth, format)
            if before <= 1:
                worst = min(worst, before + 0.5)
    return worst


def _rounded_again(worst: float) -> float:
    """Of a result that may become subnormal, where an ULP is twice as large at least. It is not for
    one next to the least normal number, that is below where the truth is not: such a one is away
    from it by a tie, 3/2 ULP, at least where rounding takes it farther."""
    return worst + 0.5 if worst >= 1.5 else max(worst, worst / 2 + 0.5)


def compare(
    proof: Proof, kernel: Kernel, truth: Truth, cell: str, x: Number, *,
    cuts: Callable[[Number], Cuts] = lambda x: {}, args: Sequence[Number | int] | None = None,
    scaled: bool = False, format: Format = BINARY64,
) -> None:  # fmt: skip
    """Show that a kernel's result is off by what is promised at most, all over the cell of `x`: its
    argument, or what `cuts` makes of it in the slots, with the arguments `args`. Where `scaled`,
    results times any power of two are meant, of which one that makes them subnormal rounds once
    more."""
    module, name = linked(kernel)

    def measure(x: Number) -> Measured:
        machine = Machine(module, cuts(x))

        def part() -> float:
            (found,) = machine.call(name, [x] if args is None else list(args))
            if not isinstance(found, Number):
                raise UndecidedError("a result")
            worst = off_at_most(found, truth(x.expansion), format)
            return (_rounded_again(worst) if scaled else worst) / most(proof)

        return machine, part

    proof.bound(cell, measure, x)
