"""The writer of desync reports as deterministic MCAP bytes: parts, compressed and cut in pieces.

Owns the encoding of pieces, written and read: a piece declares the size of its part, and is
accepted only if the reader expects it.
"""

from __future__ import annotations

import io
import json
import os
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mcap.writer import CompressionType, Writer

from samebits.bits import xxh64
from samebits.desync.format import FORMAT, MAX_FILE, PROFILE, TOPICS
from samebits.desync.report import Report
from samebits.errors import ReportError, folding
from samebits.lang.signal_safe import keeps_flags
from samebits.output import os_reason, remedy, write_file
from samebits.replay.header import ENCODING, MAX_CHUNK

METADATA_NAME = "samebits.report"


def report_bytes(report: Report) -> bytes:
    """The file of a whole report, a function of it alone. Raises ReportError if it is too large.

    The description precedes and follows the parts, so that damage to one leaves the other.
    """
    file = io.BytesIO()
    # Parts are compressed individually: an uncompressed chunk cannot be a zip bomb.
    writer = Writer(
        file,
        chunk_size=MAX_CHUNK,
        compression=CompressionType.NONE,
        enable_crcs=True,
        enable_data_crcs=True,
    )
    writer.start(profile=PROFILE, library=f"samebits {report.machine.samebits}")
    text = description(report)
    writer.add_metadata(METADATA_NAME, text)
    channels = {topic: writer.register_channel(topic, ENCODING, 0) for topic in TOPICS}
    writer.flush()
    for key in report.sizes:
        time = report.header.log_time(key.number)
        for piece in pieces(key.number, report.parts[key]):
            writer.add_message(channels[key.topic], log_time=time, publish_time=time, data=piece)
            writer.flush()
    writer.add_metadata(METADATA_NAME, text)
    writer.finish()
    if file.tell() > MAX_FILE:
        raise ReportError(
            f"the report would have {file.tell():,} bytes, more than {MAX_FILE:,}",
            fix="ask for fewer frames",
        )
    return file.getvalue()


@folding
@keeps_flags
def write_report(report: Report, path: str | os.PathLike[str], force: bool = False) -> int:
    """Write a report to a file, and return its size in bytes.

    The file appears under its name only once it is complete. Raises ReportError if it cannot be
    written or, unless `force`, if it exists.
    """
    given: Any = report
    if not isinstance(given, Report):
        raise ReportError(
            f"a {type(given).__name__} is no report", fix="write_report(report, path)"
        )
    place: Any = path
    if not isinstance(place, str | os.PathLike) or not os.fspath(place):
        raise ReportError(f"{place!r:.60} is no path", fix="write_report(report, path)")
    target = Path(path)
    if os.path.lexists(target) and not force:
        raise _exists(target)
    data = report_bytes(report)
    try:
        write_file(target, data, replace=force)
    except FileExistsError:
        raise _exists(target) from None
    except OSError as error:
        raise ReportError(
            f"cannot write {target}: {os_reason(error)}",
            fix=remedy(error),
        ) from None
    return len(data)


def _exists(target: Path) -> ReportError:
    return ReportError(
        f"{target} exists already", fix="give another name, or force=True to replace it"
    )


def description(report: Report) -> dict[str, str]:
    """A report's description, as MCAP metadata with a checksum."""
    text = {
        "format": str(FORMAT),
        "machine": compact(report.machine.to_json()),
        "run": compact(report.header.to_text()),
        "contents": compact(report.contents.to_json()),
    }
    text["checksum"] = checksum(text)
    return text


def checksum(text: dict[str, str]) -> str:
    """XXH64 of everything except the checksum itself, as 16 hexadecimal digits."""
    return f"{xxh64(compact({k: v for k, v in text.items() if k != 'checksum'}).encode()):016x}"


def compact(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


PIECE_BYTES = 60 * 1024
"""Most bytes of compressed data in one message."""
_HEAD = struct.Struct("<QIIQ")
"""Number of the part, index of the piece, count of pieces, XXH64 of the part."""
_LEVEL = 9


def pieces(number: int, data: bytes) -> Iterator[bytes]:
    """The message data that hold a part."""
    packed = zlib.compress(data, _LEVEL)
    checksum = xxh64(data)
    count = -(-len(packed) // PIECE_BYTES)
    for index in range(count):
        at = index * PIECE_BYTES
        yield _HEAD.pack(number, index, count, checksum) + packed[at : at + PIECE_BYTES]


class Piece:
    """A piece, parsed from a message's data. Raises ReportError if that is too short."""

    __slots__ = ("checksum", "count", "data", "index", "number")

    def __init__(self, message: bytes) -> None:
        if len(message) <= _HEAD.size:
            raise ReportError(f"a message of {len(message)} bytes")
        self.number, self.index, self.count, self.checksum = _HEAD.unpack_from(message)
        self.data = message[_HEAD.size :]


class Assembly:
    """Assembles a part of `size` bytes from pieces, which come in any order."""

    def __init__(self, size: int) -> None:
        self._size = size
        # zlib's expansion of incompressible bytes: 5 bytes per 16 KiB, and some.
        self._most = 1 + (size + size // 1024 + 1024) // PIECE_BYTES
        self._pieces: dict[int, Piece] = {}

    def add(self, piece: Piece) -> bytes | None:
        """The part, once its last piece is added. Raises ReportError if a piece contradicts those
        before it, or the part does not match what they declare."""
        first = next(iter(self._pieces.values()), piece)
        if not piece.index < piece.count <= self._most or piece.index in self._pieces:
            raise ReportError(
                f"piece {piece.index} of {piece.count} where at most {self._most} belong"
            )
        if (piece.count, piece.checksum) != (first.count, first.checksum):
            raise ReportError("pieces of two different parts under one name")
        self._pieces[piece.index] = piece
        if len(self._pieces) < piece.count:
            return None
        packed = b"".join(self._pieces[i].data for i in range(piece.count))
        self._pieces.clear()
        return self._unpacked(packed, piece.checksum)

    def _unpacked(self, packed: bytes, checksum: int) -> bytes:
        inflate = zlib.decompressobj()
        try:
            data = inflate.decompress(packed, self._size + 1)
        except zlib.error:
            raise ReportError("a part that cannot be decompressed") from None
        if len(data) != self._size or not inflate.eof or inflate.unused_data:
            raise ReportError(f"a part of another size than its {self._size} bytes")
        if xxh64(data) != checksum:
            raise ReportError("a part whose checksum does not hold")
        return data
