"""Sources of the inputs of a run: a replay file, or a player.

Inputs come block by block, so that a long replay is never in memory as a whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from samebits.replay import ReplayReader
from samebits.replay.frames import Keyframe
from samebits.replay.reader import no_frames
from samebits.sim.definition import check_seed
from samebits.sim.inputs import Inputs
from samebits.sim.players import RANDOM, player
from samebits.sim.simulation import Simulation

BLOCK_FRAMES = 256


@dataclass(frozen=True, eq=False)
class InputBlock:
    """Inputs of consecutive frames, with the hash after each if the source has them."""

    inputs: Inputs
    hashes: NDArray[np.uint64] | None


class InputSource(Protocol):
    """The inputs of one run from frame 0. `replay` is the file's name, or None."""

    @property
    def replay(self) -> str | None: ...
    @property
    def seed(self) -> int: ...
    @property
    def frames(self) -> int: ...
    @property
    def damage(self) -> str | None: ...
    def blocks(self) -> Iterator[InputBlock]: ...
    def keyframes(self) -> Iterator[Keyframe]: ...


class ReplaySource:
    """The inputs of a replay of exactly this simulation, at most its first `limit` frames.

    Raises ReplayError if it is not one, or has no frames. `damage` says what is wrong with a file
    that is not whole, even after those frames. The file is opened once; later changes by another
    process count as damage, from the end of `blocks` on. With `any_code` it may be of another
    version of the simulation, whose inputs are laid out alike: its hashes are then left out.
    """

    def __init__(
        self,
        simulation: Simulation,
        path: str,
        limit: int | None = None,
        *,
        any_code: bool = False,
    ) -> None:
        self._inputs = simulation.inputs
        self._reader = ReplayReader(path)
        self.is_own = self._reader.header.digest == simulation.digest
        """Whether it is of this code."""
        if any_code and not self.is_own:
            simulation.require_inputs(self._reader.header, path)
        else:
            simulation.require(self._reader.header, path)
        self.replay = path
        self.seed = self._reader.header.seed
        found = sum(block.frames for block in self._reader.blocks())
        self.damage = self._reader.damage
        self.content = self._reader.content
        """What tells the file's bytes from others: their XXH3."""
        if not found:
            raise no_frames(path, self.damage)
        self.limited = limit is not None and limit < found
        self.frames = min(found, limit) if limit is not None else found

    def blocks(self) -> Iterator[InputBlock]:
        left = self.frames
        for block in self._reader.blocks():
            count = min(left, block.frames)
            if not count:
                continue  # the file has changed, which `damage` says at its end
            hashes = block.hashes[:count] if block.hashes is not None and self.is_own else None
            yield InputBlock(self._inputs.from_bytes(block.inputs, block.frames)[:count], hashes)
            left -= count
            if not left and self.limited:
                return
        self.damage = self._reader.damage

    def keyframes(self) -> Iterator[Keyframe]:
        """The canonical states in the replay, each with the frame whose step follows it."""
        yield from self._reader.keyframes()

    def close(self) -> None:
        """Close the file; `blocks` cannot be used any more."""
        self._reader.close()


class PlayerSource:
    """`frames` frames of scripted or random inputs; SimulationError for an unknown player."""

    replay: str | None = None
    damage: str | None = None

    def __init__(self, simulation: Simulation, players: str | None, seed: int, frames: int) -> None:
        self.seed = check_seed(seed)
        self.frames = frames
        self.players = players or next(iter(simulation.scripts), RANDOM)
        self._play = player(simulation, self.players, seed)

    def blocks(self) -> Iterator[InputBlock]:
        for first in range(0, self.frames, BLOCK_FRAMES):
            count = min(BLOCK_FRAMES, self.frames - first)
            yield InputBlock(self._play(first, count), None)

    def keyframes(self) -> Iterator[Keyframe]:
        """Nothing: these inputs have not been run."""
        return iter(())
