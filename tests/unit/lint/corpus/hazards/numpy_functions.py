"""Transcendental functions over arrays."""

import numpy as np


def wave(x: np.ndarray, t: float) -> np.ndarray:
    phase = np.sin(x - t)  # expect: SB401
    return np.exp(-x) * phase + np.power(x, 1.5)  # expect: SB401, SB401
