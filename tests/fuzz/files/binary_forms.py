"""Small sound binaries of each format, one function with a fused operation in each.

Written here field by field, so that a test needs no compiler: ELF by the System V ABI, PE, COFF by
Microsoft's specification, Mach-O by its loader.h, WebAssembly by its binary format.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

FUSED = bytes.fromhex("c4e271b9c2c3")
"""vfmadd231ss xmm0, xmm1, xmm2; ret"""
_NAME = b"fused"


def elf(machine: int = 62, code: bytes = FUSED, shared: bool = True) -> bytes:
    """A shared library or an object with .text, .symtab, .strtab and .comment."""
    names = b"\0.text\0.symtab\0.strtab\0.comment\0"
    strings = b"\0" + _NAME + b"\0sinf\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0, 1, 0x1000 * shared, len(code))
    symbols += struct.pack("<IBBHQQ", 7, 0x10, 0, 0, 0, 0)
    comment = b"GCC: (GNU) 12.2.0\0"
    parts = [code, symbols, strings, comment, names]
    at, places = 64, list[int]()
    for part in parts:
        places.append(at)
        at += len(part)
    rows = [
        (0,) * 10,
        (1, 1, 6, 0x1000 * shared, places[0], len(code), 0, 0, 16, 0),
        (7, 2, 0, 0, places[1], len(symbols), 3, 1, 8, 24),
        (15, 3, 0, 0, places[2], len(strings), 0, 0, 1, 0),
        (23, 1, 0x30, 0, places[3], len(comment), 0, 0, 1, 1),
        (15, 3, 0, 0, places[4], len(names), 0, 0, 1, 0),
    ]
    head = b"\x7fELF\2\1\1" + bytes(9)
    head += struct.pack("<HHIQQQIHHHHHH", 3 if shared else 1, machine, 1, 0, 0, at, 0, 64, 56, 0,
                        64, len(rows), 5)  # fmt: skip
    return head + b"".join(parts) + b"".join(struct.pack("<IIQQQQIIQQ", *row) for row in rows)


def coff(code: bytes = FUSED, machine: int = 0x8664) -> bytes:
    """An object with .text, its function, and a call of sinf."""
    at = 20 + 40
    symbols = at + len(code)
    head = struct.pack("<HHIIIHH", machine, 1, 0, symbols, 2, 0, 0)
    section = struct.pack("<8sIIIIIIHHI", b".text", 0, 0, len(code), at, 0, 0, 0, 0, 0x60000020)
    table = struct.pack("<8sIhHBB", _NAME, 0, 1, 0x20, 2, 0)
    table += struct.pack("<8sIhHBB", b"sinf", 0, 0, 0x20, 2, 0)
    return head + section + code + table + struct.pack("<I", 4)


def pe(code: bytes = FUSED, machine: int = 0x8664) -> bytes:
    """A library with .text, which exports its function."""
    rva, at, exports = 0x1000, 0x200, 0x40
    table = struct.pack("<IIHHIIIIIII", 0, 0, 0, 0, rva + 0x70, 1, 1, 1, rva + 0x68, rva + 0x6C,
                        rva + 0x78)  # fmt: skip
    section = code.ljust(exports, b"\xcc") + table
    section += struct.pack("<II", rva, rva + 0x7A) + b"p.dll\0\0\0" + b"\0\0" + _NAME + b"\0"
    section = section.ljust(0x200, b"\0")
    folders = [(rva + exports, 0x60)] + [(0, 0)] * 15
    optional = struct.pack("<HBBIIIII", 0x20B, 14, 0, len(section), 0, 0, rva, rva)
    optional += struct.pack(
        "<QIIHHHHHHIIIIHHQQQQII",
        0x180000000,
        0x1000,
        0x200,
        6,
        0,
        0,
        0,
        6,
        0,
        0,
        0x2000,
        0x200,
        0,
        2,
        0,
        1 << 20,
        4096,
        1 << 20,
        4096,
        0,
        16,
    )
    optional += b"".join(struct.pack("<II", *folder) for folder in folders)
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0"
    head += struct.pack("<HHIIIHH", machine, 1, 0, 0, 0, len(optional), 0x2022) + optional
    head += struct.pack("<8sIIIIIIHHI", b".text", len(section), rva, len(section), at, 0, 0, 0, 0,
                        0x60000020)  # fmt: skip
    return head.ljust(at, b"\0") + section


def macho(code: bytes = FUSED, processor: int = 0x01000007) -> bytes:
    """An object with __text and its function."""
    segment, at = 72 + 80, 32 + 72 + 80 + 24
    strings = b"\0_" + _NAME + b"\0"
    symbols = struct.pack("<IBBHQ", 1, 0x0F, 1, 0, 0)
    head = struct.pack("<IIIIIIII", 0xFEEDFACF, processor, 3, 1, 2, segment + 24, 0, 0)
    head += struct.pack("<II16sQQQQIIII", 0x19, segment, b"", 0, len(code), at, len(code), 7, 7, 1,
                        0)  # fmt: skip
    head += struct.pack("<16s16sQQIIIIIIII", b"__text", b"__TEXT", 0, len(code), at, 0, 0, 0,
                        0x80000400, 0, 0, 0)  # fmt: skip
    head += struct.pack("<IIIIII", 2, 24, at + len(code), 1, at + len(code) + 16, len(strings))
    return head + code + symbols + strings


def universal(*images: tuple[int, bytes]) -> bytes:
    """Mach-O files of several processors in one."""
    head, body = struct.pack(">II", 0xCAFEBABE, len(images)), b""
    start = 8 + 20 * len(images)
    for processor, image in images:
        head += struct.pack(">IIIII", processor, 3, start + len(body), len(image), 0)
        body += image
    return head + body


def wasm() -> bytes:
    """A module that exports a function with a relaxed fused operation, and its name."""
    body = b"\0" + b"\x20\0\x20\1\x20\2" + b"\xfd\x85\x02" + b"\x0b"
    name = b"\4name\1" + _sized(b"\1\0" + _sized(_NAME))
    sections = [
        (1, b"\1\x60\3\x7b\x7b\x7b\1\x7b"), (3, b"\1\0"), (7, b"\1" + _sized(_NAME) + b"\0\0"),
        (10, b"\1" + _sized(body)), (0, name),
    ]  # fmt: skip
    return b"\0asm\1\0\0\0" + b"".join(bytes([kind]) + _sized(data) for kind, data in sections)


def _sized(data: bytes) -> bytes:
    assert len(data) < 128
    return bytes([len(data)]) + data


def archive(members: Sequence[tuple[bytes, bytes]], bsd: bool = False) -> bytes:
    """An archive of `ar`, with long names as GNU's has them, or BSD's."""
    names, rows = b"", list[tuple[bytes, bytes]]()
    for name, body in members:
        if len(name) < 15:
            rows.append((name + b"/", body))
        elif bsd:
            rows.append((b"#1/%d" % len(name), name + body))
        else:
            rows.append((b"/%d" % len(names), body))
            names += name + b"/\n"
    whole = b"!<arch>\n"
    for name, body in ([(b"//", names)] if names else []) + rows:
        whole += b"%-16s%-12d%-6d%-6d%-8s%-10d`\n" % (name, 0, 0, 0, b"100644", len(body))
        whole += body + b"\n" * (len(body) % 2)
    return whole
