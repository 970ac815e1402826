"""The trace of one frame: which site, its operands and its result, in the order of time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from samebits.foreign.probes.instrument import Site

MOST = 12_000_000
"""Records of a trace: 480 MB. What a frame does beyond them is not seen."""
_MARK = 0x3142524243525442
_WORDS = 5

Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Trace:
    """A frame's records, one row each: site, three operands, result."""

    sites: Sequence[Site]
    rows: Words
    is_cut: bool = False
    """Whether it stops before the frame does."""

    def __len__(self) -> int:
        return len(self.rows)

    def site(self, row: int) -> Site:
        return self.sites[int(self.rows[row, 0])]

    def operands(self, row: int) -> tuple[int, ...]:
        """The operands' bits."""
        count = len(self.site(row).operands)
        return tuple(int(word) for word in self.rows[row, 1 : 1 + count])

    def result(self, row: int) -> int:
        return int(self.rows[row, 4])


def read_trace(path: Path, sites: Sequence[Site]) -> Trace | None:
    """The trace in a file; None where there is none."""
    try:
        data = path.read_bytes()
    except OSError:
        return None
    if len(data) < 8:
        return None
    order = "<" if int.from_bytes(data[:8], "little") == _MARK else ">"
    if int.from_bytes(data[:8], "little" if order == "<" else "big") != _MARK:
        return None
    whole = (len(data) - 8) // (8 * _WORDS)
    words = np.frombuffer(data, f"{order}u8", whole * _WORDS, 8).astype(np.uint64)
    rows = words.reshape(whole, _WORDS)
    if whole and int(rows[:, 0].max()) >= len(sites):
        return None
    return Trace(sites, rows, whole >= MOST)
