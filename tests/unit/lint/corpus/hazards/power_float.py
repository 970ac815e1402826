"""Powers of floats: drag, a root, and the built-in function."""


def drag(speed: float) -> float:
    return 0.47 * speed**2  # expect: SB203


def root(area: float) -> float:
    return area**0.5  # expect: SB203


def curve(x: float, n: int) -> float:
    x **= 1.5  # expect: SB203
    return pow(x, n)  # expect: SB203
