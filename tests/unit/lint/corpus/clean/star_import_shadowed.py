from math import *
from nowhere.in_particular import *


def hypot(a: int, b: int) -> int:
    return a * a + b * b


def size(a: int, b: int) -> int:
    return hypot(a, b) + floor(pi) + measured(a)
