"""A power of an array."""

import numpy as np

distances = np.linspace(0.1, 1.0, 10)
weights = distances**-1.5  # expect: SB203
