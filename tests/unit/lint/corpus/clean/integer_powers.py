"""Powers of integers are exact."""

SIDE = 2**10
MASK = 2**64 - 1


def cells(level: int) -> int:
    return 4**level + pow(3, 5, 7)
