"""`denormals="flush"`: every subnormal number that such a kernel reads or makes is a zero."""

# pyright: reportReturnType=false, reportAssignmentType=false, reportArgumentType=false

from __future__ import annotations

import itertools

import numpy as np
import pytest

import samebits as sb
from samebits import float3, float32, float64, int32, math, uint32
from samebits.bits import SMALLEST_NORMAL, bits_to_float, float_to_bits, flushed
from samebits.lang.kernel import Kernel

TINY = {32: 2.0**-149, 64: 2.0**-1074}
TINY_VECTOR = float3(1e-40, 1.0, -1e-40)


def border(bits: int) -> list[float]:
    """Numbers on both sides of the least normal one, of both signs, and what makes more."""
    least, tiny = SMALLEST_NORMAL[bits], TINY[bits]
    near = [tiny, 3 * tiny, least / 2, least - tiny, least, least + tiny, 1.5 * least, 3 * least]
    far = [0.0, 1.0, 1.0 - 2.0**-24, 2.0**-30, 2.0**60, float("inf"), float("nan")]
    return [sign * x for x in (*near, *far) for sign in (1.0, -1.0)]


@sb.kernel(denormals="flush")
def arithmetic32(a: float32, b: float32) -> tuple[float32, float32, float32, float32, float32]:
    return a + b, a - b, a * b, a / b, sb.fma(a, b, a)


@sb.kernel(denormals="flush")
def arithmetic64(a: float64, b: float64) -> tuple[float64, float64, float64, float64, float64]:
    return a + b, a - b, a * b, a / b, sb.fma(a, b, a)


@pytest.mark.parametrize(("kernel", "bits"), [(arithmetic32, 32), (arithmetic64, 64)])
def test_operands_are_flushed_and_results_rounded_then_flushed(kernel: Kernel, bits: int) -> None:
    make = float32 if bits == 32 else float64
    seen: set[float] = set()
    for a, b in itertools.product(border(bits), repeat=2):
        sb.assert_same_bits(kernel, make(a), make(b), targets=["evaluate"])
        x, y = make(flushed(a, bits)), make(flushed(b, bits))
        with np.errstate(all="ignore"):
            due = (x + y, x - y, x * y, x / y, sb.fma(x, y, x))
        found = kernel(make(a), make(b))
        for one, other in zip(found, due, strict=True):
            wanted = float_to_bits(flushed(float(other), bits), bits)
            assert float_to_bits(float(one), bits) == wanted, (a, b)
            seen.add(float(other))
    assert any(0 < abs(value) < SMALLEST_NORMAL[bits] for value in seen)


@sb.struct
class Body:
    speed: float32
    place: float3


@sb.kernel
def keeps(x: float32) -> float32:
    return x * float32(1e-6)


@sb.kernel(denormals="flush")
def everything(
    x: float32, y: float64, w: float, a: sb.Array[float32], body: Body, n: uint32
) -> tuple[float32, float64, float, float3, bool, float32]:
    z = keeps(x) + math.sin(x) + sb.sqrt(x)
    for i in range(len(a)):
        a[i] += 0
    w *= 0.5
    w = w * 2.0 + 1e-310
    body.speed = body.speed
    v = TINY_VECTOR * body.place + sb.normalize(body.place) * x
    half = y - 1e-310
    if half < 0.0:
        z = sb.min(z, float32(half))
    made = sb.bitcast(float32, n)
    return z, half / 3, w, v, x == 0, sb.select(made > 0, made, sb.abs(made))


def test_every_execution_flushes_alike_wherever_a_number_comes_from() -> None:
    for x in border(32):
        for y in (0.0, 3e-308, 2.2250738585072014e-308, 1e-310, -2e-308):
            body = Body(speed=float32(1e-40), place=float3(1e-3, 1e-45, x))
            a = np.array([1e-40, -1e-42, 1.0, x], np.float32)
            n = float_to_bits(float32(x).item(), 32)
            sb.assert_same_bits(
                everything, float32(x), y, y, a, body, uint32(n), targets=["evaluate"]
            )


