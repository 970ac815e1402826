"""Ensembles: a simulation over many parameters and seeds, with figures that are the same anywhere.

`pip install 'samebits[farm]'`. What a `Study` finds has the same bits on one machine or a cluster,
whatever the number of workers and the order in which they answer.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from samebits.errors import ArgumentError, hide

if TYPE_CHECKING:
    from samebits.ensemble.results import Results
    from samebits.ensemble.runs import run
    from samebits.ensemble.statistics import Summary, summary
    from samebits.ensemble.study import Study

__all__ = ["Results", "Study", "Summary", "run", "summary"]
_PLACES = {
    "Results": "results", "Study": "study", "Summary": "statistics", "run": "runs",
    "summary": "statistics",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name)
    if place is None:
        try:
            raise AttributeError(f"module 'samebits.ensemble' has no attribute '{name}'")
        except AttributeError as error:
            hide(error)
            raise
    try:
        found = importlib.import_module(f"samebits.ensemble.{place}")
    except ModuleNotFoundError as missing:
        if missing.name not in ("duckdb", "xxhash"):
            raise
        raise ArgumentError(
            f"samebits.ensemble needs {missing.name}", fix="python -m pip install 'samebits[farm]'"
        ) from None
    value = getattr(found, name)
    globals()[name] = value
    return value
