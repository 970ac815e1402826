"""The memory of many worlds and the compiled loops over it.

Owns every array that compiled code has the address of, what a trap leaves, and the way back from an
interrupt. Knows nothing of what users may give.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm.engine import host_target
from samebits.backend.targets.table import Target
from samebits.bits import canonical_size
from samebits.errors import Trap
from samebits.runtime.calls.native_call import slot_count
from samebits.runtime.calls.prepared_calls import PreparedCall
from samebits.runtime.native import NativeEntry, NativeModule
from samebits.sim.batch.learning_loops import COUNT, LEARN, OBSERVE
from samebits.sim.batch.loops import EPISODE_SHIFT, HASHES, MOST_LOCAL_BYTES, RESET, RUN
from samebits.sim.batch.program import BatchProgram
from samebits.sim.batch.seeds import episode_seed
from samebits.sim.batch.traps import WorldTrap
from samebits.sim.state.hashing import word_count, word_type
from samebits.types import ArrayType, ScalarType

Memory = np.ndarray[Any, Any]
NO_MARK = np.uint64(2**64 - 1)
"""The mark of a slot that holds nothing."""
_memmove, _memset = ctypes.memmove, ctypes.memset


def address(array: Memory) -> int:
    """The address of an array's first element."""
    return array.__array_interface__["data"][0]


class EntryCall:
    """Calls of one entry; its slots are set by the names of its parameters."""

    def __init__(self, program: BatchProgram, entry: NativeEntry, name: str) -> None:
        self.entry = entry
        self._first: dict[str, tuple[int, int]] = {}
        slot = 0
        for parameter, t in program.module.functions[name].params:
            assert isinstance(t, ScalarType | ArrayType)
            self._first[parameter] = slot, t.ndim if isinstance(t, ArrayType) else 0
            slot += slot_count(t)
        self._call = PreparedCall(entry, (0,) * slot)
        self._kept: dict[str, Memory] = {}
        self.slots = self._call.slots
        self.run = self._call.function
        """Runs it; returns a status."""

    def give(self, **arrays: Memory) -> None:
        """Set array parameters, which stay alive until others are given. An array of arrays has
        more axes than its parameter."""
        for name, array in arrays.items():
            first, lengths = self._first[name]
            assert array.flags.c_contiguous
            self.slots[first] = address(array)
            self.slots[first + 1 : first + 1 + lengths] = array.shape[:lengths]
            self._kept[name] = array

    def has(self, name: str) -> bool:
        """Whether there is such a parameter."""
        return name in self._first

    def let_go(self, *names: str) -> None:
        """Leave it to the caller to keep arrays alive."""
        for name in names:
            del self._kept[name]

    def place(self, name: str) -> int:
        """The slot of a parameter."""
        return self._first[name][0]


Handed = list[tuple[Any, int, int]]
"""Slots of a call, the place among these, and the address that goes there."""


@dataclass(frozen=True, eq=False)
class Beginnings:
    """How episodes begin, an element for each of some worlds: their roots, whether the root is
    the seed of episode 0, their numbers, and their seeds where `exact` is 1."""

    roots: NDArray[np.uint64]
    is_sown: NDArray[np.uint8]
    episodes: NDArray[np.uint64]
    seeds: NDArray[np.uint64]
    exact: NDArray[np.uint8]


