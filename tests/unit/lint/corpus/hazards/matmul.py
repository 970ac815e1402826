"""Products of matrices."""

import numpy as np


def transform(rotation, points):
    moved = points @ rotation.T  # expect: SB402
    return np.dot(moved, rotation), np.einsum("ij,ij->i", moved, moved)  # expect: SB402, SB402
