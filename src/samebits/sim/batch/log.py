"""The inputs that a batch keeps: which frames of an episode of a world are still in the ring."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from samebits.sim.batch.loops import EPISODE_SHIFT
from samebits.sim.batch.worlds import NO_MARK, Memory, Worlds

MOST_EPISODES = 2 ** (64 - EPISODE_SHIFT) - 1
"""Episodes of a world that marks tell apart."""


def kept_frames(worlds: Worlds, world: int, episode: int) -> tuple[int, Memory]:
    """How many of the first frames of an episode were lost, and the inputs of those behind, of
    shape (frames, players)."""
    frames, slots = _of_episode(worlds, world, episode)
    if not len(frames):
        return 0, worlds.log[:0, world]
    return int(frames[0]), worlds.log[slots, world]


def add_frame(worlds: Worlds, world: int, inputs: Memory) -> None:
    """Keep the inputs, of shape (players,), of the frame that a world runs by itself."""
    keep = len(worlds.log)
    if keep:
        frame = int(worlds.frames[world])
        slot = (int(worlds.base[world]) + frame) % keep
        worlds.log[slot, world] = inputs
        worlds.marks[slot, world] = int(worlds.episodes[world]) << EPISODE_SHIFT | frame


def forget(worlds: Worlds, which: NDArray[np.uint64]) -> None:
    """Forget what is kept of worlds."""
    worlds.marks[:, which] = NO_MARK


def base_of(worlds: Worlds, world: int, episode: int, frame: int) -> int:
    """The base with which `frame` of `episode` comes next in a world's ring. What is kept of later
    frames of the episode is forgotten."""
    frames, slots = _of_episode(worlds, world, episode)
    worlds.marks[slots[frames >= frame], world] = NO_MARK
    following = int(worlds.base[world]) + int(worlds.frames[world])
    at = slots[frames == frame - 1]
    if len(at) and episode == int(worlds.episodes[world]):
        # The ring goes on behind the frame before, in the turn that it is in now.
        following -= (following - 1 - int(at[0])) % len(worlds.log)
    return (following - frame) % 2**64


def _of_episode(
    worlds: Worlds, world: int, episode: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The numbers of the frames that are kept of an episode up to the last, without a gap, and
    their slots."""
    marks = worlds.marks[:, world]
    slots = np.flatnonzero((marks >> np.uint64(EPISODE_SHIFT) == episode) & (marks != NO_MARK))
    frames = (marks[slots] & np.uint64(2**EPISODE_SHIFT - 1)).astype(np.int64)
    order = np.argsort(frames)
    frames, slots = frames[order], slots[order]
    gaps = np.flatnonzero(np.diff(frames) != 1)
    start = int(gaps[-1]) + 1 if len(gaps) else 0
    return frames[start:], slots[start:]
