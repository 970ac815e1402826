"""A limit that acts behind an answer costs that process, and no other replay."""

from __future__ import annotations

import pytest
from tests.support.folders import SIMULATIONS

import samebits.farm.pool as pool_module
from samebits.farm.limits import Limits
from samebits.farm.pool import Pool
from samebits.farm.watch import Watch

DUEL = str(SIMULATIONS / "duel_simulation.py")


class LateWatch(Watch):
    """Ends what it watches when it is told to stop, as one whose time is over in that moment."""

    times = 1

    def _look(self) -> None:
        self._over.wait()
        if LateWatch.times:
            LateWatch.times -= 1
            self.late = True
            self._end()


@pytest.mark.parametrize("times", [1, 2])
def test_a_process_that_was_ended_behind_its_answer_is_not_asked_again(
    monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setattr(LateWatch, "times", times)
    monkeypatch.setattr(pool_module, "Watch", LateWatch)
    pool = Pool(Limits())
    try:
        found = [pool.about(DUEL) for _ in range(3)]
    finally:
        pool.close()
    assert len(set(found)) == 1
    assert LateWatch.times == 0
