"""Rotations as complex numbers."""

import cmath


def turn(z: complex, angle: float) -> complex:
    return z * cmath.exp(1j * angle)  # expect: SB204


def size(z: complex) -> float:
    return abs(z)  # expect: SB204
