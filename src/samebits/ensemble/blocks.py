"""One block of a study's runs: stepped as a batch, then measured."""

from __future__ import annotations

import numpy as np

from samebits.ensemble.fields import Numbers, numbers_at
from samebits.ensemble.study import BLOCK, Study
from samebits.sim.batch.batch import Batch
from samebits.sim.batch.seeds import episode_seed
from samebits.sim.batch.traps import WorldTrap

Columns = dict[str, Numbers]
"""Arrays of one length by name: `run`, `seed`, the parameters, `frames`, `trap`, the measures."""


def run_block(study: Study, block: int) -> Columns:
    """The runs of a block. A run that traps has the measures of its last whole frame."""
    first = block * BLOCK
    runs = np.arange(first, min(first + BLOCK, study.size), dtype=np.uint64)
    n = len(runs)
    seeds = np.array([int(episode_seed(study.seed, int(k), 0)) for k in runs], np.uint64)
    traps = np.full(n, "", object)
    try:
        batch = Batch(study.opened, n, seeds)
    except WorldTrap as trap:
        return _without_worlds(study, runs, seeds, trap)
    points = [study.points[int(k) // study.runs] for k in runs]
    columns: Columns = {"run": runs, "seed": seeds}
    for place, path in enumerate(study.parameters):
        field = numbers_at(batch.states, path)
        field[:] = [point[place] for point in points]
        columns[path] = field.copy()
    given = study.given
    try:
        if len(given) == 1:
            batch.run(np.repeat(given, n, 0), study.frames, hashes=False)
        else:
            batch.run(np.repeat(given[:, None], n, 1), hashes=False)
    except WorldTrap as trap:
        for world, stopped in trap.worlds.items():
            traps[world] = stopped.message
    columns["frames"], columns["trap"] = batch.frames, traps
    for name, measure in study.measures.items():
        if isinstance(measure, str):
            columns[name] = numbers_at(batch.states, measure).copy()
        else:
            states = (study.opened.state.from_memory(batch.states, k) for k in range(n))
            columns[name] = np.array([measure(state) for state in states])
    batch.close()
    return columns


def _without_worlds(study: Study, runs: Numbers, seeds: Numbers, trap: WorldTrap) -> Columns:
    """Of a block in which `init` traps: the study cannot be of use, and says where."""
    world = min(trap.worlds)
    trap.add_note(f"in `init` of run {int(runs[world])}, seed {int(seeds[world])}")
    raise trap
