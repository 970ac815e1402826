"""The module's own generator, seeded and not."""

import random

random.seed(42)  # expect: SB301


def spawn(points):
    random.shuffle(points)  # expect: SB301
    return random.choice(points), random.gauss(0, 1)  # expect: SB301, SB301
