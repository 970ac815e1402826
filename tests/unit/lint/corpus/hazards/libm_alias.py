"""The module under another name, inside a function."""


def decay(t):
    import math as m

    return m.exp(-t) * m.cos(t)  # expect: SB202, SB202
