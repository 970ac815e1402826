"""Files made to mislead, their checksums right: no number in them is trusted."""

from __future__ import annotations

import io
import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest
import zstandard
from mcap.opcode import Opcode
from mcap.records import Channel, Metadata, Schema
from tests.support.runs.replay_files import (
    CHANNELS,
    MAGIC,
    Crafted,
    chunk,
    hashes,
    inputs,
    message,
    outcome,
    pack,
    part,
    raw,
    signed,
    sound,
    state_of,
)

from samebits.errors import ReplayError
from samebits.replay import ReplayReader, frame_count, read_replay
from samebits.sim.recording import Replay

FOUR = chunk(CHANNELS + inputs(0, 4) + hashes(0, 4))


def test_the_crafting_itself_makes_a_sound_file() -> None:
    assert outcome(Crafted().add(FOUR).end()) == (4, None)
    whole = Crafted().add(chunk(CHANNELS + part(0, 0, state_of(0)) + inputs(0, 4)))
    assert outcome(whole.end()) == (4, None)


def test_a_replay_without_frames_is_reported() -> None:
    data = Crafted()
    at = data.at
    assert outcome(data.end()) == (0, f"no frames: the data ends at byte {at} without one")
    assert outcome(sound(0))[1] is not None


LIES = {
    "a gap": (chunk(inputs(5, 4)), "frame 5 where frame 4 belongs"),
    "an overlap": (chunk(inputs(3, 4)), "frame 3 where frame 4 belongs"),
    "a repeat": (chunk(inputs(0, 4)), "frame 0 where frame 4 belongs"),
    "the last frame there is": (
        chunk(message(1, struct.pack("<QI", 2**64 - 1, 1) + bytes(6))),
        f"frame {2**64 - 1} where frame 4 belongs",
    ),
    "no frames in a block": (
        chunk(message(1, struct.pack("<QI", 4, 0))),
        "a block of 0 frames, not 1 to 256",
    ),
    "more frames than a block has": (
        chunk(message(1, struct.pack("<QI", 4, 2**32 - 1))),
        f"a block of {2**32 - 1} frames, not 1 to 256",
    ),
    "more frames than bytes": (
        chunk(message(1, struct.pack("<QI", 4, 256) + bytes(6))),
        "6 bytes of input for 256 frames, not 1536",
    ),
    "a message too short for its head": (
        chunk(message(1, bytes(11))),
        "a message of 11 bytes on /inputs",
    ),
    "a message record too short": (
        chunk(raw(Opcode.MESSAGE, bytes(21))),
        "a message record of 21 bytes",
    ),
    "hashes alone": (
        chunk(hashes(0, 4)),
        "hashes from frame 0 on, without inputs before them",
    ),
    "a keyframe too early": (
        chunk(part(9, 0, state_of(9))),
        "a keyframe of frame 9 where 4 belongs",
    ),
    "a keyframe too long": (
        chunk(part(4, 0, bytes(6))),
        "a part of 6 bytes at 0 in a keyframe that has 0 of 5",
    ),
    "a keyframe from its middle": (
        chunk(part(4, 2, bytes(3))),
        "a part of 3 bytes at 2 in a keyframe that has 0 of 5",
    ),
    "a keyframe that never grows": (
        chunk(part(4, 0, b"")),
        "a part of 0 bytes at 0 in a keyframe that has 0 of 5",
    ),
    "a keyframe that never ends": (
        chunk(part(4, 0, bytes(2)) + inputs(4, 4)),
        "the keyframe of frame 4 has 2 of 5 bytes",
    ),
    "two keyframes of a frame": (
        chunk(part(4, 0, state_of(4)) + part(4, 0, state_of(4))),
        "a second keyframe of frame 4",
    ),
    "a channel that becomes another": (
        chunk(pack(Channel(id=1, topic="/other", message_encoding="", metadata={}, schema_id=0))),
        "channel 1, which was /inputs, is declared again as another",
    ),
    "a record in a chunk that ends outside it": (
        chunk(raw(Opcode.MESSAGE, bytes(30), 2**64 - 1)),
        "a chunk whose record at its byte 0 does not fit inside it",
    ),
    "half a record's head in a chunk": (
        chunk(b"\x05\x00\x00"),
        "a chunk whose record at its byte 0 does not fit inside it",
    ),
    "a message outside a chunk": (
        inputs(4, 4),
        "a message record where only chunks belong",
    ),
    "a second header": (
        pack(Metadata(name="samebits.replay", metadata=Crafted().text)),
        "a second header of the replay",
    ),
    "a footer among the data": (
        raw(Opcode.FOOTER, bytes(20)),
        "a footer record where only chunks belong",
    ),
    "a record of kind 0": (raw(0, bytes(5)), "a record of kind 0, which no MCAP file has"),
    "a record of 8 EiB": (
        raw(Opcode.ATTACHMENT, b"", 2**63),
        f"an attachment record of {2**63} bytes, more than the 1048576 allowed",
    ),
    "an unknown record of 2 MiB": (
        raw(0x42, bytes(2**21)),
        "a record of unknown kind 0x42 of 2097152 bytes, more than the 1048576 allowed",
    ),
    "a chunk too small to be one": (
        raw(Opcode.CHUNK, bytes(39)),
        "a chunk record of 39 bytes, not 40 to 65576",
    ),
    "a chunk of more than 64 KiB": (
        chunk(bytes(65_537)),
        "a chunk record of 65577 bytes, not 40 to 65576",
    ),
    "a chunk that would grow": (
        chunk(inputs(4, 4), size=2**60),
        f"a chunk of 67 bytes that declares {2**60}, stored in 67",
    ),
    "a chunk that is stored longer": (
        chunk(inputs(4, 4), stored=2**60),
        f"a chunk of 67 bytes that declares 67, stored in {2**60}",
    ),
    "a compressed chunk": (
        chunk(zstandard.compress(bytes(2**26)), size=2**26, compression="zstd"),
        "a compressed chunk: the chunks of a replay are not compressed",
    ),
    "a chunk with the checksum that means none": (
        chunk(inputs(4, 4), crc=0),
        f"the chunk's checksum is 0x00000000, its bytes give 0x{zlib.crc32(inputs(4, 4)):08x}",
    ),
}


