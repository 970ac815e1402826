"""A fixed step, and a pause."""

import time

DT = 1 / 60


def run(world, frames):
    for _ in range(frames):
        world.advance(DT)
        time.sleep(0)
