"""The undefined symbols of an object file, in each format that a row has."""

from __future__ import annotations

import struct


def undefined_symbols(data: bytes) -> set[str]:
    """Names that the object needs from elsewhere: ELF, Mach-O, COFF or WebAssembly."""
    if data[:4] == b"\x7fELF":
        return _elf(data)
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return _macho(data)
    if data[:4] == b"\0asm":
        return _wasm(data)
    return _coff(data)


def _text(data: bytes, at: int) -> str:
    return data[at : data.index(0, at)].decode()


def _elf(data: bytes) -> set[str]:
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"
    header, symbol = ("IIQQQQIIQQ", "IBBHQQ") if wide else ("IIIIIIIIII", "IIIBBH")
    start = struct.unpack_from(order + ("Q" if wide else "I"), data, 40 if wide else 32)[0]
    size, count = struct.unpack_from(order + "HH", data, 58 if wide else 46)
    sections = [struct.unpack_from(order + header, data, start + k * size) for k in range(count)]
    found: set[str] = set()
    for _, kind, _, _, offset, length, link, _, _, entry in sections:
        if kind != 2:  # SHT_SYMTAB
            continue
        for at in range(offset + entry, offset + length, entry):
            fields = struct.unpack_from(order + symbol, data, at)
            if fields[3 if wide else 5] == 0:
                found.add(_text(data, sections[link][4] + fields[0]))
    return found


def _macho(data: bytes) -> set[str]:
    at, found = 32, set[str]()
    for _ in range(struct.unpack_from("<I", data, 16)[0]):
        command, size = struct.unpack_from("<II", data, at)
        if command == 2:  # LC_SYMTAB
            symbols, count, strings, _ = struct.unpack_from("<IIII", data, at + 8)
            for k in range(count):
                name, kind, _, _, _ = struct.unpack_from("<IBBHQ", data, symbols + 16 * k)
                if kind & 0x0E == 0:
                    found.add(_text(data, strings + name))
        at += size
    return found


def _coff(data: bytes) -> set[str]:
    symbols, count = struct.unpack_from("<II", data, 8)
    strings, found, k = symbols + 18 * count, set[str](), 0
    while k < count:
        at = symbols + 18 * k
        section, _, storage, more = struct.unpack_from("<hHBB", data, at + 12)
        if section == 0 and storage == 2:
            long = data[at : at + 4] == b"\0\0\0\0"
            name = _text(data, strings + struct.unpack_from("<I", data, at + 4)[0]) if long else (
                data[at : at + 8].rstrip(b"\0").decode()
            )  # fmt: skip
            found.add(name)
        k += 1 + more
    return found


class _Reader:
    def __init__(self, data: bytes, at: int) -> None:
        self.data, self.at = data, at

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def name(self) -> str:
        length = self.number()
        self.at += length
        return self.data[self.at - length : self.at].decode()


def _wasm(data: bytes) -> set[str]:
    """The imports."""
    r, found = _Reader(data, 8), set[str]()
    while r.at < len(data):
        kind, size = r.number(), r.number()
        end = r.at + size
        if kind == 2:
            for _ in range(r.number()):
                r.name()
                found.add(r.name())
                what = r.number()
                if what == 0:
                    r.number()
                elif what == 3:
                    r.at += 2
                else:
                    r.at += what == 1  # a table's element type
                    limits = r.number()
                    r.number()
                    if limits & 1:
                        r.number()
        r.at = end
    return found


_WASM = {"__linear_memory", "__stack_pointer", "__indirect_function_table"}

LINKERS_OWN = {
    "i686": {"_GLOBAL_OFFSET_TABLE_"}, "ppc64": {".TOC."}, "ppc64le": {".TOC."},
    "wasm32": _WASM, "wasm32-simd": _WASM,
}  # fmt: skip
"""What the linker itself defines."""
