"""A step as long as the last frame took."""

import time


class Loop:
    def __init__(self):
        self.last = time.perf_counter()  # expect: SB501

    def step(self, world):
        now = time.perf_counter()  # expect: SB501
        world.advance(now - self.last)
        self.last = now
