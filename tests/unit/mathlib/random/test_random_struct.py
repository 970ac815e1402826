"""`Random` draws what it says from the words that it says, alike in every execution."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import Array, float32, float64, int32, int64, random, uint32, uint64
from samebits.errors import Trap
from samebits.random import Random


def words(seed: int, stream: int, count: int) -> list[int]:
    """The stream's words, straight from Philox."""
    found: list[int] = []
    for block in range((count + 3) // 4):
        counter = (block & 0xFFFFFFFF, block >> 32, stream & 0xFFFFFFFF, stream >> 32)
        found += [int(w) for w in random.philox4x32(counter, (seed & 0xFFFFFFFF, seed >> 32))]
    return found[:count]


@pytest.mark.parametrize(("seed", "stream"), [(0, 0), (7, 3), (2**64 - 1, 2**63 + 5)])
def test_words_come_in_philoxs_order(seed: int, stream: int) -> None:
    source = random.seeded(seed, stream)
    assert [int(source.next_uint32()) for _ in range(11)] == words(seed, stream, 11)
    assert source.position == 11


@pytest.mark.parametrize("start", [0, 1, 3, 4, 6])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 1001])
def test_skipping_is_drawing(start: int, count: int) -> None:
    drawn, skipped = random.seeded(9, 2), random.seeded(9, 2)
    for source in (drawn, skipped):
        for _ in range(start):
            source.next_uint32()
    for _ in range(count):
        drawn.next_uint32()
    skipped.skip(count)
    assert [int(drawn.next_uint32()) for _ in range(6)] == [
        int(skipped.next_uint32()) for _ in range(6)
    ]


def test_a_far_place_is_reached_at_once() -> None:
    source = random.seeded(1, 1)
    source.skip(2**64 - 1)
    block = (2**64 - 1) >> 2
    expected = random.philox4x32((block & 0xFFFFFFFF, block >> 32, 1, 0), (1, 0))
    assert source.next_uint32() == expected.w
    assert source.position == 0


@sb.kernel
def everything(source: Random, floats: Array[float32], doubles: Array[float64]) -> int64:
    """One of each draw, and a shuffle."""
    floats[0] = source.next_float32()
    floats[1] = source.next_between(-2.0, 3.0)
    floats[2] = source.next_normal32()
    d = source.next_direction2()
    floats[3] = d.x
    floats[4] = d.y
    e = source.next_direction3()
    floats[5] = e.x
    floats[6] = e.y
    floats[7] = e.z
    q = source.next_rotation()
    floats[8] = q.x
    floats[9] = q.y
    floats[10] = q.z
    floats[11] = q.w
    doubles[0] = source.next_float64()
    doubles[1] = source.next_normal64()
    doubles[2] = source.next_exponential()
    random.shuffle(source, floats)
    total = int64(source.next_int32(-5, 6)) + source.next_int64(-(1 << 40), 1 << 40)
    return total + int64(source.next_below(10)) + int64(source.next_bool())


@pytest.mark.parametrize("seed", range(5))
def test_every_execution_draws_the_same(seed: int) -> None:
    source = random.seeded(seed, 0)
    sb.assert_same_bits(everything, source, np.zeros(12, np.float32), np.zeros(3))


def many(draw: Callable[..., Any], dtype: Any, count: int = 200_000) -> Any:
    out = np.zeros(count, dtype)
    draw(random.seeded(2, 0), out)
    return out


@sb.kernel
def normals32(source: Random, out: Array[float32]) -> None:
    for i in range(len(out)):
        out[i] = source.next_normal32()


@sb.kernel
def normals64(source: Random, out: Array[float64]) -> None:
    for i in range(len(out)):
        out[i] = source.next_normal64()


@sb.kernel
def exponentials(source: Random, out: Array[float64]) -> None:
    for i in range(len(out)):
        out[i] = source.next_exponential()


@sb.kernel
def below(source: Random, out: Array[uint32]) -> None:
    for i in range(len(out)):
        out[i] = source.next_below(3_000_000_000)


@sb.kernel
def dice(source: Random, out: Array[int32]) -> None:
    for i in range(len(out)):
        out[i] = source.next_int32(-2, 4)


