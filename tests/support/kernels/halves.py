"""Every half, numbers at the borders between halves, and what NumPy rounds them to."""

import numpy as np

EVERY = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
"""Every half, all NaNs included."""


def words(halves):
    """The bits of halves; those of the canonical NaN for any NaN."""
    return np.where(np.isnan(halves), np.uint16(0x7E00), halves.view(np.uint16))


def numpys(x):
    with np.errstate(all="ignore"):
        return words(x.astype(np.float16))


def boundaries(kind, steps):
    """Numbers of a float type within a few steps of every half and of every middle of two, so that
    a tie, a subnormal tie and the border of infinity are among them."""
    finite = EVERY[:0x7C00].astype(np.float64)
    places = np.concatenate([finite, (finite[1:] + finite[:-1]) / 2, [65520.0, 65536.0]])
    near = [places.astype(kind)]
    for _ in range(steps):
        near.append(np.nextafter(near[-1], kind(np.inf)))
    low = near[0]
    for _ in range(steps):
        low = np.nextafter(low, kind(-np.inf))
        near.append(low)
    both = np.concatenate(near)
    return np.concatenate([both, -both])
