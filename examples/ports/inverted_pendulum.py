"""The pendulum of classic control: a torque swings it up, a step is a twentieth of a second."""

import samebits as sb
from samebits import float64, math

MAX_SPEED = 8.0
MAX_TORQUE = 2.0
DT = 0.05
G, M, L = 10.0, 1.0, 1.0


@sb.kernel
def normalized(angle: float64) -> float64:
    """The angle from -pi to pi."""
    return (angle + math.pi) % (2 * math.pi) - math.pi


@sb.struct
class Pendulum(sb.Struct):
    angle: float64 = math.pi
    speed: float64 = 0.0

    def step(self, torque: float64) -> float64:
        """One step; the reward, 0 at most."""
        u = max(-MAX_TORQUE, min(torque, MAX_TORQUE))
        cost = normalized(self.angle) ** 2 + 0.1 * self.speed**2 + 0.001 * u**2
        pull = 3 * G / (2 * L) * math.sin(self.angle) + 3.0 / (M * L**2) * u
        self.speed = max(-MAX_SPEED, min(self.speed + pull * DT, MAX_SPEED))
        self.angle += self.speed * DT
        return -cost
