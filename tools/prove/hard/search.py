"""The search for float64 inputs whose results lie very near a rounding boundary.

Over a block of consecutive inputs a function's result, in units in the last place, is a polynomial
of the input's number but for 2^-50 (Taylor's, its coefficients enclosed by ball arithmetic). It is
followed in pieces that are lines but for less than what is searched, and `lines.c` finds in each
where it comes near a half. What it finds MPFR looks at again. Of two arguments the second is held.

Among 10^12 inputs of a function the hardest are 2^-41 ULP from a boundary, among 10^8 random ones,
which have to be computed one by one, 2^-27.
"""

from __future__ import annotations

import ctypes
import math
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import flint
import gmpy2
import numpy as np
from tools.prove.functions import NAMED

NEAR = 2.0**-28
"""In ULP: how near a rounding boundary what is searched is."""
_BITS = 128
_PIECES = 1 << 18
_LONGEST = 1 << 20
_MOST = 1 << 35
_TERMS = 12
_PRECISION = 420
Series = Any
"""A power series of the input's number, with balls for coefficients."""


@dataclass(frozen=True)
class Slice:
    """A function of its first argument: `of` of a series, from `start` on; `held` is the second."""

    of: Callable[[Series], Series]
    start: float
    held: tuple[float, ...] = ()

    def arguments(self, x: float) -> tuple[float, ...]:
        return (x, *self.held)


