"""Noise has its ranges and continuity, repeats exactly, and is the same in every execution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import samebits as sb
from samebits import Array, ReadOnly, float2, float3, float32, noise, uint32

PLANE: dict[str, Any] = {"perlin": noise.perlin_2d, "simplex": noise.simplex_2d}
SPACE: dict[str, Any] = {"perlin": noise.perlin_3d, "simplex": noise.simplex_3d}


def in_plane(function: Any) -> Callable[..., None]:
    @sb.kernel
    def run(p: ReadOnly[float2], seed: uint32, out: Array[float32]) -> None:
        for i in range(len(p)):
            out[i] = function(p[i], seed)

    return run


def in_space(function: Any) -> Callable[..., None]:
    @sb.kernel
    def run(p: ReadOnly[float3], seed: uint32, out: Array[float32]) -> None:
        for i in range(len(p)):
            out[i] = function(p[i], seed)

    return run


@sb.kernel
def cells_2d(p: ReadOnly[float2], seed: uint32, out: Array[float2]) -> None:
    for i in range(len(p)):
        out[i] = noise.cellular_2d(p[i], seed)


@sb.kernel
def cells_3d(p: ReadOnly[float3], seed: uint32, out: Array[float2]) -> None:
    for i in range(len(p)):
        out[i] = noise.cellular_3d(p[i], seed)


def points(n: int, dimensions: int, size: float = 100.0) -> Any:
    return np.random.default_rng(1).uniform(-size, size, (n, dimensions)).astype(np.float32)


def values(kernel: Any, p: Any, seed: int = 3) -> Any:
    out = np.empty(len(p), np.float32)
    kernel(p, seed, out)
    return out


GRADIENTS = [
    *((f"{name}_2d", in_plane(f), 2) for name, f in PLANE.items()),
    *((f"{name}_3d", in_space(f), 3) for name, f in SPACE.items()),
]


@pytest.mark.parametrize(("name", "kernel", "n"), GRADIENTS, ids=[g[0] for g in GRADIENTS])
class TestGradientNoise:
    def test_every_execution_gives_the_same(self, name: str, kernel: Any, n: int) -> None:
        hostile = np.array([[0.0] * n, [-0.0] * n, [1e9] * n, [-3e38] * n, [np.inf] * n,
                            [np.nan] * n, [1e-40] * n, [-1.0] * n, [2.0**31] * n])  # fmt: skip
        p = np.concatenate([points(20, n), hostile.astype(np.float32)])
        sb.assert_same_bits(kernel, p, 5, np.zeros(len(p), np.float32))

    def test_values_fill_the_stated_range(self, name: str, kernel: Any, n: int) -> None:
        found = values(kernel, points(300_000, n))
        assert -1.0 <= found.min() < -0.75
        assert 0.75 < found.max() <= 1.0
        assert abs(found.mean()) < 0.01

    def test_it_has_no_steps(self, name: str, kernel: Any, n: int) -> None:
        p = points(50_000, n, 8.0)
        step = np.float32(2.0**-12)
        there = p + np.eye(n, dtype=np.float32)[0] * step
        slope = np.abs(values(kernel, there) - values(kernel, p)) / step
        assert slope.max() < 8.0

    def test_another_seed_is_other_noise(self, name: str, kernel: Any, n: int) -> None:
        p = points(20_000, n)
        a, b = values(kernel, p, 3), values(kernel, p, 4)
        assert abs(np.corrcoef(a, b)[0, 1]) < 0.03


@pytest.mark.parametrize("kernel", [GRADIENTS[0][1], GRADIENTS[2][1]])
def test_perlin_noise_is_zero_at_lattice_points(kernel: Any) -> None:
    n = 2 if kernel is GRADIENTS[0][1] else 3
    whole = np.random.default_rng(2).integers(-1000, 1000, (500, n)).astype(np.float32)
    assert not values(kernel, whole).any()


def nearest_two(p: Any, seed: int, n: int) -> Any:
    """All points of the cells up to three steps away, in float64: what cellular noise must find."""
    reach = np.stack(np.meshgrid(*[np.arange(-3, 4)] * n), -1).reshape(-1, n)
    cells = (np.floor(p)[:, None, :] + reach).astype(np.int64)

    def mixed(h: Any) -> Any:
        h = h ^ (h >> np.uint32(16))
        h = h * np.uint32(0x7FEB352D)
        h = h ^ (h >> np.uint32(15))
        h = h * np.uint32(0x846CA68B)
        return h ^ (h >> np.uint32(16))

    steps = np.array([0x9E3779B1, 0xC13FA9A9, 0x91E10DA5], np.uint32)
    words = cells.astype(np.uint32) * steps[:n]
    rest = words[..., 1] if n == 2 else words[..., 1] ^ words[..., 2]
    h = mixed(mixed(words[..., 0] + np.uint32(seed)) + rest)
    offsets = []
    for _ in range(n):
        offsets.append((h >> np.uint32(8)) * 2.0**-24)
        h = mixed(h)
    distance = np.sqrt(((cells + np.stack(offsets, -1) - p[:, None, :]) ** 2).sum(-1))
    return np.sort(distance, axis=1)[:, :2]


@pytest.mark.parametrize(("kernel", "n"), [(cells_2d, 2), (cells_3d, 3)])
def test_cellular_distances_are_the_nearest_of_all(kernel: Any, n: int) -> None:
    p = points(3000, n, 30.0)
    out = np.empty((len(p), 2), np.float32)
    kernel(p, 9, out)
    assert np.abs(out - nearest_two(p.astype(np.float64), 9, n)).max() < 1e-5


@pytest.mark.parametrize(("kernel", "n"), [(cells_2d, 2), (cells_3d, 3)])
def test_cellular_noise_is_the_same_in_every_execution(kernel: Any, n: int) -> None:
    p = np.concatenate([points(4, n), np.full((1, n), np.nan, np.float32)])
    sb.assert_same_bits(kernel, p, 5, np.zeros((len(p), 2), np.float32))
