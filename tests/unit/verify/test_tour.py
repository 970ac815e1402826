"""One simulation that uses the whole library has the same bits on every target that runs here."""

from __future__ import annotations

import pytest
from tests.support.simulations.tour_simulation import TOUR

from samebits.sim.sources import PlayerSource
from samebits.verify.executions import Row, all_rows
from samebits.verify.verification import Verification

FRAMES = 20
FINAL = 0x9F296E260EF01AF9
"""The hash after FRAMES frames of `push`, seed 1."""
ROWS = [row for row in all_rows() if row.group != "evaluate" and not row.foreign]


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_the_tour_ends_in_one_hash(row: Row) -> None:
    if row.reason is not None:
        pytest.skip(row.reason)
    verification = Verification(TOUR, PlayerSource(TOUR, "push", 1, FRAMES), (row,))
    verification.run(lambda what, frames: None)
    (found,) = verification.rows
    assert (found.frames, f"{found.final_hash or 0:016x}") == (FRAMES, f"{FINAL:016x}")
