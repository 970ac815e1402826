"""A sum with a float to start from, and a mean."""

from statistics import fmean


def total(parts):
    return sum(parts, 0.0), fmean(parts)  # expect: SB201, SB201
