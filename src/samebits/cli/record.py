"""`samebits record`: the recording of players' inputs as a replay."""

from __future__ import annotations

import sys

from samebits.cli.exit_status import DIFFERS, SAME
from samebits.cli.named import named_simulation
from samebits.cli.printing import progress_bars
from samebits.sim.definition import check_seed
from samebits.sim.players import player
from samebits.sim.session import SimulationTrap
from samebits_command import interrupted

BLOCK_FRAMES = 256


def run(sim: str, out: str, players: str | None, frames: int, seed: int, keyframes: int) -> int:
    """Record and return the exit status. Frames before a trap or an interrupt are kept; without
    one, an interrupt leaves the file as it was."""
    simulation = named_simulation(sim)
    play = player(simulation, players, check_seed(seed))
    ended, status = "", SAME
    with simulation.record(out, seed, keyframes) as recording:
        try:
            with progress_bars(frames) as bars:
                for first in range(0, frames, BLOCK_FRAMES):
                    recording.run(play(first, min(BLOCK_FRAMES, frames - first)))
                    bars.show("recording", recording.frame)
        except SimulationTrap as trap:
            ended, status = f"{trap}\n", DIFFERS
        except KeyboardInterrupt:
            word, status = interrupted()
            if not recording.frame:
                recording.discard()
                sys.stderr.write(f"{word}: no frame was recorded, {out} is as it was\n")
                return status
            ended = f"{word}\n"
    value = recording.session.hash()
    sys.stderr.write(ended)
    count = f"{recording.frame:,} frame{'' if recording.frame == 1 else 's'}"
    print(f"{out}: {simulation.name} {simulation.version}, seed {seed}, {count}, hash {value:016x}")
    return status
