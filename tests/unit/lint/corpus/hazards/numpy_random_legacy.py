"""NumPy's global generator."""

import numpy as np

np.random.seed(7)  # expect: SB302


def jitter(points):
    return points + np.random.normal(size=points.shape)  # expect: SB302
