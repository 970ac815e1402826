"""A study run block by block, here or on other machines, and read again."""

from __future__ import annotations

import os
from collections.abc import Callable

from samebits.ensemble.blocks import run_block
from samebits.ensemble.results import Results
from samebits.ensemble.store import Store
from samebits.ensemble.study import Study
from samebits.lang.signal_safe import keeps_flags


@keeps_flags
def run(
    study: Study,
    folder: str | os.PathLike[str],
    *,
    scheduler: str | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Results:
    """Run what is not in `folder` yet, and read all: Parquet files of 1,024 runs each.

    Without `scheduler` the runs are made here, by as many threads as `sb.set_workers` says; with
    the address of a Dask scheduler by its workers, which find the simulation's file at the same
    place. A call that was ended goes on where it was. `progress` is called with the number of runs
    that are done, and of all. Raises ArgumentError, and a trap of `init`.
    """
    store = Store(os.fspath(folder), study)
    try:
        missing = store.missing()
        if scheduler is None:
            made = ((block, run_block(study, block)) for block in missing)
        else:
            from samebits.ensemble.workers import run_elsewhere

            made = run_elsewhere(study, missing, scheduler) if missing else iter(())
        done = study.size - sum(map(study.size_of, missing))
        for block, columns in made:
            store.add(block, columns)
            done += study.size_of(block)
            if progress is not None:
                progress(done, study.size)
        return Results(
            store.read(), tuple(study.parameters), tuple(study.measures), study.points, study.runs
        )
    finally:
        store.close()
