"""float64 asinh, acosh and atanh where one of their two parts rounds up to a power of two."""

from __future__ import annotations

import gmpy2
import numpy as np
import pytest

from samebits import float64, math
from samebits.lang.kernel import Kernel
from samebits.mathlib.float64 import asinh_f64

ENDS = [
    float.fromhex(f"0x1.{m:013x}p{e}")
    for e in range(-30, 480)
    for m in (0, 1, 2, (1 << 52) - 3, (1 << 52) - 2, (1 << 52) - 1)
]
"""Beside every power of two: just below one, x²/(1 + √(1 + x²)) rounds up to it, above x."""


@pytest.mark.parametrize(("name", "scale"), [("asinh", 1.0), ("acosh", 1.0), ("atanh", 2.0**-500)])
def test_arguments_beside_every_power_of_two_are_rounded_right(name: str, scale: float) -> None:
    sizes = [x * scale for x in ENDS if name != "acosh" or x >= 1]
    x = np.array(sizes + [-size for size in sizes if name != "acosh"])
    with gmpy2.context(precision=53):
        expected = np.array([float(getattr(gmpy2, name)(gmpy2.mpfr(v))) for v in x.tolist()])
    found = getattr(math, name)(x)
    assert np.array_equal(found.view(np.uint64), expected.view(np.uint64))


@pytest.mark.parametrize("x", ["0x1.fffffffffffffp+280", "0x1.fffffffffffffp+341"])
def test_what_was_once_wrong_is_right_in_every_execution(x: str) -> None:
    kernel: Kernel = asinh_f64.asinh
    for size in (float.fromhex(x), -float.fromhex(x)):
        with gmpy2.context(precision=53):
            expected = float(gmpy2.asinh(gmpy2.mpfr(size)))
        assert float(kernel(float64(size))) == expected
        assert float(kernel.managed(float64(size))) == expected


def test_the_fast_phase_is_within_its_margin_beside_every_power_of_two() -> None:
    for x in ENDS[::5]:
        s, low, margin = asinh_f64.asinh_in_two_parts(x)
        with gmpy2.context(precision=300):
            off = gmpy2.mpfr(float(s)) + gmpy2.mpfr(float(low)) - gmpy2.asinh(gmpy2.mpfr(x))
        assert abs(off) <= float(margin), x.hex()
