"""float64 sin, cos, sinpi and cospi at HIGH: table index by table index, for every part of a step.

With (a, b) the sine and cosine of an index, and d the part of a step, the kernel's sums and
products give the same s, low and margin, but for signs, for (-a, -b, d) and (a, -b, -d): rounding
to nearest is symmetric. So what is shown of the indices up to a quarter turn, for parts of both
signs, holds for all where the table has these symmetries, which is an obligation of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from flint import arb, arb_series
from tools.prove.rounding.cells import Proof, Within, both_signs, linked, small, variable
from tools.prove.rounding.expansions import Expansion, magnitude
from tools.prove.rounding.machine import Machine
from tools.prove.rounding.numbers import ONE, Number, ball, combined, constant, error_atom

from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import trigonometric_f64

SHARE = 0.25
"""Of the error that `reduce` states, what it may have."""
LARGEST_ERROR = 2.0**-82
LEAST_ERROR = -109
"""That of 2^27 steps is LARGEST_ERROR; of one it is 2^LEAST_ERROR."""
ERRORS = ((LEAST_ERROR, -95), (-95, -82))
"""Exponents of errors taken together: not all, as balls have radii of 30 bits."""
STEPS = 512
QUARTER = 128
INDICES = range(QUARTER + 1)
STEP_EXPONENT = -8
MOST = 0.00614
"""A little more than π/512."""
HALF_STEP = 2.0**-9 * (1 + 2.0**-20)
"""A little more than half a step, as balls have radii of 30 bits."""
TOGETHER = -24
"""Parts below 2^TOGETHER are taken together where the result is not near 0."""
LEAST = -900
"""Smaller arguments but 0: sinpi and cospi leave them to the exact phase, sin returns them, and to
cos they are among those that are taken together."""
ONE_TIMES = Fraction(1)
ANY = [variable(1.0, 2.0)]
"""An argument where all that follows from it is replaced."""


def parts(least: int) -> Iterator[Number]:
    """Parts of a step from 2^least on: binade by binade on both sides."""
    for e in range(least, -9):
        low, high = 2.0**e, HALF_STEP if e == -10 else 2.0 ** (e + 1)
        yield variable(low, high)
        yield variable(-high, -low)


def symmetric(proof: Proof) -> None:
    """The table's sines are those of the first quarter but for signs."""
    table = trigonometric_f64.SIN_STEPS.data.tolist()
    rows = list(zip(table[::2], table[1::2], strict=True))
    for i in range(STEPS // 2):
        opposite = rows[i + STEPS // 2] == tuple(-part for part in rows[i])
        if not opposite or rows[STEPS // 2 - i] != rows[i]:
            proof.failures.append(f"the table is not symmetric at {i}")


def reduction(proof: Proof) -> None:
    """x is a count of steps and f, exactly, and f at most half a step."""
    module, name = linked(trigonometric_f64.reduce_half_turns)
    slots = (("reduce_half_turns", "rounded"), ("reduce_half_turns", "f"))
    for x in both_signs(TOGETHER, trigonometric_f64.HALF_TURNS_LIMIT):
        machine = Machine(module)
        machine.reach(name, [x], slots)
        proof.take(machine)
        rounded, f = (machine.reached[slot] for slot in slots)
        steps = combined(rounded.form, {ONE: Fraction(trigonometric_f64.STEPS_ROUNDER)}, -ONE_TIMES)
        whole = rounded.grid >= STEP_EXPONENT
        exact = f.form == combined(x.form, steps, -ONE_TIMES)
        if x.ends is not None and x.ends[0] == x.ends[1]:
            exact = f.value == 0 and (x.ends[0] * 256).is_integer()
        if not (whole and exact and f.size <= HALF_STEP):
            proof.failures.append(f"the reduction of x in {x.ends}")


def _half_turns(name: str, kernel: Kernel, shift: int) -> Proof:
    """A test of sin(π·(n + shift)/256 + π·f), f the part of a step."""
    proof = Proof("sum", trigonometric_f64, ("SERIES_MARGIN", "MARGIN"))
    module, symbol = linked(kernel)
    symmetric(proof)
    reduction(proof)
    for i in INDICES:
        n = (i - shift) % STEPS

        def run(f: Number, i: int = i, n: int = n) -> tuple[Any, ...]:
            cuts = {("reduce_half_turns", "f"): f, (name, "n"): n}
            argument = f.expansion.scaled(arb.pi())
            if i:
                argument = argument + Expansion.constant(arb.pi() * i / 256)
            return Machine(module, cuts), symbol, ANY, argument.of(arb_series.sin)

        if i:
            proof.attempt(f"step {i}", run, variable(-(2.0**TOGETHER), 2.0**TOGETHER))
        for f in parts(TOGETHER if i else LEAST):
            proof.attempt(f"step {i}", run, f)
    return proof


def radians(proof: Proof) -> None:
    """`reduce` is right within SHARE of its error, d_low is what rounding d left (of the one number
    2^20, 2^-52·|d| at most), and of a count of 0 all is exact."""
    module, name = linked(trigonometric_f64.reduce)
    step = arb.pi() / 256
    for x in both_signs(TOGETHER, trigonometric_f64.LIMIT):
        machine = Machine(module)
        _, d, d_low, _ = machine.call(name, [x])
        proof.take(machine)
        n = machine.reached["reduce", "n"]
        off = n.expansion.scaled(step) + d.expansion + d_low.expansion - x.expansion
        count = arb(n.range.abs_lower())
        stated = trigonometric_f64.STEP_ERROR * (count if count > 1 else arb(1))
        left = d_low.value == 0 or d_low.form == {d.error: -ONE_TIMES}
        if d.value is not None:
            left = d_low.size <= abs(float(d.value)) * 2.0**-52
        if not (left and d.size <= MOST and magnitude(off.range()) <= stated * SHARE):
            proof.failures.append(f"the reduction of x in {x.ends}")
        if not n.size * trigonometric_f64.STEP_ERROR <= LARGEST_ERROR:
            proof.failures.append(f"the error of x in {x.ends}")
    machine = Machine(module, {("reduce", "n"): constant(0.0)})
    x = variable(-MOST, MOST)
    _, d, d_low, error = machine.call(name, [x])
    if d.form != x.form or d_low.value != 0 or error.value != 0:
        proof.failures.append("a count of 0")


def between(low: float, high: float) -> Number:
    """Any float from `low` to `high`, whatever the cell's variable is."""
    least, most = Fraction(low), Fraction(high)
    middle, radius = (least + most) / 2, (most - least) / 2
    atom = error_atom(ball(radius), "error")
    whole = ball(Fraction(low)).union(ball(Fraction(high)))
    return Number({atom: ONE_TIMES, ONE: middle}, -1074, limit=whole, ends=(low, high))


def _turns(name: str, kernel: Kernel, shift: int) -> Proof:
    """A test of sin(π·(n + shift)/256 + d + d_low ± SHARE·error). Where the count n is not 0 the
    error is 2^-109 at least, so that a result below is left to the exact phase."""
    proof = Proof("sum", trigonometric_f64, ("SERIES_MARGIN", "MARGIN", "STEP_ERROR"))
    module, symbol = linked(kernel)
    symmetric(proof)
    radians(proof)

    def attempt(i: int, d: Number, error: Number, *, exact: bool = False) -> None:
        def run(d: Number) -> tuple[Any, ...]:
            assert d.ends is not None
            lost = max(map(abs, d.ends)) * 2.0**-52
            d_low = constant(0.0) if exact else small(lost, "d_low")
            cuts = {(name, "n"): (i - shift) % STEPS, (name, "d"): d, (name, "d_low"): d_low,
                    (name, "error"): error}  # fmt: skip
            argument = d.expansion + d_low.expansion
            if i:
                argument = argument + Expansion.constant(arb.pi() * i / 256)
            truth = argument.of(arb_series.sin)
            off = error.expansion.scaled(arb(SHARE))
            apart = error.expansion if i else Expansion.constant(arb(0))
            return Machine(module, cuts), symbol, ANY, Within(truth, off, apart)

        proof.attempt(f"step {i}, error {error.ends}", run, d)

    for i in INDICES:
        if i:
            error = between(0.0, LARGEST_ERROR)
            attempt(i, variable(-(2.0**TOGETHER), 2.0**TOGETHER), error)
            for d in distances(TOGETHER):
                attempt(i, d, error)
            continue
        for low, high in ERRORS:
            for d in distances(low - 1):
                assert d.ends is not None
                attempt(0, d, between(2.0**low, min(2.0**high, 4 * max(map(abs, d.ends)))))
        for d in distances(LEAST) if shift == 0 else ():
            attempt(0, d, constant(0.0), exact=True)
        if shift == 0:
            tiny(proof, module, symbol, name)
    return proof


def tiny(proof: Proof, module: Module, symbol: str, name: str) -> None:
    """Below 2^LEAST sin x and tan x round to x, of which they are off by |x|³/3 at most, and x is
    what is returned."""
    for e in range(-1074, LEAST):
        for x in (variable(2.0**e, 2.0 ** (e + 1)), variable(-(2.0 ** (e + 1)), -(2.0**e))):
            machine = Machine(module)
            slots = [(name, slot) for slot in ("s", "low", "margin")]
            machine.reach(symbol, [x], slots)
            proof.take(machine)
            s, low, margin = (machine.reached[slot] for slot in slots)
            if s.form != x.form or low.value != 0 or not margin.size <= 2.0**-60 * arb(2) ** e:
                proof.failures.append(f"x in {x.ends}")


def distances(least: int) -> Iterator[Number]:
    """Distances from a step from 2^least on: binade by binade on both sides."""
    for e in range(least, -7):
        low, high = 2.0**e, min(MOST, 2.0 ** (e + 1))
        yield variable(low, high)
        yield variable(-high, -low)


def sin() -> Proof:
    return _turns("sin", trigonometric_f64.sin, 0)


def cos() -> Proof:
    return _turns("cos", trigonometric_f64.cos, QUARTER)


def sinpi() -> Proof:
    return _half_turns("sinpi", trigonometric_f64.sinpi, 0)


def cospi() -> Proof:
    return _half_turns("cospi", trigonometric_f64.cospi, QUARTER)
