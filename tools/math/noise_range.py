"""The largest value that each gradient noise can take, before it is scaled.

In a cell every corner's gradient is free, so the largest value at a point is the sum of what each
corner gives with the gradient that suits it best; the point is searched by a grid that shrinks
around the best points found. Prints the maxima and the scales 1/maximum.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
ROOT = np.sqrt(2.0)
PLANE = np.array([(ROOT, 0), (-ROOT, 0), (0, ROOT), (0, -ROOT),
                  (1, 1), (1, -1), (-1, 1), (-1, -1)])  # fmt: skip
EDGES = np.array([p for p in itertools.product((-1, 0, 1), repeat=3) if np.abs(p).sum() == 2])


def best_slope(offset: Points, gradients: Points) -> Points:
    return (offset @ gradients.T).max(axis=1)


def perlin(p: Points) -> Points:
    """At points of the unit cube or square."""
    gradients = PLANE if p.shape[1] == 2 else EDGES
    fade = p**3 * (p * (p * 6 - 15) + 10)
    total = np.zeros(len(p))
    for corner in itertools.product((0, 1), repeat=p.shape[1]):
        at = np.array(corner)
        weight = np.where(at == 1, fade, 1 - fade).prod(axis=1)
        total += weight * best_slope(p - at, gradients)
    return total


def simplex(p: Points) -> Points:
    """At points of the unskewed cell."""
    n = p.shape[1]
    gradients = PLANE if n == 2 else EDGES
    unskew = (1 - 1 / np.sqrt(n + 1)) / n
    total = np.zeros(len(p))
    order = np.argsort(-p, axis=1)
    for steps in range(n + 1):
        offset = p + steps * unskew
        for k in range(steps):
            offset[np.arange(len(p)), order[:, k]] -= 1
        falloff = np.maximum(0.5 - (offset**2).sum(axis=1), 0) ** 4
        total += falloff * best_slope(offset, gradients)
    return total


def largest(f: Callable[[Points], Points], n: int) -> float:
    axis = np.linspace(0, 1, 41)
    points = np.stack(np.meshgrid(*[axis] * n), -1).reshape(-1, n)
    width = 1 / 40
    for _ in range(40):
        values = f(points)
        top = points[np.argsort(values)[-20:]]
        spread = np.stack(np.meshgrid(*[np.linspace(-width, width, 5)] * n), -1).reshape(-1, n)
        points = np.clip((top[:, None, :] + spread[None]).reshape(-1, n), 0, 1)
        width *= 0.6
    return float(f(points).max())


def main() -> None:
    for name, f, n in (("perlin_2d", perlin, 2), ("perlin_3d", perlin, 3),
                       ("simplex_2d", simplex, 2), ("simplex_3d", simplex, 3)):  # fmt: skip
        top = largest(f, n)
        print(f"{name}: {top:.9f}, scale {1 / top:.9g}")


if __name__ == "__main__":
    main()
