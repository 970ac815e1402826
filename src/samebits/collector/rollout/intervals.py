"""The interval of a rate: Wilson's, which holds for few events too.

E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist


def wilson(events: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """The lower and the upper end of the rate that gave `events` of `trials`, both from 0 to 1."""
    if not trials:
        return 0.0, 1.0
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    rate, square = events / trials, z * z / trials
    middle = (rate + square / 2) / (1 + square)
    half = z / (1 + square) * sqrt(rate * (1 - rate) / trials + square / (4 * trials))
    low = 0.0 if events == 0 else middle - half
    return max(0.0, low), 1.0 if events == trials else min(1.0, middle + half)
