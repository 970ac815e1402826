"""Files within files: archives of objects, wheels and other ZIP files, under limits.

`ar` after "ar(5)" of System V and BSD: names of more than 15 bytes stand in a table, or before the
member.
"""

from __future__ import annotations

import io
import stat
import zipfile
import zlib
from collections.abc import Callable, Iterator

from samebits.audit.errors import UnreadableBinary

AR, THIN = b"!<arch>\n", b"!<thin>\n"
MOST_MEMBERS = 50_000
MOST_BYTES = 1 << 30
"""Bytes of one member, and of all members of a ZIP file together."""
MOST_RATIO = 200
"""A member of a ZIP file that grows more than so is a bomb: code shrinks to a third."""
_SMALL = 1 << 20
"""Bytes up to which any ratio is fine."""


def ar_members(data: memoryview) -> Iterator[tuple[str, memoryview]]:
    """Names and bytes of an archive's members, without its tables. Raises UnreadableBinary."""
    if bytes(data[:8]) == THIN:
        raise UnreadableBinary(
            "it is a thin archive, which holds names alone: give its object files"
        )
    at, names = 8, b""
    for _ in range(MOST_MEMBERS):
        if at + 60 > len(data):
            if at < len(data) and bytes(data[at:]).strip(b"\n\0"):
                raise UnreadableBinary("it is an archive that is cut off")
            return
        header = bytes(data[at : at + 60])
        if header[58:] != b"`\n" or not header[48:58].strip().isdigit():
            raise UnreadableBinary("it is a damaged archive")
        size = int(header[48:58])
        if at + 60 + size > len(data):
            raise UnreadableBinary("it is an archive that is cut off")
        body = data[at + 60 : at + 60 + size]
        name = header[:16].rstrip()
        if name == b"//":
            names = bytes(body)
        elif name.startswith(b"#1/") and name[3:].isdigit():
            length = int(name[3:])
            name, body = bytes(body[:length]).rstrip(b"\0"), body[length:]
        elif name[:1] == b"/" and name[1:].isdigit():
            name = names[int(name[1:]) :].split(b"\n", 1)[0].rstrip(b"/")
        if name not in (b"//", b"/", b"/SYM64/") and not name.startswith(b"__.SYMDEF"):
            yield name.rstrip(b"/").decode("utf-8", "replace") or "?", body
        at += 60 + size + size % 2
    raise UnreadableBinary(f"it is an archive of more than {MOST_MEMBERS:,} members")


def zip_members(data: bytes, wanted: Callable[[str, bytes], bool]) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of a ZIP file's members that are `wanted` by their first 64 bytes. Raises
    UnreadableBinary."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as whole:
            members = whole.infolist()
            if len(members) > MOST_MEMBERS:
                raise UnreadableBinary(f"it has more than {MOST_MEMBERS:,} members")
            _refuse_bombs(members)
            for member in members:
                if not member.is_dir() and not stat.S_ISLNK(member.external_attr >> 16):
                    with whole.open(member) as opened:
                        head = opened.read(64)
                        if wanted(member.filename, head):
                            yield member.filename, head + opened.read(member.file_size)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError) as error:
        raise UnreadableBinary(f"it is a damaged ZIP file: {error}") from None
    except (RuntimeError, NotImplementedError) as error:  # encrypted, or packed in another way
        raise UnreadableBinary(f"it is a ZIP file that can't be read: {error}") from None


def _refuse_bombs(members: list[zipfile.ZipInfo]) -> None:
    whole = 0
    for member in members:
        size, packed = member.file_size, member.compress_size
        whole += size
        if size > _SMALL and size > MOST_RATIO * max(packed, 1):
            raise UnreadableBinary(
                f"its member {member.filename} grows from {packed:,} to {size:,} bytes"
            )
        if whole > MOST_BYTES:
            raise UnreadableBinary(f"its members have more than {MOST_BYTES:,} bytes")
