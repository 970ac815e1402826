"""ELF files: programs, libraries and objects of Linux, Android, BSD and consoles."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from samebits.audit.errors import UnreadableBinary
from samebits.audit.formats.bounds import (
    CodeSection,
    Mark,
    functions_of,
    kind_name,
    name_of,
    part_of,
    shown_name,
)
from samebits.audit.formats.library import lief
from samebits.audit.model import Function, Image

_ARCHITECTURES = {
    ("X86_64", False): "x86_64", ("I386", False): "i686", ("AARCH64", False): "aarch64",
    ("ARM", False): "armv7", ("RISCV", False): "riscv64", ("PPC64", False): "powerpc64le",
    ("PPC64", True): "powerpc64", ("PPC", True): "powerpc", ("S390", True): "s390x",
    ("LOONGARCH", False): "loongarch64", ("MIPS", False): "mips64el", ("MIPS", True): "mips64",
}  # fmt: skip
_NARROW = {"riscv64": "riscv32", "mips64el": "mipsel", "mips64": "mips"}
"""What an architecture is called in files of 32 bits."""
_SPECIAL = 0xFF00
"""Section numbers from here on are no sections."""
_KINDS = {"REL": "object", "EXEC": "program", "DYN": "shared library"}
_MAPPED = ("armv7", "aarch64", "riscv64", "riscv32")
"""Architectures with mapping symbols: `$d` begins data, `$a`, `$t`, `$x` code (AAELF32, AAELF64,
RISC-V ELF psABI)."""


def read_elf(data: bytes) -> Image:
    """The image of an ELF file. Raises UnreadableBinary."""
    reader = lief()
    _refuse_cut_off(data)
    config = reader.ELF.ParserConfig()
    config.parse_notes = config.parse_symbol_versions = config.parse_overlay = False
    binary = reader.ELF.parse(data, config)
    if binary is None:
        raise UnreadableBinary("it is a damaged ELF file")
    header = binary.header
    key = (kind_name(header.machine_type), kind_name(header.identity_data) == "MSB")
    architecture = _ARCHITECTURES.get(key)
    if architecture is None:
        raise UnreadableBinary(f"code for {key[0]} can't be audited")
    if kind_name(header.identity_class) == "ELF32":
        architecture = _NARROW.get(architecture, architecture)
    kind = _KINDS.get(kind_name(header.file_type), "object")
    if kind == "shared library" and binary.has_interpreter:
        kind = "program"
    image = Image("ELF", kind, architecture, base=int(binary.imagebase))
    _Sections(binary, image, memoryview(data)).read()
    return image


def _refuse_cut_off(data: bytes) -> None:
    """lief reads what is left of a file whose tables are cut off."""
    if len(data) < 64:
        raise UnreadableBinary("it is cut off within its header")
    order, wide = "<" if data[5] == 1 else ">", data[4] == 2
    programs, sections = struct.unpack_from(
        f"{order}{'QQ' if wide else 'II'}", data, 32 if wide else 28
    )
    sizes = struct.unpack_from(f"{order}4H", data, 54 if wide else 42)
    for start, size, count in ((programs, *sizes[:2]), (sections, *sizes[2:])):
        if start + size * count > len(data):
            raise UnreadableBinary(
                f"it is cut off: a table should end at byte {start + size * count:,}"
            )


class _Sections:
    """The sections and symbols of a file, on their way into an image."""

    def __init__(self, binary: Any, image: Image, data: memoryview) -> None:
        self._binary = binary
        self._data = data
        self._image = image
        self._is_object = image.kind == "object"

    def read(self) -> None:
        image, binary = self._image, self._binary
        code: list[CodeSection] = []
        for number, section in enumerate(binary.sections):
            flags = {kind_name(flag) for flag in section.flags_list}
            if "EXECINSTR" in flags and kind_name(section.type) == "PROGBITS" and section.size:
                # lief's own bytes go with its objects.
                content = part_of(self._data, section.offset, section.size, name_of(section))
                code.append(CodeSection(number, name_of(section), section.virtual_address, content))
            elif name_of(section) == ".comment":
                image.compilers = _texts(bytes(section.content))
            elif name_of(section) == ".GCC.command.line":
                image.recorded_flags = _texts(bytes(section.content))
        if not code and not self._is_object:
            code = list(self._segments())
        _refuse_overlaps(code, self._is_object)
        marks = self._marks()
        modes = self._modes() if image.architecture in _MAPPED else {}
        for section in code:
            if section.name.startswith((".plt", ".MIPS.stubs")):
                continue
            own = marks.get(section.number if self._is_object else -1, [])
            functions, rest = functions_of(section, own)
            is_known = all(function.is_known for function in functions)
            image.functions += self._in_modes(functions, modes) if modes else functions
            image.undecoded += rest if is_known else 0
        self._imports()
        self._constructors()

    def _segments(self) -> Iterator[CodeSection]:
        """Executable segments, of files whose table of sections was taken away."""
        for number, segment in enumerate(self._binary.segments):
            if kind_name(segment.type) == "LOAD" and int(segment.flags) & 1:
                name, size = f"segment {number}", segment.physical_size
                content = part_of(self._data, segment.file_offset, size, name)
                yield CodeSection(number, name, segment.virtual_address, content)

    def _marks(self) -> dict[int, list[Mark]]:
        """Where functions begin: in objects by section, else under the key -1."""
        found: dict[int, list[Mark]] = {}
        thumb = self._image.architecture == "armv7"
        defined = self._image.defined
        for symbol in self._symbols():
            if (
                kind_name(symbol.type) not in ("FUNC", "GNU_IFUNC")
                or not 0 < symbol.shndx < _SPECIAL
            ):
                continue
            defined.add(name_of(symbol))
            is_thumb = thumb and bool(symbol.value & 1)
            address = symbol.value & ~1 if thumb else symbol.value
            key = symbol.shndx if self._is_object else -1
            name = shown_name(symbol, name_of(symbol))
            found.setdefault(key, []).append(Mark(address, symbol.size, name, is_thumb))
        if not self._is_object:
            for function in self._binary.functions:
                address = function.address & ~1 if thumb else function.address
                # What lief names itself are functions of tables, `__dt_init_array`.
                is_thumb = thumb and bool(function.address & 1)
                found.setdefault(-1, []).append(Mark(address, function.size, "", is_thumb))
        return found

    def _symbols(self) -> Iterator[Any]:
        yield from self._binary.symtab_symbols
        yield from self._binary.dynamic_symbols

    def _modes(self) -> dict[int, list[tuple[int, str]]]:
        """Mapping symbols by section: address, and `a`, `t`, `x` or `d`."""
        found: dict[int, list[tuple[int, str]]] = {}
        for symbol in self._binary.symtab_symbols:
            name = name_of(symbol)
            if len(name) >= 2 and name[0] == "$" and name[1] in "atxd" and name[2:3] in ("", "."):
                found.setdefault(symbol.shndx, []).append((symbol.value, name[1]))
        for marks in found.values():
            marks.sort()
        return found

    def _in_modes(
        self, functions: list[Function], modes: dict[int, list[tuple[int, str]]]
    ) -> list[Function]:
        """The functions in pieces of one mode each; notes which pieces are data."""
        found: list[Function] = []
        for function in functions:
            marks = modes.get(function.section, [])
            at, end = function.address, function.address + len(function.code)
            index = bisect_right(marks, (at, "~")) - 1
            mode = marks[index][1] if index >= 0 else "t" if function.is_thumb else "a"
            while at < end:
                index += 1
                stop = min(end, marks[index][0]) if index < len(marks) else end
                if stop > at and mode == "d":
                    self._image.data.append((function.section, at, stop))
                elif stop > at:
                    piece = function.code[at - function.address : stop - function.address]
                    is_thumb = mode == "t"
                    found.append(replace(function, address=at, code=piece, is_thumb=is_thumb))
                at = max(at, stop)
                mode = marks[index][1] if index < len(marks) else mode
        return found

    def _imports(self) -> None:
        versions: dict[str, str] = {}
        symbols = self._symbols() if self._is_object else self._binary.dynamic_symbols
        for symbol in symbols:
            name = name_of(symbol)
            if name and not symbol.shndx and kind_name(symbol.type) in ("NOTYPE", "FUNC"):
                versions.setdefault(name.split("@", 1)[0], "")
        self._image.imports = versions

    def _constructors(self) -> None:
        numbers = {s.virtual_address: n for n, s in enumerate(self._binary.sections)}
        starts = sorted(numbers)
        for function in self._binary.ctor_functions:
            index = bisect_right(starts, function.address) - 1
            if index >= 0:
                self._image.constructors.add((numbers[starts[index]], function.address & ~1))


def _refuse_overlaps(code: list[CodeSection], is_object: bool) -> None:
    """Sections that share addresses would have their code counted many times."""
    if is_object:
        return
    last = -1
    for section in sorted(code, key=lambda each: each.address):
        if section.address < last:
            raise UnreadableBinary(f"section {section.name} overlaps another")
        last = section.address + len(section.data)


def _texts(data: bytes) -> tuple[str, ...]:
    """The distinct texts of a section of strings, in order."""
    texts = (part.decode("utf-8", "replace").strip() for part in data[:65536].split(b"\0"))
    return tuple(dict.fromkeys(text for text in texts if text))
