"""The exponent is an attribute, the base a product of floats."""


class Falloff:
    def __init__(self, radius: float):
        self.radius = radius
        self.sharpness = 2.5

    def at(self, distance):
        return (distance / self.radius) ** self.sharpness  # expect: SB203
