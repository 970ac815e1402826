"""Compiled entries in this process: addresses, statuses and the traps that they stand for.

Owns how an entry is called with slots that are already filled. Knows nothing of Python values.
"""

from __future__ import annotations

import ctypes
from typing import Any

from samebits.backend import llvm
from samebits.backend.emit import TrapSite
from samebits.backend.llvm import CompiledObject
from samebits.errors import Trap

ENTRY = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
"""An entry's C type. Calls release the interpreter's lock."""


class NativeModule:
    """A compiled object, loaded. It stays loaded while it, or an entry of it, is referenced."""

    def __init__(self, compiled: CompiledObject, entries: int) -> None:
        symbols = [f"sb_entry_{n}" for n in range(entries)]
        self.traps: tuple[TrapSite, ...] = compiled.traps
        self._loaded = llvm.load(compiled.object_bytes, symbols)
        self._addresses = [self._loaded.addresses[symbol] for symbol in symbols]

    def entry(self, n: int) -> NativeEntry:
        """The n-th entry of those that were compiled."""
        return NativeEntry(self, self._addresses[n])

    def close(self) -> None:
        """Unload now; the entries must not be called any more."""
        self._loaded.close()


class NativeEntry:
    """One entry. `function(slots)` returns a status; `check` turns it into a Trap."""

    __slots__ = ("_module", "address", "function")

    def __init__(self, module: NativeModule, address: int) -> None:
        self._module = module
        self.address = address
        self.function: Any = ENTRY(address)

    def trap(self, status: int) -> Trap:
        """The trap that a non-zero status stands for."""
        site = self._module.traps[status - 1]
        return Trap(site.kind, site.span, site.detail)

    def run(self, slots: Any) -> None:
        """Call with a ctypes array of slots. Raises Trap. The slots must be as the entry's
        parameters need them: nothing here checks addresses."""
        status = self.function(slots)
        if status:
            raise self.trap(status)
