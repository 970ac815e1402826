"""Fixed-point vectors, structs, arrays and tables hold the numbers and compute as scalars do."""

import math
from fractions import Fraction

import numpy as np
import pytest

import samebits as sb
from samebits import fix16, fix16x2_sat, fix32, fix32x3, fix48x4_wrap
from samebits.runtime.evaluate import evaluate_call

TENTHS = sb.table(["0.1", "0.2", 3], fix32)
CORNER = fix32x3(1, -2, 3)


@sb.struct
class Ball:
    pos: fix32x3
    vel: fix32x3
    bounce: fix16
    trail: sb.FixedArray[fix32, 4]


@sb.kernel
def fly(ball: Ball, dt: fix32, walls: sb.Array[fix32]) -> fix32:
    ball.vel -= fix32x3(0, fix32("9.81"), 0) * dt
    ball.pos += ball.vel * dt
    if ball.pos.y < walls[0]:
        ball.pos = fix32x3(ball.pos.x, 2 * walls[0] - ball.pos.y, ball.pos.z)
        ball.vel = fix32x3(ball.vel.x, -ball.vel.y * fix32(ball.bounce), ball.vel.z)
    ball.trail[1] = ball.pos.y + TENTHS[1]
    walls[1] = sb.max(walls[1], ball.pos.y)
    return sb.length(ball.vel + CORNER) + sb.dot(ball.pos, ball.vel.zyx)


def test_a_struct_of_fixed_point_is_the_same_in_every_execution():
    ball = Ball(pos=fix32x3(0, 10, 0), vel=fix32x3(1, 2, -1), bounce=fix16("0.7"))
    walls = np.array([fix32("0.5").raw, 0], np.int64)
    for _ in range(3):
        sb.assert_same_bits(fly, ball, fix32("0.9"), walls)
        fly(ball, fix32("0.9"), walls)
    assert ball.trail[1].raw == ball.pos.y.raw + fix32("0.2").raw
    assert Fraction(walls[1].item(), 1 << 32) >= 0
    assert ball.memory["pos"][1] == ball.pos.y.raw


def test_a_number_outside_the_range_traps_in_a_vector_with_its_line():
    @sb.kernel
    def scaled(v: fix32x3, k: fix32) -> fix32x3:
        return v * k

    for run in (scaled.managed, scaled, lambda *args: evaluate_call(scaled, args)):
        with pytest.raises(sb.Trap) as caught:
            run((1, 2, 1 << 20), 1 << 11)
        assert caught.value.kind == "overflow"
        assert caught.value.span.line == scaled.function.__code__.co_firstlineno + 2


@sb.kernel
def policies(a: fix16x2_sat, b: fix48x4_wrap) -> tuple[fix16x2_sat, fix48x4_wrap, bool]:
    return a * a + 1, b * b - b.wzyx, sb.all(a > fix16x2_sat(0))


def test_vectors_follow_their_elements_policy():
    sb.assert_same_bits(policies, (300, 2), (1 << 40, 3, -5, 7))
    a, b, above = policies((300, 2), (1 << 40, 3, -5, 7))
    assert [x.raw for x in a] == [2**31 - 1, 5 << 16]
    assert b.y.raw == (9 + 5) << 16
    assert above


@sb.kernel
def unit(v: fix32x3) -> tuple[fix32x3, fix32]:
    return sb.normalize(v), sb.length(v)


def test_length_is_the_rounded_root_of_the_dot_product():
    v = fix32x3(3, 4, 12)
    sb.assert_same_bits(unit, v)
    direction, size = unit(v)
    assert size.raw == 13 << 32
    assert direction.x.raw == round(Fraction(3 << 32, 13))


@sb.kernel
def rooted(
    a: fix32, b: sb.fix16_sat, c: sb.fix48_wrap
) -> tuple[fix32, sb.fix16_sat, sb.fix48_wrap]:
    return sb.sqrt(a), sb.sqrt(b), sb.sqrt(c)


def test_square_roots_are_the_nearest_step():
    r = np.random.default_rng(5)
    for _ in range(300):
        raws = [int(r.integers(0, 1 << int(r.integers(1, n)))) for n in (63, 31, 63)]
        args = [
            cls.from_raw(n)
            for cls, n in zip((fix32, sb.fix16_sat, sb.fix48_wrap), raws, strict=True)
        ]
        for x, y in zip(args, rooted(*args), strict=True):
            n = x.raw << x.__sb_type__.fraction
            floor = math.isqrt(n)
            assert y.raw == floor + (n - floor * floor > floor)
        assert rooted.managed(*args) == rooted(*args)
    sb.assert_same_bits(rooted, fix32(2), sb.fix16_sat(-2), sb.fix48_wrap(-1))
    with pytest.raises(sb.Trap):
        sb.assert_same_bits(rooted, fix32(-2), sb.fix16_sat(2), sb.fix48_wrap(1))


def test_arrays_of_another_dtype_are_refused():
    with pytest.raises(sb.ArgumentError, match="int32"):
        fly(Ball(), 0, np.zeros(2, np.int32))
    with pytest.raises(sb.ArgumentError, match="float64"):
        fly(Ball(), 0, np.zeros(2))
