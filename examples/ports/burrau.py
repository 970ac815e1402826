"""Burrau's problem of three bodies, of masses 3, 4 and 5: leapfrog with a fixed step."""

from typing import Literal

import samebits as sb
from samebits import double2, float64, math


@sb.struct
class Body(sb.Struct):
    pos: double2 = sb.zero
    vel: double2 = sb.zero
    mass: float64 = 0.0


@sb.struct
class Bodies(sb.Struct):
    all: sb.FixedArray[Body, Literal[3]] = sb.zero


@sb.kernel
def begin(bodies: Bodies) -> None:
    """At rest, each opposite the side of its length."""
    bodies.all[0] = Body(pos=double2(1, 3), mass=3.0)
    bodies.all[1] = Body(pos=double2(-2, -1), mass=4.0)
    bodies.all[2] = Body(pos=double2(1, -1), mass=5.0)


@sb.kernel
def kick(bodies: Bodies, dt: float64) -> None:
    for i, a in enumerate(bodies.all):
        for j in range(i + 1, 3):
            b = bodies.all[j]
            d = b.pos - a.pos
            square = math.dot(d, d)
            pull = dt / (square * math.sqrt(square))
            a.vel += d * (b.mass * pull)
            b.vel -= d * (a.mass * pull)


@sb.kernel
def run(bodies: Bodies, dt: float64, steps: int) -> None:
    for _ in range(steps):
        kick(bodies, dt / 2)
        for body in bodies.all:
            body.pos += body.vel * dt
        kick(bodies, dt / 2)


@sb.kernel
def energy(bodies: Bodies) -> float64:
    total = 0.0
    for i, a in enumerate(bodies.all):
        total += a.mass * math.dot(a.vel, a.vel) / 2
        for j in range(i + 1, 3):
            b = bodies.all[j]
            total -= a.mass * b.mass / math.length(b.pos - a.pos)
    return total
