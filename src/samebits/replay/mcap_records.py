"""MCAP records read from a file that may be truncated, corrupt or hostile.

Owns the byte level: bounded reads, running checksums, record and chunk structure. Every length is
compared with a stated bound before a byte is read for it. Knows nothing of frames.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from mcap.opcode import Opcode

from samebits.replay.header import MAX_CHUNK, MAX_RECORD

MAGIC = b"\x89MCAP0\r\n"
NAMES = {kind: kind.name.lower().replace("_", " ") for kind in Opcode}
_CHUNK_HEAD = struct.Struct("<QQQI")
_RECORD_HEAD = struct.Struct("<BQ")
_PIECE = 64 * 1024
MAX_OTHERS = 4096
"""Most records besides chunks, plus `OTHERS_A_CHUNK` for each chunk."""
OTHERS_A_CHUNK = 8
"""Index records of a chunk: one per channel, and one in the file's own index."""

ENDS = "the file ends here"
"""How the damage of a file begins that was cut off."""


class Damage(Exception):
    """The damage of a file, and the offset of the first byte of the damaged part."""

    def __init__(self, offset: int, what: str) -> None:
        super().__init__(what)
        self.offset = offset
        self.what = what


@dataclass(frozen=True, slots=True)
class RecordHead:
    """The nine bytes that open a record, and the checksum of every byte before it."""

    opcode: int
    length: int
    offset: int
    crc_before: int

    @property
    def name(self) -> str:
        if self.opcode in NAMES:
            return f"{NAMES[Opcode(self.opcode)]} record"
        return f"record of unknown kind 0x{self.opcode:02x}"

    @property
    def a_name(self) -> str:
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name}"


class Readable(Protocol):
    """Anything with a file's `read`: the next bytes, at most `size`, none at the end."""

    def read(self, size: int, /) -> bytes: ...


class RecordSource:
    """A file read from front to back, with its offset and CRC-32."""

    def __init__(self, file: Readable) -> None:
        self._file = file
        self._others = MAX_OTHERS
        self.offset = 0
        self.crc = 0

    def read(self, size: int, start: int, what: str) -> bytes:
        """Exactly `size` bytes of the part `what` that starts at `start`; raises Damage."""
        data = self.read_up_to(size)
        if len(data) < size:
            raise Damage(
                start, f"the file ends at byte {self.offset}, inside the {what} that starts here"
            )
        return data

    def read_up_to(self, size: int) -> bytes:
        """`size` bytes, or fewer at the end of the file."""
        data = b""
        while len(data) < size:
            try:
                piece = self._file.read(size - len(data))
            except OSError as error:
                raise Damage(
                    self.offset + len(data), f"it cannot be read: {error.strerror or error}"
                ) from None
            if not piece:
                break
            data = data + piece if data else piece
        self.offset += len(data)
        self.crc = zlib.crc32(data, self.crc)
        return data

    def record(self, part: str) -> RecordHead:
        """The head of the next record, its length within bounds; `part` names where it lies."""
        start, crc = self.offset, self.crc
        head = self.read_up_to(_RECORD_HEAD.size)
        if not head:
            raise Damage(start, f"{ENDS}, before the end of its {part}")
        if len(head) < _RECORD_HEAD.size:
            raise Damage(
                start, f"the file ends at byte {self.offset}, inside the record that starts here"
            )
        opcode, length = _RECORD_HEAD.unpack(head)
        record = RecordHead(opcode, length, start, crc)
        if opcode == 0:
            raise Damage(start, "a record of kind 0, which no MCAP file has")
        if length > MAX_RECORD:
            raise Damage(
                start, f"{record.a_name} of {length} bytes, more than the {MAX_RECORD} allowed"
            )
        self._others += OTHERS_A_CHUNK if opcode == Opcode.CHUNK else -1
        if self._others < 0:
            raise Damage(
                start, f"more than {MAX_OTHERS:,} records besides chunks and their indexes"
            )
        return record

    def body(self, record: RecordHead) -> bytes:
        """The bytes of a record whose head was just read."""
        return self.read(record.length, record.offset, record.name)

    def skip(self, record: RecordHead) -> None:
        """Pass over a record whose head was just read, checksumming it."""
        left = record.length
        while left:
            left -= len(self.read(min(left, _PIECE), record.offset, record.name))


class Fields:
    """A cursor over the parts of one record's body; none may reach past its end.

    `offset` and `name` describe the record in Damage.
    """

    def __init__(self, data: bytes, offset: int, name: str) -> None:
        self._data = data
        self._offset = offset
        self._name = name
        self._at = 0

    def uint(self, size: int) -> int:
        return int.from_bytes(self._take(size), "little")

    def text(self) -> str:
        data = self._take(self.uint(4))
        try:
            return data.decode()
        except UnicodeDecodeError:
            raise Damage(self._offset, f"a {self._name} whose text is not UTF-8") from None

    def text_map(self) -> dict[str, str]:
        end = self.uint(4) + self._at
        pairs: dict[str, str] = {}
        while self._at < end:
            key = self.text()
            if key in pairs:
                raise Damage(self._offset, f"a {self._name} with {key[:40]!a} twice")
            pairs[key] = self.text()
        if self._at != end:
            raise self._overrun()
        return pairs

    def _take(self, size: int) -> bytes:
        if size > len(self._data) - self._at:
            raise self._overrun()
        self._at += size
        return self._data[self._at - size : self._at]

    def _overrun(self) -> Damage:
        return Damage(self._offset, f"a {self._name} with a part that does not fit inside it")


