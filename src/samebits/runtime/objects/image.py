"""A loader of x86-64 ELF objects without LLVM, whose library takes longer to load than kernels do.

It supports the sections and relocations that LLVM emits for kernels. For anything else `load`
returns None, and LLVM's linker loads the object. Objects come from this library's compiler or a
checked cache entry; their numbers are checked all the same.
"""

from __future__ import annotations

import atexit
import ctypes
import os
import platform
import struct
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

_HEADER = struct.Struct("<4sBBB9xHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_RELOCATION = struct.Struct("<QIIq")

_PROGBITS, _SYMTAB, _STRTAB, _RELA, _NOBITS = 1, 2, 3, 4, 8
_UNWIND = 0x7000_0001
_IGNORED = {0, _SYMTAB, _STRTAB, _RELA}
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4
_KNOWN_FLAGS = 0x40 | 0x20 | 0x10 | _WRITE | _ALLOC | _EXECUTE | 0x1000_0000
"""Also SHF_INFO_LINK, SHF_STRINGS, SHF_MERGE and SHF_X86_64_LARGE."""

_ABS64, _PC32, _GOTPCREL, _PC64, _PLT32 = 1, 2, 9, 24, 4
_GOTPCRELX, _REX_GOTPCRELX = 41, 42
_GOT = {_GOTPCREL, _GOTPCRELX, _REX_GOTPCRELX}
_SLOTTED = {*_GOT, _PLT32}
_QUAD, _LONG, _INT = struct.Struct("<Q"), struct.Struct("<q"), struct.Struct("<i")
_STUB = struct.Struct("<HiHQ")
_JUMP = 0x25FF
"""`jmp *2(%rip)`: to the address two bytes after the instruction."""

_PAGE = os.sysconf("SC_PAGESIZE") if hasattr(os, "sysconf") else 4096
_READ_ONLY, _READ_WRITE, _READ_EXECUTE = 1, 3, 5
_PRIVATE_ANONYMOUS = 0x22
"""Linux's values."""
_UNDEFINED, _LAST_SECTION = 0, 0xFF00


class _UnknownError(Exception):
    """The object has something that is not supported here."""


_Relocation = tuple[int, int, int, int]
"""The offset in a section, the kind, the symbol's number and the addend."""
_Relocations = dict[int, list[_Relocation]]
"""By the number of a loaded section."""
_Symbol = tuple[str, int, int]
"""A symbol's name, its section's number and its value."""


@cache
def _protect() -> Any:
    """C's mprotect; None on systems for which this module loads no objects."""
    if sys.platform != "linux" or platform.machine() != "x86_64" or sys.maxsize < 2**32:
        return None
    return _function("mprotect", ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)


def _function(name: str, result: Any, *parameters: Any) -> Any:
    """A function of the C library, called with the interpreter's lock held."""
    found = getattr(_library(), name)
    found.restype, found.argtypes = result, parameters
    return found


@cache
def _library() -> ctypes.PyDLL:
    return ctypes.PyDLL(None)


class _Memory:
    """Anonymous memory of some pages, to read and write; unmapped with the last reference, but not
    at the process's end: a daemon thread may still run code in it. Python's own `mmap` is a library
    that takes a process longer to load than all of its kernels. Raises OSError."""

    __slots__ = ("_unmap", "size", "start")
    stays: ClassVar[bool] = False
    """Whether the process is at its end."""

    def __init__(self, size: int) -> None:
        self.size, self.start = size, 0
        word, pointer = ctypes.c_int, ctypes.c_void_p
        self._unmap = _function("munmap", word, pointer, ctypes.c_size_t)
        given = pointer, ctypes.c_size_t, word, word, word, ctypes.c_ssize_t
        found = _function("mmap", pointer, *given)(
            None, size, _READ_WRITE, _PRIVATE_ANONYMOUS, -1, 0
        )
        if found is None or found == _MAP_FAILED:
            raise OSError(f"the system has no {size:,} bytes of memory")
        self.start = found
        _note_the_end()

    def write(self, place: int, data: bytes) -> None:
        """Write at an offset."""
        if place < 0 or place + len(data) > self.size:
            raise ValueError(f"{len(data)} bytes at {place} are outside of {self.size}")
        ctypes.memmove(self.start + place, data, len(data))

    def close(self) -> None:
        """Unmap."""
        start, self.start = self.start, 0
        if start and not self.stays:
            self._unmap(start, self.size)

    __del__ = close


_MAP_FAILED = 2**64 - 1


@cache
def _note_the_end() -> None:
    atexit.register(setattr, _Memory, "stays", True)


class LoadedImage:
    """Object code in memory of its own. Addresses are valid until `close` or collection."""

    __slots__ = ("__weakref__", "_memory", "addresses")

    def __init__(self, memory: _Memory, addresses: dict[str, int]) -> None:
        self._memory = memory
        self.addresses = addresses

    def close(self) -> None:
        """Unload. Its code must not be running, nor run later."""
        self.addresses = {}
        self._memory.close()


def load(data: bytes, symbols: Sequence[str], imports: Mapping[str, int]) -> LoadedImage | None:
    """An object loaded into this process; `imports` are the addresses of external functions.

    None if something in it is not supported here, a symbol is missing, or the system refuses
    executable memory.
    """
    if _protect() is None:
        return None
    try:
        return _Loading(data, imports).run(symbols)
    except (_UnknownError, struct.error, IndexError, KeyError, ValueError, OSError):
        return None


class _Loading:
    """The loading of one object."""

    def __init__(self, data: bytes, imports: Mapping[str, int]) -> None:
        self._data = data
        self._imports = imports
        magic, bits, order, _, kind, machine, *rest = _HEADER.unpack_from(data)
        if (magic, bits, order, kind, machine) != (b"\x7fELF", 2, 1, 1, 62):
            raise _UnknownError
        at, size, count, names = (int(rest[k]) for k in (3, 8, 9, 10))
        if size != _SECTION.size or not 0 < count < _LAST_SECTION:
            raise _UnknownError
        self._sections: list[tuple[int, ...]] = [
            _SECTION.unpack_from(data, at + k * size) for k in range(count)
        ]
        self._names = self._bytes(self._sections[names])
        self._places: dict[int, int] = {}
        self._slots: dict[int, int] = {}
        """Offset in the image of each imported symbol's address, with a jump stub before it."""

    def _bytes(self, section: tuple[int, ...]) -> bytes:
        start, size = section[4], section[5]
        if start + size > len(self._data):
            raise _UnknownError
        return self._data[start : start + size]

    @staticmethod
    def _text(names: bytes, at: int) -> str:
        return names[at : names.index(b"\0", at)].decode("ascii", "replace")

    def run(self, wanted: Sequence[str]) -> LoadedImage:
        """Lay out, relocate, protect."""
        protect = _protect()
        symbols = self._symbols()
        relocations = self._relocations()
        ends = self._lay_out(relocations)
        memory = _Memory(ends[-1])
        base = memory.start
        self._fill(memory, base, symbols, relocations)
        if protect(base, ends[0], _READ_EXECUTE) or (
            ends[1] > ends[0] and protect(base + ends[0], ends[1] - ends[0], _READ_ONLY)
        ):
            raise _UnknownError
        places = {
            name: base + self._places[section] + value
            for name, section, value in symbols
            if name and section in self._places
        }
        return LoadedImage(memory, {name: places[name] for name in wanted})

    def _symbols(self) -> list[_Symbol]:
        tables = [s for s in self._sections if s[1] == _SYMTAB]
        if len(tables) != 1:
            raise _UnknownError
        (table,) = tables
        names = self._bytes(self._sections[table[6]])
        rows = _SYMBOL.iter_unpack(self._bytes(table))
        return [(self._text(names, row[0]), row[3], row[4]) for row in rows]

    def _relocations(self) -> _Relocations:
        """The relocations of loaded sections."""
        found: _Relocations = {}
        for section in self._sections:
            if section[1] == _RELA and self._is_loaded(section[7]):
                rows = _RELOCATION.iter_unpack(self._bytes(section))
                found.setdefault(section[7], []).extend(rows)
        return found

    def _is_loaded(self, number: int) -> bool:
        """Whether the section is loaded. Raises if it must be, and is not supported."""
        name, kind, flags, *_ = self._sections[number]
        if not flags & _ALLOC:
            if kind not in _IGNORED | {_PROGBITS} and kind < 0x6000_0000:
                raise _UnknownError
            return False
        if kind == _UNWIND or self._text(self._names, name) == ".eh_frame":
            return False  # nothing unwinds through kernels
        if kind not in (_PROGBITS, _NOBITS) or flags & ~_KNOWN_FLAGS:
            raise _UnknownError
        if flags & _WRITE and flags & _EXECUTE:
            raise _UnknownError
        return True

    def _lay_out(self, relocations: _Relocations) -> list[int]:
        """Lay out code, then constants with the table of addresses, then variables, each on pages
        of its own; returns the ends of the three."""
        parts: list[list[int]] = [[], [], []]
        for number, section in enumerate(self._sections):
            if self._is_loaded(number):
                flags = section[2]
                parts[0 if flags & _EXECUTE else 2 if flags & _WRITE else 1].append(number)
        ends: list[int] = []
        at = 0
        for which, part in enumerate(parts):
            for number in part:
                align, size = max(1, self._sections[number][8]), self._sections[number][5]
                if align & (align - 1) or align > _PAGE:
                    raise _UnknownError
                self._places[number] = at = -(-at // align) * align
                at += size
            if which == 0:
                # Stubs of 16 bytes: the jump, and from byte 8 on the address.
                at = -(-at // 16) * 16
                wanted = [r[2] for rows in relocations.values() for r in rows if r[1] in _SLOTTED]
                for symbol in dict.fromkeys(wanted):
                    self._slots[symbol] = at
                    at += 16
            at = -(-at // _PAGE) * _PAGE
            ends.append(at)
            if at > len(self._data) + 64 * sum(map(len, relocations.values())) + (1 << 24):
                raise _UnknownError
        if not ends[0]:
            raise _UnknownError
        return ends

    def _fill(
        self, memory: _Memory, base: int, symbols: list[_Symbol], relocations: _Relocations
    ) -> None:
        addresses: dict[int, int] = {}
        calls: dict[int, int] = {}
        for number in {row[2] for rows in relocations.values() for row in rows}:
            name, section, value = symbols[number]
            if section == _UNDEFINED:
                addresses[number] = self._imports[name]
                calls[number] = base + self._slots.get(number, 0)
            else:
                addresses[number] = calls[number] = base + self._places[section] + value
        for number, place in self._slots.items():
            memory.write(place, _STUB.pack(_JUMP, 2, 0, addresses[number]))
        for number, place in self._places.items():
            section = self._sections[number]
            if section[1] == _PROGBITS:
                data = bytearray(self._bytes(section))
                self._relocate(data, base, place, relocations.pop(number, []), addresses, calls)
                memory.write(place, bytes(data))
        if relocations:  # of variables that have no bytes
            raise _UnknownError

    def _relocate(
        self,
        data: bytearray,
        base: int,
        place: int,
        relocations: list[_Relocation],
        addresses: dict[int, int],
        calls: dict[int, int],
    ) -> None:
        """Write the addresses that a section's bytes lack; struct.error where one does not fit."""
        here = base + place
        write = _INT.pack_into
        for at, kind, number, addend in relocations:
            if kind == _PC32:
                write(data, at, addresses[number] + addend - here - at)
            elif kind == _PLT32:
                write(data, at, calls[number] + addend - here - at)
            elif kind in _GOT:
                write(data, at, base + self._slots[number] + 8 + addend - here - at)
            elif kind == _ABS64:
                _QUAD.pack_into(data, at, addresses[number] + addend & (1 << 64) - 1)
            elif kind == _PC64:
                _LONG.pack_into(data, at, addresses[number] + addend - here - at)
            else:
                raise _UnknownError
