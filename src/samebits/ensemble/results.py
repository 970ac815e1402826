"""Findings of a study: its columns, and statistics of each point of the grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import xxhash

from samebits.ensemble.statistics import QUANTILES, Summary, summary
from samebits.errors import ArgumentError
from samebits.lang.signal_safe import keeps_flags


@dataclass(frozen=True)
class Results:
    """`columns` by name, in the order of the runs: `run`, `seed`, each parameter, `frames`, `trap`
    (empty where the run came to its end), each measure. `points` are the grid's, `runs` the runs of
    each."""

    columns: dict[str, np.ndarray[Any, Any]]
    parameters: tuple[str, ...]
    measures: tuple[str, ...]
    points: list[tuple[float, ...]]
    runs: int

    @property
    @keeps_flags
    def digest(self) -> str:
        """16 hex digits over all columns' bytes: the same on every machine."""
        state = xxhash.xxh3_64()
        for name in ("run", "seed", *self.parameters, "frames", *self.measures):
            state.update(np.ascontiguousarray(self.columns[name]).tobytes())
        state.update("\0".join(self.columns["trap"].tolist()).encode())
        return state.hexdigest()

    @keeps_flags
    def summaries(
        self, measure: str, quantiles: Sequence[float] = QUANTILES
    ) -> Iterator[tuple[tuple[float, ...], Summary]]:
        """The statistics of a measure at each point of the grid, over the runs that came to their
        end. Raises ArgumentError for a name that is none."""
        if measure not in self.measures:
            raise ArgumentError(
                f"no measure '{measure:.40}'", fix=f"there are {', '.join(self.measures)}"
            )
        values = self.columns[measure].astype(np.float64)
        ended = self.columns["trap"] == ""
        for k, point in enumerate(self.points):
            part = slice(k * self.runs, (k + 1) * self.runs)
            yield point, summary(values[part][ended[part]], quantiles)