def _number(rng: random.Random, low: float, high: float, sign: bool = False) -> float:
    """A number of an exponent from `low` to `high`, any if `sign`."""
    size = math.ldexp(1 + rng.random(), int(rng.uniform(low, high) // 1))
    return -size if sign and rng.random() < 0.5 else size


def _ln(base: int) -> Any:
    return flint.arb(base).log()


def _less_one(base: int) -> Callable[[random.Random], Slice]:
    def draw(rng: random.Random) -> Slice:
        x = -_number(rng, -40, 4) if rng.random() < 0.4 else _number(rng, -40, 8)
        return Slice(lambda s: (s * _ln(base)).exp() - 1, x)

    return draw


def _of_one_more(base: int) -> Callable[[random.Random], Slice]:
    def draw(rng: random.Random) -> Slice:
        x = -_number(rng, -40, 0) if rng.random() < 0.4 else _number(rng, -40, 60)
        return Slice(lambda s: (s + 1).log() / _ln(base), x)

    return draw


def _tgamma(rng: random.Random) -> Slice:
    return Slice(lambda s: s.gamma(), rng.uniform(-30, 170))


def _lgamma(rng: random.Random) -> Slice:
    def of(s: Series) -> Series:
        if s[0] > 0:
            return s.lgamma()
        found = flint.arb.pi() / (s.sin_pi() * (1 - s).gamma())
        return (found if found[0] > 0 else -found).log()

    return Slice(of, _number(rng, -20, 60) if rng.random() < 0.7 else -_number(rng, -20, 5))


def _power(log: Callable[[Series], Series], x: float, factor: Any, held: float) -> Slice:
    return Slice(lambda s: (log(s) * factor).exp(), x, (held,))


def _pown(rng: random.Random) -> Slice:
    n = rng.choice((-1, 1)) * rng.randrange(2, 64)
    return _power(lambda s: s.log(), _number(rng, -1000 / abs(n), 1000 / abs(n)), n, float(n))


def _rootn(rng: random.Random) -> Slice:
    n = rng.choice((-1, 1)) * rng.randrange(2, 64)
    return _power(lambda s: s.log(), _number(rng, -1000, 1000), 1 / flint.arb(n), float(n))


def _compound(rng: random.Random) -> Slice:
    n = rng.choice((-1, 1)) * rng.randrange(2, 200)
    x = _number(rng, -30, min(60.0, 1000 / abs(n)))
    return _power(lambda s: (s + 1).log(), -x if x < 1 and rng.random() < 0.5 else x, n, float(n))


def _powr(rng: random.Random) -> Slice:
    y = _number(rng, -6, 6, sign=True)
    reach = min(900.0, 900 / abs(y))
    return _power(lambda s: s.log(), _number(rng, -reach, reach), flint.arb(y), y)


def _atan2pi(rng: random.Random) -> Slice:
    x = _number(rng, -1, 1)
    return Slice(lambda s: (s / x).atan() / flint.arb.pi(), _number(rng, -20, 20), (x,))


def _logaddexp(rng: random.Random) -> Slice:
    y = rng.uniform(-20, 20)
    return Slice(lambda s: (s.exp() + flint.arb(y).exp()).log(), rng.uniform(-20, 20), (y,))


SEARCHED: dict[str, Callable[[random.Random], Slice]] = {
    "exp2m1": _less_one(2), "exp10m1": _less_one(10), "log2p1": _of_one_more(2),
    "log10p1": _of_one_more(10), "tgamma": _tgamma, "lgamma": _lgamma, "pown": _pown,
    "rootn": _rootn, "compound": _compound, "powr": _powr, "atan2pi": _atan2pi,
    "logaddexp": _logaddexp,
}  # fmt: skip
"""Functions of which no list is at hand: what draws where to look."""


@dataclass
class Block:
    """Inputs one after another from `start` on, `spacing` apart; `pieces` of `length` of them."""

    start: float
    spacing: float
    coefficients: list[Fraction]
    """Of the result in ULP, a half added, as a polynomial of the input's number."""
    length: int
    pieces: int
    near: float
    """NEAR, and how far a piece is from its line."""


def _fraction(ball: Any) -> Fraction:
    mantissa, exponent = ball.mid().man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _exponent(value: Fraction) -> int:
    """Of the greatest power of two that is not above |value|."""
    size = abs(value)
    found = size.numerator.bit_length() - size.denominator.bit_length()
    return found if Fraction(2) ** found <= size else found - 1


def _at(coefficients: list[Fraction], t: int) -> Fraction:
    found = Fraction(0)
    for c in reversed(coefficients):
        found = found * t + c
    return found


def block(it: Slice, near: float = NEAR, pieces: int = _PIECES) -> Block | None:
    """The block that begins where a slice does; None where its results are of two exponents, or
    near an end of the type."""
    spacing = math.ulp(it.start)
    balls = _taylor(it, spacing)
    if not all(ball.is_finite() for ball in balls) or any(
        ball.rad() > abs(ball.mid()) * 2.0**-200 for ball in balls[:3]
    ):
        return None
    found = [_fraction(ball) for ball in balls]
    if not found[0] or not -1021 <= (exponent := _exponent(found[0])) <= 1021:
        return None
    scale = Fraction(2) ** (52 - exponent) * (-1 if found[0] < 0 else 1)
    found = [c * scale for c in found]
    bend = abs(float(found[2])) or 2.0**-200
    length = min(_LONGEST, 1 << max(2, int(math.log2(math.sqrt(4 * near / bend)))))
    last = math.ldexp(1.0, math.frexp(it.start)[1])
    room = int((last - abs(it.start)) / spacing) - 1
    pieces = min(pieces, room // length, _MOST // length)
    terms = _TERMS
    while pieces >= 8:
        total = float(length) * pieces
        if abs(float(found[-1])) * total ** (_TERMS - 1) < 2.0**-60:
            terms = _TERMS
            while terms > 3 and abs(float(found[terms - 1])) * total ** (terms - 1) < 2.0**-56:
                terms -= 1
            # What a difference is rounded off by grows with the pieces, as they are stepped.
            if math.comb(pieces, terms - 1) < 2.0 ** (_BITS - 52):
                break
        pieces //= 2
    ends = (_at(found, 0), _at(found, length * pieces))
    if pieces < 8 or not all(Fraction(2) ** 52 <= end < Fraction(2) ** 53 for end in ends):
        return None
    found = found[:terms]
    found[0] += Fraction(1, 2)
    bend = max(abs(_at(_second(found), t)) for t in (0, length * pieces)) / 2
    off = float(bend) * length**2 / 8
    return Block(
        it.start,
        math.copysign(spacing, it.start),
        found,
        length,
        pieces,
        near * 1.01 + 1.5 * off + 2.0**-50,
    )


def _taylor(it: Slice, spacing: float) -> list[Any]:
    """The coefficients of a slice as a series of the input's number, with balls."""
    before = flint.ctx.cap
    try:
        flint.ctx.cap = _TERMS
        with flint.ctx.workprec(_PRECISION):
            step = flint.arb(math.copysign(spacing, it.start))
            series = it.of(flint.arb_series([flint.arb(it.start), step]))
            return [series[k] for k in range(_TERMS)]
    finally:
        flint.ctx.cap = before


def _second(c: list[Fraction]) -> list[Fraction]:
    return [k * (k - 1) * c[k] for k in range(2, len(c))]


def _differences(values: Sequence[Fraction]) -> Any:
    """A table of them modulo 1, in 128 bits each, the lower word first."""
    rows = [int(v * (1 << _BITS) // 1) for v in values]
    words: list[int] = []
    while rows:
        words += [rows[0] & (2**64 - 1), rows[0] >> 64 & (2**64 - 1)]
        rows = [b - a for a, b in pairwise(rows)]
    return np.array(words, np.uint64)


class Searcher:
    """`lines.c`, compiled."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory(prefix="samebits-") as folder:
            made = Path(folder) / "lines.so"
            source = Path(__file__).with_name("lines.c")
            subprocess.run(
                [sys.executable, "-m", "ziglang", "cc", "-O2", "-std=gnu11",
                 "-fno-sanitize=all", "-shared", "-fPIC", str(source), "-o", str(made)],
                check=True,
            )  # fmt: skip
            self._search: Any = ctypes.CDLL(str(made)).search
        self._search.restype = ctypes.c_int64
        self._found = np.zeros(1 << 16, np.int64)

    def places(self, it: Block) -> list[int]:
        """The numbers of the inputs of a block that may be near a boundary."""
        c, n = it.coefficients, it.length
        slope = [k * c[k] for k in range(1, len(c))]
        second = _second(c)

        def line(piece: int) -> tuple[Fraction, Fraction]:
            """Of a piece: the line that is off as far at its ends as in its middle."""
            middle = piece * n + n // 2
            by = _at(slope, middle)
            return _at(c, middle) - by * (n // 2) + _at(second, middle) * n * n / 16, by

        starts, slopes = zip(*map(line, range(len(c))), strict=True)
        first, then = _differences(starts), _differences(slopes)
        count = self._search(
            ctypes.c_void_p(first.ctypes.data), ctypes.c_void_p(then.ctypes.data),
            len(c) - 1, ctypes.c_int64(it.pieces), ctypes.c_int64(n),
            ctypes.c_uint64(int(it.near * 2.0**64)), ctypes.c_void_p(self._found.ctypes.data),
            ctypes.c_int64(len(self._found)),
        )  # fmt: skip
        assert count <= len(self._found), "more places than there is room for"
        drift = (line(it.pieces)[0] - Fraction(int(first[1]), 1 << 64)) % 1
        assert min(drift, 1 - drift) < 2.0**-48, "what was stepped is not what it should be"
        return self._found[:count].tolist()


def distance(name: str, arguments: tuple[float, ...]) -> float:
    """From the exact result to the nearest rounding boundary, in ULP."""
    with gmpy2.context(precision=_PRECISION):
        exact = abs(NAMED[name].exact(*(gmpy2.mpfr(x) for x in arguments)))
        in_ulp = exact * gmpy2.exp2(53 - gmpy2.get_exp(exact))
        rest = in_ulp - gmpy2.floor(in_ulp)
        return float(abs(rest - gmpy2.mpfr("0.5")))


@dataclass
class Found:
    arguments: tuple[float, ...]
    distance: float


def search(name: str, seed: int) -> Iterator[tuple[int, list[Found]]]:
    """Block after block, without end: how many inputs it had, and which are near a boundary."""
    rng, searcher = random.Random(f"{name} {seed}"), Searcher()
    while True:
        it = SEARCHED[name](rng)
        made = block(it)
        if made is None:
            continue
        near: list[Found] = []
        for place in searcher.places(made):
            arguments = it.arguments(made.start + place * made.spacing)
            off = distance(name, arguments)
            if off <= NEAR:
                near.append(Found(arguments, off))
        yield made.length * made.pieces, near
