"""Source lines and compilers' names from DWARF, by pyelftools, for the places that matter alone.

DWARF of ELF files, of Mach-O and mingw's objects, and of WebAssembly lies in the file. Whatever is
damaged or unknown in it costs lines, never findings.
"""

from __future__ import annotations

import io
import struct
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

from samebits.audit.model import Image

_MOST_ROWS = 3_000_000
"""Rows of line tables that are read for one file."""
_MOST_UNITS = 20_000
_DAMAGED = (Exception, RecursionError)
"""What pyelftools raises at hostile DWARF is anything."""


class SourceLines:
    """What a file's DWARF says."""

    def __init__(self, image: Image, data: bytes) -> None:
        self._image = image
        self._lines: dict[tuple[int, int], str] = {}
        self._bases: dict[int, int] = {}
        self._rows = 0
        self.producers: tuple[str, ...] = ()
        """Each compiler and, where it says so, its flags: DW_AT_producer."""
        try:
            self._dwarf: Any = self._opened(data)
            self._read_producers()
        except _DAMAGED:
            self._dwarf = None

    @property
    def compilers(self) -> tuple[str, ...]:
        """The compilers that made the file, as far as it says."""
        short = (" ".join(producer.split(" -", 1)[0].split()) for producer in self.producers)
        return self._image.compilers or tuple(dict.fromkeys(short))

    def find(self, places: Sequence[tuple[int, int]]) -> None:
        """Look up sections and addresses at once."""
        if self._dwarf is None or not places:
            return
        wanted = {self._bases.get(section, 0) + at: (section, at) for section, at in places}
        addresses = sorted(wanted)
        try:
            for address, line in self._found(addresses):
                self._lines.setdefault(wanted[address], line)
                if len(self._lines) == len(wanted):
                    break
        except _DAMAGED:
            return

    def line(self, section: int, address: int) -> str | None:
        """The source line of a place that `find` looked up."""
        return self._lines.get((section, address))

    def _opened(self, data: bytes) -> Any:
        if self._image.format == "ELF":
            from elftools.elf.elffile import ELFFile

            if self._image.kind == "object":
                data, self._bases = _spread(data)
            file = ELFFile(io.BytesIO(data))
            return file.get_dwarf_info() if file.has_dwarf_info() else None
        debug = self._image.debug
        return _dwarf_of(debug, self._image) if ".debug_line" in debug else None

    def _read_producers(self) -> None:
        found: dict[str, None] = {}
        for unit, top in self._units():
            del unit
            producer = _text(top, "DW_AT_producer")
            if producer:
                found[producer] = None
        self.producers = tuple(found)

    def _units(self) -> Iterator[tuple[Any, Any]]:
        if self._dwarf is None:
            return
        for number, unit in enumerate(self._dwarf.iter_CUs()):
            if number >= _MOST_UNITS:
                return
            yield unit, unit.get_top_DIE()

    def _found(self, addresses: list[int]) -> Iterator[tuple[int, str]]:
        for unit, top in self._units():
            low = top.attributes.get("DW_AT_low_pc")
            high = top.attributes.get("DW_AT_high_pc")
            if low is not None and high is not None and "DW_AT_ranges" not in top.attributes:
                is_offset = high.form.startswith("DW_FORM_data") or high.form == "DW_FORM_udata"
                end = high.value + (low.value if is_offset else 0)
                if bisect_left(addresses, low.value) == bisect_left(addresses, end):
                    continue
            program = self._dwarf.line_program_for_CU(unit)
            if program is not None:
                folder = _text(top, "DW_AT_comp_dir")
                yield from self._of_program(program, addresses, folder)

    def _of_program(
        self, program: Any, addresses: list[int], folder: str
    ) -> Iterator[tuple[int, str]]:
        before: Any = None
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            self._rows += 1
            if self._rows > _MOST_ROWS:
                return
            if before is not None and before.address < state.address:
                index = bisect_left(addresses, before.address)
                while index < len(addresses) and addresses[index] < state.address:
                    if before.line:
                        file = _file(program, before.file, folder)
                        yield addresses[index], f"{file}:{before.line}"
                    index += 1
            before = None if state.end_sequence else state


def _text(die: Any, name: str) -> str:
    attribute = die.attributes.get(name)
    value = None if attribute is None else attribute.value
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else ""


def _file(program: Any, number: int, folder: str) -> str:
    """A file's path, relative to the folder that it was compiled in where it is below that."""
    header = program.header
    is_new = header["version"] >= 5
    entry = header["file_entry"][number if is_new else number - 1]
    name = entry.name.decode("utf-8", "replace")
    folders = header["include_directory"]
    index = entry.dir_index if is_new else entry.dir_index - 1
    if 0 <= index < len(folders) and not name.startswith("/"):
        name = f"{folders[index].decode('utf-8', 'replace')}/{name}"
    prefix = f"{folder.rstrip('/')}/"
    return name.removeprefix(prefix).removeprefix("./") if folder else name


def _spread(data: bytes) -> tuple[bytes, dict[int, int]]:
    """An ELF object whose executable sections have addresses of their own, and these by number.

    All begin at 0 in an object, and relocations of DWARF add the symbols' values: those are moved.
    """
    from elftools.elf.elffile import ELFFile

    file: Any = ELFFile(io.BytesIO(data))
    bases: dict[int, int] = {}
    at = 0
    for number in range(file.num_sections()):
        header = file.get_section(number).header
        if header["sh_flags"] & 4:
            bases[number] = at
            at += (header["sh_size"] + 0xFFFF) & ~0xFFF
    if len(bases) < 2:
        return data, bases
    moved = bytearray(data)
    order = "<" if file.little_endian else ">"
    wide = file.elfclass == 64
    whole, index, value = (24, 6, 8) if wide else (16, 14, 4)
    symbols = file.get_section_by_name(".symtab")
    first = symbols.header["sh_offset"]
    for start in range(first, first + symbols.header["sh_size"] - whole + 1, whole):
        (section,) = struct.unpack_from(f"{order}H", moved, start + index)
        if section in bases:
            form = f"{order}{'Q' if wide else 'I'}"
            (old,) = struct.unpack_from(form, moved, start + value)
            struct.pack_into(form, moved, start + value, old + bases[section])
    return bytes(moved), bases


_SECTIONS = (
    "debug_info", "debug_aranges", "debug_abbrev", "debug_frame", "debug_str", "debug_loc",
    "debug_ranges", "debug_line", "debug_addr", "debug_str_offsets", "debug_line_str",
    "debug_loclists", "debug_rnglists",
)  # fmt: skip
_WIDE = ("x86_64", "aarch64")


def _dwarf_of(debug: dict[str, memoryview], image: Image) -> Any:
    """pyelftools' view of sections of a file that is no ELF file."""
    from inspect import signature

    from elftools.dwarf.dwarfinfo import DebugSectionDescriptor, DwarfConfig, DWARFInfo

    sections: dict[str, Any] = {
        name: None for name in signature(DWARFInfo).parameters if name.endswith("_sec")
    }
    for name in _SECTIONS:
        data = debug.get(f".{name}")
        if data is not None:
            sections[f"{name}_sec"] = DebugSectionDescriptor(
                io.BytesIO(data), f".{name}", 0, len(data), 0
            )
    config = DwarfConfig(True, "x64", 8 if image.architecture in _WIDE else 4)
    return DWARFInfo(config=config, **sections)
