"""A step with parallel ranges gives one hash, whatever the number of workers."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.support.shared_ranges import ranges_shared
from tests.support.simulations import parallel_simulation
from tests.support.simulations.parallel_simulation import SWARM

from samebits.runtime.threads.pool import set_workers
from samebits.sim.sources import PlayerSource
from samebits.verify.executions import all_rows, choose_rows
from samebits.verify.verification import Verification


@pytest.fixture(autouse=True)
def _own_number_of_workers() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    yield
    set_workers(None)


@pytest.mark.parametrize("workers", [1, 2, 3, 7])
def test_every_execution_has_one_hash(workers: int) -> None:
    before = ranges_shared()
    set_workers(workers)
    rows = tuple(row for row in choose_rows(all_rows()) if not row.emulated)
    verification = Verification(SWARM, PlayerSource(SWARM, "pull", 1, 6), rows)
    verification.run(lambda what, frames: None)
    assert verification.same
    hashes = {row.final_hash for row in verification.rows if row.frames == 6}
    assert {f"{value or 0:016x}" for value in hashes} == {parallel_simulation.FINAL}
    assert (ranges_shared() > before) == (workers > 1)
