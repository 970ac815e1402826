"""NumPy squares by a product."""

import numpy as np

x = np.zeros(10)
squares = x**2
roots = np.sqrt(x)
