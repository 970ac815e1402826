"""float64 asinh, acosh and atanh at LOW.

Log1p of an argument, of which it is shown first how far it is off.

What that makes of the sum 1 + u = z·2^e is an error of z. Where the result is next to 0 the kernel
is run as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import frexp, nextafter
from sys import float_info
from types import SimpleNamespace

from flint import arb
from tools.prove.rounding.cells import Measured, Proof, linked, part_of, pieces, variable
from tools.prove.rounding.claims.area_f64 import near_one, of_acosh, of_asinh, of_atanh
from tools.prove.rounding.claims.logarithm_f64 import exponent, log1p_of, scaling
from tools.prove.rounding.claims.logarithm_low_f64 import (
    FIRST,
    LAST,
    LOST_PART,
    SPREAD,
    is_zero,
)
from tools.prove.rounding.expansions import Expansion
from tools.prove.rounding.machine import Bits, Machine, UndecidedError
from tools.prove.rounding.numbers import Number, constant, error_atom
from tools.prove.rounding.ulps import LEAST, Cuts, Truth, compare, near_zero, promised, towards_zero

from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import sinh_fast_f64

NEAR = {"asinh": 0.25, "acosh": 2.0**-8, "atanh": 0.125}
"""Up to this distance from where the result is 0 the kernel is run as it is."""
OFF = {"asinh": 3 * 2.0**-53, "acosh": 3 * 2.0**-53, "atanh": 2.25 * 2.0**-53}
"""The argument of log1p is off by so much at most, relatively."""
LARGE = sinh_fast_f64.LARGE
"""From here asinh and acosh are log 2x, by log1p of x - 1."""
OFF_LARGE = 1.0625 * 2.0**-53
"""x - 1 is off by FAR of it at most; asinh x and acosh x are the logarithm of 2x·(1 + d) with
|d| < 2^-57 there."""
FAR = (1 + 2.0**-20) * 2.0**-53
LAST_OF_ATANH = 54
"""The greatest exponent of 1 + 2x/(1 - x)."""
CUTS = 16
PER_BINADE = 8
SLOT = ("log1p_low", "x")
ONE = Expansion.constant(arb(1))
LN2 = arb(2).log()


def _cells(low: float, high: float) -> Iterator[Number]:
    """The floats from a power of two to another, or to the largest one."""
    first, last = (frexp(end)[1] - 1 for end in (low, nextafter(high, low)))
    for e in range(first, last + 1):
        for a, b in pieces(1.0, nextafter(2.0, 1.0), PER_BINADE):
            start, end = a * 2.0**e, b * 2.0**e
            yield variable(nextafter(start, end) if start == LARGE else start, end)
    yield variable(high, high)


def _argument(kernel: Kernel, parts: Sequence[tuple[Iterable[Number], Truth, float]]) -> Proof:
    """How far off the argument of log1p is, or what it is taken from, all over some cells."""
    proof = Proof("argument of log1p", SimpleNamespace(OFF=1.0), ("OFF",))  # type: ignore[arg-type]
    module, name = linked(kernel)
    for cells, truth, most in parts:

        def measure(x: Number, truth: Truth = truth, most: float = most) -> Measured:
            machine = Machine(module)

            def part() -> float:
                machine.reach(name, [x], [SLOT])
                exact = truth(x.expansion)
                found = machine.reached[SLOT]
                if not isinstance(found, Number):
                    raise UndecidedError("an argument")
                return part_of(found.expansion - exact, exact.scaled(arb(most)))

            return machine, part

        for x in cells:
            proof.bound("argument", measure, x)
    return proof


def _far(
    proof: Proof, kernel: Kernel, exponents: Sequence[tuple[int, int]], first: float, off: float,
    given: Sequence[float], *, more: int = 0, half: bool = False,
) -> None:  # fmt: skip
    """The logarithm of (1 + u)·2^more, or half of it, of any argument u from `first` on which is
    off by `off`; the kernel goes the way of the arguments `given`, up to UP and from there on."""
    scale = arb(1) / 2 if half else arb(1)
    for least, most in exponents:
        e = exponent(least, most)
        low = max(FIRST, 1.0 + first) if least == 0 else FIRST
        for ends in pieces(low, LAST, CUTS):
            size = ends[1] - 2.0**-most  # of u, times 2^-e
            apart = LOST_PART.expansion + error_atom(arb(off) * size, "argument").expansion

            def cuts(z: Number, e: Number = e) -> Cuts:
                slots = {"z_bits": Bits(z), "e": e, "lost": LOST_PART, "down": constant(1.0)}
                return {("log1p_low", slot): value for slot, value in slots.items()}

            def truth(z: Expansion, e: Number = e, apart: Expansion = apart) -> Expansion:
                sum_of = log1p_of(z - ONE + apart) + e.expansion.scaled(LN2)
                return (sum_of + Expansion.constant(LN2 * more)).scaled(scale)

            for n, x in enumerate(given):
                if (least > 54, most < 54)[n]:
                    continue
                cell = f"e from {least} to {most}"
                compare(proof, kernel, truth, cell, variable(*ends), cuts=cuts, args=[constant(x)])


SMALL = [(e, e) for e in range(9)]
UP_TO_LARGE = [*SMALL, *((a, min(b, 30)) for a, b in SPREAD if a <= 30)]
FROM_LARGE = [(27, 32), *((a, b) for a, b in SPREAD if a > 32)]


def _less_1(x: Expansion) -> Expansion:
    return x - ONE


def asinh_argument() -> Proof:
    near = _cells(NEAR["asinh"] / 2, LARGE)
    parts = [(near, of_asinh, OFF["asinh"]), (_cells(LARGE, float_info.max), _less_1, FAR)]
    return _argument(sinh_fast_f64.asinh_low, parts)


def acosh_argument() -> Proof:
    first = NEAR["acosh"]
    near = (variable(1.0 + a, 1.0 + b) for a, b in _doubling(first, 1.0))
    parts = [
        (near, of_acosh, OFF["acosh"]),
        (_cells(2.0, LARGE), of_acosh, OFF["acosh"]),
        (_cells(LARGE, float_info.max), _less_1, FAR),
    ]
    return _argument(sinh_fast_f64.acosh_low, parts)


def atanh_argument() -> Proof:
    near = NEAR["atanh"]
    parts = [
        (_cells(near / 2, 0.5), of_atanh, OFF["atanh"]),
        (near_one(-53, -1, -1), of_atanh, OFF["atanh"]),
    ]
    return _argument(sinh_fast_f64.atanh_low, parts)


def _doubling(low: float, high: float) -> Iterator[tuple[float, float]]:
    """From a power of two to another, in pieces of each binade."""
    while low < high:
        yield from pieces(low, 2 * low, PER_BINADE)
        low *= 2


def asinh() -> Proof:
    proof = promised("asinh", "LOW")
    scaling(proof)
    kernel, near = sinh_fast_f64.asinh_low, NEAR["asinh"]
    truth = near_zero(lambda x: log1p_of(of_asinh(x)), 0.0)
    for low, high in towards_zero(near, LEAST):
        if low and high:
            compare(proof, kernel, truth, "near 0", variable(low, high))
    _far(proof, kernel, UP_TO_LARGE, near, OFF["asinh"], [1.5])
    _far(proof, kernel, FROM_LARGE, 0.0, OFF_LARGE, [2.0**40, 2.0**60], more=1)
    return proof


def acosh() -> Proof:
    proof = promised("acosh", "LOW")
    scaling(proof)
    kernel, near = sinh_fast_f64.acosh_low, NEAR["acosh"]
    is_zero(proof, kernel, 1.0)
    for x in near_one(-52, frexp(near)[1] - 1, 1):
        compare(proof, kernel, lambda x: log1p_of(of_acosh(x)), "near 1", x)
    # Between U(near) and the arguments of greater x there is none.
    _far(proof, kernel, UP_TO_LARGE, float(_least_argument(near)), OFF["acosh"], [1.5])
    _far(proof, kernel, FROM_LARGE, 0.0, OFF_LARGE, [2.0**40, 2.0**60], more=1)
    return proof


def _least_argument(t: float) -> float:
    """x - 1 + sqrt(x² - 1) for x = 1 + t, or a little less."""
    return (t + (t * (t + 2)) ** 0.5) * (1 - 2.0**-40)


def atanh() -> Proof:
    proof = promised("atanh", "LOW")
    scaling(proof)
    kernel, near = sinh_fast_f64.atanh_low, NEAR["atanh"]
    truth = near_zero(lambda x: log1p_of(of_atanh(x)).scaled(arb(1) / 2), 0.0)
    for low, high in towards_zero(near, LEAST):
        if low and high:
            compare(proof, kernel, truth, "near 0", variable(low, high))
    # 1 + u is 2^54 at most; from there on the kernel leaves out what it lost.
    exponents = [*SMALL, *((a, min(b, LAST_OF_ATANH)) for a, b in SPREAD if a <= LAST_OF_ATANH)]
    given = [0.5, nextafter(1.0, 0.0)]
    _far(proof, kernel, exponents, 2 * near, OFF["atanh"], given, half=True)
    return proof
