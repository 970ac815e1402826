"""An array that is an attribute."""

import numpy as np


class Grid:
    def __init__(self, n: int) -> None:
        self.mass = np.ones((n, n), dtype=np.float32)

    def total(self):
        return self.mass.sum()  # expect: SB403
