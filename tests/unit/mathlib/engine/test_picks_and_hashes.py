"""Components picked out, hashes and angles: against plain Python, NumPy and xxHash's own library,
and in every execution."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import xxhash

import samebits as sb
from samebits import (
    Array,
    bool4,
    double2,
    double3,
    double4,
    dquaternion,
    float2,
    float3,
    float4,
    float32,
    float64,
    int2,
    int3,
    int4,
    int32,
    int64,
    math,
    quaternion,
    uint2,
    uint3,
    uint4,
    uint32,
    uint64,
)
from samebits.errors import ArgumentError, CompileError, Trap

FOURS = (float4, double4, int4, uint4)
VECTORS = (
    float2, float3, float4, double2, double3, double4, int2, int3, int4, uint2, uint3, uint4,
    quaternion, dquaternion,
)  # fmt: skip
MASKS = list(itertools.product((False, True), repeat=4))


@pytest.mark.parametrize("cls", FOURS)
def test_components_are_picked_by_number(cls: Any) -> None:
    a, b = cls(10, 11, 12, 13), cls(14, 15, 16, 17)
    for picks in ((7,), (0, 4), (3, 3, 5), (6, 1, 0, 7)):
        found = np.asarray(math.shuffle(a, b, *picks)).reshape(-1)
        assert found.tolist() == [10 + k for k in picks]
        assert found.dtype == cls.__sb_type__.element.dtype
    for outside in (8, -1):
        with pytest.raises(Trap):
            math.shuffle(a, b, 0, outside)


@pytest.mark.parametrize("cls", FOURS)
@pytest.mark.parametrize("mask", MASKS)
def test_components_of_a_mask_are_packed(cls: Any, mask: tuple[bool, ...]) -> None:
    out = np.zeros(6, cls.__sb_type__.element.dtype)
    taken = [k + 1 for k, held in enumerate(mask) if held]
    assert math.compress(out, 1, cls(1, 2, 3, 4), bool4(*mask)) == 1 + len(taken)
    assert out.tolist() == [0, *taken, *[0] * (5 - len(taken))]
    if taken:
        with pytest.raises(Trap):
            math.compress(out[: len(taken)], 1, cls(1, 2, 3, 4), bool4(*mask))


@pytest.mark.parametrize("cls", VECTORS)
def test_hashes_of_vectors_are_xxh32(cls: Any) -> None:
    t = cls.__sb_type__
    rng = np.random.default_rng(7)
    for _ in range(20):
        bits = rng.integers(0, 256, t.size, np.uint8)
        if t.element.is_float:  # no NaN, which has one hash
            bits.view(t.element.dtype)[:] = rng.standard_normal(t.length) * 1e9
        given = cls(*bits.view(t.element.dtype))
        assert int(math.hash(given)) == xxhash.xxh32_intdigest(bits.tobytes())


def test_hashes_of_numbers_are_xxh32() -> None:
    for x in (float32(1.5), float64(-2.25), int32(-7), uint32(9), int64(-9), uint64(2**63)):
        assert int(math.hash(x)) == xxhash.xxh32_intdigest(np.asarray(x).tobytes())
    assert math.hash(float32(0.0)) != math.hash(float32(-0.0))
    nan = np.array([0x7FC00000, 0xFFC00001, 0x7F800001], np.uint32).view(np.float32)
    assert len({int(math.hash(x)) for x in nan}) == 1


def test_an_angle_keeps_its_digits_near_the_ends() -> None:
    for angle in (0.0, 1e-9, 0.5, np.pi / 2, 3.0, np.pi - 1e-9, np.pi):
        turned = double2(np.cos(angle), np.sin(angle))
        assert abs(float(math.angle(double2(2, 0), turned)) - angle) < 1e-15
        turned = double3(0, np.sin(angle) * 3, np.cos(angle) * 3)
        assert abs(float(math.angle(double3(0, 0, 1), turned)) - angle) < 1e-15
        q = math.axis_angle(double3(0.6, 0, 0.8), angle)
        assert abs(float(math.angle(dquaternion.identity, q)) - angle) < 1e-15
        assert abs(float(math.angle(q, -q))) < 1e-15


@sb.kernel
def picked(
    out: Array[int32], v: int4, w: float4, mask: bool4, k: int
) -> tuple[int, int4, float2, float32]:
    end = math.compress(out, k, v, mask)
    end = math.compress(out, end, -v, ~mask)
    few = math.shuffle(w, -w, k, 7)
    return end, math.shuffle(v, v * 2, 0, 5, k, 6), few, math.shuffle(w, w, 3)


@sb.struct
class Table:
    slots: sb.FixedArray[uint32, 8]


@sb.kernel
def hashed(
    table: Table, p: float3, q: quaternion, x: float64, v: int3, m: double3
) -> tuple[uint32, float32, float64, float32]:
    h = math.hash(p) ^ math.hash(q) + math.hash(x) * math.hash(v) ^ math.hash(m)
    n = math.compress(table.slots, 2, uint4(h, h >> 1, h >> 2, h >> 3), bool4(True))
    table.slots[n] = math.hash(uint32(n))
    turn = math.axis_angle(float3(0, 1, 0), p.x)
    return h, math.angle(p, q.xyz), math.angle(m, -m), math.angle(q, turn @ q)


def test_every_execution_has_the_same_bits() -> None:
    for n, mask in enumerate(MASKS):
        out = np.zeros(6 + n % 2, np.int32)
        w = float4(n, -0.0, float("nan"), 1e-40)
        assert sb.assert_same_bits(picked, out, int4(n, -1, 2**31 - 1, 5), w, bool4(*mask), n % 4)
    for p in itertools.product((0.0, -0.0, 1.5, float("inf"), float("nan")), repeat=2):
        q = math.normalize(quaternion(1, 2, -3, 0.5))
        given = float3(*p, 0.7), q, p[0], int3(-1, 2, 3), double3(*p, 1)
        assert sb.assert_same_bits(hashed, Table(), *given)


@sb.kernel
def of_a_wrong_type(out: Array[int32], v: float4) -> int:
    return math.compress(out, 0, v, bool4(True))


def test_arguments_that_do_not_fit_are_refused() -> None:
    with pytest.raises(CompileError, match="has no form"):
        of_a_wrong_type(np.zeros(4, np.int32), float4(0))
    for wrong in (np.zeros(4), np.zeros((4, 4), np.int32), [0, 0, 0, 0]):
        with pytest.raises(ArgumentError, match="has no form"):
            math.compress(wrong, 0, int4(0), bool4(True))
    locked = np.zeros(4, np.int32)
    locked.flags.writeable = False
    with pytest.raises(ArgumentError):
        math.compress(locked, 0, int4(0), bool4(True))
