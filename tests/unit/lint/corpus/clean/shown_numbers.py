"""Rounded for people to read."""


def label(x: float, n: int) -> str:
    return f"{x:.2f} m, {round(x, 1)} about, {n:d}, %d%%" % n
