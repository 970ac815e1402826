"""A batch's loops on another machine, emulated: memory goes there in that machine's byte order."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.backend.targets.table import Target
from samebits.runtime.emulation.machines import EmulatedProgram
from samebits.sim.batch.program import BatchProgram
from samebits.sim.simulation import Simulation
from samebits.sim.state.hashing import word_count, word_type


def hashes_elsewhere(
    simulation: Simulation, target: Target, seed: int, inputs: np.ndarray[Any, Any], careful: int
) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """The worlds' seeds, and the hashes, of shape (frames, n), of a batch that plays `inputs` of
    shape (frames, n, players) on `target`; `careful` as in `add_loops`. Raises RunnerError."""
    program = BatchProgram.of(simulation)
    compiled = program.request(target).compiled()
    emulated = EmulatedProgram(compiled, len(program.entries), target)
    remote = emulated.start()
    order = "<" if target.little_endian else ">"
    frames, n, players = inputs.shape
    state = simulation.state_type

    def memory(array: np.ndarray[Any, Any]) -> tuple[int, ...]:
        there = array.astype(array.dtype.newbyteorder(order))
        place = remote.allocate(max(1, there.nbytes))
        remote.write(place, there.tobytes())
        return place, *array.shape

    def numbers(count: int, value: int = 0) -> NDArray[np.uint64]:
        return np.full(count, value, np.uint64)

    try:
        states = memory(np.zeros(n, state.dtype))
        inside, seeds = memory(np.zeros(n, np.uint8)), memory(numbers(n))
        episodes, at = memory(numbers(n)), memory(numbers(n))
        hashes = memory(np.zeros((frames, n), np.uint64))
        words = memory(np.zeros((n, word_count(state)), word_type(state).dtype))
        status, _ = remote.call(
            0,
            [
                *states, *inside, *memory(np.arange(n, dtype=np.uint64)),
                *memory(np.zeros(n, np.uint8)), *seeds, *memory(numbers(n, seed)), *episodes, 0,
            ],
        )  # fmt: skip
        assert not status
        status, _ = remote.call(
            1,
            [
                *states, *memory(np.zeros(n, state.dtype)), *memory(inputs), *at, *inside,
                *memory(np.zeros(n, np.uint8)), *hashes, *words,
                *memory(np.zeros((0, n, players), inputs.dtype)),
                *memory(np.zeros((0, n), np.uint64)), *memory(numbers(n)), *memory(numbers(n)),
                *episodes, careful, frames, 0,
            ],
        )  # fmt: skip
        assert not status

        def read(place: tuple[int, ...], count: int) -> NDArray[np.uint64]:
            data = remote.read(place[0], 8 * count)
            return np.frombuffer(data, f"{order}u8").astype(np.uint64)

        return read(seeds, n), read(hashes, frames * n).reshape(frames, n)
    finally:
        remote.close()
