"""Math functions of every shape, simple enough that NumPy's arithmetic gives their bits."""

from __future__ import annotations

import samebits as sb
from samebits import float32, float64, int32
from samebits.lang.overloads import Overloads
from samebits.types import FLOAT32, FLOAT64


@sb.kernel
def half32(x: float32) -> float32:
    return x * 0.5 + 1


@sb.kernel
def half64(x: float64) -> float64:
    return x * 0.5 + 1


@sb.kernel
def less32(a: float32, b: float32) -> float32:
    return a - 2 * b


@sb.kernel
def less64(a: float64, b: float64) -> float64:
    return a - 2 * b


@sb.kernel
def blend32(a: float32, b: float32, c: float32) -> float32:
    return a * b + c


@sb.kernel
def blend64(a: float64, b: float64, c: float64) -> float64:
    return a * b + c


@sb.kernel
def scale32(x: float32, n: int32) -> float32:
    return x * float32(n)


@sb.kernel
def scale64(x: float64, n: int32) -> float64:
    return x * float64(n)


@sb.kernel
def parts32(x: float32) -> tuple[float32, int32]:
    return x - sb.floor(x), int32(sb.floor(x))


@sb.kernel
def parts64(x: float64) -> tuple[float64, int32]:
    return x - sb.floor(x), int32(sb.floor(x))


half = Overloads("half", 1, {FLOAT32: half32, FLOAT64: half64}, "x / 2 + 1")
less = Overloads("less", 2, {FLOAT32: less32, FLOAT64: less64}, "a - 2 b")
blend = Overloads("blend", 3, {FLOAT32: blend32, FLOAT64: blend64}, "a b + c")
scale = Overloads("scale", 2, {FLOAT32: scale32, FLOAT64: scale64}, "n x, for an integer n")
parts = Overloads("parts", 1, {FLOAT32: parts32, FLOAT64: parts64}, "Fraction and whole part")