class Worlds:
    """`n` worlds of a program, all zero, and their loops; `keep` frames of inputs stay in a ring.

    In `run` and `reset` a trap ends its own world's part: the world stands `still`, with the state
    of its last whole frame, and WorldTrap is raised when all others are through. After an interrupt
    everything is as before the call.
    """

    def __init__(
        self, program: BatchProgram, n: int, players: int, keep: int, target: Target | None = None
    ) -> None:
        state, input = program.state, program.input
        self.n = n
        self.states: Memory = np.zeros(n, state.dtype)
        self.shadows: Memory = np.zeros(n, state.dtype)
        self._before: Memory | None = None
        """The states before a `run`: memory that is kept, since new memory costs as much as some
        frames."""
        self.staged: Memory = np.zeros((1, n, players), input.dtype)
        """One frame's inputs, for `run`."""
        self.at = np.zeros(n, np.uint64)
        self.inside = np.zeros(n, np.uint8)
        self.still = np.zeros(n, np.uint8)
        self.seeds, self.roots, self.episodes, self.frames, self.base = (
            np.zeros(n, np.uint64) for _ in range(5)
        )
        self.log: Memory = np.zeros((keep, n, players), input.dtype)
        self.marks = np.full((keep, n), NO_MARK, np.uint64)
        large = canonical_size(state) > MOST_LOCAL_BYTES
        size = word_count(state) if large else 0
        self._words: Memory = np.zeros((n if large else 0, size), word_type(state).dtype)
        self._nothing = np.zeros((0, n), np.uint64)
        self.is_sown = np.zeros(n, np.uint8)
        """Whether the root is the seed of episode 0 itself."""
        self._traps: dict[int, Trap] = {}
        module = NativeModule(program.cached(target or host_target()), len(program.entries))
        entries = {name: module.entry(k) for k, name in enumerate(program.entries)}
        self._reset, self._step, self._run, self._hashes = (
            EntryCall(program, entries[name], name) for name in (RESET, RUN, RUN, HASHES)
        )
        both = {"states": self.states, "inside": self.inside, "episodes": self.episodes}
        self._reset.give(**both, seeds=self.seeds, roots=self.roots)
        for call in (self._step, self._run):
            call.give(
                **both, at=self.at, shadows=self.shadows, inputs=self.staged, still=self.still,
                hashes=self._nothing, words=self._words, log=self.log, marks=self.marks,
                base=self.base, frames=self.frames,
            )  # fmt: skip
        self._step.slots[self._step.place("count")] = 1
        self._first = self._step.place("first")
        self._careful = self._step.place("careful")
        self._hashes.give(states=self.states, words=self._words)
        self._learn: EntryCall | None = None
        self.again = np.zeros(n, np.bool_)
        """Worlds that begin their next episode in place of a frame, in `learn`."""
        self._over = np.zeros(n, np.bool_)
        self._count: Callable[[], int]
        if LEARN in entries:
            self._learn = EntryCall(program, entries[LEARN], LEARN)
            self._observe = EntryCall(program, entries[OBSERVE], OBSERVE)
            self._learn.give(
                **both, at=self.at, shadows=self.shadows, inputs=self.staged, still=self.still,
                log=self.log, marks=self.marks, base=self.base, frames=self.frames,
                seeds=self.seeds, roots=self.roots, again=self.again,
            )  # fmt: skip
            self._counting = EntryCall(program, entries[COUNT], COUNT)
            self._counting.give(
                at=self.at, base=self.base, frames=self.frames, episodes=self.episodes,
                over=self._over,
            )  # fmt: skip
            self._count = self._counting.run
            self._learn_first = self._learn.place("first")
            self._observe.give(states=self.states)
        self._whole = address(self.states), address(self.shadows), self.states.nbytes
        self._at = address(self.at), 0, self.at.nbytes

    def step(self) -> None:
        """Run one frame of `staged`."""
        states, shadows, size = self._whole
        _memmove(shadows, states, size)
        _memset(*self._at)
        stopped = None
        try:
            self._step.slots[self._careful] = self._step.slots[self._first] = 0
            status = self._step.run()
            if status:
                stopped = self._once_more(self._step, status, self.shadows)
        except BaseException:
            self._go_back(self.shadows)
            raise
        # No call here, so that no signal handler runs before all of it is stored.
        self.frames += self.at
        if stopped is not None:
            self.still |= stopped
            self._raise(stopped)

    def run(self, inputs: Memory, frames: int, hashes: NDArray[np.uint64]) -> None:
        """Run frames of inputs of shape (frames, n, players), or of one that holds for all; into
        `hashes` of shape (frames, n), if it has any rows, go the hashes after each."""
        before = self._before
        if before is None:
            before = self._before = np.empty_like(self.states)
        _memmove(address(before), *self._whole[::2])
        _memset(*self._at)
        call = self._run
        stopped = None
        try:
            call.give(inputs=inputs, hashes=hashes)
            call.slots[call.place("count")] = frames
            call.slots[self._careful] = call.slots[self._first] = 0
            status = call.run()
            if status:
                stopped = self._once_more(call, status, before)
        except BaseException:
            self._go_back(before)
            raise
        # As in `step`.
        self.frames += self.at
        if stopped is not None:
            self.still |= stopped
            self._raise(stopped)

    def hand(self, **arrays: Memory) -> Handed:
        """Take arrays into which `learn` writes: `out`, `rewards`, `ended`, `cut`, `over`, and
        `final` for the last observations of episodes, of n or no rows. `over` may be `again`.

        The caller keeps them alive; what is returned is for `hand_again`."""
        handed: Handed = []
        for call in (self._learn, self._counting):
            assert call is not None
            own = {name: array for name, array in arrays.items() if call.has(name)}
            call.give(**own)
            call.let_go(*own)
            handed += [(call.slots, call.place(n), address(array)) for n, array in own.items()]
        return handed

    def hand_again(self, handed: Handed) -> None:
        """Take arrays of the same shapes that were at hand before."""
        for slots, slot, place in handed:
            slots[slot] = place

    def learn(self, limit: int, at_once: bool = False) -> None:
        """As `step`, and write what follows of the frame into the arrays that are at `hand`; an
        episode of `limit` frames is cut off, 0 for none.

        Worlds of `again` begin their next episode instead; `at_once` has those whose episode ends
        begin the next behind the frame.
        """
        call = self._learn
        assert call is not None
        _memset(*self._at)
        slots, first = call.slots, self._learn_first
        slots[first - 3 : first + 1] = 0, at_once, limit, 0
        stopped = None
        try:
            status = call.run()
            if status:
                stopped = self._once_more(call, status, self.shadows)
        except BaseException:
            self._go_back(self.shadows, self._begun())
            self._sow_again()
            raise
        # The one call between a frame and its being counted is the count itself, so that no signal
        # handler runs before.
        self._count()
        if stopped is not None:
            self.still |= stopped
            self._raise(stopped)

    def _sow_again(self) -> None:
        """Make the seeds of the episodes that are counted."""
        for world in range(self.n):
            root, episode = int(self.roots[world]), int(self.episodes[world])
            if episode or not self.is_sown[world]:
                self.seeds[world] = episode_seed(root, world, episode)

    def observe(self, which: NDArray[np.uint64], out: Memory) -> None:
        """Write the observations of some worlds into the rows of `out`."""
        self._observe.give(which=which, out=out)
        status = self._observe.run()
        if status:
            raise self._observe.entry.trap(status)

    def reset(self, which: NDArray[np.uint64], begun: Beginnings) -> None:
        """Begin an episode of the worlds `which`, all different."""
        columns = self.states, self.roots, self.seeds, self.episodes, self.is_sown
        before = [column[which] for column in columns]
        stopped = None
        try:
            self.roots[which], self.seeds[which] = begun.roots, begun.seeds
            self.episodes[which], self.is_sown[which] = begun.episodes, begun.is_sown
            self._reset.give(which=which, exact=begun.exact)
            self._reset.slots[self._reset.place("first")] = 0
            status = self._reset.run()
            if status:
                stopped = self._reset_rest(which, status)
        except BaseException:
            for column, was in zip(columns, before, strict=True):
                column[which] = was
            self.inside[:] = 0
            raise
        # As in `step`.
        self.base[which] += self.frames[which]
        self.frames[which] = 0
        self.still[which] = 0
        if stopped is not None:
            self.still |= stopped
            self._raise(stopped, init=True)

    def hashes(self) -> NDArray[np.uint64]:
        """The hash of each world's state."""
        found = np.zeros(self.n, np.uint64)
        self._hashes.give(hashes=found)
        status = self._hashes.run()
        if status:
            raise self._hashes.entry.trap(status)
        return found

    @property
    def stopped(self) -> dict[int, Trap]:
        """The trap of each world that stands still for one."""
        return {world: trap for world, trap in self._traps.items() if self.still[world]}

    def _reset_rest(self, which: NDArray[np.uint64], status: int) -> NDArray[np.uint8]:
        """Reset what a trap has left; 1 where there was one."""
        call, stopped = self._reset, np.zeros(self.n, np.uint8)
        first = call.place("first")
        while status:
            trap = call.entry.trap(status)
            if not isinstance(trap, Trap):
                raise trap
            place = int(np.flatnonzero(self.inside[which])[0])
            world = int(which[place])
            stopped[world], self._traps[world] = 1, trap
            self.inside[which] = 0
            self.states[world] = np.zeros((), self.states.dtype)
            call.slots[first] = place + 1
            status = call.run()
        return stopped

    def _once_more(self, call: EntryCall, status: int, before: Memory) -> NDArray[np.uint8]:
        """Run those again, world by world, that a trap has left inside of their blocks, from the
        states before the call, and go on; 1 where there was a trap. Raises what else a `status`
        stands for, such as the exception of an interrupt, which may have come behind the last
        frame."""
        trap = call.entry.trap(status)
        if not isinstance(trap, Trap):
            raise trap
        begun = np.flatnonzero(self.inside)
        self.states[begun] = before[begun]
        self.at[begun] = self.inside[begun] = 0
        first = call.place("first")
        call.slots[call.place("careful")], call.slots[first] = 1, int(begun[0])
        return self._finished(call, call.run(), first)

    def _finished(self, call: EntryCall, status: int, first: int) -> NDArray[np.uint8]:
        """Run what a trap has left; 1 where there was one."""
        stopped = np.zeros(self.n, np.uint8)
        while status:
            trap = call.entry.trap(status)
            if not isinstance(trap, Trap):
                raise trap
            begun = np.flatnonzero(self.inside)
            world = int(begun[0])
            stopped[world], self._traps[world] = 1, trap
            self.states[begun] = self.shadows[begun]
            self.inside[begun] = 0
            call.slots[first] = world + 1
            status = call.run()
        return stopped

    def _begun(self) -> NDArray[np.intp]:
        """The worlds that `learn` has come to, whose states before the frame are in `shadows`."""
        return np.flatnonzero((self.at != 0) | (self.inside != 0))

    def _go_back(self, before: Memory, which: NDArray[np.intp] | None = None) -> None:
        """Return to the states before a call, of all worlds or of some that alone have others,
        and drop what the ring has of its frames."""
        if which is None:
            self.states[:] = before
        else:
            self.states[which] = before[which]
        self.inside[:] = 0
        if len(self.log):
            episode = self.marks >> np.uint64(EPISODE_SHIFT)
            later = self.marks & np.uint64(2**EPISODE_SHIFT - 1) >= self.frames
            self.marks[(episode == self.episodes) & later] = NO_MARK

    def _raise(self, stopped: NDArray[np.uint8], init: bool = False) -> NoReturn:
        traps = {int(world): self._traps[int(world)] for world in np.flatnonzero(stopped)}
        frames = {world: -1 if init else int(self.frames[world]) for world in traps}
        raise WorldTrap(traps, frames, self.n)
