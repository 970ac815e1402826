"""Sums and extremes of components, safe unit vectors, bases, powers of two: against plain Python,
and in every execution."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import (
    bool3,
    double3,
    float2,
    float3,
    float4,
    float32,
    float64,
    int2,
    int3,
    int32,
    int64,
    math,
    uint3,
    uint32,
    uint64,
)

WORDS = [0, 1, 2, 3, 5, 8, 9, 255, 256, 2**30, 2**30 + 1, 2**31 - 1, 2**31, 2**31 + 1, 2**32 - 1]
WIDE = [*WORDS, 2**32, 2**33 - 1, 2**62 + 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1]


@pytest.mark.parametrize(("cls", "bits"), [(uint32, 32), (int32, 32), (uint64, 64), (int64, 64)])
def test_integers(cls: Any, bits: int) -> None:
    signed = np.issubdtype(cls, np.signedinteger)
    for word in WIDE if bits == 64 else WORDS:
        value = word - (1 << bits) if signed and word >> (bits - 1) else word
        x = cls(value)
        mask = (1 << bits) - 1
        assert int(math.reversebits(x)) & mask == int(f"{word:0{bits}b}"[::-1], 2)
        power = 1 << (word - 1).bit_length() if word else 0
        assert int(math.ceilpow2(x)) & mask == power & mask
        assert math.floorlog2(x) == word.bit_length() - 1
        assert math.ceillog2(x) == ((word - 1).bit_length() if word else bits)
        assert math.ispow2(x) == (value > 0 and value & (value - 1) == 0)
        assert type(math.reversebits(x)) is cls is type(math.ceilpow2(x))
        assert type(math.floorlog2(x)) is int32


@sb.kernel
def of_bits(v: int3, w: uint3, x: int64, y: uint64) -> tuple[int3, uint3, bool3, int64, int32]:
    logs = math.floorlog2(v) + math.ceillog2(w)
    powers = uint3(math.ispow2(w)) + math.ceilpow2(w)
    both = math.reversebits(x) ^ math.ceilpow2(x)
    return logs, powers, math.ispow2(v), both, math.floorlog2(y)


@sb.kernel
def of_components(v: float3, w: float3, n: int3) -> tuple[float32, float32, float3, int32]:
    sums = math.csum(v) + math.lengthsq(v) + math.distancesq(v, w)
    ends = math.cmin(v) + math.cmax(w)
    unit = math.normalizesafe(v) + math.normalizesafe(w, v) + math.faceforward(v, w, w)
    return sums, math.chgsign(ends, v.x), unit, math.csum(n) + math.cmin(n) * math.cmax(n)


@sb.kernel
def bases(n: float3, m: double3) -> tuple[float3, float3, double3, double3]:
    a, b = math.orthonormal_basis(n)
    c, d = math.orthonormal_basis(m)
    return a, b, c, d


def test_every_execution_has_the_same_bits() -> None:
    for word in WIDE[::3]:
        n = word % 2**31
        v, w = int3(n, -n, 1), uint3(word % 2**32, 0, 7)
        assert sb.assert_same_bits(of_bits, v, w, word - 2**63, word)
    places = (0.0, -0.0, 1.5, -2.0, 1e-30, float("nan"))
    for x, y, z in itertools.product(places, repeat=3):
        assert sb.assert_same_bits(of_components, float3(x, y, z), float3(y, z, 1), int3(1, -2, 3))
    for z in (1.0, -1.0, 0.0, -0.0):
        n = float3(0, 1 - abs(z), z)
        assert sb.assert_same_bits(bases, n, double3(n.x, n.y, n.z))


def test_formulas() -> None:
    assert math.csum(float4(1e8, 1, -1e8, 1)) == 1.0  # from left to right
    assert math.cmin(float2(0.0, -0.0)).tobytes() == np.float32(-0.0).tobytes()
    assert np.isnan(math.cmax(float3(1, float("nan"), 2)))
    assert math.csum(int2(2**31 - 1, 1)) == -(2**31)
    assert tuple(math.normalizesafe(float3(0, 1e-30, 0))) == (0, 0, 0)
    assert tuple(math.normalizesafe(float2(0, 0), float2(1, 0))) == (1, 0)
    assert tuple(math.faceforward(float2(0, 1), float2(0, 1), float2(0, 1))) == (0, -1)
    assert [float(math.chgsign(float32(2), y)) for y in (1.0, -1.0, -0.0)] == [2, -2, -2]


def test_a_basis_is_orthonormal() -> None:
    draw = np.random.default_rng(4)
    for row in draw.normal(size=(50, 3)):
        n = row / np.linalg.norm(row)
        a, b = (np.array(tuple(v)) for v in math.orthonormal_basis(double3(*n)))
        matrix = np.stack([n, a, b])
        assert np.allclose(matrix @ matrix.T, np.eye(3), atol=1e-15)
    assert type(math.lengthsq(double3(1, 2, 2))) is float64
