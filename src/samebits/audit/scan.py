"""One file's bytes to its audited binaries: what it holds is read, decoded, and held to the rules.

Owns no process: `samebits.audit.worker` runs this where a crash of a library ends nothing else.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Protocol

from samebits.audit.decode.words import ENCODINGS, Hit
from samebits.audit.errors import UnreadableBinary
from samebits.audit.formats.archives import ar_members, zip_members
from samebits.audit.formats.bounds import without_data
from samebits.audit.formats.magic import BUILD_FILES, kind_of
from samebits.audit.gather import findings_of
from samebits.audit.lines import SourceLines
from samebits.audit.model import AuditedBinary, Function, Image

DEEPEST = 3
"""Archives within archives that are opened."""
HEAD = 64


class Decoder(Protocol):
    """What finds the instructions of one architecture that break a rule."""

    def hits(self, code: memoryview) -> tuple[list[Hit], int]:
        """What breaks a rule, in order, and the number of instructions."""
        ...


def scan(path: str, data: bytes, depth: int = 0) -> Iterator[AuditedBinary]:
    """Every binary in a file. What cannot be read is one with an `error`."""
    kind = kind_of(path.rpartition(" : ")[2], data[:HEAD])
    try:
        if kind == "archive":
            if depth >= DEEPEST:
                raise UnreadableBinary("it is an archive in archives, deeper than is opened")
            for name, member in ar_members(memoryview(data)):
                if kind_of(name, bytes(member[:HEAD])) is not None:
                    yield from scan(f"{path} : {name}", bytes(member), depth + 1)
        elif kind == "zip":
            if depth >= DEEPEST:
                raise UnreadableBinary("it is an archive in archives, deeper than is opened")
            for name, member in zip_members(data, lambda n, head: kind_of(n, head) is not None):
                yield from scan(f"{path} : {name}", member, depth + 1)
        elif kind == "bitcode":
            raise UnreadableBinary(
                "it is LLVM bitcode, from -flto: audit the linked file, or compile without it"
            )
        elif kind is not None and kind in BUILD_FILES.values():
            from samebits.audit.flags.build_files import commands_in
            from samebits.audit.flags.findings import of_commands

            yield of_commands(path, kind, commands_in(path, data))
        elif kind == "wasm":
            yield _wasm(path, data)
        elif kind is not None:
            images = list(_images(kind, data))
            for image in images:
                label = path if len(images) == 1 else f"{path} ({image.architecture})"
                yield _audited(label, image, data)
    except UnreadableBinary as error:
        yield AuditedBinary(path, kind or "", error=str(error))


def _images(kind: str, data: bytes) -> Iterator[Image]:
    if kind == "ELF":
        from samebits.audit.formats.elf import read_elf

        yield read_elf(data)
    elif kind == "Mach-O":
        from samebits.audit.formats.macho import read_macho

        yield from read_macho(data)
    elif kind == "PE":
        from samebits.audit.formats.pe import read_pe

        yield read_pe(data)
    else:
        yield _coff(data)


def _coff(data: bytes) -> Image:
    """By a file: lief reads COFF from a path alone."""
    from samebits.audit.formats.pe import read_coff

    if data[:4] == b"\0\0\xff\xff" and data[4:6] != b"\2\0":
        raise UnreadableBinary(
            "it is an object of MSVC's /GL or an import library's: audit the linked file"
        )
    with tempfile.TemporaryDirectory(prefix="samebits-audit-") as folder:
        name = os.path.join(folder, "object.obj")
        descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
        return read_coff(name, data)


@cache
def decoder(architecture: str) -> Decoder:
    """The decoder of an architecture. Raises UnreadableBinary."""
    if architecture in ("x86_64", "i686"):
        from samebits.audit.decode.x86 import X86Decoder

        return X86Decoder(64 if architecture == "x86_64" else 32)
    if architecture not in ENCODINGS:
        raise UnreadableBinary(f"code for {architecture} can't be audited")
    from samebits.audit.decode.words import WordDecoder

    return WordDecoder(architecture)


def _audited(path: str, image: Image, data: bytes) -> AuditedBinary:
    found: list[tuple[Function, list[Hit]]] = []
    count = functions = 0
    for function in without_data(image.functions, image.data):
        mode = "thumb" if function.is_thumb else image.architecture
        hits, instructions = decoder(mode).hits(function.code)
        count += instructions
        functions += 1
        if hits:
            hits = _proven(function, hits, image)
        if hits:
            found.append((function, hits))
    lines = SourceLines(image, data)
    return AuditedBinary(
        path, image.format, image.kind, image.architecture, lines.compilers, functions, count,
        image.undecoded, tuple(findings_of(image, found, lines)), tuple(_notes(image)),
    )  # fmt: skip


def _proven(function: Function, hits: list[Hit], image: Image) -> list[Hit]:
    """Hits that are code: on x86 a table within a function may read as instructions."""
    if image.architecture not in ("x86_64", "i686"):
        return hits
    from samebits.audit.decode.x86 import X86Decoder
    from samebits.audit.tables import outside_tables

    x86 = decoder(image.architecture)
    assert isinstance(x86, X86Decoder)
    reached, indirect = x86.reached(function.code)
    sure = [hit for hit in hits if hit.offset in reached]
    # The rest may be reached through a table of jumps, or by what another function jumps to.
    doubtful = [hit for hit in hits if hit.offset not in reached]
    if function.is_known and not indirect:
        return sure
    return sorted(
        [*sure, *outside_tables(function, doubtful, image.base)], key=lambda hit: hit.offset
    )


def _wasm(path: str, data: bytes) -> AuditedBinary:
    from samebits.audit.formats.wasm import hits, read_module

    module = read_module(memoryview(data))
    image = Image("wasm", "module", "wasm32", imports=module.imports, compilers=module.producers)
    image.debug = {} if module.is_object else module.debug
    found: list[tuple[Function, list[Hit]]] = []
    count = 0
    for index, (offset, body) in enumerate(module.bodies, module.imported):
        name = module.names.get(index, f"function {index}")
        image.defined.add(name)
        own, instructions = hits(body)
        count += instructions
        if own:
            # DWARF counts from the section's begin; so do tools that show addresses.
            found.append((Function(name, offset - module.code, body), own))
    lines = SourceLines(image, data)
    return AuditedBinary(
        path, image.format, image.kind, image.architecture, image.compilers, len(module.bodies),
        count, 0, tuple(findings_of(image, found, lines)), (),
    )  # fmt: skip


def _notes(image: Image) -> Iterable[str]:
    if not image.functions and image.kind != "object":
        yield "no code is found in it: it holds data alone, or its tables are damaged"
    if any(not function.is_known for function in image.functions):
        yield "it has no symbols and no unwind tables: data between functions may look like code"
    yield from image.notes
