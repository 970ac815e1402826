"""Executions of a simulation: managed, evaluated, or compiled for a level of this host.

All have the same state layout, frame loop and trap rule, so that they can be compared frame by
frame. Knows nothing of replays.
"""

from __future__ import annotations

import ctypes
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from samebits.backend.objects import CompiledObject
from samebits.bits import canonical_size, from_canonical, to_canonical, xxh64
from samebits.errors import Trap
from samebits.ir.interp.evaluator import Evaluator
from samebits.lang.executions import executions
from samebits.lang.kernel import Kernel
from samebits.lang.memory.structs import Struct
from samebits.lang.values.storage import bytes_of
from samebits.runtime.calls.input_copies import InputCopier
from samebits.runtime.calls.prepared_calls import NOT_COPIED, PreparedCall
from samebits.runtime.calls.ring_calls import RingCall
from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.native import NativeModule
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program
from samebits.sim.state.hashing import word_count, word_type

Memory = np.ndarray[Any, Any]
_IS_LITTLE = sys.byteorder == "little"


@dataclass(frozen=True, eq=False)
class Advance:
    """The hash after each whole frame, and the trap in the frame after them, if any."""

    hashes: NDArray[np.uint64]
    trap: Trap | None


class Execution(ABC):
    """A state in memory and the code that advances it.

    `start` must come first. A trap in `advance` leaves the state after the last whole frame, an
    interrupt the state before its first.
    """

    def __init__(self, program: Program, memory: Memory | None = None) -> None:
        self.program = program
        self._whole: Memory = np.zeros(1, program.memory.dtype) if memory is None else memory
        state = _bytes(self._whole)[: program.state.size].view(program.state.dtype)
        self.memory: Memory = state
        """The state, one element."""

    def start(self, seed: int) -> None:
        """Zero the state and run `init`. Raises Trap."""
        _bytes(self._whole)[:] = 0
        self._init(seed)

    @abstractmethod
    def advance(self, inputs: Inputs) -> Advance:
        """One frame for each row of canonical inputs of shape (frames, players)."""

    @abstractmethod
    def _init(self, seed: int) -> None: ...

    def close(self) -> None:  # noqa: B027 - most have nothing to end
        """End what runs outside this process, if anything. May be called from any thread, any
        number of times, and nothing else after it."""

    def hash(self) -> int:
        """XXH64 of the canonical state."""
        return xxh64(self.save())

    def save(self) -> bytes:
        """The state's canonical bytes."""
        return to_canonical(self.program.state, self.memory)

    def restore(self, state: bytes) -> None:
        """Restore the bytes of `save`; ValueError if the length does not fit."""
        _bytes(self.memory)[:] = _bytes(from_canonical(self.program.state, state))

    def save_memory(self) -> bytes:
        """The raw memory, with padding, the bits of NaNs, and fields that no hash covers."""
        return self._whole.tobytes()

    def restore_memory(self, memory: bytes) -> None:
        """Restore the bytes of `save_memory`; ValueError if the length does not fit."""
        _bytes(self._whole)[:] = np.frombuffer(memory, np.uint8)


class _Stepwise(Execution):
    """An execution with a frame loop and a hash in Python."""

    def advance(self, inputs: Inputs) -> Advance:
        hashes: list[int] = []
        for row in inputs:
            before = self._whole.tobytes()
            try:
                self._step(row)
            except Trap as trap:
                _bytes(self._whole)[:] = np.frombuffer(before, np.uint8)
                return Advance(np.array(hashes, np.uint64), trap)
            hashes.append(self.hash())
        return Advance(np.array(hashes, np.uint64), None)

    @abstractmethod
    def _step(self, inputs: Inputs) -> None: ...