@pytest.mark.parametrize("lie", LIES)
def test_a_lie_ends_the_replay_with_one_message_and_no_memory(lie: str) -> None:
    record, what = LIES[lie]
    crafted = Crafted().add(FOUR)
    at = crafted.at
    data = crafted.add(record).end()
    tracemalloc.start()
    try:
        reader = ReplayReader(io.BytesIO(data))
        frames = sum(block.frames for block in reader.blocks())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert reader.damage == f"damaged at byte {at}: {what}; 4 whole frames precede it"
    assert frames == 4
    assert peak < 512 * 1024
    assert outcome(data)[0] == 4


def test_true_frames_in_front_of_a_lie_in_the_same_chunk_are_given() -> None:
    at = Crafted().at
    for lie in (hashes(0, 3), hashes(1, 4), raw(Opcode.MESSAGE, b"")):
        frames, damage = outcome(Crafted().add(chunk(CHANNELS + inputs(0, 4) + lie)).end())
        assert frames == 4
        assert damage is not None
        assert damage.startswith(f"damaged at byte {at}: ")
        assert damage.endswith("; 4 whole frames precede it")


def test_a_keyframe_that_stops_at_the_end_is_reported() -> None:
    crafted = Crafted().add(FOUR).add(chunk(part(4, 0, bytes(2))))
    at = crafted.at
    assert outcome(crafted.end()) == (
        4,
        f"damaged at byte {at}: the keyframe of frame 4 has 2 of 5 bytes;"
        " 4 whole frames precede it",
    )


