"""Two traces of one frame, one beside the other, up to the first place where they part.

Owns which records are compared: those of sites that both sides have, less noise.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samebits.foreign.probes.trace import Trace

Key = tuple[object, ...]
"""What a site is called on both sides."""


@dataclass(frozen=True, slots=True)
class Parting:
    """The first records that differ, as rows of both traces; None for the end of one.

    `kind` is `result` where operands agree and results do not, `operand` where an operand differs
    that no shared record before gave differently, and `path` where the sites are others.
    """

    kind: str
    a: int | None
    b: int | None
    compared: int
    """Records that agree before."""
    before: tuple[int, int] | None = None
    """The last rows that agree."""


def noisy_sites(one: Trace, again: Trace) -> tuple[frozenset[Key], bool]:
    """Keys of sites that give other values in two runs of one side, and whether the order of what
    is done is another too."""
    length = min(len(one), len(again))
    same = one.rows[:length, 0] == again.rows[:length, 0]
    until = length if same.all() else int((~same).argmax())
    differ = (one.rows[:until, 1:] != again.rows[:until, 1:]).any(axis=1)
    numbers = np.unique(one.rows[:until, 0][differ])
    keys = frozenset(one.sites[int(number)].key for number in numbers)
    return keys, until < length or len(one) != len(again)


def first_parting(
    a: Trace,
    b: Trace,
    noise: frozenset[Key] = frozenset(),
    files: Container[str] | None = None,
) -> Parting | None:
    """Where two traces part, in some source files alone where `files` are given; None where all
    shared records agree."""
    mine, theirs = (
        {site.key for site in trace.sites if files is None or site.module in files}
        for trace in (a, b)
    )
    shared = (mine & theirs) - noise
    numbers = {key: number for number, key in enumerate(shared)}
    one, other = _shared(a, numbers), _shared(b, numbers)
    length = min(len(one[0]), len(other[0]))
    keys = one[1][:length] != other[1][:length]
    left, right = a.rows[one[0][:length]], b.rows[other[0][:length]]
    operands = (left[:, 1:4] != right[:, 1:4]).any(axis=1)
    results = left[:, 4] != right[:, 4]
    apart = keys | operands | results
    if not apart.any():
        if len(one[0]) == len(other[0]) or a.is_cut or b.is_cut:
            return None
        at, kind = length, "path"
    else:
        at = int(apart.argmax())
        kind = "path" if keys[at] else "operand" if operands[at] else "result"
    rows = [int(rows[at]) if at < len(rows) else None for rows, _ in (one, other)]
    before = (int(one[0][at - 1]), int(other[0][at - 1])) if at else None
    return Parting(kind, rows[0], rows[1], at, before)


def _shared(
    trace: Trace, numbers: dict[tuple[object, ...], int]
) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
    """Rows of shared sites, and the key of each."""
    of_site = np.array([numbers.get(site.key, -1) for site in trace.sites] or [-1], np.int64)
    keys = of_site[trace.rows[:, 0].astype(np.intp)] if len(trace) else np.empty(0, np.int64)
    rows = np.flatnonzero(keys >= 0)
    return rows, keys[rows]
