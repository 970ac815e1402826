"""The simulations that differences are injected into, and the inputs that each is run over.

Adding a simulation is adding a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from samebits.sim.load import load_simulation
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource, PlayerSource, ReplaySource

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Subject:
    """A simulation by its file, below the root; `replays` are files in its folder `replays`.

    `frames` is how many frames its runs have at most.
    """

    name: str
    file: str
    scripts: tuple[str, ...]
    frames: int
    replays: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return ROOT / self.file

    @property
    def inputs(self) -> tuple[str, ...]:
        """What it can be run over: scripts and replays, by their names."""
        return (*self.scripts, *(f"{name}.mcap" for name in self.replays))

    def simulation(self) -> Simulation:
        return _simulation(str(self.path))

    def source(self, inputs: str, seed: int, frames: int) -> InputSource:
        """The inputs of that name; a replay has a seed of its own."""
        if inputs.endswith(".mcap"):
            path = self.path.parent / "replays" / inputs
            return ReplaySource(self.simulation(), str(path), frames)
        return PlayerSource(self.simulation(), inputs, seed, frames)


@cache
def _simulation(path: str) -> Simulation:
    return load_simulation(path)


SUBJECTS = {subject.name: subject for subject in (
    Subject("arena", "examples/arena/arena.py", ("duel", "circle", "chaos", "random"), 1200,
            ("duel", "circle", "chaos")),
    Subject("cloth", "examples/cloth/cloth.py", ("wave", "drop", "shake", "random"), 600),
    Subject("flock", "examples/flock/flock.py", ("circling", "stooping", "away", "random"), 600),
    Subject("instruments", "tests/support/simulations/instruments_simulation.py",
            ("sweep", "rest", "random"), 1200),
    Subject("outer_planets", "examples/outer_planets/outer_planets.py",
            ("steady", "halting", "random"), 1200),
    Subject("pinball", "examples/pinball/pinball.py",
            ("rally", "idle", "tilters", "random"), 1200),
    Subject("racing", "examples/racing/racing.py", ("race", "drift", "parade", "random"), 1200),
    Subject("swarm", "tests/support/simulations/parallel_simulation.py", ("pull", "random"), 400),
    Subject("tour", "tests/support/simulations/tour_simulation.py", ("push", "random"), 240),
)}  # fmt: skip
