"""N-body of the Benchmarks Game: the Sun and four planets, by symplectic Euler steps."""

from typing import Literal

import samebits as sb
from samebits import float64, math

SOLAR_MASS = 4 * math.pi**2
DAYS = 365.24


@sb.struct
class Body(sb.Struct):
    x: float64 = 0.0
    y: float64 = 0.0
    z: float64 = 0.0
    vx: float64 = 0.0
    vy: float64 = 0.0
    vz: float64 = 0.0
    mass: float64 = 0.0


@sb.struct
class System(sb.Struct):
    bodies: sb.FixedArray[Body, Literal[5]] = sb.zero

    def offset_momentum(self) -> None:
        px = py = pz = 0.0
        for b in self.bodies:
            px += b.vx * b.mass
            py += b.vy * b.mass
            pz += b.vz * b.mass
        sun = self.bodies[0]
        sun.vx = -px / SOLAR_MASS
        sun.vy = -py / SOLAR_MASS
        sun.vz = -pz / SOLAR_MASS

    def energy(self) -> float64:
        e = 0.0
        for i, b in enumerate(self.bodies):
            e += 0.5 * b.mass * (b.vx**2 + b.vy**2 + b.vz**2)
            for other in self.bodies[i + 1 :]:
                dx = b.x - other.x
                dy = b.y - other.y
                dz = b.z - other.z
                e -= b.mass * other.mass / math.sqrt(dx * dx + dy * dy + dz * dz)
        return e

    def advance(self, dt: float64, steps: int) -> None:
        for _ in range(steps):
            for i, b in enumerate(self.bodies):
                for other in self.bodies[i + 1 :]:
                    dx = b.x - other.x
                    dy = b.y - other.y
                    dz = b.z - other.z
                    square = dx * dx + dy * dy + dz * dz
                    mag = dt / (square * math.sqrt(square))
                    b.vx -= dx * other.mass * mag
                    b.vy -= dy * other.mass * mag
                    b.vz -= dz * other.mass * mag
                    other.vx += dx * b.mass * mag
                    other.vy += dy * b.mass * mag
                    other.vz += dz * b.mass * mag
            for b in self.bodies:
                b.x += dt * b.vx
                b.y += dt * b.vy
                b.z += dt * b.vz


def solar_system() -> System:
    """The Sun, Jupiter, Saturn, Uranus and Neptune, with a sum of momenta of 0."""
    system = System()
    system.bodies[0] = Body(mass=SOLAR_MASS)
    system.bodies[1] = planet(
        4.84143144246472090e00, -1.16032004402742839e00, -1.03622044471123109e-01,
        1.66007664274403694e-03, 7.69901118419740425e-03, -6.90460016972063023e-05,
        9.54791938424326609e-04,
    )  # fmt: skip
    system.bodies[2] = planet(
        8.34336671824457987e00, 4.12479856412430479e00, -4.03523417114321381e-01,
        -2.76742510726411899e-03, 4.99852801234917238e-03, 2.30417297573763929e-05,
        2.85885980666130812e-04,
    )  # fmt: skip
    system.bodies[3] = planet(
        1.28943695621391310e01, -1.51111514016986312e01, -2.23307578892655734e-01,
        2.96460137564761618e-03, 2.37847173959480950e-03, -2.96589568540237556e-05,
        4.36624404335156298e-05,
    )  # fmt: skip
    system.bodies[4] = planet(
        1.53796971148509165e01, -2.59193146099879641e01, 1.79258772950371181e-01,
        2.68067772490389322e-03, 1.62824170038242295e-03, -9.51592254519715870e-05,
        5.15138902046611451e-05,
    )  # fmt: skip
    system.offset_momentum()
    return system


def planet(x: float, y: float, z: float, vx: float, vy: float, vz: float, mass: float) -> Body:
    """A body from astronomical units, those a day, and the Sun's mass."""
    return Body(x, y, z, vx * DAYS, vy * DAYS, vz * DAYS, mass * SOLAR_MASS)
