"""Counts time in floats and waits for a whole second."""


def ticks(frames: int) -> int:
    elapsed = 0.0
    seconds = 0
    for _ in range(frames):
        elapsed += 1 / 60
        if elapsed == 1.0:  # expect: SB205
            seconds += 1
            elapsed = 0.0
    return seconds
