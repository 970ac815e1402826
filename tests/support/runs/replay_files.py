"""Replays for the tests: sound ones through the writer, hostile ones record by record."""

from __future__ import annotations

import io
import json
import struct
import zlib
from dataclasses import dataclass, field

from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import Channel, Header, McapRecord, Message, Metadata

from samebits.bits import xxh64
from samebits.replay import ReplayHeader, ReplayReader, ReplayWriter, read_replay

MAGIC = b"\x89MCAP0\r\n"
HEADER = ReplayHeader(
    simulation="bounce",
    digest="0123456789abcdef",
    version="1.2",
    seed=2**64 - 1,
    players=2,
    input_size=3,
    state_size=5,
    tick_rate=60,
    schema={"input": [["move", "uint8", []]], "state": [["x", "float32", []]]},
)


def inputs_of(frame: int, size: int = HEADER.frame_size) -> bytes:
    return bytes((frame * 31 + i * 7) % 256 for i in range(size))


def hash_of(frame: int) -> int:
    return (frame * 0x9E3779B97F4A7C15 + 1) % 2**64


def state_of(frame: int, size: int = HEADER.state_size) -> bytes:
    return bytes((frame + i) % 256 for i in range(size))


def sound(frames: int = 12, keyframe_every: int = 4, header: ReplayHeader = HEADER) -> bytes:
    """A replay with hashes whose blocks end at its keyframes."""
    file = io.BytesIO()
    with ReplayWriter(file, header) as writer:
        for frame in range(frames):
            if frame % keyframe_every == 0:
                writer.keyframe(state_of(frame, header.state_size))
            writer.add(inputs_of(frame, header.frame_size), hash_of(frame))
    return file.getvalue()


def outcome(data: bytes) -> tuple[int, str | None]:
    """Whole frames and damage, once the frames are seen to be a prefix of the true ones."""
    replay = read_replay(io.BytesIO(data))
    assert replay.header == HEADER
    size = HEADER.frame_size
    assert replay.inputs == b"".join(inputs_of(frame) for frame in range(replay.frames))
    assert len(replay.inputs) == replay.frames * size
    reader = ReplayReader(io.BytesIO(data))
    following = 0
    for block in reader.blocks():
        assert block.first_frame == following
        following += block.frames
        if block.hashes is not None:
            expected = [hash_of(block.first_frame + i) for i in range(block.frames)]
            assert block.hashes.tolist() == expected
    assert following == replay.frames
    assert all(state == state_of(frame) for frame, state in replay.keyframes)
    assert reader.damage == replay.damage
    return replay.frames, replay.damage


def pack(record: McapRecord) -> bytes:
    builder = RecordBuilder()
    record.write(builder)
    return builder.end()


def raw(opcode: int, body: bytes, length: int | None = None) -> bytes:
    return struct.pack("<BQ", opcode, len(body) if length is None else length) + body


def chunk(
    data: bytes,
    *,
    size: int | None = None,
    stored: int | None = None,
    crc: int | None = None,
    compression: str = "",
) -> bytes:
    kind = compression.encode()
    return raw(
        Opcode.CHUNK,
        struct.pack(
            "<QQQI",
            0,
            0,
            len(data) if size is None else size,
            zlib.crc32(data) if crc is None else crc,
        )
        + struct.pack("<I", len(kind))
        + kind
        + struct.pack("<Q", len(data) if stored is None else stored)
        + data,
    )


CHANNELS = b"".join(
    pack(Channel(id=i + 1, topic=topic, message_encoding="samebits", metadata={}, schema_id=0))
    for i, topic in enumerate(("/inputs", "/hashes", "/keyframes"))
)


def message(channel: int, data: bytes) -> bytes:
    return pack(Message(channel_id=channel, log_time=0, publish_time=0, sequence=0, data=data))


def inputs(first: int, count: int) -> bytes:
    """A true block of inputs."""
    data = b"".join(inputs_of(frame) for frame in range(first, first + count))
    return message(1, struct.pack("<QI", first, count) + data)


def hashes(first: int, count: int) -> bytes:
    values = [hash_of(frame) for frame in range(first, first + count)]
    return message(2, struct.pack(f"<QI{count}Q", first, count, *values))


def part(frame: int, at: int, data: bytes) -> bytes:
    return message(3, struct.pack("<QI", frame, at) + data)


@dataclass
class Crafted:
    """A file built from raw records, its checksums right unless told otherwise."""

    profile: str = "samebits"
    text: dict[str, str] = field(default_factory=HEADER.to_text)
    data: bytes = b""

    def __post_init__(self) -> None:
        self.data = MAGIC + pack(Header(profile=self.profile, library="hostile"))
        self.data += pack(Metadata(name="samebits.replay", metadata=self.text))

    @property
    def at(self) -> int:
        return len(self.data)

    def add(self, record: bytes) -> Crafted:
        self.data += record
        return self

    def end(self, index: bytes = b"", start: int | None = None, offsets: int = 0) -> bytes:
        data = self.data + raw(Opcode.DATA_END, struct.pack("<I", zlib.crc32(self.data)))
        if start is None:
            start = len(data) if index else 0
        footer = index + struct.pack("<BQQQ", Opcode.FOOTER, 20, start, offsets)
        return data + footer + struct.pack("<I", zlib.crc32(footer)) + MAGIC


def signed(**changes: str | None) -> dict[str, str]:
    """The header's text with changes, its checksum right."""
    text = {k: v for k, v in (HEADER.to_text() | changes).items() if v is not None}
    del text["checksum"]
    canonical = json.dumps(text, sort_keys=True, separators=(",", ":"))
    return text | {"checksum": f"{xxh64(canonical.encode()):016x}"}
