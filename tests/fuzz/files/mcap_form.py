"""MCAP files taken apart and put together: records changed, lost, doubled and moved under lengths,
checksums and places that hold."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from random import Random

from mcap.opcode import Opcode

from tests.fuzz.files.json_form import change_pairs
from tests.fuzz.files.mutate import EXTREMES, mutated

MAGIC = b"\x89MCAP0\r\n"
_CHUNK = struct.Struct("<QQQI")
_MOST = 64


@dataclass(frozen=True)
class Record:
    """A record; of a chunk, the records in it, and its body is made from them."""

    opcode: int
    body: bytes
    inside: tuple[Record, ...] | None = None
    claims: int | None = None
    """A length other than its own."""

    def packed(self) -> bytes:
        body = self.body
        if self.inside is not None:
            data = b"".join(record.packed() for record in self.inside)
            head = _CHUNK.pack(0, 0, len(data), zlib.crc32(data)) + bytes(4)
            body = head + struct.pack("<Q", len(data)) + data
        length = len(body) if self.claims is None else self.claims
        return struct.pack("<BQ", self.opcode, length) + body


def apart(data: bytes) -> list[Record]:
    """The records of a file as far as they can be told."""
    return _records(data, len(MAGIC) if data.startswith(MAGIC) else 0)


def _records(data: bytes, at: int) -> list[Record]:
    found: list[Record] = []
    while len(data) - at >= 9 and data[at : at + len(MAGIC)] != MAGIC:
        opcode, length = struct.unpack_from("<BQ", data, at)
        body = data[at + 9 : at + 9 + length]
        if len(body) < length:
            break
        inside = None
        if opcode == Opcode.CHUNK and len(body) >= 40:
            inside = tuple(_records(body, 40))
        found.append(Record(opcode, body, inside))
        at += 9 + length
    return found


def together(records: list[Record]) -> bytes:
    """The file of some records, its checksums and the footer's places right."""
    data = bytearray(MAGIC)
    summary: int | None = None
    for record in records:
        if record.opcode == Opcode.DATA_END and record.claims is None:
            data += struct.pack("<BQI", Opcode.DATA_END, 4, zlib.crc32(data))
            summary = len(data)
        elif record.opcode == Opcode.FOOTER and summary is not None and record.claims is None:
            start = summary if len(data) > summary else 0
            data += struct.pack("<BQQQ", Opcode.FOOTER, 20, start, 0)
            data += struct.pack("<I", zlib.crc32(data[summary:]))
        else:
            data += record.packed()
    return bytes(data) + MAGIC


def forged(data: bytes, others: list[bytes], chance: Random) -> bytes:
    """A file with some of its records changed."""
    records = apart(data)
    spare = [r for other in others[:1] for r in apart(other)]
    for _ in range(chance.choice((1, 1, 2, 3))):
        records = _changed(records, spare, chance)
    return together(records)


def _changed(records: list[Record], spare: list[Record], chance: Random) -> list[Record]:
    if not records:
        return [chance.choice(spare)] if spare else []
    found = list(records)
    about = [i for i, record in enumerate(found) if record.opcode == Opcode.METADATA]
    if about and chance.random() < 0.3:  # few of the bytes, and most of what is said
        at = chance.choice(about)
        found[at] = _body(found[at], chance)
        return found
    at = chance.randrange(len(found))
    record = found[at]
    if record.inside and chance.random() < 0.7:
        inside = tuple(_changed(list(record.inside), spare, chance))
        found[at] = Record(record.opcode, record.body, inside)
        return found
    match chance.randrange(10):
        case 0:
            del found[at]
        case 1:
            found[at:at] = [record] * chance.choice((1, 1, 3, _MOST))
        case 2:
            found.insert(chance.randrange(len(found)), found.pop(at))
        case 3 if spare:
            found.insert(at, chance.choice(spare))
        case 4:
            claims = chance.choice((*EXTREMES, len(record.body) + 1, max(0, len(record.body) - 1)))
            found[at] = Record(record.opcode, record.body, None, claims)
        case 5:
            found[at] = Record(chance.randrange(256), record.body, record.inside)
        case 6:
            found[at] = Record(Opcode.CHUNK, b"", (record,))
        case _:
            found[at] = _body(record, chance)
    return found


def _body(record: Record, chance: Random) -> Record:
    if record.opcode == Opcode.METADATA and (text := _metadata(record.body)):
        name, pairs = text
        return Record(record.opcode, _packed_metadata(name, change_pairs(pairs, chance)))
    if record.opcode == Opcode.MESSAGE and len(record.body) >= 34 and chance.random() < 0.5:
        # The frame and the count that our messages begin with, and the channel.
        at, size = chance.choice(((0, 2), (22, 8), (30, 4)))
        old = int.from_bytes(record.body[at : at + size], "little")
        new = chance.choice((old + 1, old - 1, 0, *EXTREMES)) % 256**size
        return Record(
            record.opcode,
            record.body[:at] + new.to_bytes(size, "little") + record.body[at + size :],
        )
    return Record(record.opcode, mutated(record.body, (), (), chance))


def _metadata(body: bytes) -> tuple[str, dict[str, str]] | None:
    """Name and pairs of a metadata record, where it is one."""
    try:
        name, at = _text(body, 0)
        at += 4
        pairs: dict[str, str] = {}
        while at < len(body):
            key, at = _text(body, at)
            pairs[key], at = _text(body, at)
    except (struct.error, UnicodeDecodeError):
        return None
    return name, pairs


def _text(body: bytes, at: int) -> tuple[str, int]:
    (size,) = struct.unpack_from("<I", body, at)
    return body[at + 4 : at + 4 + size].decode(), at + 4 + size


def _packed_metadata(name: str, pairs: dict[str, str]) -> bytes:
    def packed(text: str) -> bytes:
        data = text.encode(errors="surrogatepass")
        return struct.pack("<I", len(data)) + data

    body = b"".join(packed(key) + packed(value) for key, value in pairs.items())
    return packed(name) + struct.pack("<I", len(body)) + body
