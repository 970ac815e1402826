"""A simulation whose kernels flush, one of them made for size, is the same in every execution."""

from __future__ import annotations

import numpy as np
from tests.support.simulations.fading_simulation import FADING, State

from samebits.bits import SMALLEST_NORMAL, from_canonical
from samebits.sim.sources import PlayerSource
from samebits.verify.executions import all_rows, choose_rows
from samebits.verify.verification import Verification


def test_it_is_the_same_in_every_execution() -> None:
    verification = Verification(
        FADING, PlayerSource(FADING, "nudge", 3, 60), tuple(choose_rows(all_rows()))
    )
    verification.run(lambda what, frames: None)
    assert verification.same
    hashes = {row.name: row.final_hash for row in verification.rows if row.frames == 60}
    assert len(hashes) > 3
    assert len(set(hashes.values())) == 1


def test_no_subnormal_number_stays_in_its_state() -> None:
    session = FADING.start(3)
    source = PlayerSource(FADING, "nudge", 3, 200)
    seen = set[float]()
    for block in source.blocks():
        for k in range(len(block.inputs)):
            session.run(block.inputs[k : k + 1])
            state = from_canonical(State.__sb_type__, session.canonical_state())
            for name in ("place", "speed"):
                seen.update(np.abs(state[name].astype(float)).ravel().tolist())
    small = {value for value in seen if value < 100 * SMALLEST_NORMAL[32]}
    assert len(small) > 20
    assert not {value for value in small if 0 < value < SMALLEST_NORMAL[32]}
