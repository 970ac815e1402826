"""Constant indices count from the end as in Python, and shapes unpack, in every execution."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

import numpy as np
import pytest
from tests.support.executions import refusal_of, same, trap_of

import samebits as sb
from samebits import float3, float32, int32, int64

LAST = -1
PRIMES = sb.table([2, 3, 5, 7], int32)


class At(IntEnum):
    SECOND_LAST = -2


@sb.struct
class Track:
    laps: sb.FixedArray[float32, 3]
    grid: sb.FixedArray[int32, 2, 3]


def ints(*values: int) -> Any:
    return np.array(values, np.int32)


def test_a_negative_constant_counts_from_the_end() -> None:
    @sb.kernel
    def ends(a: sb.Array[int32], image: sb.Array[int32, 2], track: Track) -> int:
        local = sb.zeros(3, int32)
        local[-3] = a[-1] + a[LAST] * a[At.SECOND_LAST] + a[1 - 3]
        a[-1] += local[0]
        image[-1, -2] = image[0, -1] + image[-2, 0]
        track.laps[-1] = float32(a[-2])
        track.grid[-1, LAST] = PRIMES[-1] + PRIMES[-4]
        total = 0
        for pixel in image[-1]:
            total = total * 100 + int(pixel)
        return total

    a, image = ints(1, 2, 3), np.arange(6, dtype=np.int32).reshape(2, 3)
    track = Track()
    assert same(ends, a, image, track) == 30205
    assert a.tolist() == [1, 2, 3 + 3 + 6 + 2]
    assert track.memory["laps"].tolist() == [0, 0, 2]
    assert track.memory["grid"].tolist() == [[0, 0, 0], [0, 0, 9]]


def test_elements_from_the_end_are_what_they_are_by_other_indices() -> None:
    @sb.kernel
    def push(points: sb.Array[float3], tracks: sb.Array[Track]) -> float32:
        points[-1] += float3(1)
        last = tracks[-1]
        last.laps[-1] += float32(2)
        return points[-1].x + last.laps[2]

    points, tracks = np.zeros((2, 3), np.float32), np.zeros(2, Track.dtype)
    assert same(push, points, tracks) == 3
    assert points.tolist() == [[0, 0, 0], [1, 1, 1]]
    assert tracks["laps"].tolist() == [[0, 0, 0], [0, 0, 2]]


@pytest.mark.parametrize("length", [0, 1])
def test_a_constant_before_the_first_element_traps(length: int) -> None:
    @sb.kernel
    def second_last(a: sb.Array[int32]) -> int32:
        a[-2] = int32(1)
        return a[-1]

    @sb.kernel
    def far(a: sb.ReadOnly[int32, 2]) -> int32:
        return a[0, -9223372036854775808]

    assert trap_of(second_last, np.zeros(length, np.int32)) == ("index", "a[-2]")
    image = np.zeros((1, length), np.int32)
    assert trap_of(far, image) == ("index", "a[0, -9223372036854775808]")


def test_a_negative_variable_traps() -> None:
    @sb.kernel
    def at(a: sb.ReadOnly[int32], i: int) -> int32:
        return a[i]

    @sb.kernel
    def at_name(a: sb.ReadOnly[int32]) -> int32:
        i = -1
        return a[i]

    assert trap_of(at, ints(1, 2), -1) == ("index", "a[i]")
    assert trap_of(at_name, ints(1, 2)) == ("index", "a[i]")
    assert same(at, ints(1, 2), 1) == 2


def test_an_iteration_owns_an_element_by_whatever_index() -> None:
    @sb.kernel
    def alone(a: sb.Array[int32]) -> None:
        for i in sb.prange(len(a)):
            a[i] = a[-1] + int32(1)

    a = ints(5)
    same(alone, a)
    assert a.tolist() == [6]
    assert trap_of(alone, ints(1, 2)) == ("own", "a[-1]")


def test_a_constant_that_int64_does_not_hold_is_refused() -> None:
    @sb.kernel
    def far(a: sb.ReadOnly[int32]) -> int32:
        return a[-9223372036854775809]

    assert "int64" in str(refusal_of(far, ints(1)))


def test_shapes_unpack() -> None:
    @sb.kernel
    def mean(image: sb.ReadOnly[int32, 2], a: sb.ReadOnly[int32], track: Track) -> int:
        h, w = image.shape
        (n,) = a.shape
        _, columns = track.grid.shape
        if a.shape[-1] != n or image.shape[-2] != h:
            return 0
        return h * 1000 + w * 100 + n * 10 + columns

    @sb.kernel
    def shape_of(image: sb.ReadOnly[int32, 2]) -> tuple[int, int]:
        return image.shape

    @sb.kernel
    def kept(image: sb.ReadOnly[int32, 2]) -> int64:
        shape = image.shape
        return int64(shape[0])

    image = np.zeros((4, 5), np.int32)
    assert same(mean, image, ints(1, 2), Track()) == 4523
    assert same(shape_of, image) == (4, 5)
    assert same(kept, image) == 4
