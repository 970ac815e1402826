"""The functions that are proven: their place in reference.c, MPFR's version, and where to look.

A row here and one in reference.c add a function.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import gmpy2

WIDE = 400
"""Bits for what MPFR has no function for; rounded once more at the end."""


def _of_pi(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """sin(πx) or cos(πx) where neither is exactly representable, and exactly where it is."""

    def exact(x: Any) -> Any:
        if not gmpy2.is_finite(x):
            return gmpy2.nan()
        with gmpy2.context(precision=2200):
            turns = gmpy2.fmod(x, 2)
            doubled = turns * 2
            whole = gmpy2.is_integer(doubled)
        if whole:  # multiples of a half
            k = int(doubled) % 4
            if function is gmpy2.sin:
                value = (0, 1, 0, -1)[k]
                return gmpy2.mpfr(value) if value else gmpy2.copy_sign(gmpy2.mpfr(0), x)
            return gmpy2.mpfr((1, 0, -1, 0)[k])
        if function is gmpy2.cos:
            with gmpy2.context(precision=2200):
                size = abs(turns)
                turns = abs(size - 1) - gmpy2.mpfr("0.5")  # cos(πs) = sin(π(|s − 1| − ½))
        with gmpy2.context(precision=WIDE):
            return gmpy2.sin(gmpy2.const_pi() * turns)

    return exact


def _rsqrt(x: Any) -> Any:
    """1/√x; of −0 it is −∞, as in IEEE 754-2019, where MPFR has +∞."""
    return -gmpy2.inf() if gmpy2.is_zero(x) and gmpy2.is_signed(x) else gmpy2.rec_sqrt(x)


def _tanpi(x: Any) -> Any:
    """tan(πx), exact where that is -1, 0, 1 or infinite."""
    if not gmpy2.is_finite(x):
        return gmpy2.nan()
    with gmpy2.context(precision=2200):
        rest = gmpy2.fmod(abs(x), 2)
        turns = rest - 2 if rest > gmpy2.mpfr("1.5") else rest
        quarters = turns * 4
    if gmpy2.is_integer(quarters):
        value = {
            0: 0.0, 1: 1.0, 2: gmpy2.inf(), 3: -1.0, 4: -0.0, 5: 1.0, 6: -gmpy2.inf(), -1: -1.0,
        }[int(quarters)]  # fmt: skip
        return gmpy2.mpfr(-value if gmpy2.is_signed(x) else value)
    with gmpy2.context(precision=2200):
        turns = turns - 1 if turns > gmpy2.mpfr("0.5") else turns
        turns = -turns if gmpy2.is_signed(x) else turns
    with gmpy2.context(precision=WIDE):
        return gmpy2.tan(gmpy2.const_pi() * turns)


def _over_pi(function: Callable[..., Any]) -> Callable[..., Any]:
    """An angle in half turns, to many bits."""

    def exact(*arguments: Any) -> Any:
        with gmpy2.context(precision=WIDE):
            angle = function(*arguments)
            return angle if gmpy2.is_zero(angle) else angle / gmpy2.const_pi()

    return exact


def _pown(x: Any, n: Any) -> Any:
    with gmpy2.context(precision=WIDE):
        return x**n


def _powr(x: Any, y: Any) -> Any:
    """e^(y·log x)."""
    size = abs(x)
    nothing = gmpy2.is_zero(y) and (gmpy2.is_zero(x) or gmpy2.is_infinite(x))
    if nothing or (size == 1 and gmpy2.is_infinite(y)) or not x >= 0 or gmpy2.is_nan(y):
        return gmpy2.nan()
    return size**y


def _rootn(x: Any, n: Any) -> Any:
    """x^(1/n), to many bits."""
    n = int(n)
    if gmpy2.is_nan(x) or n == 0 or (x < 0 and n % 2 == 0):
        return gmpy2.nan()
    size = abs(x)
    with gmpy2.context(precision=WIDE):
        if gmpy2.is_zero(x) or gmpy2.is_infinite(x):
            root = gmpy2.mpfr(0) if gmpy2.is_zero(x) == (n > 0) else gmpy2.inf()
        elif abs(n) < 100:
            root = gmpy2.rootn(size, abs(n))
            root = root if n > 0 else 1 / root
        else:
            root = gmpy2.exp(gmpy2.log(size) / n)  # nowhere near a boundary, but for x = 1
        return -root if gmpy2.is_signed(x) and n % 2 else root


def _compound(x: Any, n: Any) -> Any:
    """(1 + x)^n, to many bits."""
    n = int(n)
    if n == 0:
        return gmpy2.nan() if x < -1 else gmpy2.mpfr(1)
    if not x >= -1:
        return gmpy2.nan()
    if x == -1 or gmpy2.is_infinite(x):
        return gmpy2.mpfr(0) if (x < 0) == (n > 0) else gmpy2.inf()
    if gmpy2.is_zero(x):
        return gmpy2.mpfr(1)
    if abs(x) < gmpy2.exp2(-60):
        with gmpy2.context(precision=WIDE):
            return gmpy2.exp(n * gmpy2.log1p(x)) if n * x else gmpy2.mpfr(1)
    with gmpy2.context(precision=1200):
        base = 1 + x
    with gmpy2.context(precision=WIDE):
        return base**n


def _logaddexp(x: Any, y: Any) -> Any:
    """log(e^x + e^y), to many bits."""
    if gmpy2.is_nan(x) or gmpy2.is_nan(y):
        return gmpy2.nan()
    big, small = max(x, y), min(x, y)
    if gmpy2.is_infinite(big) or gmpy2.is_infinite(small):
        return big + 0
    with gmpy2.context(precision=WIDE):
        return big + gmpy2.log1p(gmpy2.exp(small - big))


def _lgamma(x: Any) -> Any:
    """log |Γ(x)|."""
    return gmpy2.lgamma(x)[0]


def _less_one(base: int) -> Callable[[Any], Any]:
    """base^x - 1, to many bits, and exactly where that is an integer or half way."""

    def exact(x: Any) -> Any:
        if abs(x) < 1100 and gmpy2.is_integer(x):
            with gmpy2.context(precision=4000):
                return gmpy2.mpfr(base) ** int(x) - 1 if x else x
        with gmpy2.context(precision=WIDE):
            return gmpy2.expm1(x * gmpy2.log(gmpy2.mpfr(base)))

    return exact


def _of_one_more(base: int) -> Callable[[Any], Any]:
    """The logarithm of 1 + x to a base, to many bits."""

    def exact(x: Any) -> Any:
        with gmpy2.context(precision=WIDE):
            return gmpy2.log1p(x) / gmpy2.log(gmpy2.mpfr(base))

    return exact


@dataclass(frozen=True)
class Function:
    """One function. `exact` works in the current gmpy2 context, `rounded` says that its result is
    already rounded there. `interesting` is where results are neither trivial nor special.
    """

    name: str
    exact: Callable[..., Any]
    interesting: tuple[float, float] = (-100.0, 100.0)
    arity: int = 1
    rounded: bool = True
    parity: int = 0
    """1 for f(−x) = f(x), −1 for f(−x) = −f(x)."""
    integer: bool = False
    """Whether the second argument is an int32."""
    slow: bool = False
    """Whether the wide reference works in 113 bits."""
    cancels: float = 0.0
    """What that is off by, of the arguments' sizes, where they cancel."""
    margin_f64: float = 64.0
    """How near a rounding boundary the wide reference does not decide, in units of 2^-53."""
    margin_f80: float = 8.0
    """The same for long double, in units of 2^-64."""


