"""The end of a difference: the first frame after which both sides' states are the same again.

Owns that search alone, over hashes by frame.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from samebits.desync.report import SparseSeries
from samebits.diagnosis.report.findings import TimelineFact

Healed = tuple[int | None, int]
"""The first frame after which the states are the same again, None for none, and how many frames
behind the differing one were compared."""


def healed_in_timeline(rows: tuple[TimelineFact, ...], frame: int) -> Healed:
    """The end of a difference in frame `frame`, by the scalars that differ."""
    behind = [row for row in rows if row.frame > frame]
    return next((row.frame for row in behind if not row.differing), None), len(behind)


def healed_beside(hashes: NDArray[np.uint64], first: int, known: Mapping[int, int]) -> Healed:
    """The end of a difference, by one side's hashes from frame `first` on and the other's by
    frame."""
    shared = [n for n in range(first, first + len(hashes)) if n in known]
    same = (n for n in shared if int(hashes[n - first]) == known[n])
    return next(same, None), len(shared)


def healed_in_series(a: SparseSeries, b: SparseSeries, frame: int) -> Healed:
    """The end of a difference in frame `frame`, by the hashes of all states that both sides
    have."""
    shared = a.shared(b)
    behind = shared[shared > frame + 1]
    same = behind[a.values[behind] == b.values[behind]]
    return (int(same[0]) - 1 if len(same) else None), len(behind)
