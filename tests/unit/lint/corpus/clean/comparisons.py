"""Ranges, integers and zeros."""


def arrived(x: float, goal: float, n: int) -> bool:
    if n * 2 == 10:
        return False
    if goal == 0.0:
        return x < 1e-9
    return abs(x - goal) <= 1e-6