def test_a_state_of_256_mib_that_is_not_there_takes_no_memory() -> None:
    text = signed(state_size=str(2**28))
    data = Crafted(text=text).add(FOUR).add(chunk(part(4, 0, bytes(100)))).end()
    tracemalloc.start()
    try:
        reader = ReplayReader(io.BytesIO(data))
        assert list(reader.keyframes()) == []
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert reader.damage is not None
    assert f"the keyframe of frame 4 has 100 of {2**28} bytes" in reader.damage
    assert peak < 512 * 1024


def test_frames_of_no_bytes_cost_a_message_each_block() -> None:
    block = message(1, struct.pack("<QI", 0, 256))
    data = Crafted(text=signed(players="0")).add(chunk(CHANNELS + block)).end()
    assert frame_count(io.BytesIO(data)) == 256


def test_records_channels_and_schemas_of_others_are_skipped() -> None:
    other = pack(Schema(id=9, data=b"x", encoding="", name="other"))
    channel = pack(Channel(id=77, topic="/camera", message_encoding="", metadata={}, schema_id=9))
    crafted = Crafted()
    crafted.add(raw(0x42, bytes(100)))
    crafted.add(raw(0xFE, bytes(100)))
    crafted.add(pack(Metadata(name="other", metadata={"a": "b"})))
    crafted.add(other)
    crafted.add(
        chunk(other + channel + message(77, b"?") + message(500, b"") + CHANNELS + inputs(0, 4))
    )
    crafted.add(raw(Opcode.ATTACHMENT, bytes(100)))
    assert outcome(crafted.end()) == (4, None)


def test_records_that_carry_nothing_have_an_end() -> None:
    nothing = raw(0x90, b"")
    assert outcome(Crafted().add(FOUR).add(nothing * 4000).end()) == (4, None)
    frames, damage = outcome(Crafted().add(FOUR).add(nothing * 5000).end())
    assert frames == 4
    assert damage is not None
    assert "more than 4,096 records besides chunks and their indexes" in damage
    frames, damage = outcome(Crafted().add(FOUR).add(chunk(b"")).end())
    assert frames == 4
    assert damage is not None
    assert "a chunk with nothing in it" in damage


def test_counts_in_a_message_index_are_never_read() -> None:
    index = raw(Opcode.MESSAGE_INDEX, struct.pack("<HI", 1, 2**32 - 1))
    assert outcome(Crafted().add(FOUR).add(index).end()) == (4, None)


def test_nothing_in_the_index_is_followed() -> None:
    places = struct.pack("<QQQQI", 0, 2**64 - 1, 2**63, 2**63, 2**32 - 1)
    index = raw(Opcode.CHUNK_INDEX, places)
    statistics = raw(Opcode.STATISTICS, b"\xff" * 46)
    assert outcome(Crafted().add(FOUR).end(index + statistics)) == (4, None)


@pytest.mark.parametrize("start", [0, 8, 2**63, 2**64 - 1])
def test_a_footer_that_points_elsewhere_is_reported(start: int) -> None:
    crafted = Crafted().add(FOUR)
    index = raw(Opcode.STATISTICS, bytes(46))
    at = crafted.at + 13 + len(index)
    told = (
        4,
        f"damaged at byte {at}: a footer that points outside the index; 4 whole frames precede it",
    )
    assert outcome(crafted.end(index, start=start)) == told
    if start:
        assert outcome(crafted.end(index, offsets=start)) == told


def test_frames_behind_the_end_of_the_data_are_reported() -> None:
    crafted = Crafted().add(FOUR)
    at = crafted.at + 13
    assert outcome(crafted.end(chunk(inputs(4, 4)))) == (
        4,
        f"damaged at byte {at}: a chunk record after the data's end; 4 whole frames precede it",
    )


def test_an_index_whose_checksum_fails_is_reported() -> None:
    crafted = Crafted().add(FOUR)
    at = crafted.at + 13
    data = crafted.end()
    broken = data[:-12] + b"\0\0\0\0" + MAGIC
    frames, damage = outcome(broken)
    assert frames == 4
    assert damage is not None
    assert damage.startswith(f"damaged at byte {at}: the index's checksum is 0x00000000, its bytes")


