"""The public `Batch`: many worlds of one simulation, stepped together."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import Any, NoReturn, cast

import numpy as np
from numpy.typing import NDArray

from samebits.bits import from_canonical, to_canonical
from samebits.errors import ArgumentError, ReplayError, Trap, folding
from samebits.lang.signal_safe import keeps_flags
from samebits.runtime.memory_claims import PENDING, check_memory
from samebits.sim.batch import log
from samebits.sim.batch.program import BatchProgram
from samebits.sim.batch.saved import SavedWorlds, read_worlds, rows_of
from samebits.sim.batch.seeds import episode_seed
from samebits.sim.batch.traps import WorldTrap
from samebits.sim.batch.world import World
from samebits.sim.batch.worlds import Beginnings, Memory, Worlds
from samebits.sim.definition import SimulationDefinition, check_seed
from samebits.sim.learning import Learning
from samebits.sim.recording import KEYFRAME_FRAMES, Recording
from samebits.sim.session import Session

MOST_WORLDS = 1 << 24
MOST_KEPT = 1 << 20
"""Frames of inputs that may be kept."""


class Batch:
    """`n` worlds of a simulation in one block of memory, 1 to 2**24. One thread at a time.

    World i has the bits of a session with its seed, whatever n and the number of workers. `seeds`
    is one for all, 0 to 2**64 - 1, or one a world. With one for all, the seed of episode e of world
    i is `episode_seed(seeds, i, e)`; with one a world this is its seed in episode 0, and
    `episode_seed(seeds[i], i, e)` later. With `keep` the inputs of so many of each world's last
    frames, 0 to 2**20, are kept for `replay`.

    A trap in a world leaves it at its last whole frame, and it stands still until it is reset or
    restored; the call goes on for all others, then raises `WorldTrap`. After an interrupt of a
    method, by Ctrl-C or another exception of a signal handler, everything is as before the call.
    Raises CompileError, ArgumentError, WorldTrap from `init`.
    """

    @folding
    def __init__(
        self, simulation: SimulationDefinition, n: int, seeds: Any = 0, keep: int = 0
    ) -> None:
        if type(n) is not int or not 1 <= n <= MOST_WORLDS:
            raise ArgumentError(
                f"a batch of {n!r:.40} worlds", fix=f"give an int from 1 to {MOST_WORLDS:,}"
            )
        if type(keep) is not int or not 0 <= keep <= MOST_KEPT:
            raise ArgumentError(
                f"keep={keep!r:.40} is no int from 0 to {MOST_KEPT:,}",
                fix="give how many of a world's last frames a replay may have, such as keep=1000",
            )
        self.simulation = simulation
        self.n = n
        program = BatchProgram.of(simulation)
        self._worlds = Worlds(program, n, simulation.players, keep)
        self.is_closed = False
        """Whether `close` was called."""
        every = np.arange(n, dtype=np.uint64)
        self._worlds.reset(every, self._sown(every, seeds))

    @property
    def states(self) -> Memory:
        """The states, of shape (n,): the batch's own memory, always current. Changing it by hand
        makes an episode whose replay does not verify."""
        return self.opened().states

    @property
    def frames(self) -> NDArray[np.uint64]:
        """How many whole frames of its episode each world has run; a copy."""
        return self.opened().frames.copy()

    @property
    def episodes(self) -> NDArray[np.uint64]:
        """The number of each world's episode, from 0 on; a copy."""
        return self.opened().episodes.copy()

    @property
    def seeds(self) -> NDArray[np.uint64]:
        """The seed of each world's episode; a copy."""
        return self.opened().seeds.copy()

    @property
    def traps(self) -> dict[int, Trap]:
        """The trap of each world that stands still for one, by its index."""
        return self.opened().stopped

    @folding
    @keeps_flags
    def step(self, inputs: Any) -> None:
        """Advance every world one frame. `inputs` is a structured ndarray of the input's dtype, of
        shape (n, players), or (n,) of a simulation with one player. Raises WorldTrap."""
        worlds = self.opened("step", True, inputs)
        worlds.staged[0] = self._checked(inputs, False)[0]
        worlds.step()

    @folding
    @keeps_flags
    def run(
        self, inputs: Any, frames: int | None = None, *, hashes: bool = True
    ) -> NDArray[np.uint64]:
        """Advance every world over `inputs` of shape (frames, n, players), in one native call; or,
        with `frames`, so many times over inputs as `step` takes.

        Returns the hash of each world after each frame, of shape (frames, n), zero where it ran
        none; without `hashes` there are none, in no rows. Raises WorldTrap, whose attribute
        `hashes` holds them.
        """
        worlds = self.opened("run", True, inputs)
        if frames is not None and (type(frames) is not int or not 0 <= frames < 2**48):
            raise ArgumentError(f"frames={frames!r:.40} is no number of frames")
        given = self._checked(inputs, frames is None)
        count = len(given) if frames is None else frames
        found = np.zeros((count if hashes else 0, self.n), np.uint64)
        try:
            if count:
                worlds.run(given, count, found)
        except WorldTrap as trap:
            trap.hashes = found
            raise
        return found

    @folding
    @keeps_flags
    def learn(self, inputs: Any, out: Memory, rewards: Memory, ended: Memory, cut: Memory) -> None:
        """As `step`, and in the same pass what a learner wants, written into its own arrays.

        `out` takes observations, of shape (n, *shape of `observe`), `rewards` float32 of shape
        (n,), `ended` and `cut` bools of shape (n,): terminated, and truncated. Where `observe` and
        `reward` take a player, there is an axis of players behind n. All are C-contiguous. A world
        that stands still gets its observation, and zeros. Raises WorldTrap.
        """
        worlds = self.opened("learn", True, inputs, out, rewards, ended, cut)
        learning = self._learning()
        who = (self.n, self.simulation.players) if learning.by_player else (self.n,)
        _check_array("out", out, (*who, *learning.shape), learning.element.dtype)
        _check_array("rewards", rewards, who, np.dtype(np.float32))
        _check_array("ended", ended, (self.n,), np.dtype(np.bool_))
        _check_array("cut", cut, (self.n,), np.dtype(np.bool_))
        worlds.staged[0] = self._checked(inputs, False)[0]
        rows = _rows(out, who)
        worlds.hand(out=rows, rewards=rewards.reshape(-1), ended=ended, cut=cut, final=rows[:0])
        worlds.learn(learning.episode_frames)

    @folding
    @keeps_flags
    def observe(self, worlds: Any = None) -> Memory:
        """The observations of some worlds, by default all, in a new array whose first axis is that
        of worlds, the second that of players where `observe` takes one."""
        memory, learning = self.opened("observe", False), self._learning()
        which = self._which(worlds)
        who = (len(which), self.simulation.players) if learning.by_player else (len(which),)
        out = np.zeros((*who, *learning.shape), learning.element.dtype)
        memory.observe(which, _rows(out, who))
        return out

    def _learning(self) -> Learning:
        if self.simulation.learning is None:
            raise ArgumentError(
                f"simulation '{self.simulation.name}' has nothing for learners",
                fix="declare observe, and reward and done if wanted, with the simulation",
            )
        return self.simulation.learning

    @folding
    @keeps_flags
    def hashes(self) -> NDArray[np.uint64]:
        """XXH64 of each world's canonical state, of shape (n,)."""
        return self.opened("hashes", False).hashes()

    @folding
    @keeps_flags
    def reset(self, worlds: Any = None, seeds: Any = None) -> None:
        """Begin the next episode of some worlds, by default of all.

        `worlds` is a mask of shape (n,), or indices. With `seeds`, one for all of these or one for
        each, they begin anew at episode 0, as in a new batch, and what was kept of them is
        forgotten. Raises WorldTrap where `init` traps.
        """
        memory = self.opened("reset", True)
        which = self._which(worlds)
        if seeds is not None:
            begun = self._sown(which, seeds)
            log.forget(memory, which)
        else:
            begun = self._next(which)
        memory.reset(which, begun)

    @keeps_flags
    def world(self, i: int) -> World:
        """World i as a session over the batch's memory. Raises ArgumentError."""
        return World(self.simulation, self.opened(), self._index(i))

    @folding
    @keeps_flags
    def replay(self, i: int, path: str | os.PathLike[str], episode: int | None = None) -> int:
        """Write an episode of world i, by default the one that runs, as a replay file, and return
        its number of frames. The frame that a trap ended is in it too.

        Raises ReplayError where not all inputs are kept, or where the present state is not that of
        these inputs, since it was changed by hand.
        """
        worlds, i = self.opened("replay", False), self._index(i)
        current = int(worlds.episodes[i])
        if episode is None:
            episode = current
        if type(episode) is not int or not 0 <= episode <= current:
            raise ArgumentError(
                f"world {i} has had no episode {episode!r:.40}", fix=f"give one from 0 to {current}"
            )
        if not len(worlds.log):
            raise ReplayError(
                "the batch keeps no inputs",
                fix=f"make it with keep=1000: batch({self.n}, keep=1000)",
            )
        lost, inputs = log.kept_frames(worlds, i, episode)
        played = len(inputs)
        if episode == current:
            played = int(worlds.frames[i])
            inputs = inputs[: played + int(worlds.still[i])]
        if lost or len(inputs) < played:
            raise ReplayError(
                f"the first frames of episode {episode} of world {i} are not kept any more"
                if lost
                else f"nothing is kept of episode {episode} of world {i}",
                note=f"the batch keeps {len(worlds.log)} frames of each world",
                fix="make it with a larger keep",
            )
        start = partial(Session, self.simulation, self._seed(i, episode))
        with Recording(start, path, KEYFRAME_FRAMES) as recording:
            try:
                recording.run(inputs)
            except Trap:
                if episode == current and not worlds.still[i]:
                    raise
            if episode == current and recording.session.hash() != self.world(i).hash():
                raise ReplayError(
                    f"the state of world {i} is not that of its inputs",
                    note="something else than frames has changed it",
                    fix="reset the world, and change its state by inputs alone",
                )
        return len(inputs)

    @folding
    @keeps_flags
    def save(self, worlds: Any = None) -> bytes:
        """The bytes from which `restore` returns some worlds, by default all, to their frame, here
        or on another machine."""
        memory = self.opened("save", False)
        which = self._which(worlds)
        rows = rows_of(
            which, memory.roots[which], memory.seeds[which], memory.episodes[which],
            memory.frames[which],
        )  # fmt: skip
        states = to_canonical(self.simulation.state_type, memory.states[which])
        return SavedWorlds(rows, states).to_bytes(self.simulation)

    @folding
    @keeps_flags
    def restore(self, blob: bytes, worlds: Any = None) -> None:
        """Return worlds to the frames of `save`: those that were saved, or as many others.

        Raises ReplayError, having changed nothing, if the bytes are damaged or of another
        simulation or format; ArgumentError if they do not fit.
        """
        memory = self.opened("restore", True)
        saved = read_worlds(blob, self.simulation)
        rows = saved.rows
        which = self._which(rows["world"].astype(np.int64) if worlds is None else worlds)
        if len(which) != len(rows):
            raise ArgumentError(
                f"{len(rows)} worlds were saved, and are to go to {len(which)}",
                fix="name as many",
            )
        states = from_canonical(self.simulation.state_type, saved.states, len(rows))
        root, seed, episode, frame = (rows[name] for name in ("root", "seed", "episode", "frame"))
        base = memory.base[which]
        if len(memory.log):
            same = (memory.seeds[which] == seed) & (memory.roots[which] == root)
            log.forget(memory, which[~same])
            for k, world in enumerate(which.tolist()):
                base[k] = log.base_of(memory, world, int(episode[k]), int(frame[k]))
        is_sown = np.where(episode == 0, root == seed, memory.is_sown[which])
        # No call here, so that no signal handler runs before all of it is stored.
        memory.states[which], memory.base[which] = states, base
        memory.roots[which], memory.seeds[which] = root, seed
        memory.episodes[which], memory.frames[which] = episode, frame
        memory.is_sown[which], memory.still[which] = is_sown, 0

    def close(self) -> None:
        """Give its memory back; nothing else may follow, and no second `close`."""
        self.opened()
        self.is_closed = True
        del self._worlds

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        if not self.is_closed:
            self.close()

    def __len__(self) -> int:
        return self.n

    def __reduce__(self) -> NoReturn:
        raise ArgumentError(
            "a batch can't be pickled or copied: compiled code has its memory's address",
            fix="send the bytes of batch.save(), and restore() them in a batch of as many worlds",
        )

    def __repr__(self) -> str:
        return f"<batch of {self.n} worlds of {self.simulation.name}>"

    # What is given ---------------------------------------------------------------------------

    def opened(self, what: str = "", writes: bool = False, *inputs: object) -> Worlds:
        """The memory of the worlds and the loops over it, for what hands arrays over itself. Raises
        ArgumentError if they are closed, or a scheduled job uses them."""
        if self.is_closed:
            raise ArgumentError("the batch is closed", fix="make another one")
        if PENDING and what:
            states = ("states", self._worlds.states, writes)
            check_memory(f"batch.{what}", [states, *(("inputs", i, False) for i in inputs)])
        return self._worlds

    def _checked(self, given: object, many: bool) -> Memory:
        """Canonical inputs of shape (frames, n, players)."""
        rules, players = self.simulation.inputs, self.simulation.players
        shape = (self.n, players)
        written = f"(frames, {self.n}, {players})" if many else f"({self.n}, {players})"
        fix = f"make them with np.zeros({written}, {rules.type}.dtype)"
        if not isinstance(given, np.ndarray):
            raise ArgumentError(
                f"a batch of '{rules.name}' takes an ndarray of {rules.type}.dtype, shape "
                f"{written}; got {type(given).__name__}",
                fix=fix,
            )
        array = cast("Memory", given)
        if players == 1 and array.ndim == 1 + many:
            array = array[..., np.newaxis]
        if array.ndim != 2 + many or array.shape[many:] != shape:
            raise ArgumentError(
                f"a batch of {self.n} worlds of '{rules.name}' takes inputs of shape {written}; "
                f"got {cast('Memory', given).shape}",
                fix=fix,
            )
        flat = rules.frames(array.reshape(-1, players))
        return flat.reshape(-1, *shape)

    def _index(self, i: object) -> int:
        i = _plain(i)
        if type(i) is int and 0 <= i < self.n:
            return i
        raise ArgumentError(
            f"there is no world {i!r:.40} in a batch of {self.n}",
            fix=f"give an int from 0 to {self.n - 1}",
        )

    def _which(self, worlds: object) -> NDArray[np.uint64]:
        """Indices, all different, from a mask or indices."""
        if worlds is None:
            return np.arange(self.n, dtype=np.uint64)
        if type(_plain(worlds)) is int:
            worlds = [worlds]
        array = np.asarray(cast("Any", worlds))
        if array.dtype == np.bool_:
            if array.shape == (self.n,):
                return np.flatnonzero(array).astype(np.uint64)
            raise ArgumentError(
                f"a mask of shape {array.shape} for {self.n} worlds", fix="give a bool for each"
            )
        if array.ndim != 1 or (len(array) and array.dtype.kind not in "iu"):
            raise ArgumentError(
                "worlds are named by a mask of bools, or by indices",
                fix=f"give a bool array of shape ({self.n},), or such as [0, 3]",
            )
        for i in (array.min(), array.max()) if len(array) else ():
            self._index(i)
        if len(np.unique(array)) != len(array):
            raise ArgumentError("a world is named twice", fix="name each of them once")
        return array.astype(np.uint64)

    def _next(self, which: NDArray[np.uint64]) -> Beginnings:
        """The next episode of worlds."""
        worlds = self._worlds
        episodes = worlds.episodes[which] + np.uint64(1)
        if len(which) and int(episodes.max()) > log.MOST_EPISODES:
            raise ArgumentError("a world has had 2**32 episodes", fix="give seeds")
        roots, is_sown = worlds.roots[which], worlds.is_sown[which]
        return Beginnings(roots, is_sown, episodes, roots, np.zeros(len(which), np.uint8))

    def _sown(self, which: NDArray[np.uint64], seeds: Any) -> Beginnings:
        """Episode 0 of worlds with seeds from outside."""
        count = len(which)
        if type(one := _plain(seeds)) is int:
            roots, exact = np.full(count, check_seed(one), np.uint64), np.zeros(count, np.uint8)
        else:
            given = list(cast("Iterable[object]", seeds)) if np.iterable(seeds) else [seeds]
            if len(given) != count:
                raise ArgumentError(
                    f"{len(given)} seeds for {count} worlds", fix="give one, or one a world"
                )
            roots = np.array([check_seed(_plain(seed)) for seed in given], np.uint64)
            exact = np.ones(count, np.uint8)
        return Beginnings(roots, exact, np.zeros(count, np.uint64), roots, exact)

    def _seed(self, i: int, episode: int) -> int:
        worlds = self._worlds
        root = int(worlds.roots[i])
        if episode == worlds.episodes[i]:
            return int(worlds.seeds[i])
        if episode == 0 and worlds.is_sown[i]:
            return root
        return int(episode_seed(root, i, episode))


def _plain(value: object) -> object:
    """The int of a NumPy integer; anything else as it is."""
    return int(cast("Any", value)) if isinstance(value, np.integer) else value


def _rows(out: Memory, who: tuple[int, ...]) -> Memory:
    """The observations as rows, one for each world and player."""
    return out.reshape(-1, *out.shape[len(who) :])


def _check_array(name: str, array: object, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    given = cast("Memory", array)
    if not isinstance(array, np.ndarray):
        found = type(array).__name__
    elif given.shape != shape or given.dtype != dtype:
        found = f"{given.dtype} of shape {given.shape}"
    elif not given.flags.c_contiguous or not given.flags.writeable or not given.flags.aligned:
        found = "memory with gaps, or that can't be written"
    else:
        return
    raise ArgumentError(f"`{name}` is {found}", fix=f"give np.zeros({shape}, np.{dtype.name})")
