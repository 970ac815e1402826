"""Sums of integers in arrays."""

import numpy as np

counts = np.zeros(10, dtype=np.int64)
total = counts.sum() + np.sum(np.arange(5)) + counts.astype(int).sum()