def chunk_records(source: RecordSource, record: RecordHead) -> Iterator[tuple[int, bytes]]:
    """Kind and body of each record in a chunk, after its sizes and checksum are verified.

    The chunk is read and checked before the first record is yielded. Raises Damage at the chunk's
    start, or, after the whole ones, at a record inside it that is not whole.
    """
    start = record.offset
    fixed = _CHUNK_HEAD.size + 4
    if not fixed + 8 <= record.length <= MAX_CHUNK + fixed + 8:
        raise Damage(
            start,
            f"a chunk record of {record.length} bytes, not {fixed + 8} to {MAX_CHUNK + fixed + 8}",
        )
    body = source.body(record)
    _, _, size, crc = _CHUNK_HEAD.unpack_from(body)
    if body[_CHUNK_HEAD.size : fixed] != b"\0\0\0\0":
        raise Damage(start, "a compressed chunk: the chunks of a replay are not compressed")
    stored = int.from_bytes(body[fixed : fixed + 8], "little")
    data = body[fixed + 8 :]
    if not size == stored == len(data):
        raise Damage(
            start, f"a chunk of {len(data)} bytes that declares {size}, stored in {stored}"
        )
    if not data:
        raise Damage(start, "a chunk with nothing in it")
    if crc != (actual := zlib.crc32(data)):
        raise Damage(start, f"the chunk's checksum is 0x{crc:08x}, its bytes give 0x{actual:08x}")
    at = 0
    while at < len(data):
        left = len(data) - at - _RECORD_HEAD.size
        opcode, length = _RECORD_HEAD.unpack_from(data, at) if left >= 0 else (0, 0)
        if length > left:
            raise Damage(start, f"a chunk whose record at its byte {at} does not fit inside it")
        yield opcode, data[len(data) - left : len(data) - left + length]
        at = len(data) - left + length


def check_file(file: Readable) -> None:
    """Check a whole file against its own checksums, which cover every bit of it, by reading it once
    without a look inside its records. Raises Damage."""
    source = RecordSource(file)
    if source.read(len(MAGIC), 0, "opening mark") != MAGIC:
        raise Damage(0, "the file does not open with MCAP's mark")
    while (record := source.record("data")).opcode != Opcode.DATA_END:
        source.skip(record)
    check_data_end(source, record)
    check_summary(source)


def check_data_end(source: RecordSource, record: RecordHead) -> None:
    """Check the data end record whose head was just read against every byte before it."""
    if record.length != 4:
        raise Damage(record.offset, f"a data end record of {record.length} bytes, not 4")
    stored = int.from_bytes(source.body(record), "little")
    if stored != record.crc_before:
        raise Damage(
            record.offset,
            f"the checksum of all data before here is 0x{stored:08x},"
            f" its bytes give 0x{record.crc_before:08x}",
        )


def check_summary(source: RecordSource) -> None:
    """Read from the data end to the file's last byte. Nothing in the index is followed."""
    summary = source.offset
    source.crc = 0
    while (record := source.record("index")).opcode != Opcode.FOOTER:
        if record.opcode in (Opcode.CHUNK, Opcode.MESSAGE, Opcode.DATA_END, Opcode.HEADER):
            raise Damage(record.offset, f"{record.a_name} after the data's end")
        source.skip(record)
    if record.length != 20:
        raise Damage(record.offset, f"a footer record of {record.length} bytes, not 20")
    places = source.read(16, record.offset, record.name)
    actual = source.crc
    start, offsets = struct.unpack("<QQ", places)
    stored = int.from_bytes(source.read(4, record.offset, record.name), "little")
    if stored != actual:
        raise Damage(
            record.offset, f"the index's checksum is 0x{stored:08x}, its bytes give 0x{actual:08x}"
        )
    empty = summary == record.offset
    if start != (0 if empty else summary) or not (
        offsets == 0 or summary <= offsets <= record.offset
    ):
        raise Damage(record.offset, "a footer that points outside the index")
    at = source.offset
    if (magic := source.read_up_to(len(MAGIC))) != MAGIC:
        if MAGIC.startswith(magic):
            raise Damage(at, f"the file ends at byte {source.offset}, inside its closing mark")
        raise Damage(at, "the file's closing mark is not that of MCAP")
    if source.read_up_to(1):
        raise Damage(source.offset - 1, "bytes after the file's closing mark")
