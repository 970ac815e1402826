"""A file that cannot give a header is refused, with what is wrong and what to do."""

from __future__ import annotations

import io
import os
import struct
from pathlib import Path
from typing import Any

import pytest
from mcap.data_stream import RecordBuilder
from mcap.opcode import Opcode
from mcap.records import Metadata
from tests.support.runs.replay_files import HEADER, MAGIC, Crafted, chunk, raw, signed

from samebits.errors import ReplayError
from samebits.replay import ReplayReader, frame_count, read_replay

FRAMES = chunk(b"")


def refused(data: bytes) -> ReplayError:
    with pytest.raises(ReplayError) as caught:
        ReplayReader(io.BytesIO(data))
    return caught.value


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the stream is empty"),
        (
            b"PK\x03\x04stuff",
            "the stream is not an MCAP file: it starts with 50 4b 03 04 73 74 75 66",
        ),
        (
            Crafted(profile="ros2").end(),
            "the stream is an MCAP file of profile 'ros2', not 'samebits'",
        ),
        (
            MAGIC[:5],
            "the stream has no readable header: at byte 5,"
            " the file ends here, before the end of its header",
        ),
        (
            MAGIC + raw(Opcode.DATA_END, bytes(4)),
            "the stream has no readable header: at byte 8,"
            " a data end record where the header record belongs",
        ),
        (
            MAGIC + raw(Opcode.HEADER, b"", 2**63),
            "the stream has no readable header: at byte 8,"
            " a header record of 9223372036854775808 bytes, more than the 1048576 allowed",
        ),
        (
            MAGIC + raw(Opcode.HEADER, struct.pack("<I", 2**32 - 1) + b"samebits"),
            "the stream has no readable header: at byte 8,"
            " a header record with a part that does not fit inside it",
        ),
        (
            MAGIC + raw(Opcode.HEADER, struct.pack("<I", 2) + b"\xff\xff"),
            "the stream has no readable header: at byte 8, a header record whose text is not UTF-8",
        ),
    ],
)
def test_a_file_without_a_header_is_refused(data: bytes, message: str) -> None:
    error = refused(data)
    assert error.message == message
    assert error.fix


def test_frames_before_the_metadata_are_refused() -> None:
    data = MAGIC + pack_header() + FRAMES
    assert refused(data).message == (
        f"the stream has no readable header: at byte {len(MAGIC + pack_header())},"
        " a chunk record before the replay's metadata"
    )


def pack_header() -> bytes:
    return raw(Opcode.HEADER, struct.pack("<I", 8) + b"samebits" + struct.pack("<I", 1) + b"x")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "2"}, "replay format '2'; this samebits reads 1"),
        ({"seed": None, "schema": None}, "the header lacks seed, schema"),
        ({"seed": "-1"}, "replay header: seed is '-1', not a number"),
        ({"seed": "1_0"}, "replay header: seed is '1_0', not a number"),
        ({"seed": "٣"}, "replay header: seed is '\\u0663', not a number"),
        ({"seed": "9" * 5000}, "replay header: seed is '" + "9" * 59 + ", not a number"),
        (
            {"seed": str(2**64)},
            f"replay header: seed is {2**64}, not an int from 0 to {2**64 - 1}",
        ),
        (
            {"state_size": str(2**62)},
            f"replay header: state_size is {2**62}, not an int from 0 to {2**28}",
        ),
        (
            {"simulation": "\x1b]0;x\x07"},
            "replay header: simulation has a character that cannot be printed: '\\x1b]0;x\\x07'",
        ),
        ({"schema": "["}, "replay header: schema is not JSON"),
        ({"schema": "[" * 100_000}, "replay header: schema is not JSON"),
        ({"schema": "[]"}, "replay header: schema is not a JSON object"),
        ({"schema": '{"a":' + "9" * 5000 + "}"}, "replay header: schema is not JSON"),
        (
            {"schema": '{"a":NaN}'},
            "replay header: schema cannot be written as JSON:"
            " Out of range float values are not JSON compliant",
        ),
        (
            {"players": "65535", "input_size": "61440"},
            "replay header: 65535 players of 61440 bytes make 4026470400 bytes of input a frame,"
            " more than 61440",
        ),
    ],
)
def test_a_header_that_cannot_be_is_refused(changes: dict[str, str], message: str) -> None:
    error = refused(Crafted(text=signed(**changes)).add(FRAMES).end())
    assert error.message.startswith(f"the stream: {message}")
    assert error.fix


def test_a_header_whose_text_was_changed_is_refused() -> None:
    text = HEADER.to_text() | {"seed": "1"}
    assert refused(Crafted(text=text).end()).message.startswith(
        f"the stream: the header's checksum is '{text['checksum']}', its text gives '"
    )


def test_metadata_that_lies_about_its_length_is_refused() -> None:
    builder = RecordBuilder()
    Metadata(name="samebits.replay", metadata={"a": "b"}).write(builder)
    record = bytearray(builder.end())
    at = 9 + 4 + len("samebits.replay")
    for length in (2**32 - 1, 9, 11):
        record[at : at + 4] = struct.pack("<I", length)
        assert refused(MAGIC + pack_header() + record).message == (
            "the stream has no readable header: at byte 34,"
            " a metadata record with a part that does not fit inside it"
        )
    twice = struct.pack("<I", 1) + b"a" + struct.pack("<I", 1) + b"b"
    name = struct.pack("<I", 15) + b"samebits.replay"
    body = name + struct.pack("<I", 20) + twice + twice
    assert refused(MAGIC + pack_header() + raw(Opcode.METADATA, body)).message == (
        "the stream has no readable header: at byte 34, a metadata record with 'a' twice"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_path_that_is_no_file_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path, told in (
        (tmp_path / "pipe", f"{tmp_path / 'pipe'} is not a file"),
        (tmp_path, f"{tmp_path} is not a file"),
        (tmp_path / "none", f"cannot read {tmp_path / 'none'}: No such file or directory"),
    ):
        for read in (ReplayReader, read_replay, frame_count):
            with pytest.raises(ReplayError) as caught:
                read(path)
            assert caught.value.message == told
            assert caught.value.fix


def test_a_stream_without_a_position_is_refused() -> None:
    class Once(io.RawIOBase):
        pass

    stream: Any = Once()
    with pytest.raises(ReplayError) as caught:
        ReplayReader(stream)
    assert caught.value.message == "the stream cannot seek"
