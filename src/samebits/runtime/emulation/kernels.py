"""Calls of a kernel in an emulator: its arguments' memory is sent there and read back.

Owns which slots are addresses of what. `runtime.call` packs arguments, `emulation.calls` handles
byte order.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from samebits.backend.objects import CompiledObject, TrapSite
from samebits.backend.targets.table import Target
from samebits.errors import RunnerError, Trap
from samebits.printed import is_tracing
from samebits.runtime.calls.native_call import native_callable, slot_count
from samebits.runtime.emulation.calls import ImageAddress, ImageBuilder, Machine, Slot, machine
from samebits.runtime.emulation.remote import LIMIT_SECONDS
from samebits.runtime.objects.output_buffer import give_on, has_output
from samebits.types import ArrayType, MemoryType, StructType, TupleType, Type


@dataclass(frozen=True)
class _Argument:
    """An argument whose slot is an address; an array's lengths are in the next slots."""

    slot: int
    type: MemoryType
    dimensions: int

    def span(self, slots: Any) -> tuple[int, int]:
        """Its address in this process, and its size in bytes."""
        lengths = slots[self.slot + 1 : self.slot + 1 + self.dimensions]
        return int(slots[self.slot]), math.prod(lengths) * self.type.size


class EmulatedEntry:
    """Entry 0 of an object in an emulator, with the interface of an entry of this process."""

    def __init__(
        self, there: Machine, arguments: Sequence[_Argument], sites: Sequence[TrapSite]
    ) -> None:
        self._there = there
        self._arguments = tuple(arguments)
        self._sites = sites
        self._prints = has_output(sites)
        self._trap: Trap | None = None

    def function(self, slots: Any) -> int:
        """Call with slots of this process's addresses. Raises RunnerError."""
        builder = ImageBuilder()
        words: list[Slot] = list(slots)
        places: dict[tuple[int, int], ImageAddress] = {}
        for argument in self._arguments:
            span = argument.span(slots)
            if span not in places:
                _refuse_overlap(span, places)
                places[span] = builder.add(ctypes.string_at(*span), argument.type)
            words[argument.slot] = places[span]
        if self._prints:
            self._there.begin_output(1, is_tracing())
        answer = self._there.call(0, words, builder.image())
        if self._prints:
            give_on(self._sites, *self._there.output())
        for (address, size), place in places.items():
            ctypes.memmove(address, answer.data[place.offset :], size)
        for n, word in enumerate(words):
            if not isinstance(word, ImageAddress):
                slots[n] = answer.slots[n]
        site = answer.trap
        self._trap = Trap(site.kind, site.span, site.detail) if site else None
        return int(site is not None)

    def trap(self, status: int) -> BaseException:
        """The trap of the last call."""
        assert status
        assert self._trap is not None
        return self._trap


def _refuse_overlap(span: tuple[int, int], places: dict[tuple[int, int], ImageAddress]) -> None:
    address, size = span
    for other, length in places:
        if address < other + length and other < address + size:
            raise RunnerError("arguments that overlap in part cannot be passed to an emulator")


def emulated_callable(
    compiled: CompiledObject,
    target: Target,
    params: Sequence[tuple[str, Type]],
    result: Type,
    name: str,
) -> Callable[..., Any]:
    """As `native_callable`, with the object's entry 0 running in an emulator of `target`, which
    ends when the callable is collected. Raises RunnerError."""
    items = result.items if isinstance(result, TupleType) else (result,)
    returned = [t for t in items if isinstance(t, StructType)]
    arguments = [_Argument(slot, t, 0) for slot, t in enumerate(returned)]
    slot = len(returned)
    for _, t in params:
        match t:
            case ArrayType():
                arguments.append(_Argument(slot, t.element, t.ndim))
            case StructType():
                arguments.append(_Argument(slot, t, 0))
            case _:
                pass
        slot += slot_count(t)
    sites = compiled.traps
    there = machine(compiled, 1 + has_output(sites), target, LIMIT_SECONDS)
    entry = EmulatedEntry(there, arguments, sites)
    return native_callable(entry, params, result, name)
