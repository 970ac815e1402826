"""Each example has one hash a frame, written in its golden file: on every target, on every run."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.support.shared_ranges import ranges_shared

from samebits.runtime.threads.pool import set_workers
from samebits.sim.execution import Execution
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import PlayerSource
from samebits.verify.executions import Row, all_rows, choose_rows
from samebits.verify.golden import read_golden

ROOT = Path(__file__).parents[2] / "examples"
EXAMPLES = ("pinball", "racing", "cloth", "pendulum", "flock")
PARALLEL = ("cloth", "flock")
"""Those whose steps have parallel ranges."""
ROWS = choose_rows(all_rows())
NATIVE = [row for row in ROWS if not row.slow and not row.emulated]
PLAINEST, BEST = NATIVE[0], NATIVE[-1]
"""This processor's lowest level without optimisation, and its highest with all."""
EMULATED = [row for row in ROWS if row.emulated]
SEED = 1
GOLDEN_FRAMES = 121
"""Golden files have a hash a second: these are three of them."""
SLOW_FRAMES = 8
LONG_FRAMES = 36_000
"""Ten minutes at 60 frames a second."""


@cache
def example(name: str) -> Simulation:
    return load_simulation(str(ROOT / name / f"{name}.py"))


@cache
def inputs_of(name: str, script: str | None, frames: int) -> NDArray[Any]:
    blocks = PlayerSource(example(name), script, SEED, frames).blocks()
    return np.concatenate([block.inputs for block in blocks])


def started(name: str, row: Row) -> Execution:
    if row.reason is not None:
        pytest.skip(f"{row.name}: {row.reason}")
    execution = row.make(example(name))
    execution.start(SEED)
    return execution


def golden(name: str, frames: int) -> dict[int, int]:
    written = read_golden(ROOT / name / "golden.txt")
    assert written.digest == example(name).digest
    return {frame: value for frame, value in written.hashes if frame < frames}


def floats(memory: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """The arrays of floats in a state."""
    if memory.dtype.names is not None:
        for field in memory.dtype.names:
            yield from floats(memory[field])
    elif memory.dtype.kind == "f":
        yield memory


@pytest.fixture(autouse=True)
def _own_number_of_workers() -> Iterator[None]:  # pyright: ignore[reportUnusedFunction]
    set_workers(1)
    yield
    set_workers(None)


def in_turns(number: int) -> list[Row]:
    """A third of the emulated rows, another one for the next example: `make verify` runs all."""
    return EMULATED[number % 3 :: 3]


@pytest.mark.parametrize(
    ("name", "row"),
    [(n, row) for k, n in enumerate(EXAMPLES) for row in (PLAINEST, BEST, *in_turns(k))],
    ids=lambda given: given if isinstance(given, str) else given.name,
)
def test_every_target_gives_the_golden_hashes(name: str, row: Row) -> None:
    execution = started(name, row)
    hashes = execution.advance(inputs_of(name, None, GOLDEN_FRAMES)).hashes
    execution.close()
    expected = golden(name, GOLDEN_FRAMES)
    assert len(expected) == 3
    assert {frame: int(hashes[frame]) for frame in expected} == expected


def test_every_target_takes_its_turn() -> None:
    assert {row.name for k in range(len(EXAMPLES)) for row in in_turns(k)} == {
        row.name for row in EMULATED
    }


@pytest.mark.parametrize("row", [row for row in ROWS if row.slow], ids=lambda row: row.name)
@pytest.mark.parametrize("name", EXAMPLES)
def test_interpreters_give_the_hashes_of_compiled_code(name: str, row: Row) -> None:
    """From frame 120 on, when everything is in motion."""
    if row.follows_source and example(name).program.rewritten is not None:
        pytest.skip("DETERMINISTIC rewrites the source: evaluate is its reference")
    inputs = inputs_of(name, None, GOLDEN_FRAMES + SLOW_FRAMES)
    native, slow = started(name, BEST), started(name, row)
    native.advance(inputs[:GOLDEN_FRAMES])
    slow.restore(native.save())
    expected = native.advance(inputs[GOLDEN_FRAMES:]).hashes
    assert np.array_equal(slow.advance(inputs[GOLDEN_FRAMES:]).hashes, expected)


@pytest.mark.parametrize("workers", [2, 3, 7])
@pytest.mark.parametrize("name", PARALLEL)
def test_workers_change_nothing(name: str, workers: int) -> None:
    before = ranges_shared()
    set_workers(workers)
    hashes = started(name, BEST).advance(inputs_of(name, None, GOLDEN_FRAMES)).hashes
    expected = golden(name, GOLDEN_FRAMES)
    assert {frame: int(hashes[frame]) for frame in expected} == expected
    assert ranges_shared() > before


@pytest.mark.parametrize("name", EXAMPLES)
def test_ten_minutes_stay_finite_and_never_come_to_rest(name: str) -> None:
    native = started(name, BEST)
    done = native.advance(inputs_of(name, None, LONG_FRAMES))
    assert done.trap is None
    assert len(set(done.hashes.tolist())) == LONG_FRAMES
    assert all(np.isfinite(array).all() for array in floats(native.memory))
    expected = golden(name, LONG_FRAMES)
    assert {frame: int(done.hashes[frame]) for frame in expected} == expected


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_input_of_every_player_matters(name: str) -> None:
    """Zeroing one field of one player's inputs, in one of the scripts, changes the last hash."""
    simulation = example(name)
    unheard = {
        (player, field)
        for player in range(simulation.players)
        for field in simulation.input_type.dtype.names or ()
    }
    for script in simulation.scripts:
        inputs = inputs_of(name, script, 600)
        native = started(name, BEST)
        last = native.advance(inputs).hashes[-1]
        for player, field in tuple(unheard):
            changed = inputs.copy()
            changed[field][:, player] = 0
            native.start(SEED)
            if native.advance(changed).hashes[-1] != last:
                unheard.remove((player, field))
    assert not unheard
