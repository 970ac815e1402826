"""The library by which debuggers hear of code that a process makes: GDB's JIT interface, as ELF.

GDB and LLDB look in each library that a process loads for a function and a variable of two names
(https://sourceware.org/gdb/current/onlinedocs/gdb.html/JIT-Interface.html). The library here has
nothing else, and is written byte by byte: no linker is needed, and none of the process's own
libraries can be relied on to have them.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

REGISTER = "__jit_debug_register_code"
DESCRIPTOR = "__jit_debug_descriptor"


class Machine(NamedTuple):
    """A processor: its number in ELF, and the code of a function that returns at once."""

    number: int
    code: bytes


MACHINES = {
    "x86_64": Machine(62, b"\xc3"),
    "aarch64": Machine(183, b"\xc0\x03\x5f\xd6"),
}
"""By the name that the system has for the processor."""

_PAGE = 0x10000
"""The largest pages of both processors' systems."""
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SEGMENT = struct.Struct("<IIQQQQQQ")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_TAG = struct.Struct("<qQ")
_DESCRIPTOR = struct.pack("<IIQQ", 1, 0, 0, 0)
"""Version 1, nothing to do, no entry, no entries."""
_FUNCTION, _OBJECT = 0x12, 0x11
"""A global function's and a global variable's kind."""
_HASH, _STRTAB, _SYMTAB, _STRSZ, _SYMENT = 4, 5, 6, 10, 11


def library_bytes(machine: Machine) -> bytes:
    """The library as a shared object: one page to read and run, one to read and write."""
    names = b"\0" + REGISTER.encode() + b"\0" + DESCRIPTOR.encode() + b"\0"
    places = 1, 2 + len(REGISTER)
    segments = _HEADER.size, 3
    at_symbols = _HEADER.size + segments[1] * _SEGMENT.size
    at_hash = at_symbols + 3 * _SYMBOL.size
    # One bucket whose chain holds both symbols.
    table = struct.pack("<IIIIII", 1, 3, 1, 0, 2, 0)
    at_names = at_hash + len(table)
    at_code = -(-(at_names + len(names)) // 16) * 16
    end = at_code + len(machine.code)
    tags = [(_HASH, at_hash), (_STRTAB, at_names), (_SYMTAB, at_symbols), (_STRSZ, len(names)),
            (_SYMENT, _SYMBOL.size), (0, 0)]  # fmt: skip
    dynamic = b"".join(_TAG.pack(*tag) for tag in tags)
    at_descriptor = _PAGE + len(dynamic)
    symbols = _SYMBOL.pack(0, 0, 0, 0, 0, 0)
    symbols += _SYMBOL.pack(places[0], _FUNCTION, 0, 4, at_code, len(machine.code))
    symbols += _SYMBOL.pack(places[1], _OBJECT, 0, 6, at_descriptor, len(_DESCRIPTOR))
    titles = b"\0.dynsym\0.hash\0.dynstr\0.text\0.dynamic\0.data\0.shstrtab\0"

    def section(
        name: str, kind: int, flags: int, at: int, size: int, link: int, info: int, each: int
    ) -> bytes:
        place = at if flags else 0
        row = titles.index(f"\0{name}\0".encode()) + 1, kind, flags, place, at, size, link, info
        return _SECTION.pack(*row, 8 if kind != 3 else 1, each)

    written = _PAGE + len(dynamic) + len(_DESCRIPTOR)
    sections = [
        _SECTION.pack(*[0] * 10),
        section(".dynsym", 11, 2, at_symbols, len(symbols), 3, 1, _SYMBOL.size),
        section(".hash", 5, 2, at_hash, len(table), 1, 0, 4),
        section(".dynstr", 3, 2, at_names, len(names), 0, 0, 0),
        section(".text", 1, 6, at_code, len(machine.code), 0, 0, 0),
        section(".dynamic", 6, 3, _PAGE, len(dynamic), 3, 0, _TAG.size),
        section(".data", 1, 3, at_descriptor, len(_DESCRIPTOR), 0, 0, 0),
        section(".shstrtab", 3, 0, written, len(titles), 0, 0, 0),
    ]
    at_sections = -(-(written + len(titles)) // 8) * 8
    identity = b"\x7fELF\x02\x01\x01".ljust(16, b"\0")
    head = _HEADER.pack(
        identity, 3, machine.number, 1, 0, segments[0], at_sections, 0, _HEADER.size,
        _SEGMENT.size, segments[1], _SECTION.size, len(sections), len(sections) - 1,
    )  # fmt: skip
    head += _SEGMENT.pack(1, 5, 0, 0, 0, end, end, _PAGE)
    size = written - _PAGE
    head += _SEGMENT.pack(1, 6, _PAGE, _PAGE, _PAGE, size, size, _PAGE)
    head += _SEGMENT.pack(2, 6, _PAGE, _PAGE, _PAGE, len(dynamic), len(dynamic), 8)
    first = (head + symbols + table + names).ljust(at_code, b"\0") + machine.code
    whole = first.ljust(_PAGE, b"\0") + dynamic + _DESCRIPTOR + titles
    return whole.ljust(at_sections, b"\0") + b"".join(sections)
