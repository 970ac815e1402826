"""Compiled entries in this process: addresses, statuses and the traps behind them.

Owns how an entry is called with filled slots. Knows nothing of Python values.
"""

from __future__ import annotations

import ctypes
from typing import Any, ClassVar

from samebits.backend.objects import (
    ARENA_KEY,
    DEBUG_INFO,
    HOOK,
    OUTPUT,
    OWN,
    RECORDS,
    STATUS_BITS,
    STATUS_MASK,
    TRAP_RECORDS,
    TRAP_WORDS,
    CompiledObject,
    TrapSite,
)
from samebits.backend.records import GUARD, LEFT
from samebits.errors import StackError, Trap
from samebits.printed import OUTPUT as PRINTED
from samebits.runtime.objects.library import addresses_of
from samebits.runtime.objects.loading import load
from samebits.value_text import filled_from_words

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
"""An entry's C type. Calls release the interpreter's lock."""

OWN_NUMBERS = ctypes.c_int64 * 3
"""The numbers of a trap "own": the index, and the first and the end of the range."""

_RECORD = ctypes.c_uint64 * TRAP_WORDS

RANGE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
"""A range function's C type: slots and control block. Calls release the interpreter's lock."""


class NativeModule:
    """A loaded object. It stays loaded while this, or an entry of it, is referenced.

    The shared functions that it calls must be loaded: `library.provide`, `library.are_here`.
    """

    def __init__(self, compiled: CompiledObject, entries: int, ranges: int = 0) -> None:
        symbols = [f"sb_entry_{n}" for n in range(entries)]
        symbols += [f"sb_range_{n}" for n in range(ranges)]
        # An object names the variables that it has.
        variables = [
            v
            for v in (HOOK, OWN, GUARD, TRAP_RECORDS, ARENA_KEY)
            if v.encode() in compiled.object_bytes
        ]
        variables += [OUTPUT] * any(site.kind in PRINTED for site in compiled.traps)
        self.traps: tuple[TrapSite, ...] = compiled.traps
        imports = addresses_of(compiled.needs)
        if ARENA_KEY in variables:
            from samebits.runtime import arena

            imports = {**imports, **arena.imports()}
        self._loaded = load(compiled.object_bytes, [*symbols, *variables], imports)
        addresses = [self._loaded.addresses[symbol] for symbol in symbols]
        if DEBUG_INFO in compiled.object_bytes:
            from samebits.runtime.objects import debugger

            debugger.register(compiled.object_bytes, self._loaded.addresses, self._loaded)
        self._addresses, self._ranges = addresses[:entries], addresses[entries:]
        self._own = self._loaded.addresses.get(OWN)
        self._records = self._loaded.addresses.get(TRAP_RECORDS)
        self.output: Any = None
        """Its output buffer, if its code prints or traces."""
        output = self._loaded.addresses.get(OUTPUT)
        if output is not None:
            from samebits.runtime.objects.output_buffer import OutputBuffer

            self.output = OutputBuffer(output, self.traps)
        hook = self._loaded.addresses.get(HOOK)
        if hook is not None:
            from samebits.runtime.threads.team import hook_address

            ctypes.c_void_p.from_address(hook).value = hook_address()
        if ARENA_KEY in variables:
            from samebits.runtime import arena

            arena.give_key(self._loaded.addresses)
        guard = self._loaded.addresses.get(GUARD)
        if guard is not None:
            from samebits.runtime.threads.preempt import words_address

            ctypes.c_void_p.from_address(guard).value = words_address()

    def entry(self, n: int) -> NativeEntry:
        """The n-th compiled entry."""
        entry = NativeEntry(self, self._addresses[n])
        if self.output is not None:
            entry.function = self.output.around(entry.function)
        return entry

    def range_entry(self, n: int) -> NativeRange:
        """The n-th compiled range function."""
        return NativeRange(self, self._ranges[n])

    def trap(self, status: int, numbers: Any = None) -> BaseException:
        """The trap behind a non-zero status, or the exception that preempted this thread.

        `numbers` are its record, or the numbers of a trap "own", if not the module's variables hold
        them.
        """
        record, status = status >> STATUS_BITS, status & STATUS_MASK
        if status == LEFT:
            from samebits.runtime.threads.preempt import raised

            return raised()
        site = self.traps[status - 1]
        if site.kind == "memory":
            return MemoryError(f"there is no memory for an arena of {site.detail} bytes")
        if site.kind == "stack":
            return StackError(site.detail or "0", site.span)
        if site.kind != "own":
            if numbers is None and record and self._records is not None:
                at = self._records + ctypes.sizeof(_RECORD) * (record - RECORDS)
                numbers = _RECORD.from_address(at)
            said = None
            if site.said is not None and numbers is not None:
                said = filled_from_words(site.said, numbers)
            return Trap(site.kind, site.span, site.detail, said)
        trap = Trap(site.kind, site.span, site.detail)
        if numbers is None and self._own is not None:
            numbers = OWN_NUMBERS.from_address(self._own)
        return trap if numbers is None else trap.outside(*numbers[:3])

    def close(self) -> None:
        """Unload; the entries must not be called any more."""
        self._loaded.close()


class _NativeFunction:
    """A function of a module, whose `function` returns a status."""

    __slots__ = ("_module", "address", "function")
    prototype: ClassVar[Any]

    def __init__(self, module: NativeModule, address: int) -> None:
        self._module = module
        self.address = address
        self.function: Any = self.prototype(address)

    def trap(self, status: int, numbers: Any = None) -> BaseException:
        """The trap behind a non-zero status; `numbers` are those of a control block, if any."""
        return self._module.trap(status, numbers)


class NativeEntry(_NativeFunction):
    """One entry: `function(slots)`."""

    __slots__ = ()
    prototype = ENTRY

    @property
    def prints(self) -> bool:
        """Whether `function` is more than the code at `address`: it prints what that has left."""
        return self._module.output is not None

    def run(self, slots: Any) -> None:
        """Call with a ctypes array of slots. Raises Trap. The slots must fit the entry's
        parameters: addresses are not checked."""
        status = self.function(slots)
        if status:
            raise self.trap(status)


class NativeRange(_NativeFunction):
    """One range function. `function(slots, shared)` runs batches until none is left."""

    __slots__ = ()
    prototype = RANGE
