"""The end of a difference: the frame from which on both sides' states are the same again.

Owns that search alone, over hashes by frame. States that are the same for a while and part again
have not healed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from samebits.desync.report import SparseSeries
from samebits.diagnosis.report.findings import Diagnosis, TimelineFact


class Healed(NamedTuple):
    """Whether a difference ends: `heals` is the first frame after which the states are the same to
    the end, None for none; of the `followed` frames behind the differing one that were compared
    `differing` differ, and `parted` times states that were the same again have parted again."""

    heals: int | None
    followed: int
    differing: int
    parted: int


def healed_in_timeline(rows: tuple[TimelineFact, ...], frame: int) -> Healed:
    """The end of a difference in frame `frame`, by the scalars that differ."""
    behind = [row for row in rows if row.frame > frame]
    return _healed([row.frame for row in behind], [not row.differing for row in behind])


def healed_beside(hashes: NDArray[np.uint64], first: int, known: Mapping[int, int]) -> Healed:
    """The end of a difference, by one side's hashes from frame `first` on and the other's by
    frame."""
    shared = [n for n in range(first, first + len(hashes)) if n in known]
    return _healed(shared, [int(hashes[n - first]) == known[n] for n in shared])


def healed_in_series(a: SparseSeries, b: SparseSeries, frame: int) -> Healed:
    """The end of a difference in frame `frame`, by the hashes of all states that both sides
    have."""
    shared = a.shared(b)
    behind = shared[shared > frame + 1]
    return _healed((behind - 1).tolist(), (a.values[behind] == b.values[behind]).tolist())


def tell_healed(out: Diagnosis, found: Healed) -> None:
    """Put it into a diagnosis."""
    out.heals, out.followed, out.followed_differing, out.parted_again = found


def _healed(frames: Sequence[int], same: Sequence[bool]) -> Healed:
    alike = np.array(same, bool)
    parted = int(np.count_nonzero(alike[:-1] & ~alike[1:]))
    differing = np.flatnonzero(~alike)
    start = int(differing[-1]) + 1 if len(differing) else 0
    heals = frames[start] if start < len(frames) else None
    return Healed(heals, len(frames), len(differing), parted)
