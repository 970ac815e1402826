"""Every sound record of an MCAP file that may be cut, flipped or hostile, before and after damage.

A file is read from front to back; where that meets damage, it is searched for whatever is sound by
itself: chunks under their checksums, and metadata of one name. Owns that search and its cost, which
grows with the file's length alone. Knows nothing of what records mean.
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
"""How many times the file's length may be checksummed in search of sound chunks."""
_TRIAL = 512
"""What looking at a place costs besides, in bytes checksummed."""
_LEAST = 1024 * 1024
"""Bytes that may be checksummed in a short file too."""
_CHUNK = rb"(?=\x06[\s\S]{2}[\x00\x01]\x00{5}[\s\S]{28}\x00{4}[\s\S]{2}[\x00\x01]\x00{5})"
"""How a chunk begins that is not compressed and has less than 128 KiB."""
_METADATA = rb"(?=\x0c[\s\S]{2}[\x00-\x0f]\x00{5}"
"""How metadata of less than 1 MiB begins, before its name."""


@dataclass(frozen=True, slots=True)
class Message:
    """A message in a sound chunk, and the offset of that chunk."""

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
    """What is sound in a file. `profile` is what its header says it is, None without one; `damage`
    is the first that was met."""

    items: list[Message | Metadata]
    profile: str | None
    damage: Damage | None


def salvage(data: bytes, metadata_name: str, most: int) -> Salvage:
    """The messages and metadata of a file; of a damaged one, all that can be told to be sound; at
    most so many.

    Metadata of a damaged file is looked for by its name, and has no checksum of MCAP's.
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
    """Every record in the order of the file, and the profile as a text. Raises Damage."""
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
    """What is sound by itself, wherever it lies."""
    left = _PASSES * len(data) + _LEAST
    behind = 0
    for match in _candidates(data, metadata_name):
        if match.start() < behind:
            continue  # inside a sound chunk
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
    """Where a chunk, or metadata of the name, may begin, in order."""
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
    """A source that begins at an offset, and checksums from there on."""
    file = io.BytesIO(data)
    file.seek(at)
    source = RecordSource(file)
    source.offset = at
    return source