class ManagedExecution(_Stepwise):
    """CPython runs the kernels' own source: the reference."""

    def __init__(self, program: Program, state: type[Struct], init: Kernel, step: Kernel) -> None:
        super().__init__(program)
        self._state = state.from_memory(self.memory)
        self._kernels = init, step

    def _init(self, seed: int) -> None:
        self._kernels[0].managed(self._state, seed)

    def _step(self, inputs: Inputs) -> None:
        self._kernels[1].managed(self._state, inputs)


class EvaluateExecution(_Stepwise):
    """The reference interpreter runs the kernels' IR."""

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._evaluator = Evaluator(program.kernels, deeper=executions.deeper)

    def _init(self, seed: int) -> None:
        with fpenv.pinned():
            self._evaluator.run(self.program.init, [self._whole, seed])

    def _step(self, inputs: Inputs) -> None:
        with fpenv.pinned():
            self._evaluator.run(self.program.step, [self._whole, inputs])


class NativeExecution(Execution):
    """Compiled code runs the whole loop, hashes included; over a new state, or one in `memory` of
    one element, whose dtype is that of the program's memory."""

    def __init__(
        self, program: Program, compiled: CompiledObject, memory: Memory | None = None
    ) -> None:
        super().__init__(program, memory)
        self._module = NativeModule(compiled, len(program.own_entries))
        self._entries = [self._module.entry(n) for n in range(len(program.own_entries))]
        self._shadow = np.zeros_like(self._whole)
        self._words = np.zeros(word_count(program.state), word_type(program.state).dtype)
        self._done = np.zeros(1, np.uint64)
        self.before = np.zeros_like(_bytes(self._whole))
        """The raw memory before the latest `advance`."""
        self.can_go_back = False
        """Whether `advance` has run and its frames are not counted yet; who counts them clears it.

        A signal handler may raise after a call but not between assignments, so that this flag and
        what it describes always agree.
        """
        self.bytes = _bytes(self._whole)
        """The raw memory."""
        self._shadow_bytes = _bytes(self._shadow)
        self._state_bytes = _bytes(self.memory)
        self._views = bytes_of(self.before), bytes_of(self.bytes)
        size = len(self._state_bytes)
        shadow = bytes_of(self._shadow_bytes)[:size]
        padding = bytes(size) if size > canonical_size(program.state) else b""
        self._restored = bytes_of(self._state_bytes), shadow, padding
        # NumPy takes a microsecond for an address.
        self._address, self._shadow_address = (self._whole.ctypes.data, self._shadow.ctypes.data)
        self._scratch = (_address(self._words), len(self._words))
        self._count = (_address(self._done), 1)
        self._hash = PreparedCall(self._entries[2], (self._address, *self._scratch, 0))
        self._unpack = PreparedCall(self._entries[3], (self._shadow_address, *self._scratch))
        self._word_bytes = bytes_of(self._words)

    def _init(self, seed: int) -> None:
        self._run(0, self._address, seed)

    def advance(self, inputs: Inputs) -> Advance:
        # From here on compiled code has addresses of this memory.
        assert inputs.dtype == self.program.input.dtype
        assert inputs.flags.c_contiguous
        hashes = np.zeros(len(inputs), np.uint64)
        self._done[0] = 0
        self.before[:] = self.bytes
        self.can_go_back = True
        try:
            try:
                self._run(1, *self._run_words(inputs, _address(hashes)))
                return Advance(hashes, None)
            except Trap as trap:
                self.bytes[:] = self._shadow_bytes
                return Advance(hashes[: int(self._done[0])], trap)
        except BaseException:
            self.bytes[:] = self.before
            raise

    @property
    def prints(self) -> bool:
        """Whether its code prints or traces."""
        return self._module.output is not None

    def prepare(self, copier: InputCopier) -> None:
        """Prepare `advance_one` for the inputs that a copier takes; of code that prints nothing."""
        self.latest_hash = ctypes.c_uint64()
        """The hash after the latest frame of `advance_one` that gave no trap."""
        words = self._run_words(copier.memory, ctypes.addressof(self.latest_hash))
        self._one = PreparedCall(self._entries[1], words, copier)

    def advance_one(self, inputs: Any) -> Trap | bool:
        """As `advance` over one frame of inputs that Python gives: the trap in it, or whether the
        copier took the inputs; if not nothing is done."""
        before, state = self._views
        one = self._one
        before[:] = state
        self.can_go_back = True
        status = one.function(inputs)
        if not status:
            return True
        if status == NOT_COPIED:
            return False
        try:
            raise self._entries[1].trap(status)
        except Trap as trap:
            self.bytes[:] = self._shadow_bytes
            return trap

    def over(self, ring: Memory, players: int) -> RingCall:
        """Calls of the frame loop that keep the memory before each frame in a row of `ring`."""
        row = np.zeros((1, players), self.program.input.dtype)
        words, size = self._run_words(row, 0), self.bytes.size
        return RingCall(self._entries[1], words, ring, size, row.nbytes)

    def _run_words(self, inputs: Inputs, hashes: int) -> tuple[int, ...]:
        """The slots of the entry that runs over frames; `hashes` is the address of as many."""
        frames, players = inputs.shape
        return (
            self._address,
            self._shadow_address,
            *(inputs.ctypes.data, frames, players),
            *(hashes, frames),
            *self._scratch,
            *self._count,
        )

    def hash(self) -> int:
        return self._ran(self._hash)[-1]

    def save(self) -> bytes:
        self._call(self._hash)  # fills the words with the canonical bytes
        return self._word_bytes.tobytes() if _IS_LITTLE else self._words.byteswap().tobytes()

    def restore(self, state: bytes | memoryview) -> None:
        words = self._word_bytes
        if len(state) != len(words):
            raise ValueError(f"{len(state)} bytes where {len(words)} are needed")
        words[:] = state
        if not _IS_LITTLE:
            self._words.byteswap(inplace=True)
        memory, shadow, zeros = self._restored  # as in `prepare_saves`
        if zeros:
            shadow[:] = zeros
        self._call(self._unpack)
        memory[:] = shadow

    def prepare_saves(
        self, out: Memory, given: Memory
    ) -> tuple[Callable[[], int], Callable[[], int], tuple[memoryview, memoryview, bytes]]:
        """What writes the state's canonical bytes to where `out` begins, and what reads those where
        `given` does into a shadow, each giving a status; the state's memory, the shadow, and what
        it holds before, if that matters.

        The shadow is then copied: an interrupt must not leave the state half restored.
        """
        size, t = len(self._word_bytes), self._words.dtype
        self._kept = words = out[:size].view(t), given[:size].view(t)
        slots = [(_address(a), len(a)) for a in words]
        pack = PreparedCall(self._entries[4], (self._address, *slots[0]))
        unpack = PreparedCall(self._entries[3], (self._shadow_address, *slots[1]))
        self._prepared = pack, unpack
        if _IS_LITTLE:
            return pack.function, unpack.function, self._restored

        def packed() -> int:
            status = pack.function()
            words[0].byteswap(inplace=True)
            return status

        def unpacked() -> int:
            words[1].byteswap(inplace=True)
            return unpack.function()

        return packed, unpacked, self._restored

    def trap(self, status: int) -> BaseException:
        """The trap of a status."""
        return self._module.trap(status)

    def _call(self, call: PreparedCall) -> None:
        status = call.function()
        if status:
            raise self._module.trap(status)

    def _run(self, entry: int, *words: int) -> Any:
        return self._ran(PreparedCall(self._entries[entry], words))

    def _ran(self, call: PreparedCall) -> Any:
        """The slots after a call. Raises Trap."""
        self._call(call)
        return call.slots


def _address(array: Memory) -> int:
    """The address of the first element of an array of scalars."""
    return array.__array_interface__["data"][0]


def _bytes(memory: Memory) -> NDArray[np.uint8]:
    return memory.reshape(-1).view(np.uint8)
