"""Counts frames in integers."""


def ticks(frames: int) -> int:
    elapsed = seconds = 0
    for _ in range(frames):
        elapsed += 1
        if elapsed == 60:
            seconds += 1
            elapsed = 0
    return seconds
