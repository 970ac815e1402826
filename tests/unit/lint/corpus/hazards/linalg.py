"""Solves with LAPACK, and filters with an FFT."""

import numpy as np
from numpy.linalg import solve


def relax(a, b):
    x = solve(a, b)  # expect: SB402
    return x, np.linalg.norm(x), np.fft.rfft(x)  # expect: SB402, SB402
