"""Array operations that are the same everywhere."""

import numpy as np


def integrate(p: np.ndarray, v: np.ndarray, dt: float) -> np.ndarray:
    moved = p + v * dt
    return np.clip(np.abs(moved), 0.0, 1.0) + np.floor(moved) + np.where(v > 0, v, 0.0)
