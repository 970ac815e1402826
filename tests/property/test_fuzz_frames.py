"""No frame of generated programs takes more than recursion counts for it, on any target."""

from __future__ import annotations

import pytest
from tests.fuzz.frames import LEVELS, frames, program
from tests.fuzz.loading import Workspace

from samebits.backend.targets.table import TARGETS


@pytest.mark.parametrize("seed", range(6))
def test_frames_are_within_their_bounds(seed: int) -> None:
    names = list(TARGETS)
    taken = [TARGETS[names[k]] for k in range(seed, len(names), 6)]
    with Workspace() as workspace:
        found = list(frames(seed, program(workspace, seed), taken))
    assert {(row.target, row.level) for row in found} == {
        (target.name, level) for target in taken for level in LEVELS
    }
    assert any(row.found for row in found)
    assert [row for row in found if row.found > row.bound] == []
