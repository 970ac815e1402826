from math import *
from random import *


def spread(count: int) -> list[float]:
    return [uniform(0.0, 1.0) for _ in range(count)]  # expect: SB301


def ring(i: int) -> float:
    return sin(i * 0.1) + pow(i, 0.3) + sqrt(i)  # expect: SB202, SB202
