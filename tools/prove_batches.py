"""`make prove-batches`: worlds of batches beside sessions of their own, every frame's hash.

For seeds, numbers of worlds and of workers, on every level of this processor and on others that run
here. Exit status 0 where all are the same.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tests.support.batches import Inputs, hashes_alone, inputs_of, workers
from tests.support.batches_elsewhere import hashes_elsewhere

from samebits.backend.llvm.engine import available_targets
from samebits.backend.targets.table import TARGETS, Target
from samebits.runtime.emulation.machines import emulation_reason
from samebits.sim.batch.program import BatchProgram
from samebits.sim.batch.worlds import Beginnings, Worlds
from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation

NAMES = (
    "arena/arena", "pendulum/pendulum", "pinball/pinball", "classic_control/cart_pole",
    "classic_control/acrobot", "classic_control/swing_up",
)  # fmt: skip
WORLDS, WORKERS, FRAMES = (1, 7, 64, 1000), (1, 2, 5), 5
ELSEWHERE = ("aarch64", "s390x", "wasm32")
ROOT = Path(__file__).parents[1]


def proofs(simulation: Simulation, seed: int, program: BatchProgram) -> Iterator[tuple[str, int]]:
    """What was compared with sessions, and how many hashes differed."""
    inputs = inputs_of(simulation, WORLDS[-1], FRAMES, seed)
    seeds = simulation.batch(WORLDS[-1], seeds=seed).seeds
    expected = hashes_alone(simulation, seeds, inputs)
    levels = [level.target for level in available_targets() if level.reason is None]
    for n in WORLDS:
        given, due = np.ascontiguousarray(inputs[:, :n]), expected[:, :n]
        for level in levels:
            for count in WORKERS:
                with workers(count):
                    yield level.name, int((_here(program, level, seed, given) != due).sum())
        for name in ELSEWHERE:
            if emulation_reason(TARGETS[name]) is None:
                for careful in (0, 1):
                    _, hashes = hashes_elsewhere(simulation, TARGETS[name], seed, given, careful)
                    yield name, int((hashes != due).sum())


def _here(program: BatchProgram, level: Target, seed: int, inputs: Inputs) -> NDArray[np.uint64]:
    """The hashes of a batch on a level of this processor."""
    frames, n, players = inputs.shape
    worlds = Worlds(program, n, players, 0, level)
    none, flags = np.zeros(n, np.uint64), np.zeros(n, np.uint8)
    roots, every = np.full(n, seed, np.uint64), np.arange(n, dtype=np.uint64)
    worlds.reset(every, Beginnings(roots, flags, none, roots, flags))
    hashes = np.zeros((frames, n), np.uint64)
    worlds.run(inputs, frames, hashes)
    return hashes


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tools.prove_batches", description=__doc__)
    parser.add_argument("--seeds", type=int, default=20, help="seeds of each simulation")
    given = parser.parse_args()
    differ = 0
    for name in NAMES:
        simulation = load_simulation(str(ROOT / "examples" / f"{name}.py"))
        program = BatchProgram.of(simulation)
        compared: Counter[str] = Counter()
        for seed in range(given.seeds):
            for what, wrong in proofs(simulation, seed, program):
                compared[what] += 1
                if wrong:
                    differ += 1
                    print(f"{name}, seed {seed}, {what}: {wrong} hashes differ", flush=True)
        told = ", ".join(f"{count} on {what}" for what, count in compared.items())
        print(f"{name}: batches of {WORLDS}, {FRAMES} frames each: {told}", flush=True)
    print("all hashes are those of sessions" if not differ else f"{differ} batches differ")
    return int(differ > 0)


if __name__ == "__main__":
    sys.exit(main())
