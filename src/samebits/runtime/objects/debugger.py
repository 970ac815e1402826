"""The news of loaded code with debug information for a debugger: GDB and LLDB, on Linux.

An object is handed over as it was made, but with the address that its code has here: the debugger
relocates the debug information itself. What it knows stays loaded until the process ends.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import platform
import struct
import sys
import warnings
from collections.abc import Mapping
from functools import cache
from typing import Any

from samebits.compiling import lock
from samebits.runtime.objects.jit_interface import (
    DESCRIPTOR,
    MACHINES,
    REGISTER,
    library_bytes,
)

_ADD = 1
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_ADDRESS = 16
"""Where a section's header has its address."""
_SYMBOLS = 2


class _Entry(ctypes.Structure):
    """One object that the debugger knows, in a list of all."""

    _fields_ = (
        ("next", ctypes.c_void_p),
        ("previous", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
        ("size", ctypes.c_uint64),
    )


class _Descriptor(ctypes.Structure):
    """The variable that the debugger reads."""

    _fields_ = (
        ("version", ctypes.c_uint32),
        ("action", ctypes.c_uint32),
        ("relevant", ctypes.c_void_p),
        ("first", ctypes.c_void_p),
    )


_known: list[tuple[_Entry, Any, object]] = []
"""The entries, what they point to, and what keeps the code loaded."""


def register(object_bytes: bytes, addresses: Mapping[str, int], loaded: object) -> None:
    """Tell a debugger, attached now or later, of an object with debug information, whose symbols
    have `addresses`. It stays `loaded`. On systems other than Linux on x86-64 and AArch64 nothing
    is told; where Linux refuses, a RuntimeWarning says so."""
    if not _is_supported():
        return
    with lock():
        try:
            library = _library()
        except OSError as error:
            warnings.warn(f"no debugger is told of this kernel: {error}", RuntimeWarning, 2)
            return
        data = ctypes.create_string_buffer(placed(object_bytes, addresses))
        entry = _Entry(None, None, ctypes.addressof(data), len(object_bytes))
        descriptor = _Descriptor.in_dll(library, DESCRIPTOR)
        here = ctypes.addressof(entry)
        if _known:
            entry.next = descriptor.first
            _known[-1][0].previous = here
        _known.append((entry, data, loaded))
        descriptor.first = descriptor.relevant = here
        descriptor.action = _ADD
        getattr(library, REGISTER)()
        descriptor.action = 0


def prepare() -> None:
    """Load the library that debuggers watch, if it can be: LLDB watches the first that has it, and
    LLVM's own, which is loaded where a kernel is compiled, has one too."""
    with lock(), contextlib.suppress(OSError):
        if _is_supported():
            _library()


def _is_supported() -> bool:
    return sys.platform == "linux" and platform.machine() in MACHINES


def placed(object_bytes: bytes, addresses: Mapping[str, int]) -> bytes:
    """An ELF object whose sections have the addresses at which `addresses` says that they lie, each
    by a symbol in it."""
    changed = bytearray(object_bytes)
    head = _HEADER.unpack_from(changed)
    first, count = head[6], head[12]
    sections: list[tuple[int, ...]] = [
        _SECTION.unpack_from(changed, first + k * _SECTION.size) for k in range(count)
    ]
    for table in sections:
        if table[1] != _SYMBOLS:
            continue
        names = sections[table[6]][4]
        for at in range(table[4], table[4] + table[5], _SYMBOL.size):
            title, _, _, section, value, _ = _SYMBOL.unpack_from(changed, at)
            start = names + title
            name = object_bytes[start : object_bytes.index(b"\0", start)].decode("utf-8", "replace")
            if name in addresses and 0 < section < count:
                place = first + section * _SECTION.size + _ADDRESS
                struct.pack_into("<Q", changed, place, addresses[name] - value)
    return bytes(changed)


@cache
def _library() -> ctypes.CDLL:
    """The library that debuggers watch, from memory: it has a file's name while the process runs,
    which a debugger can open. Raises OSError."""
    file = os.memfd_create("samebits-debug", 0)
    os.write(file, library_bytes(MACHINES[platform.machine()]))
    # The file stays open: a debugger that is attached later opens it too.
    return ctypes.CDLL(f"/proc/{os.getpid()}/fd/{file}")
