"""Structs of another module, as constants of its users' kernels."""

from __future__ import annotations

import samebits as sb
from samebits import float32, float64


@sb.struct
class Point(sb.Struct):
    x: float64 = 0.0
    y: float64 = 0.0

    def norm(self) -> float64:
        return sb.sqrt(self.x * self.x + self.y * self.y)

    def __add__(self, other: Point) -> Point:
        return Point(self.x + other.x, self.y + other.y)


@sb.struct
class Body(sb.Struct):
    at: Point = sb.zero
    mass: float32 = 1.0


HOME = Point(3, -4)


class Rules:
    START = Body(Point(1, 2), 0.1)
