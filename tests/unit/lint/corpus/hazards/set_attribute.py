"""A world keeps its bodies in a set and sums over it."""


class World:
    def __init__(self):
        self.bodies = set()

    def add(self, body):
        self.bodies.add(body)

    def step(self, dt):
        for body in self.bodies:  # expect: SB101
            body.move(dt)