def test_a_data_end_of_another_length_is_reported() -> None:
    crafted = Crafted().add(FOUR)
    at = crafted.at
    assert outcome(crafted.add(raw(Opcode.DATA_END, bytes(5))).data) == (
        4,
        f"damaged at byte {at}: a data end record of 5 bytes, not 4; 4 whole frames precede it",
    )


def nested(depth: int) -> str:
    return '{"array":' * depth + '"uint8"' + ',"shape":[1]}' * depth


SCHEMAS = {
    "nothing": "{}",
    "no type": '{"input":"float9000"}',
    "a number": '{"input":7}',
    "no struct": '{"input":"uint8"}',
    "another size": '{"input":{"struct":"I","fields":[["a","uint8"]]}}',
    "a field twice": '{"input":{"struct":"I","fields":[["a","uint8"],["a","uint16"]]}}',
    "a field that is no name": '{"input":{"struct":"I","fields":[["a b","uint8"]]}}',
    "a field without a type": '{"input":{"struct":"I","fields":[["a"]]}}',
    "fields of no fields": '{"input":{"struct":"I","fields":{"a":"uint8"}}}',
    **{
        f"an array of {shape}": '{"input":{"struct":"I","fields":[["a",{"array":"uint8","shape":['
        + shape
        + "]}]]}}"
        for shape in ("18446744073709551616", "9,9,9", "-1", "true", "0", "1e3", "")
    },
    "an array of itself, deeply": '{"input":{"struct":"I","fields":[["a",' + nested(400) + "]]}}",
    "as deep as a header can say": '{"input":' + nested(9_000) + "}",
    "lists without end": '{"input":' + "[" * 100_000 + "]" * 100_000 + "}",
    "5,000 fields": '{"input":{"struct":"I","fields":['
    + ",".join(f'["f{i}","uint8"]' for i in range(5_000))
    + "]}}",
    "no JSON": '{"input":',
    "no object": "[1]",
    "NaN": '{"input":NaN}',
    "a number of 5,000 digits": '{"input":' + "9" * 5_000 + "}",
}  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS)
def test_a_schema_is_not_believed(schema: str, tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(Crafted(text=signed(schema=SCHEMAS[schema])).add(FOUR).end())
    tracemalloc.start()
    try:
        with pytest.raises(ReplayError) as caught:
            Replay.open(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert str(path) in caught.value.message
    assert caught.value.fix
    assert len(caught.value.message) < 400
    assert peak < 512 * 1024 + 64 * len(SCHEMAS[schema])


def test_a_schema_as_deep_as_it_may_be_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    fields = f'[["a",{nested(30)}],["b","uint16"]]'
    text = signed(schema='{"input":{"struct":"I","fields":' + fields + "}}")
    path.write_bytes(Crafted(text=text).add(FOUR).end())
    replay = Replay.open(path)
    assert (replay.inputs.shape, replay.damage) == ((4, 2), None)
    assert replay.inputs["a"].size == 8


@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_channel_that_is_missing_takes_its_messages_with_it(missing: int) -> None:
    names = ("/inputs", "/hashes", "/keyframes")
    channels = b"".join(
        pack(Channel(id=i, topic=name, message_encoding="", metadata={}, schema_id=0))
        for i, name in enumerate(names, 1)
        if i != missing
    )
    records = part(0, 0, state_of(0)) + inputs(0, 4) + hashes(0, 4)
    data = Crafted().add(chunk(channels + records))
    replay = read_replay(io.BytesIO(data.end()))
    if missing == 1:
        assert replay.frames == 0
        assert replay.damage is not None
        assert "hashes from frame 0 on, without inputs before them" in replay.damage
    else:
        assert (replay.frames, replay.damage) == (4, None)
        assert (replay.hashes is None) == (missing == 2)
        assert bool(replay.keyframes) == (missing != 3)
