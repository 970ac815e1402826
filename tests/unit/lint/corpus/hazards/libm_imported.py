"""Names from math, one of them changed, one handed on."""

from math import exp, hypot as length, log


def weights(distances):
    return [exp(-d) for d in distances]  # expect: SB202


def lengths(points):
    return [length(x, y) for x, y in points], [*map(log, (1, 2, 3))]  # expect: SB202, SB202
