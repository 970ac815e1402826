"""The method of an array."""

import numpy as np

velocity = np.zeros(3)
energy = 0.5 * velocity.dot(velocity)  # expect: SB402
