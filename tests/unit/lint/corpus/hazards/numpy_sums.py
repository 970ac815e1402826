"""Sums, means and spreads."""

import numpy as np


def stats(values: np.ndarray):
    centred = values - values.mean()  # expect: SB403
    return np.sum(centred), centred.std(), np.average(values)  # expect: SB403, SB403, SB403
