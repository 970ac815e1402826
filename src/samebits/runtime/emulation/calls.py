"""Calls of compiled entries on any target: memory is sent in the target's byte order and read back.

A call's memory is one image in this machine's byte order. If the target's differs, each scalar in
the image is byte-swapped here, by its type, before the call and after it.
"""

from __future__ import annotations

import ctypes
import struct
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from samebits.backend.llvm.engine import available_targets
from samebits.backend.objects import OUTPUT_HEAD, STATUS_MASK, CompiledObject, TrapSite
from samebits.backend.targets.table import Target
from samebits.bits import leaves
from samebits.errors import RunnerError
from samebits.printed import MOST_WORDS
from samebits.runtime.emulation.machines import EmulatedProgram, emulation_reason
from samebits.runtime.emulation.remote import Remote
from samebits.runtime.native import NativeModule
from samebits.types import MemoryType

ALIGNMENT = 64
"""Alignment of an image, and of values in it."""


@dataclass(frozen=True)
class ImageAddress:
    """A slot with the address of a byte of the image."""

    offset: int


Slot = int | ImageAddress


@dataclass(frozen=True)
class ImageRegion:
    """`count` adjacent values of one type in an image."""

    offset: int
    type: MemoryType
    count: int


@dataclass(frozen=True)
class CallImage:
    """The memory of a call, in this machine's byte order."""

    data: bytes
    regions: tuple[ImageRegion, ...]

    def swapped(self, data: bytes) -> bytes:
        """`data`, which has this image's layout, with every scalar byte-swapped."""
        found = np.frombuffer(data, np.uint8).copy()
        for region in self.regions:
            size = region.type.size
            part = found[region.offset : region.offset + region.count * size]
            part[:] = part.reshape(region.count, size)[:, _reversed(region.type)].reshape(-1)
        return found.tobytes()


class ImageBuilder:
    """Builds an image of aligned values."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._regions: list[ImageRegion] = []

    def add(self, data: bytes, t: MemoryType) -> ImageAddress:
        """Add `data`, whole values of `t`; returns its address in the image."""
        self._data += bytes(-len(self._data) % ALIGNMENT)
        offset = len(self._data)
        self._data += data
        self._regions.append(ImageRegion(offset, t, len(data) // t.size))
        return ImageAddress(offset)

    def image(self) -> CallImage:
        return CallImage(bytes(self._data), tuple(self._regions))


@cache
def _reversed(t: MemoryType) -> NDArray[np.intp]:
    """For each byte of a `t`, its index in the other byte order."""
    order = np.arange(t.size)
    for _, leaf, offset in leaves(t):
        order[offset : offset + leaf.size] = order[offset : offset + leaf.size][::-1]
    return order


@dataclass(frozen=True)
class EntryAnswer:
    """The outcome of a call: the trap, or None; the slots, 0 … 2^64-1 each; the image's bytes in
    this machine's byte order."""

    trap: TrapSite | None
    slots: tuple[int, ...]
    data: bytes


class Machine(Protocol):
    """The entries of one object, on one target. Any method may raise RunnerError."""

    def call(self, entry: int, slots: Sequence[Slot], image: CallImage) -> EntryAnswer: ...
    def begin_output(self, entry: int, traces: bool) -> None:
        """Empty the output buffer, whose address `entry` gives, before a call; `traces` are wanted
        or not."""
        ...

    def output(self) -> tuple[list[int], int]:
        """The words of the output buffer after a call, and how many prints and traces were
        dropped."""
        ...

    def close(self) -> None: ...


def machine(compiled: CompiledObject, entries: int, target: Target, limit: float) -> Machine:
    """`sb_entry_0` … of an object for a row of `runnable_targets`; `limit` is seconds a call."""
    if is_here(target):
        return _Here(compiled, entries)
    return _Elsewhere(EmulatedProgram(compiled, entries, target), limit)


def is_here(target: Target) -> bool:
    """Whether this process can run the target's code itself."""
    return any(level.target == target for level in available_targets() if level.reason is None)