def test_every_level_of_this_host_flushes_alike() -> None:
    for x in (1e-40, -(2.0**-126), 2.0**-126 - 2.0**-149, 1.5):
        body = Body(speed=float32(1e-40), place=float3(1e-3, 1e-45, x))
        a = np.array([1e-40, -1e-42, 1.0, x] * 9, np.float32)
        sb.assert_same_bits(everything, float32(x), 1e-310, 3e-308, a, body, uint32(77))
        everything(float32(x), 1e-310, 3e-308, a, body, uint32(77))
        assert not (np.abs(a[a != 0]) < SMALLEST_NORMAL[32]).any()


def test_zeros_keep_the_sign_of_what_was_flushed() -> None:
    for made in (arithmetic32, arithmetic32.managed):
        product = made(float32(-1e-30), float32(1e-10))[2]
        assert float_to_bits(float(product), 32) == 0x8000_0000
        assert float_to_bits(float(made(float32(1e-40), float32(-0.0))[0]), 32) == 0


@sb.kernel(denormals="flush")
def scaled(x: float) -> float:
    return 1.0 / x


def test_a_python_float_that_is_flushed_divides_as_zero_does() -> None:
    with pytest.raises(sb.Trap) as caught:
        sb.assert_same_bits(scaled, 1e-310)
    assert caught.value.kind == "zero"
    sb.assert_same_bits(scaled, 1e-300)


@sb.kernel
def outer(x: float32) -> float32:
    return inner(x * float32(0.5)) + x


@sb.kernel(denormals="flush")
def inner(x: float32) -> float32:
    return x + x


@sb.kernel(denormals="flush")
def around(x: float32) -> float32:
    return keeps(x)


@sb.kernel(denormals="flush")
def counted(x: float32) -> int32:
    return int32(keeps(x) == 0) + int32(around(x) == 0) * 2


def test_a_called_kernel_keeps_its_own_rule() -> None:
    least = float32(SMALLEST_NORMAL[32])
    for x in (least, float32(2.0) * least, float32(1e-40), float32(1.0)):
        for kernel in (outer, around, counted):
            sb.assert_same_bits(kernel, x)
    assert outer(least) == least
    assert around(least) == 0
    assert keeps(least) > 0


def test_copies_of_structs_are_raw() -> None:
    @sb.kernel(denormals="flush")
    def copied(a: sb.Array[Body]) -> None:
        a[1] = a[0]

    bodies = np.zeros(2, Body.dtype)
    bodies["speed"][0] = 1e-40
    sb.assert_same_bits(copied, bodies)
    copied(bodies)
    assert bodies["speed"][1] == np.float32(1e-40)


def test_the_border_is_the_least_normal_number() -> None:
    assert flushed(bits_to_float(0x007FFFFF, 32), 32) == 0.0
    assert flushed(bits_to_float(0x00800000, 32), 32) == SMALLEST_NORMAL[32]


SMALL = 1e-310
PAIR = (1e-310, 1.0)


@sb.kernel(denormals="flush")
def comparisons_of_literals(x: float64) -> int:
    n = 0
    if 1e-310:
        n |= 1
    if not -1e-310 * 2.0:
        n |= 2
    if (x and SMALL) or 1e-310 > 0:
        n |= 4
    if 0.0 in (1e-310, 1.0):
        n |= 8
    if 0.0 < SMALL < x:
        n |= 16
    if PAIR[0] == 0.0:
        n |= 32
    while 1e-310 / 2.0:
        return -1
    return n | (64 if SMALL else 128) | (256 if 1e-310 * 1e10 else 0)


def test_comparisons_and_conditions_of_literals_see_zeros() -> None:
    assert comparisons_of_literals(1.0) == 2 | 8 | 32 | 128 | 256
    sb.assert_same_bits(comparisons_of_literals, 1.0)