FUNCTIONS = (
    Function("exp", gmpy2.exp, (-746.0, 710.0)),
    Function("exp2", gmpy2.exp2, (-1075.0, 1024.0)),
    Function("exp10", gmpy2.exp10, (-324.0, 309.0)),
    Function("expm1", gmpy2.expm1, (-40.0, 710.0)),
    Function("log", gmpy2.log, (0.0, 8.0)),
    Function("log2", gmpy2.log2, (0.0, 8.0)),
    Function("log10", gmpy2.log10, (0.0, 8.0)),
    Function("log1p", gmpy2.log1p, (-1.0, 3.0)),
    Function("sin", gmpy2.sin, parity=-1),
    Function("cos", gmpy2.cos, parity=1),
    Function("tan", gmpy2.tan, parity=-1),
    Function("sinpi", _of_pi(gmpy2.sin), (-4.0, 4.0), rounded=False, parity=-1),
    Function("cospi", _of_pi(gmpy2.cos), (-4.0, 4.0), rounded=False, parity=1),
    Function("asin", gmpy2.asin, (-1.0, 1.0), parity=-1),
    Function("acos", gmpy2.acos, (-1.0, 1.0)),
    Function("atan", gmpy2.atan, (-20.0, 20.0), parity=-1),
    Function("sinh", gmpy2.sinh, (-711.0, 711.0), parity=-1),
    Function("cosh", gmpy2.cosh, (-711.0, 711.0), parity=1),
    Function("tanh", gmpy2.tanh, (-20.0, 20.0), parity=-1),
    Function("asinh", gmpy2.asinh, (-1000.0, 1000.0), parity=-1),
    Function("acosh", gmpy2.acosh, (1.0, 100.0)),
    Function("atanh", gmpy2.atanh, (-1.0, 1.0), parity=-1),
    Function("cbrt", gmpy2.cbrt, (-1000.0, 1000.0), parity=-1),
    Function("rsqrt", _rsqrt, (0.0, 8.0)),
    Function("pow", pow, arity=2),
    Function("atan2", gmpy2.atan2, arity=2),
    Function("hypot", gmpy2.hypot, arity=2),
    Function("fmod", gmpy2.fmod, arity=2, margin_f64=0, margin_f80=0),
    Function("remainder", gmpy2.remainder, arity=2, margin_f64=0, margin_f80=0),
    Function("erf", gmpy2.erf, (-6.0, 6.0), parity=-1),
    Function("erfc", gmpy2.erfc, (-6.0, 28.0)),
    Function("exp2m1", _less_one(2), (-60.0, 1024.0), rounded=False),
    Function("exp10m1", _less_one(10), (-18.0, 309.0), rounded=False),
    Function("log2p1", _of_one_more(2), (-1.0, 3.0), rounded=False),
    Function("log10p1", _of_one_more(10), (-1.0, 3.0), rounded=False),
    Function("tanpi", _tanpi, (-4.0, 4.0), rounded=False, parity=-1),
    Function("asinpi", _over_pi(gmpy2.asin), (-1.0, 1.0), rounded=False, parity=-1),
    Function("acospi", _over_pi(gmpy2.acos), (-1.0, 1.0), rounded=False),
    Function("atanpi", _over_pi(gmpy2.atan), (-20.0, 20.0), rounded=False, parity=-1),
    Function("atan2pi", _over_pi(gmpy2.atan2), arity=2, rounded=False),
    Function("powr", _powr, arity=2),
    Function("tgamma", gmpy2.gamma, (-180.0, 172.0), margin_f80=24.0),
    Function("lgamma", _lgamma, (-40.0, 60.0), margin_f80=24.0),
    Function("pown", _pown, arity=2, rounded=False, integer=True, slow=True),
    Function("rootn", _rootn, arity=2, rounded=False, integer=True, slow=True),
    Function("compound", _compound, arity=2, rounded=False, integer=True, slow=True),
    Function("logaddexp", _logaddexp, arity=2, rounded=False, slow=True, cancels=2.0**-112),
)
"""In the order of reference.c."""
NAMED = {f.name: f for f in FUNCTIONS}
INDEX = {f.name: n for n, f in enumerate(FUNCTIONS)}


