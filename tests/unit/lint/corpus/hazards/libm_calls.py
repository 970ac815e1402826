"""A pendulum by the C library."""

import math


def step(angle: float, speed: float, dt: float) -> tuple[float, float]:
    speed -= 9.81 * math.sin(angle) * dt  # expect: SB202
    return angle + speed * dt, speed


def heading(dx: float, dy: float) -> float:
    return math.atan2(dy, dx)  # expect: SB202