@dataclass(frozen=True)
class Runner:
    """A target and what runs it here; `reason` says why nothing can, and is None otherwise."""

    target: Target
    what: str
    reason: str | None


def runners() -> tuple[Runner, ...]:
    """The runner of every target row."""
    found: list[Runner] = []
    for level in available_targets():
        target = level.target
        if level.reason is None:
            found.append(Runner(target, "this processor", None))
            continue
        what = "wasmtime" if target.runner == "wasmtime" else target.qemu or "nothing"
        found.append(Runner(target, what, emulation_reason(target)))
    return tuple(found)


class _Here:
    """The machine that is this process."""

    def __init__(self, compiled: CompiledObject, entries: int) -> None:
        self._module = NativeModule(compiled, entries)
        self._entries = [self._module.entry(n) for n in range(entries)]

    def call(self, entry: int, slots: Sequence[Slot], image: CallImage) -> EntryAnswer:
        memory = np.zeros(len(image.data) + ALIGNMENT, np.uint8)
        first = -memory.ctypes.data % ALIGNMENT
        memory = memory[first : first + len(image.data)]
        memory[:] = np.frombuffer(image.data, np.uint8)
        words = (ctypes.c_uint64 * max(1, len(slots)))(*_words(slots, memory.ctypes.data))
        status = self._entries[entry].function(ctypes.addressof(words)) & STATUS_MASK
        return _answer(self._module.traps, status, tuple(words), memory.tobytes())

    def begin_output(self, entry: int, traces: bool) -> None:
        """What an entry of this process prints comes out by itself."""

    def output(self) -> tuple[list[int], int]:
        return [], 0

    def close(self) -> None:
        self._module.close()


class _Elsewhere:
    """A machine in an emulator, whose memory is allocated once and grows with the largest image."""

    def __init__(self, program: EmulatedProgram, limit: float) -> None:
        self._traps = program.traps
        self._program = program
        self._remote: Remote = program.start(limit)
        self._foreign = program.target.little_endian != (sys.byteorder == "little")
        self._order = "<" if program.target.little_endian else ">"
        self._address = 0
        self._capacity = 0
        self._output = 0

    def call(self, entry: int, slots: Sequence[Slot], image: CallImage) -> EntryAnswer:
        size = len(image.data)
        if size > self._capacity or not self._address:
            self._capacity = max(1 << 16, 2 * self._capacity, size)
            self._address = self._remote.allocate(self._capacity)
        self._remote.write(
            self._address, image.swapped(image.data) if self._foreign else image.data
        )
        status, words = self._remote.call(entry, _words(slots, self._address))
        data = self._remote.read(self._address, size)
        return _answer(self._traps, status, words, image.swapped(data) if self._foreign else data)

    def begin_output(self, entry: int, traces: bool) -> None:
        if not self._output:
            _, (self._output,) = self._remote.call(entry, [0])
        self._remote.write(self._output, struct.pack(f"{self._order}3Q", 0, 0, traces))

    def output(self) -> tuple[list[int], int]:
        size = 8 * OUTPUT_HEAD
        used, dropped, _ = struct.unpack(f"{self._order}3Q", self._remote.read(self._output, size))
        if used > MOST_WORDS:
            raise RunnerError(f"the program answered nonsense: {used} words of output")
        words = self._remote.read(self._output + size, 8 * used)
        return list(struct.unpack(f"{self._order}{used}Q", words)), dropped

    def close(self) -> None:
        self._remote.close()


def _words(slots: Sequence[Slot], address: int) -> list[int]:
    return [address + s.offset if isinstance(s, ImageAddress) else s for s in slots]


def _answer(
    traps: Sequence[TrapSite], status: int, slots: tuple[int, ...], data: bytes
) -> EntryAnswer:
    if status > len(traps) or status < 0:
        raise RunnerError(f"the program answered nonsense: status {status}")
    return EntryAnswer(traps[status - 1] if status else None, slots, data)
