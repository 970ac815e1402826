"""Mach-O files of macOS and iOS, universal ones as one image for each processor."""

from __future__ import annotations

from collections.abc import Iterator
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
from samebits.audit.model import Image

_PROCESSORS = {"X86_64": "x86_64", "X86": "i686", "ARM64": "aarch64", "ARM": "armv7"}
_KINDS = {"OBJECT": "object", "EXECUTE": "program", "DYLIB": "shared library",
          "BUNDLE": "shared library"}  # fmt: skip
_LONG = {".debug_str_offs": ".debug_str_offsets"}
"""Sections of DWARF whose names are longer than the 16 bytes that Mach-O has for them."""
_STAB = 0xE0
"""Bits of a symbol's type that say that it is a debugger's (mach-o/nlist.h)."""


def read_macho(data: bytes) -> Iterator[Image]:
    """The image of each processor in a Mach-O file. Raises UnreadableBinary."""
    reader = lief()
    fat = reader.MachO.parse(data)
    if fat is None or not fat.size:
        raise UnreadableBinary("it is a damaged Mach-O file")
    for index in range(fat.size):
        yield _image(fat.at(index), memoryview(data))


def _image(binary: Any, data: memoryview) -> Image:
    processor = kind_name(binary.header.cpu_type)
    architecture = _PROCESSORS.get(processor)
    if architecture is None:
        raise UnreadableBinary(f"code for {processor} can't be audited")
    kind = _KINDS.get(kind_name(binary.header.file_type), "object")
    image = Image("Mach-O", kind, architecture, base=int(binary.imagebase))
    marks: list[Mark] = []
    for symbol in binary.symbols:
        if symbol.raw_type & _STAB or not symbol.name:
            continue
        name = name_of(symbol).removeprefix("_")
        if kind_name(symbol.type) == "UNDEFINED":
            image.imports[name] = ""
        elif kind_name(symbol.type) == "SECTION" and not name.startswith(("ltmp", "l_", "L")):
            thumb = architecture == "armv7" and bool(symbol.description & 8)
            marks.append(Mark(symbol.value, 0, shown_name(symbol, name), thumb))
            image.defined.add(name)
    if binary.has_function_starts:
        marks += [
            Mark((start & ~1) + (0 if start >= image.base else image.base), 0, "",
                 architecture == "armv7" and bool(start & 1))
            for start in binary.function_starts.functions
        ]  # fmt: skip
    for number, section in enumerate(binary.sections):
        if _segment(section) == "__DWARF":
            offset = binary.fat_offset + section.offset
            name = name_of(section).replace("__", ".", 1)
            name = _LONG.get(name, name)
            image.debug[name] = part_of(data, offset, section.size, name)
        flags = {kind_name(flag) for flag in section.flags_list}
        if not flags & {"PURE_INSTRUCTIONS", "SOME_INSTRUCTIONS"} or "stub" in name_of(section):
            continue
        offset = binary.fat_offset + section.offset
        content = part_of(data, offset, section.size, name_of(section))
        if content:
            code = CodeSection(number, name_of(section), section.virtual_address, content)
            functions, rest = functions_of(code, marks)
            image.functions += functions
            image.undecoded += rest if marks else 0
    image.data = list(_data_in_code(binary))
    for function in binary.ctor_functions:
        image.constructors.update((f.section, f.address) for f in image.functions
                                  if f.address == function.address)  # fmt: skip
    return image


def _segment(section: Any) -> str:
    """The name of a section's segment; empty where it is no text, of which lief makes an error."""
    try:
        return str(section.segment_name)
    except UnicodeDecodeError:
        return ""


def _data_in_code(binary: Any) -> Iterator[tuple[int, int, int]]:
    """What LC_DATA_IN_CODE calls data: offsets from the file's begin, here made addresses."""
    if not binary.has_data_in_code:
        return
    for entry in binary.data_in_code.entries:
        for number, section in enumerate(binary.sections):
            first = entry.offset - section.offset
            if 0 <= first < section.size:
                start = section.virtual_address + first
                yield number, start, start + entry.length
