"""The library's functions, under the name math."""

from samebits import math


def step(angle, speed, dt):
    speed -= 9.81 * math.sin(angle) * dt
    return angle + speed * dt, math.exp(speed)
