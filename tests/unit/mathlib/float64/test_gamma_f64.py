"""float64 tgamma and lgamma phase by phase: the exact one right against MPFR wherever it is hard,
in every execution; the fast one within half of its margin."""

# pyright: reportInvalidTypeForm=false
# The loops' types are arguments: annotations here are evaluated, not text.

from itertools import islice
from typing import Any

import gmpy2
import numpy as np
import pytest
from gmpy2 import mpfr
from tests.support.kernels.math_kernels import assert_same_patterns
from tools.prove.functions import FORMATS, NAMED, rounded

from samebits import Array, ReadOnly, float64, select
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import lgamma_f64, tgamma_f64
from samebits.mathlib.float64.exp_f64 import scale
from samebits.mathlib.float64.gamma_exact_f64 import lgamma_exact, tgamma_exact
from samebits.runtime.same_bits import executions

COUNT = 300
EXACT = {"tgamma": tgamma_exact, "lgamma": lgamma_exact}


def next_to(points: Any, rng: Any) -> Any:
    """float64 some units in the last place from the points."""
    return points + np.spacing(points) * rng.integers(1, 1000, len(points)) * rng.choice([-1, 1])


def draws() -> dict[str, Any]:
    """Arguments by where they are."""
    rng = np.random.default_rng(14)
    signs = rng.choice([-1.0, 1.0], COUNT)
    return {
        "usual": rng.uniform(0, 34, COUNT),
        "large": rng.uniform(33, 172, COUNT),
        "small": signs * np.exp2(rng.uniform(-1074, 0, COUNT)),
        "below 0": rng.uniform(-60, 0, COUNT),
        "far below 0": rng.uniform(-192, -150, COUNT),
        "next to poles": next_to(-rng.integers(1, 184, COUNT).astype(float), rng),
        "next to 1 and 2": rng.integers(1, 3, COUNT) + signs * np.exp2(rng.uniform(-53, 0, COUNT)),
        "integers": np.arange(1.0, 173.0),
        "huge": np.exp2(rng.uniform(7, 1024, COUNT)),
        "far from 0": -np.exp2(rng.uniform(7, 52, COUNT)),
    }


DRAWS = draws()


def loop_of(name: str) -> Kernel:
    """A loop over the exact phase."""
    function = EXACT[name]

    def loop(x: ReadOnly[float64], result: Array[float64]) -> None:
        for i in range(len(result)):
            result[i] = function(x[i])

    return Kernel(loop)


def right(name: str, x: Any) -> Any:
    """The correctly rounded results."""
    form = FORMATS["float64"]
    results = np.array([rounded(NAMED[name], form, (value,)) for value in x.tolist()])
    return np.where(np.isnan(results), np.nan, results)


@pytest.mark.parametrize("where", DRAWS)
@pytest.mark.parametrize("name", EXACT)
def test_the_exact_phase_is_right_by_itself(name: str, where: str) -> None:
    x = DRAWS[where]
    found = np.empty(len(x))
    loop_of(name)(x, found)
    assert_same_patterns(found, right(name, x), x, (name, where))


@pytest.mark.parametrize("name", EXACT)
def test_executions_of_the_exact_phase_agree(name: str) -> None:
    kernel = loop_of(name)
    assert kernel.fixed_types is not None
    x = np.concatenate([values[:2] for values in DRAWS.values()])
    for what, run in islice(executions(kernel, kernel.fixed_types), 2):
        found = np.empty(len(x))
        run(x, found)
        assert_same_patterns(found, right(name, x), x, (name, what))


def gamma_parts(x: ReadOnly[float64], parts: Array[float64, 2]) -> None:
    for i in range(len(x)):
        k, s, low, margin = tgamma_f64.gamma_in_two_parts(x[i])
        unit = scale(k)
        unit = select(x[i] < 0.0, 1.0 / unit, unit)
        parts[i, 0] = s * unit
        parts[i, 1] = low * unit
        parts[i, 2] = margin * unit


def log_gamma_parts(x: ReadOnly[float64], parts: Array[float64, 2]) -> None:
    for i in range(len(x)):
        s, low, margin = lgamma_f64.lgamma_in_two_parts(x[i])
        if x[i] < 0.0:
            s, low, margin = lgamma_f64.lgamma_below_0(x[i])
        parts[i, 0] = s
        parts[i, 1] = low
        parts[i, 2] = margin


PARTS = {"tgamma": Kernel(gamma_parts), "lgamma": Kernel(log_gamma_parts)}


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("tgamma", 0.0, 0.75), ("tgamma", 0.75, 8.0), ("tgamma", 8.0, 10.0),
        ("tgamma", 10.0, 170.0), ("tgamma", -8.0, 0.0), ("tgamma", -160.0, -8.0),
        ("lgamma", 0.0, 0.75), ("lgamma", 0.75, 2.5), ("lgamma", 2.5, 8.0),
        ("lgamma", 8.0, 10.0), ("lgamma", 10.0, 1e6), ("lgamma", -8.0, 0.0), ("lgamma", -1e6, -8.0),
    ],
)  # fmt: skip
def test_the_fast_phase_keeps_to_half_of_its_margin(name: str, low: float, high: float) -> None:
    x = np.random.default_rng(9).uniform(low, high, 2000)
    parts = np.empty((len(x), 3))
    PARTS[name](x, parts)
    with gmpy2.context(precision=200):
        for value, (s, rest, margin) in zip(x.tolist(), parts.tolist(), strict=True):
            off = abs(NAMED[name].exact(mpfr(value)) - (mpfr(s) + rest))
            assert off <= margin / 2, value.hex()
            assert margin <= 2.0**-60 * max(abs(s), 1.0), value.hex()
