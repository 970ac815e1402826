"""The kind of a file by its first bytes, and for objects of COFF by its name too."""

from __future__ import annotations

import struct

from samebits.audit.formats.archives import AR, THIN

_MACHO = {b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe"}
_FAT, _FAT64 = b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"
_MOST_PROCESSORS = 30
"""A Java class begins as a universal file does, with its version where that has a count."""
_COFF = {0x8664, 0x014C, 0xAA64, 0x01C4, 0x01C0}
COMMANDS = "compile_commands.json"
BUILD_FILES = {COMMANDS: "commands", "build.ninja": "ninja", "Makefile": "make"}
"""Files of builds by name, the one that says most first, and their kind."""
CMAKE_MAKEFILE = b"# CMAKE generated file"
_LTCG = b"\0\0\xff\xff"
LLVM_BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_ARCHIVES = (".whl", ".zip", ".jar", ".apk", ".aar", ".nupkg", ".xpi", ".vsix", ".ipa")


def kind_of(name: str, head: bytes) -> str | None:
    """`ELF`, `PE`, `COFF`, `Mach-O`, `wasm`, `archive`, `zip`, `bitcode`, a kind of `BUILD_FILES`,
    or None: a Makefile is one if CMake wrote it.

    `head` are the first 64 bytes or more.
    """
    build = BUILD_FILES.get(name.replace("\\", "/").rpartition("/")[2])
    if build is not None:
        return build if build != "make" or head.startswith(CMAKE_MAKEFILE) else None
    start = head[:4]
    if start == b"\x7fELF":
        return "ELF"
    if start == b"\0asm":
        return "wasm"
    if head[:8] in (AR, THIN):
        return "archive"
    if start == b"PK\x03\x04" and name.lower().endswith(_ARCHIVES):
        return "zip"
    if head[:2] == b"MZ" and len(head) >= 64:
        return "PE"
    if start in _MACHO:
        return "Mach-O"
    if start in (_FAT, _FAT64) and len(head) >= 8:
        return "Mach-O" if 0 < struct.unpack(">I", head[4:8])[0] < _MOST_PROCESSORS else None
    if start in LLVM_BITCODE:
        return "bitcode"
    is_object = name.lower().endswith((".obj", ".o"))
    if is_object and len(head) >= 20 and int.from_bytes(head[:2], "little") in _COFF:
        return "COFF"
    return "COFF" if is_object and start == _LTCG else None
