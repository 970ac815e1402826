"""Windows' files: PE programs and libraries, and COFF objects."""

from __future__ import annotations

import struct
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

_MACHINES = {"AMD64": "x86_64", "I386": "i686", "ARM64": "aarch64", "ARMNT": "armv7",
             "THUMB": "armv7", "ARM": "armv7"}  # fmt: skip
_CODE = ("CNT_CODE", "MEM_EXECUTE")


def read_pe(data: bytes) -> Image:
    """The image of a PE file. Raises UnreadableBinary."""
    reader = lief()
    config = reader.PE.ParserConfig()
    config.parse_signature = config.parse_rsrc = config.parse_reloc = False
    binary = reader.PE.parse(data, config)
    if binary is None:
        raise UnreadableBinary("it is a damaged PE file")
    architecture = _architecture(kind_name(binary.header.machine))
    library = any(kind_name(c) == "DLL" for c in binary.header.characteristics_list)
    base = int(binary.imagebase)
    image = Image("PE", "shared library" if library else "program", architecture, base=base)
    symbols = _coff_marks(binary.symbols, image)
    unwound = list(_unwound(binary, architecture))
    exported = [Mark(f.address, 0, name_of(f)) for f in binary.exported_functions]
    image.defined |= {mark.name for mark in exported}
    for number, section in enumerate(binary.sections, 1):
        _keep_dwarf(image, section, data)
        if not {kind_name(c) for c in section.characteristics_lists} & {*_CODE}:
            continue
        content = _content(memoryview(data), section)
        content = content[: section.virtual_size or len(content)]
        if not content:
            continue
        start = section.virtual_address
        code = CodeSection(number, name_of(section), start, content)
        own = [Mark(start + m.address, 0, m.name, m.is_thumb) for m in symbols.get(number, [])]
        # Exported names alone would leave out all other functions.
        marks = [*own, *unwound, *exported] if own or unwound else []
        functions, rest = functions_of(code, marks)
        image.functions += functions
        image.undecoded += rest if marks else 0
    for each in [*binary.imports, *binary.delay_imports]:
        for entry in each.entries:
            if entry.name:
                image.imports[_plain(name_of(entry), architecture)] = name_of(each)
    return image


def read_coff(path: str, data: bytes) -> Image:
    """The image of a COFF object, whose bytes stand at a path: lief reads no others. Raises
    UnreadableBinary."""
    reader = lief()
    binary = reader.COFF.parse(path)
    if binary is None:
        raise UnreadableBinary("it is a damaged COFF object")
    architecture = _architecture(kind_name(binary.header.machine))
    image = Image("COFF", "object", architecture)
    marks = _coff_marks(binary.symbols, image)
    for number, section in enumerate(binary.sections, 1):
        names = {kind_name(c) for c in section.characteristics_lists}
        _keep_dwarf(image, section, data)
        content = _content(memoryview(data), section)
        if "CNT_CODE" in names and content:
            code = CodeSection(number, name_of(section), 0, content)
            functions, rest = functions_of(code, marks.get(number, []))
            image.functions += functions
            image.undecoded += rest if marks.get(number) else 0
    for symbol in binary.symbols:
        if symbol.is_undefined and symbol.name:
            image.imports[_plain(name_of(symbol), architecture)] = ""
    return image


def _keep_dwarf(image: Image, section: Any, data: bytes) -> None:
    """Note a section of DWARF, whose long name stands in a table of strings."""
    text = section.coff_string
    name = name_of(section) if text is None else str(getattr(text, "str", text))
    if name.startswith(".debug_"):
        image.debug[name] = _content(memoryview(data), section)


def _content(data: memoryview, section: Any) -> memoryview:
    size = section.sizeof_raw_data
    return part_of(data, section.pointerto_raw_data, size, name_of(section)) if size else data[:0]


def _architecture(machine: str) -> str:
    found = _MACHINES.get(machine)
    if found is None:
        raise UnreadableBinary(f"code for {machine} can't be audited")
    return found


def _coff_marks(symbols: Any, image: Image) -> dict[int, list[Mark]]:
    """Functions by the number of their section, addresses within it."""
    found: dict[int, list[Mark]] = {}
    for symbol in symbols:
        if symbol.is_function and symbol.section_idx > 0:
            name = _plain(name_of(symbol), image.architecture)
            image.defined.add(name)
            thumb = image.architecture == "armv7"
            mark = Mark(symbol.value, 0, shown_name(symbol, name), thumb)
            found.setdefault(symbol.section_idx, []).append(mark)
    return found


def _unwound(binary: Any, architecture: str) -> Iterator[Mark]:
    """Functions by the exception table: x64 has begin and end, ARM64 a packed length or one in
    .xdata ("ARM64 exception handling", Microsoft Learn)."""
    section = next((s for s in binary.sections if s.name == ".pdata"), None)
    if section is None or architecture not in ("x86_64", "aarch64"):
        return
    data = bytes(section.content)[: section.virtual_size or None]
    if architecture == "x86_64":
        for begin, end, _ in struct.iter_unpack("<III", data[: len(data) // 12 * 12]):
            if 0 < begin < end:
                yield Mark(begin, end - begin)
        return
    for begin, packed in struct.iter_unpack("<II", data[: len(data) // 8 * 8]):
        if begin and packed & 3:
            yield Mark(begin, (packed >> 2 & 0x7FF) * 4)
        elif begin:
            words = bytes(binary.get_content_from_virtual_address(packed, 4))
            if len(words) == 4:
                yield Mark(begin, (int.from_bytes(words, "little") & 0x3FFFF) * 4)


def _plain(name: str, architecture: str) -> str:
    """A C function's name: 32-bit Windows decorates it, `_sin`, `__imp__sin`, `_f@8`."""
    name = name.removeprefix("__imp_")
    if architecture == "i686":
        name = name[1:] if name.startswith("_") else name
        stem, at, size = name.rpartition("@")
        name = stem if at and size.isdigit() else name
    return name
