"""A whole training run has the same weights on every target, and learns."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from samebits.sim.load import load_simulation
from samebits.verify.executions import Row, all_rows, choose_rows
from samebits.verify.golden import read_golden

FOLDER = Path(__file__).parents[2] / "examples" / "train_cartpole"
ROWS = [row for row in choose_rows(all_rows()) if not row.slow]
FRAMES = 60
FEW = 6
"""Of emulated processors."""


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_the_weights_after_each_step_are_the_same(row: Row) -> None:
    if row.reason is not None:
        pytest.skip(f"{row.name}: {row.reason}")
    simulation = load_simulation(str(FOLDER / "train_cartpole.py"))
    golden = read_golden(FOLDER / "golden.txt")
    assert golden.digest == simulation.digest
    frames = FEW if row.emulated else FRAMES
    execution = row.make(simulation)
    execution.start(1)
    found = execution.advance(np.zeros((frames, 1), simulation.input_type.dtype)).hashes
    execution.close()
    expected = {frame: value for frame, value in golden.hashes if frame < frames}
    assert len(expected) == frames
    assert {frame: int(found[frame]) for frame in expected} == expected


def test_the_policy_learns() -> None:
    simulation = load_simulation(str(FOLDER / "train_cartpole.py"))
    session = simulation.start(seed=1)
    session.run(np.zeros((5, 1), simulation.input_type.dtype))
    assert session.state.best < 60
    session.run(np.zeros((55, 1), simulation.input_type.dtype))
    assert session.state.best > 190
