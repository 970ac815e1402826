"""The functions that are timed: their inputs, and each peer's call.

A row adds a function. Inputs are what a simulation would give: neither special nor huge.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Sampler = Callable[[np.random.Generator, int], Any]


def between(low: float, high: float) -> Sampler:
    """Uniform by value."""
    return lambda rng, n: rng.uniform(low, high, n)


def by_exponent(low: int, high: int) -> Sampler:
    """Positive, with logarithms to base 2 uniform between two exponents."""
    return lambda rng, n: np.exp2(rng.uniform(low, high, n))


@dataclass(frozen=True)
class Function:
    """One function and its peers.

    In `c`, `F` stands for the suffix of the type (`f` or nothing), `x` and `y` for the inputs,
    `r` and `s` for the results, `pi` for π. `numba` is the same for Numba, where `one`, `ten` and
    `pi` are constants of the type; None where Numba has nothing like it. `numpy` names a ufunc.
    """

    name: str
    samplers: tuple[Sampler, ...]
    c: str
    numba: str | None
    numpy: str | None = None
    signature: str = "x->x"
    """Types of arguments and results: x for the float type, i for int32."""

    @property
    def results(self) -> str:
        """A letter for each result."""
        return self.signature.split("->")[1]


def _one(
    name: str, sampler: Sampler, numpy: str | None = None, numba: str | None = None,
    c: str | None = None,
) -> Function:  # fmt: skip
    return Function(
        name, (sampler,), f"r = {c or f'{name}F(x)'}", f"r = {numba or f'math.{name}(x)'}", numpy
    )


TURNS = between(-100, 100)
UNIT = between(-1, 1)
FUNCTIONS = (
    _one("exp", between(-80, 80), "exp"),
    _one("exp2", between(-120, 120), "exp2"),
    _one("exp10", between(-36, 36), None, "ten ** x"),
    _one("expm1", between(-10, 10), "expm1"),
    _one("log", by_exponent(-100, 100), "log"),
    _one("log2", by_exponent(-100, 100), "log2"),
    _one("log10", by_exponent(-100, 100), "log10"),
    _one("log1p", by_exponent(-20, 20), "log1p"),
    _one("exp2m1", between(-10, 10), None, "math.exp2(x) - one", "exp2F(x) - 1"),
    _one("exp10m1", between(-3, 3), None, "ten ** x - one", "exp10F(x) - 1"),
    _one("log2p1", by_exponent(-20, 20), None, "math.log2(one + x)", "log2F(1 + x)"),
    _one("log10p1", by_exponent(-20, 20), None, "math.log10(one + x)", "log10F(1 + x)"),
    _one("sin", TURNS, "sin"),
    _one("cos", TURNS, "cos"),
    _one("tan", TURNS, "tan"),
    Function(
        "sincos", (TURNS,), "sincosF(x, &r, &s)", "r = math.sin(x); s = math.cos(x)",
        signature="x->xx",
    ),
    _one("sinpi", TURNS, None, "math.sin(pi * x)", "sinF(pi * x)"),
    _one("cospi", TURNS, None, "math.cos(pi * x)", "cosF(pi * x)"),
    _one("asin", UNIT, "arcsin"),
    _one("acos", UNIT, "arccos"),
    _one("atan", between(-20, 20), "arctan"),
    Function(
        "atan2", (between(-10, 10), between(-10, 10)), "r = atan2F(x, y)",
        "r = math.atan2(x, y)", "arctan2", "xx->x",
    ),
    _one("tanpi", TURNS, None, "math.tan(pi * x)", "tanF(pi * x)"),
    _one("asinpi", UNIT, None, "math.asin(x) / pi", "asinF(x) / pi"),
    _one("acospi", UNIT, None, "math.acos(x) / pi", "acosF(x) / pi"),
    _one("atanpi", between(-20, 20), None, "math.atan(x) / pi", "atanF(x) / pi"),
    Function(
        "atan2pi", (between(-10, 10), between(-10, 10)), "r = atan2F(x, y) / pi",
        "r = math.atan2(x, y) / pi", None, "xx->x",
    ),
    _one("sinh", between(-20, 20), "sinh"),
    _one("cosh", between(-20, 20), "cosh"),
    _one("tanh", between(-8, 8), "tanh"),
    _one("asinh", between(-1000, 1000), "arcsinh"),
    _one("acosh", between(1, 1000), "arccosh"),
    _one("atanh", UNIT, "arctanh"),
    Function(
        "pow", (by_exponent(-7, 7), between(-10, 10)), "r = powF(x, y)", "r = x ** y",
        "power", "xx->x",
    ),
    Function(
        "powr", (by_exponent(-7, 7), between(-10, 10)), "r = powF(x, y)", "r = x ** y",
        "power", "xx->x",
    ),
    Function(
        "pown", (by_exponent(-7, 7), between(-10, 10)), "r = powF(x, y)", "r = x ** y", None,
        "xi->x",
    ),
    Function(
        "rootn", (by_exponent(-7, 7), between(2, 10)), "r = powF(x, 1.0 / y)",
        "r = x ** (one / y)", None, "xi->x",
    ),
    Function(
        "compound", (between(-0.5, 1), between(-20, 20)), "r = powF(1 + x, y)",
        "r = (one + x) ** y", None, "xi->x",
    ),
    Function(
        "logaddexp", (between(-20, 20), between(-20, 20)),
        "r = fmaxF(x, y) + log1pF(expF(-fabsF(x - y)))",
        "r = max(x, y) + math.log1p(math.exp(-abs(x - y)))", "logaddexp", "xx->x",
    ),
    _one("erf", between(-3, 3)),
    _one("erfc", between(-3, 8)),
    _one("tgamma", between(0, 30), None, "math.gamma(x)"),
    _one("lgamma", between(0, 100)),
    _one("cbrt", between(-1000, 1000), "cbrt", "np.cbrt(x)"),
    Function(
        "hypot", (between(-100, 100), between(-100, 100)), "r = hypotF(x, y)",
        "r = math.hypot(x, y)", "hypot", "xx->x",
    ),
    _one("rsqrt", by_exponent(-20, 20), None, "one / math.sqrt(x)", "1 / sqrtF(x)"),
    Function(
        "fmod", (between(-1000, 1000), between(1, 10)), "r = fmodF(x, y)", "r = np.fmod(x, y)",
        "fmod", "xx->x",
    ),
    Function(
        "remainder", (between(-1000, 1000), between(1, 10)), "r = remainderF(x, y)", None, None,
        "xx->x",
    ),
    Function("frexp", (TURNS,), "r = frexpF(x, &s)", None, "frexp", "x->xi"),
    Function(
        "ldexp", (UNIT, between(-20, 20)), "r = ldexpF(x, y)", None, "ldexp", "xi->x"
    ),
    Function("modf", (TURNS,), "r = modfF(x, &s)", None, "modf", "x->xx"),
)  # fmt: skip
