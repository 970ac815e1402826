"""Engine formulas have the documented order of operations; halves are rounded as IEEE 754 says."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import (
    Array,
    ReadOnly,
    double3,
    float2,
    float3,
    float4,
    float32,
    float64,
    math,
    uint16,
)
from samebits.errors import ArgumentError, CompileError

FORMULAS: dict[str, Callable[..., Any]] = {
    "lerp": lambda a, b, t: a + t * (b - a),
    "unlerp": lambda a, b, x: (x - a) / (b - a),
    "remap": lambda a, b, c, d, x: c + (x - a) / (b - a) * (d - c),
    "saturate": lambda x: np.minimum(np.maximum(x, type(x[0])(0)), type(x[0])(1)),
    "step": lambda edge, x: np.where(x >= edge, 1, 0).astype(x.dtype),
    "fract": lambda x: x - np.floor(x),
    "radians": lambda x: x * x.dtype.type(np.pi / 180),
    "degrees": lambda x: x * x.dtype.type(180 / np.pi),
}


def samples(dtype: Any, n: int, count: int = 500) -> list[Any]:
    random = np.random.default_rng(3)
    columns = random.standard_normal((n, count)) * 2.0 ** random.integers(-8, 8, (n, count))
    columns[:, :6] = [0.0, -0.0, 1.0, np.inf, -np.inf, np.nan]
    return [column.astype(dtype) for column in columns]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_round_in_the_documented_order(name: str, dtype: Any) -> None:
    function = getattr(math, name)
    columns = samples(dtype, function.arity)
    with np.errstate(all="ignore"):
        expected = FORMULAS[name](*columns)
    expected[np.isnan(expected)] = np.nan
    # NumPy's maximum leaves the sign of a zero open.
    found = function(*columns) + (dtype(0) if name == "saturate" else dtype(-0.0))
    assert (found.view(f"u{found.itemsize}") == expected.view(f"u{found.itemsize}")).all()


def test_smoothstep_is_flat_outside_and_hermite_inside() -> None:
    x = np.linspace(-1, 3, 401, dtype=np.float32)
    found = math.smoothstep(np.float32(0), np.float32(2), x)
    t = np.clip((x - np.float32(0)) / np.float32(2), np.float32(0), np.float32(1))
    assert (found == t * t * (np.float32(3) - np.float32(2) * t)).all()
    assert (found[x < 0] == 0).all()
    assert (found[x > 2] == 1).all()


@sb.kernel
def everything(a: float3, b: float3, n: float3, t: float32, d: double3) -> tuple[float4, double3]:
    m = math.lerp(a, b, t) + math.smoothstep(a, b, n) + math.step(a, n) * math.fract(b)
    r = math.reflect(a, n) + math.refract(a, n, t) + math.project(a, b)
    w = math.distance(a, b) + math.distance(t, 2.0) + math.radians(t) + math.degrees(t)
    return float4(m + r, w), math.saturate(math.remap(d, d + 1.0, d - 1.0, d * 2.0, d * 0.5))


@pytest.mark.parametrize("seed", range(6))
def test_every_execution_gives_the_same(seed: int) -> None:
    random = np.random.default_rng(seed)
    vectors = [float3(*random.standard_normal(3).astype(np.float32)) for _ in range(3)]
    t = np.float32(random.random())
    sb.assert_same_bits(everything, *vectors, t, double3(*random.standard_normal(3)))


def test_vectors_bounce_bend_and_fall_onto_each_other() -> None:
    assert sb.all(math.reflect(float3(1, -1, 0), float3(0, 1, 0)) == float3(1, 1, 0))
    assert sb.all(math.refract(float2(0, -1), float2(0, 1), 0.5) == float2(0, -1))
    assert sb.all(math.refract(float2(1, 0), float2(0, 1), 1.5) == float2(0, 0))  # total reflection
    assert sb.all(math.project(float2(3, 4), float2(2, 0)) == float2(3, 0))
    assert math.distance(float3(1, 2, 3), float3(2, 4, 5)) == 3
    assert math.distance(2.0, -1.0) == 3.0


def test_a_form_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(ArgumentError, match=re.escape("reflect(float2, float3) has no form")):
        math.reflect(float2(1, 2), float3(1, 2, 3))

    @sb.kernel
    def wrong(a: float2, b: float3) -> float32:
        return math.distance(a, b)

    with pytest.raises(CompileError, match=re.escape("distance() has no form for float2, float3")):
        wrong(float2(1, 2), float3(1, 2, 3))


@sb.kernel
def to_halves(x: ReadOnly[float32], out: Array[uint16]) -> None:
    for i in range(len(x)):
        out[i] = math.f32_to_f16(x[i])


@sb.kernel
def to_halves_64(x: ReadOnly[float64], out: Array[uint16]) -> None:
    for i in range(len(x)):
        out[i] = math.f64_to_f16(x[i])


@sb.kernel
def from_halves(h: ReadOnly[uint16], out: Array[float32], wide: Array[float64]) -> None:
    for i in range(len(h)):
        out[i] = math.f16_to_f32(h[i])
        wide[i] = math.f16_to_f64(h[i])


HALVES = np.arange(1 << 16, dtype=np.uint16)


def halves_of(x: Any) -> Any:
    """NumPy's conversion, with one NaN."""
    with np.errstate(all="ignore"):
        expected = x.astype(np.float16).view(np.uint16)
    return np.where(np.isnan(x), np.uint16(0x7E00), expected)


def test_every_half_becomes_its_value() -> None:
    out, wide = np.empty(1 << 16, np.float32), np.empty(1 << 16)
    from_halves(HALVES, out, wide)
    expected = HALVES.view(np.float16).astype(np.float32)
    expected[np.isnan(expected)] = np.nan
    assert (out.view(np.uint32) == expected.view(np.uint32)).all()
    assert (wide.view(np.uint64) == expected.astype(np.float64).view(np.uint64)).all()


def test_floats_become_the_nearest_half() -> None:
    x = np.arange(0, 1 << 32, 1021, dtype=np.uint32).view(np.float32)
    out = np.empty(len(x), np.uint16)
    to_halves(x, out)
    assert (out == halves_of(x)).all()


def test_ties_and_their_neighbours_become_the_nearest_half() -> None:
    finite = HALVES[:0x7C00].view(np.float16).astype(np.float64)
    middle = (finite[:-1] + finite[1:]) / 2
    ties = np.concatenate([middle, [65520.0, 65519.999999, 2.0**-25, 2.0**-26, 5e-324]])
    x = np.concatenate([ties, np.nextafter(ties, 0), np.nextafter(ties, np.inf)])
    x = np.concatenate([x, -x, [np.inf, -np.inf, np.nan]])
    out = np.empty(len(x), np.uint16)
    to_halves_64(x, out)
    assert (out == halves_of(x)).all()
    single = x.astype(np.float32)
    to_halves(single, out)
    assert (out == halves_of(single)).all()


def test_halves_are_the_same_in_every_execution() -> None:
    x = np.array([0.1, -65520, 1e-7, 6e-8, 2.0**-25, np.nan, np.inf, 1e30, 1e-45], np.float32)
    sb.assert_same_bits(to_halves, x, np.zeros(len(x), np.uint16))
    h = HALVES[::5003].copy()
    sb.assert_same_bits(from_halves, h, np.zeros(len(h), np.float32), np.zeros(len(h)))
