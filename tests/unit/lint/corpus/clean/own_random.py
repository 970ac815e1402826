"""A generator that is part of the state."""

import random as standard


class Stream:
    def __init__(self, seed: int):
        self.rng = standard.Random(seed)

    def roll(self) -> float:
        return self.rng.random()
