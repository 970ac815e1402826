"""The records of an MCAP file, made from values: nothing changes while they are made.

mcap's own writer changes itself record by record, and is of no use after an interrupt in between.
Here a file's state is a value, and each step gives the next one and the bytes that lead to it. The
bytes are those that mcap's writer makes, without compression: zstd's differ between its versions,
and a reader that never decompresses cannot be handed a bomb.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import (
    Channel,
    Chunk,
    ChunkIndex,
    DataEnd,
    Footer,
    Header,
    McapRecord,
    Message,
    MessageIndex,
    Metadata,
    MetadataIndex,
    Statistics,
    SummaryOffset,
)
from mcap.writer import MCAP0_MAGIC


@dataclass(frozen=True)
class McapState:
    """What has been made of a file: all that its later records depend on."""

    size: int
    crc: int
    metadata: MetadataIndex
    channels: tuple[Channel, ...] = ()
    unwritten: tuple[Channel, ...] = ()
    """Channels that the next chunk begins with."""
    times: tuple[int, int] | None = None
    """The least and the largest time of a message."""
    counts: Mapping[int, int] = field(default_factory=dict[int, int])
    """How many messages each channel has."""
    chunks: int = 0
    indexes: list[ChunkIndex] = field(default_factory=list[ChunkIndex])
    """Those of the chunks. Later states share it: what is behind `chunks` is not of this one."""


def begun(
    profile: str, library: str, name: str, metadata: dict[str, str]
) -> tuple[McapState, bytes]:
    """A file's beginning, with one record of metadata."""
    builder = RecordBuilder()
    Header(profile, library).write(builder)
    head = MCAP0_MAGIC + builder.end()
    Metadata(name=name, metadata=metadata).write(builder)
    index = MetadataIndex(offset=len(head), length=builder.count, name=name)
    data = head + builder.end()
    return McapState(len(data), zlib.crc32(data), index), data


def with_channel(state: McapState, topic: str, encoding: str) -> McapState:
    """The state with one more channel; channels are numbered from 1."""
    made = Channel(
        id=len(state.channels) + 1,
        topic=topic,
        message_encoding=encoding,
        schema_id=0,
        metadata={},
    )
    return replace(state, channels=(*state.channels, made), unwritten=(*state.unwritten, made))


def with_chunk(
    state: McapState, time: int, messages: Sequence[tuple[int, bytes]]
) -> tuple[McapState, bytes]:
    """The state with one more chunk, of messages of one time on channels; and the chunk's bytes."""
    inner, counts = RecordBuilder(), dict(state.counts)
    places: dict[int, list[tuple[int, int]]] = {}
    for channel in state.unwritten:
        channel.write(inner)
    for number, data in messages:
        places.setdefault(number, []).append((time, inner.count))
        Message(channel_id=number, log_time=time, data=data, publish_time=time, sequence=0).write(
            inner
        )
        counts[number] = counts.get(number, 0) + 1
    content = inner.end()
    builder = RecordBuilder()
    Chunk(
        compression="",
        data=content,
        message_start_time=time,
        message_end_time=time,
        uncompressed_crc=zlib.crc32(content),
        uncompressed_size=len(content),
    ).write(builder)
    length = builder.count
    offsets: dict[int, int] = {}
    for number, records in places.items():
        offsets[number] = state.size + builder.count
        MessageIndex(channel_id=number, records=records).write(builder)
    made = ChunkIndex(
        message_start_time=time,
        message_end_time=time,
        chunk_start_offset=state.size,
        chunk_length=length,
        message_index_offsets=offsets,
        message_index_length=builder.count - length,
        compression="",
        compressed_size=len(content),
        uncompressed_size=len(content),
    )
    data = builder.end()
    state.indexes[state.chunks :] = [made]
    first, last = state.times or (time, 0)
    after = replace(
        state,
        size=state.size + len(data),
        crc=zlib.crc32(data, state.crc),
        unwritten=(),
        times=(min(first, time), max(last, time)),
        counts=counts,
        chunks=state.chunks + 1,
    )
    return after, data


def end(state: McapState) -> bytes:
    """The file's end: its index."""
    builder = RecordBuilder()
    DataEnd(state.crc).write(builder)
    data = builder.end()
    start = state.size + len(data)
    first, last = state.times or (0, 0)
    statistics = Statistics(
        attachment_count=0,
        channel_count=len(state.channels),
        channel_message_counts=dict(state.counts),
        chunk_count=state.chunks,
        message_count=sum(state.counts.values()),
        metadata_count=1,
        message_start_time=first,
        message_end_time=last,
        schema_count=0,
    )
    groups = (
        (Opcode.SCHEMA, ()),
        (Opcode.CHANNEL, state.channels),
        (Opcode.STATISTICS, (statistics,)),
        (Opcode.CHUNK_INDEX, state.indexes[: state.chunks]),
        (Opcode.ATTACHMENT_INDEX, ()),
        (Opcode.METADATA_INDEX, (state.metadata,)),
    )
    return data + summary(start, groups)


def summary(start: int, groups: Iterable[tuple[Opcode, Sequence[McapRecord]]]) -> bytes:
    """What follows the records of the data, at `start` of the file: groups of records, where each
    is, and the footer."""
    builder, offsets = RecordBuilder(), list[SummaryOffset]()
    for opcode, records in groups:
        before = builder.count
        for record in records:
            record.write(builder)
        offsets.append(
            SummaryOffset(
                group_opcode=opcode,
                group_start=start + before,
                group_length=builder.count - before,
            )
        )
    offsets_start = start + builder.count
    for offset in offsets:
        offset.write(builder)
    data = builder.end()
    head = struct.pack("<BQQQ", Opcode.FOOTER, 8 + 8 + 4, start, offsets_start)
    Footer(
        summary_start=start,
        summary_offset_start=offsets_start,
        summary_crc=zlib.crc32(head, zlib.crc32(data)),
    ).write(builder)
    return data + builder.end() + MCAP0_MAGIC
