"""Hashes and states of single frames as a desync report: all that it lacks is unknown.

Owns that conversion. Knows nothing of the files that they come from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from samebits.desync.format import HASHES, STATES, Contents, Key
from samebits.desync.machine import UNKNOWN
from samebits.desync.report import Report
from samebits.replay.header import ReplayHeader


def report_of_facts(
    header: ReplayHeader,
    name: str,
    hashes: Mapping[int, int],
    states: Mapping[int, bytes] | None = None,
) -> Report:
    """A report of what is known after some frames, -1 being `init`: hashes, in ascending order, and
    canonical states. `header` is that of the run which it is compared with. There is one fact at
    least."""
    kept = {frame + 1: state for frame, state in (states or {}).items()}
    last = max((*hashes, *(number - 1 for number in kept)))
    parts = {Key(HASHES, first): block for first, block in _blocks(hashes)}
    parts |= {Key(STATES, number): kept[number] for number in sorted(kept)}
    frames = last + 1
    contents = Contents("", frames, range(frames, frames), tuple(sorted(kept)), 0, 0)
    return Report(UNKNOWN, header, contents, parts, name=name, is_bare=True)


def _blocks(hashes: Mapping[int, int]) -> Iterator[tuple[int, bytes]]:
    """The hashes of consecutive states, each block with the number of its first."""
    if not hashes:
        return
    numbers = np.array(list(hashes), np.int64) + 1
    values = np.array(list(hashes.values()), "<u8")
    for at in np.split(np.arange(len(numbers)), np.flatnonzero(np.diff(numbers) != 1) + 1):
        yield int(numbers[at[0]]), values[at].tobytes()