@pytest.mark.parametrize(("draw", "dtype"), [(normals32, np.float32), (normals64, np.float64)])
def test_normal_variates_have_the_normals_moments(draw: Any, dtype: Any) -> None:
    x = many(draw, dtype).astype(np.float64)
    assert abs(x.mean()) < 0.01
    assert abs(x.var() - 1) < 0.015
    assert abs((x**3).mean()) < 0.03
    assert abs((x**4).mean() - 3) < 0.1
    inside = [(np.abs(x) < s).mean() for s in (1, 2, 3)]
    assert np.abs(np.array(inside) - [0.682689, 0.954500, 0.997300]).max() < 0.004


def test_exponential_variates_have_the_exponentials_moments() -> None:
    x = many(exponentials, np.float64)
    assert x.min() >= 0
    assert abs(x.mean() - 1) < 0.01
    assert abs(x.var() - 1) < 0.03


def test_ranges_have_no_bias() -> None:
    # By the remainder of a 32-bit word the first 1.29 thousand million would come twice as often.
    x = many(below, np.uint32)
    assert x.max() < 3_000_000_000
    assert abs((x < 1_500_000_000).mean() - 0.5) < 0.005
    counts = np.bincount(many(dice, np.int32) + 2)
    assert len(counts) == 6
    expected = 200_000 / 6
    assert ((counts - expected) ** 2 / expected).sum() < 20.5  # 5 degrees of freedom, 1 in 1,000


@pytest.mark.parametrize("dimensions", [2, 3, 4])
def test_directions_and_rotations_favour_none(dimensions: int) -> None:
    source = random.seeded(4, 0)
    draw = {2: source.next_direction2, 3: source.next_direction3, 4: source.next_rotation}
    v = np.array([tuple(draw[dimensions]()) for _ in range(4000)], np.float64)
    assert np.abs(np.linalg.norm(v, axis=1) - 1).max() < 1e-6
    assert np.abs(v.mean(axis=0)).max() < 0.05
    assert np.abs(v.T @ v / len(v) - np.eye(dimensions) / dimensions).max() < 0.03


def test_shuffles_are_permutations_and_each_is_as_likely() -> None:
    source = random.seeded(6, 0)
    counts: dict[tuple[int, ...], int] = {}
    for _ in range(6000):
        x = np.arange(4, dtype=np.int32)
        random.shuffle(source, x)
        counts[tuple(x.tolist())] = counts.get(tuple(x.tolist()), 0) + 1
    assert len(counts) == 24
    assert sum((c - 250) ** 2 / 250 for c in counts.values()) < 49.8  # 23 degrees, 1 in 1,000
    random.shuffle(source, np.zeros(0, np.int32))


def test_what_is_no_array_is_not_shuffled() -> None:
    source = random.seeded(6, 0)
    for x in ([1, 2, 3], np.array([None, 1]), np.zeros((2, 7, 9))):
        with pytest.raises(sb.CompileError) as error:
            random.shuffle(source, x)
        assert error.value.message == (
            "shuffle(): parameter 'x' is generic, and is given no NumPy array of 1 dimension "
            "that a kernel takes"
        )


def test_a_copy_goes_its_own_way() -> None:
    a = random.seeded(1, 2)
    a.next_uint32()
    b = a.copy()
    assert [int(a.next_uint32()) for _ in range(9)] == [int(b.next_uint32()) for _ in range(9)]


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda r: r.next_below(0), "next_below(0): there is no number below 0"),
        (lambda r: r.next_below64(0), "next_below64(0): there is no number below 0"),
        (lambda r: r.next_int32(3, 3), "next_int32(low, high) needs low < high"),
        (lambda r: r.next_int64(3, -3), "next_int64(low, high) needs low < high"),
    ],
)
def test_empty_ranges_trap(draw: Any, message: str) -> None:
    with pytest.raises(Trap, match=re.escape(message)):
        draw(random.seeded(0, 0))


def test_whole_ranges_of_the_types_are_ranges() -> None:
    source = random.seeded(8, 0)
    drawn = [int(source.next_int32(-(2**31), 2**31 - 1)) for _ in range(200)]
    assert min(drawn) < -(2**29)
    assert max(drawn) > 2**29
    assert isinstance(source.next_below64(uint64(2**64 - 1)), np.uint64)
