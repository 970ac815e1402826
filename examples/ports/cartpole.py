"""The cart and pole of classic control, by Barto, Sutton and Anderson (1983): Euler steps."""

import samebits as sb
from samebits import float64, math

GRAVITY = 9.8
CART, POLE = 1.0, 0.1
HALF_LENGTH = 0.5
FORCE = 10.0
TAU = 0.02
FAR = 2.4
TILT = 12 * 2 * math.pi / 360


@sb.struct
class Cart(sb.Struct):
    x: float64 = 0.0
    speed: float64 = 0.0
    angle: float64 = 0.0
    turn: float64 = 0.0

    def push(self, right: bool) -> bool:
        """One step; whether the pole still stands."""
        force = FORCE if right else -FORCE
        cosine, sine = math.cos(self.angle), math.sin(self.angle)
        total = CART + POLE
        along = (force + POLE * HALF_LENGTH * self.turn**2 * sine) / total
        bend = (GRAVITY * sine - cosine * along) / (
            HALF_LENGTH * (4.0 / 3.0 - POLE * cosine**2 / total)
        )
        pushed = along - POLE * HALF_LENGTH * bend * cosine / total
        self.x += TAU * self.speed
        self.speed += TAU * pushed
        self.angle += TAU * self.turn
        self.turn += TAU * bend
        return abs(self.x) <= FAR and abs(self.angle) <= TILT


@sb.kernel
def balanced(cart: Cart, most: int) -> int:
    """How many steps a hand that follows the pole keeps it up, at most `most`."""
    for step in range(most):
        if not cart.push(cart.angle + 0.5 * cart.turn > 0):
            return step
    return most
