"""Worlds as environments step them: the batch, the arrays that its loops write into, the seeds."""

from __future__ import annotations

from sys import getrefcount
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from samebits.gym.spaces import Array, learning_of
from samebits.sim.batch.batch import Batch
from samebits.sim.batch.worlds import Handed
from samebits.sim.simulation import Simulation

_MOST_KEPT = 4
"""Arrays of so many frames are used again."""


class Arrays(NamedTuple):
    """What a frame is written into."""

    out: Array
    rewards: NDArray[np.float32]
    ended: NDArray[np.bool_]
    cut: NDArray[np.bool_]


def _references(arrays: Arrays) -> int:
    """References to the arrays, those of a view to its base among them."""
    out, rewards, ended, cut = arrays
    return getrefcount(out) + getrefcount(rewards) + getrefcount(ended) + getrefcount(cut)


_none = np.empty(0, np.bool_)
_FREE = _references(Arrays(np.empty(0), np.empty(0, np.float32), _none.copy(), _none.copy()))
"""Those of arrays that nobody else refers to, counted in the same way in any Python."""


class LearningWorlds:
    """n worlds, and the arrays for what a learner sees.

    `over` says whose last frame ended an episode; with `begins_next` those begin the next in place
    of the following frame.
    """

    def __init__(
        self, simulation: Simulation, n: int, keep: int, begins_next: bool = False
    ) -> None:
        learning = learning_of(simulation)
        self.batch: Batch = simulation.batch(n, seeds=0, keep=keep)
        self.worlds = self.batch.opened()
        self.n = n
        self.limit = learning.episode_frames
        self._who = (n, simulation.players) if learning.by_player else (n,)
        self._shape, self._dtype = learning.shape, learning.element.dtype
        self.inputs: Array = self.worlds.staged[0]
        """The inputs of the next frame, of shape (n, players)."""
        self.is_sown = False
        self.final = np.zeros((*self._who, *learning.shape), self._dtype)
        """The last observations of episodes that ended in a frame and began again at once."""
        self.over = self.worlds.again if begins_next else np.zeros(n, np.bool_)
        self._made: list[tuple[Arrays, Handed]] = []
        self.arrays, self._handed = self._new()

    def _new(self) -> tuple[Arrays, Handed]:
        out = np.empty((*self._who, *self._shape), self._dtype)
        ended, cut = np.empty(self.n, np.bool_), np.empty(self.n, np.bool_)
        arrays = Arrays(out, np.empty(self._who, np.float32), ended, cut)
        handed = self.worlds.hand(
            out=out.reshape(-1, *self._shape),
            rewards=arrays.rewards.reshape(-1),
            ended=ended,
            cut=cut,
            final=self.final.reshape(-1, *self._shape),
            over=self.over,
        )
        if len(self._made) < _MOST_KEPT:
            self._made.append((arrays, handed))
        return arrays, handed

    def fresh(self) -> None:
        """Take arrays that nobody else refers to: those of an earlier frame, or new ones."""
        for arrays, handed in self._made:
            if _references(arrays) <= _FREE:
                self.arrays, self._handed = arrays, handed
                return
        self.arrays, self._handed = self._new()

    def learn(self, at_once: bool = False) -> Arrays:
        """Run a frame of `inputs`, and fill the arrays and `over`; `at_once` as in `Worlds`."""
        # Each time, as somebody else may have had the worlds write elsewhere.
        self.worlds.hand_again(self._handed)
        self.worlds.learn(self.limit, at_once)
        return self.arrays

    def reset(self, seeds: Any, which: Any, random: np.random.Generator) -> None:
        """Begin the next episode of some worlds, or with seeds anew; the first without seeds has
        one of `random`."""
        if seeds is None and not self.is_sown:
            seeds, which = int(random.integers(2**63)), None
        self.batch.reset(which, seeds)
        self.is_sown = True

    def observe(self) -> Array:
        """New observations of all worlds."""
        return self.batch.observe()