@dataclass(frozen=True)
class Format:
    """A float type as MPFR, NumPy and reference.c know it."""

    name: str
    float_type: Any
    bits_type: Any
    precision: int
    emin: int
    emax: int
    suffix: str
    """Of the functions in reference.c."""
    unit: float
    """The wide reference's unit: relative half ULP."""
    measured_above: float
    """Where a sum of two doubles holds the wide reference."""

    def context(self) -> Any:
        """Rounds to nearest even in this type, subnormals included."""
        return gmpy2.context(
            precision=self.precision, emin=self.emin, emax=self.emax, subnormalize=True
        )

    def margin(self, function: Function) -> float:
        """Relative distance from a boundary within which the wide reference does not decide."""
        units = function.margin_f64 if self.precision == 24 else function.margin_f80
        return units * self.unit


FORMATS = {
    "float32": Format("float32", "f4", "u4", 24, -148, 128, "f32", 2.0**-53, 1e-60),
    "float64": Format("float64", "f8", "u8", 53, -1073, 1024, "f64", 2.0**-64, 1e-280),
}


def rounded(function: Function, form: Format, arguments: tuple[float, ...]) -> float:
    """The correctly rounded result; NaN where the function has none."""
    if any(math.isnan(x) for x in arguments) and function.arity == 1:
        return math.nan
    if function.rounded:
        with form.context():
            return float(function.exact(*map(gmpy2.mpfr, arguments)))
    with gmpy2.context(precision=53):
        wide = [gmpy2.mpfr(x) for x in arguments]
    value = function.exact(*wide)
    with form.context():
        return float(gmpy2.mpfr(value) if gmpy2.is_zero(value) else value + 0)
