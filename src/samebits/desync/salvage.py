"""The intact records of an MCAP file that may be truncated, corrupted or hostile.

A file is read from front to back; at damage, it is searched for records that are intact by
themselves: chunks with valid checksums, and metadata of one name. Owns that search and its cost,
which is linear in the file's length. Knows nothing of what records mean.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from mcap.opcode import Opcode

from samebits.replay.mcap_records import (
    MAGIC,
    Damage,
    Fields,
    RecordHead,
    RecordSource,
    check_data_end,
    check_summary,
    chunk_records,
)

_PASSES = 4
"""How many times the file's length may be checksummed in search of intact chunks."""
_TRIAL = 512
"""The fixed cost of a candidate, in bytes checksummed."""
_LEAST = 1024 * 1024
"""Bytes that may be checksummed even in a short file."""
_CHUNK = rb"(?=\x06[\s\S]{2}[\x00\x01]\x00{5}[\s\S]{28}\x00{4}[\s\S]{2}[\x00\x01]\x00{5})"
"""The start of an uncompressed chunk of less than 128 KiB."""
_METADATA = rb"(?=\x0c[\s\S]{2}[\x00-\x0f]\x00{5}"
"""The start of metadata of less than 1 MiB, before its name."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message in an intact chunk, and the offset of that chunk."""

    offset: int
    channel: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Metadata:
    """A metadata record: its name and its pairs."""

    offset: int
    name: str
    pairs: dict[str, str]


@dataclass(frozen=True, slots=True)
class Salvage:
    """The intact records of a file. `profile` is its header's, None without one; `damage` is the
    first that was found."""

    items: list[Message | Metadata]
    profile: str | None
    damage: Damage | None


def salvage(data: bytes, metadata_name: str, most: int) -> Salvage:
    """The messages and metadata of a file, or of a damaged one those that are provably intact; at
    most `most`.

    Metadata of a damaged file is searched by its name, and is not covered by an MCAP checksum.
    """
    items: list[Message | Metadata] = []
    profile: str | None = None
    try:
        for item in _whole(data):
            if isinstance(item, str):
                profile = item
                continue
            if len(items) >= most:
                raise Damage(item.offset, f"more than {most:,} messages and metadata records")
            items.append(item)
    except Damage as damage:
        return Salvage([*islice(_search(data, metadata_name), most)], profile, damage)
    return Salvage(items, profile, None)


def _whole(data: bytes) -> Iterator[Message | Metadata | str]:
    """Every record in file order, and the profile as a str. Raises Damage."""
    if not data.startswith(MAGIC):
        raise Damage(0, "the file does not open with MCAP's mark")
    source = _source(data, 0)
    source.read(len(MAGIC), 0, "opening mark")
    while (record := source.record("data")).opcode != Opcode.DATA_END:
        match record.opcode:
            case Opcode.CHUNK:
                yield from _messages(source, record)
            case Opcode.METADATA:
                yield _metadata(source, record)
            case Opcode.HEADER:
                yield Fields(source.body(record), record.offset, record.name).text()
            case Opcode.MESSAGE | Opcode.FOOTER:
                raise Damage(record.offset, f"{record.a_name} where only chunks belong")
            case _:
                source.skip(record)
    check_data_end(source, record)
    check_summary(source)


def _search(data: bytes, metadata_name: str) -> Iterator[Message | Metadata]:
    """The records that are intact by themselves, wherever they are."""
    left = _PASSES * len(data) + _LEAST
    behind = 0
    for match in _candidates(data, metadata_name):
        if match.start() < behind:
            continue  # inside an intact chunk
        source = _source(data, match.start())
        try:
            record = source.record("data")
            left -= record.length + _TRIAL
            if left < 0:
                return
            if record.opcode == Opcode.CHUNK:
                found = [*_messages(source, record)]
                behind = source.offset
                yield from found
            else:
                yield _metadata(source, record)
        except Damage:
            continue


def _candidates(data: bytes, metadata_name: str) -> Iterator[re.Match[bytes]]:
    """The offsets at which a chunk, or metadata of the name, may begin, in order."""
    name = len(metadata_name).to_bytes(4, "little") + metadata_name.encode("ascii")
    return re.finditer(b"%b|%b%b)" % (_CHUNK, _METADATA, re.escape(name)), data)


def _messages(source: RecordSource, record: RecordHead) -> Iterator[Message]:
    for opcode, body in chunk_records(source, record):
        if opcode == Opcode.MESSAGE:
            parts = Fields(body, record.offset, "message record")
            channel = parts.uint(2)
            parts.uint(_TIMES)
            yield Message(record.offset, channel, body[2 + _TIMES :])


_TIMES = 4 + 8 + 8
"""Bytes of sequence, log time and publish time."""


def _metadata(source: RecordSource, record: RecordHead) -> Metadata:
    parts = Fields(source.body(record), record.offset, record.name)
    return Metadata(record.offset, parts.text(), parts.text_map())


def _source(data: bytes, at: int) -> RecordSource:
    """A source that begins, and checksums, at an offset."""
    file = io.BytesIO(data)
    file.seek(at)
    source = RecordSource(file)
    source.offset = at
    return source
