"""Pairs of colliding bodies, ordered by address."""


def pair(a, b):
    return (a, b) if id(a) < id(b) else (b, a)  # expect: SB103, SB103


def ordered(bodies):
    return sorted(bodies, key=id)  # expect: SB103
