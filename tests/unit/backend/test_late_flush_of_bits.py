"""Numbers that come as bits, in scalar arguments and copies of structs, are zero by the rule for
operands where they are compared with 0.0: LLVM would compare their bits with those of zero."""

from __future__ import annotations

import numpy as np
import pytest

import samebits as sb
from samebits import float32, float64

SUBNORMAL = 2.0**-140, -(2.0**-140), 0.0, -0.0, 1.0, float("nan")


@sb.struct
class Four:
    a: float32
    b: float32
    c: float32
    d: float32


@sb.kernel(denormals="flush")
def equal(x: float32) -> bool:
    return x == 0.0


@sb.kernel(denormals="flush")
def other(x: float32) -> bool:
    return x != 0.0


@sb.kernel(denormals="flush")
def between(x: float32) -> bool:
    return x <= 0.0 and x >= 0.0


@sb.kernel(denormals="flush")
def outside(x: float32) -> bool:
    return not (abs(x) <= 0.0)


@sb.kernel(denormals="flush")
def true(x: float32) -> bool:
    return True if x else False  # noqa: SIM210


@sb.kernel(denormals="flush")
def least(x: float32) -> bool:
    return 1.0 / min(x, 0.0) < 0.0


@sb.kernel(denormals="flush")
def greatest(x: float32) -> bool:
    return 1.0 / max(x, float32(-0.0)) < 0.0


KERNELS = equal, other, between, outside, true, least, greatest


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda k: k.__name__)
@pytest.mark.parametrize("x", SUBNORMAL)
def test_a_scalar_argument(kernel: sb.Kernel[[float32], bool], x: float) -> None:
    sb.assert_same_bits(kernel, float32(x))


@sb.kernel(denormals="flush")
def copied(given: Four, x: float64) -> int:
    held = Four(0.0, 0.0, 0.0, 0.0)
    held.a = given.d
    held.b = given.c
    held.c = given.b
    held.d = given.a
    found = 0
    if held.a == 0.0 or x != 0.0:
        found += 1
    if held.b != 0.0 and held.c:
        found += 2
    return found + (4 if held.d <= 0.0 and held.d >= 0.0 else 8)


def test_copies_of_a_struct() -> None:
    small = float32(2.0**-140)
    for given in (Four(small, small, small, small), Four(-small, float32(1.0), small, small)):
        sb.assert_same_bits(copied, given, float64(2.0**-1060))
    assert copied(Four(small, small, small, small), np.float64(2.0**-1060)) == 5
