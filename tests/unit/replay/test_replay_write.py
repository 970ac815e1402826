"""The writer: the same bytes for the same frames, MCAP that others read, no half-written file."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from mcap.reader import make_reader
from mcap.records import Chunk
from mcap.stream_reader import StreamReader
from tests.support.runs.replay_files import HEADER, hash_of, inputs_of, sound, state_of

from samebits.errors import ReplayError
from samebits.replay import ReplayHeader, ReplayWriter, partial_path, read_replay


def header(**changes: Any) -> ReplayHeader:
    values: dict[str, Any] = {
        name: getattr(HEADER, name) for name in HEADER.__dataclass_fields__
    } | changes
    return ReplayHeader(**values)


def test_the_same_frames_give_the_same_bytes() -> None:
    assert sound(700, 300) == sound(700, 300)


def test_how_frames_are_handed_in_does_not_show_in_the_bytes() -> None:
    one_by_one = io.BytesIO()
    with ReplayWriter(one_by_one, HEADER) as writer:
        for frame in range(1000):
            writer.add(inputs_of(frame), hash_of(frame))
    in_lumps = io.BytesIO()
    lumps = random.Random(1)
    with ReplayWriter(in_lumps, HEADER) as writer:
        while (first := writer.frames) < 1000:
            frames = range(first, min(1000, first + lumps.randrange(400)))
            writer.add_block(
                b"".join(inputs_of(frame) for frame in frames), [hash_of(f) for f in frames]
            )
    assert one_by_one.getvalue() == in_lumps.getvalue()


def test_the_mcap_library_reads_it_and_time_is_frame_times_tick() -> None:
    data = sound(600, 250)
    reader = make_reader(io.BytesIO(data), validate_crcs=True)
    assert reader.get_header().profile == "samebits"
    assert reader.get_header().library.split()[0] == "samebits"
    found = [
        (channel.topic, message.log_time, message.publish_time)
        for _, channel, message in reader.iter_messages()
    ]
    times = {0: 0, 250: 4_166_666_666, 500: 8_333_333_333}
    assert sorted(found) == sorted(
        (topic, time, time)
        for time in times.values()
        for topic in ("/inputs", "/hashes", "/keyframes")
    )
    summary = reader.get_summary()
    assert summary is not None
    assert summary.statistics is not None
    assert summary.statistics.message_count == 9


@pytest.mark.parametrize(("players", "input_size"), [(0, 0), (2, 3), (4, 4096), (1, 61_440)])
def test_no_chunk_passes_64_kib(players: int, input_size: int) -> None:
    shape = header(players=players, input_size=input_size, state_size=200_000)
    data = sound(300, 100, shape)
    chunks = [
        record
        for record in StreamReader(io.BytesIO(data), emit_chunks=True).records
        if isinstance(record, Chunk)
    ]
    assert chunks
    assert max(record.uncompressed_size for record in chunks) <= 64 * 1024
    assert read_replay(io.BytesIO(data)).damage is None


def test_a_path_gets_its_file_only_when_the_replay_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    older = sound()
    path.write_bytes(older)
    with ReplayWriter(path, HEADER) as writer:
        writer.add(inputs_of(0))
        assert path.read_bytes() == older
        assert partial_path(path).exists()
    assert read_replay(path).frames == 1
    assert os.listdir(tmp_path) == ["a.mcap"]


def test_an_exception_leaves_the_frames_so_far_in_the_partial_file(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"

    def interrupted() -> None:
        with ReplayWriter(path, HEADER) as writer:
            for frame in range(300):
                writer.add(inputs_of(frame), hash_of(frame))
            raise KeyError

    with pytest.raises(KeyError):
        interrupted()
    assert not path.exists()
    replay = read_replay(partial_path(path))
    assert (replay.frames, replay.damage) == (300, None)


def test_a_crash_leaves_every_full_block_readable(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    writer = ReplayWriter(path, HEADER)
    for frame in range(600):
        writer.add(inputs_of(frame), hash_of(frame))
    data = partial_path(path).read_bytes()
    running = read_replay(partial_path(path))
    assert running.frames == 512
    assert "its data, as that of a file does that is still being written; 512" in running.damage
    writer.close()
    replay = read_replay(io.BytesIO(data))
    assert replay.frames == 512
    assert replay.damage == (
        f"damaged at byte {len(data)}: the file ends here, before the end of its data;"
        " 512 whole frames precede it"
    )


class Pipe(io.RawIOBase):
    """Takes seven bytes at a time and cannot seek."""

    def __init__(self) -> None:
        self.data = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.data += bytes(data[:7])
        return len(data[:7])


class Full(io.RawIOBase):
    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        raise OSError(28, "No space left on device")


class Interrupted(Pipe):
    """A stream whose `write` is left by an exception once, and does not tell what it took."""

    left = 20

    def write(self, data: Any) -> int:
        self.left -= 1
        if not self.left:
            self.data += bytes(data[:3])
            raise KeyError
        return super().write(data)


def test_a_stream_that_does_not_tell_what_it_took_ends_there_and_says_so() -> None:
    stream: Any = Interrupted()
    stream.left = 1 << 30
    writer = ReplayWriter(stream, HEADER)
    stream.left = 3
    writer.add(inputs_of(0))
    with pytest.raises(KeyError):
        writer.keyframe(state_of(1))
    taken = stream.data
    for call in (lambda: writer.add(inputs_of(1)), writer.close):
        with pytest.raises(ReplayError, match="an interrupt came during writing"):
            call()
    assert stream.data == taken


def test_a_disk_that_has_room_again_takes_the_rest(tmp_path: Path) -> None:
    resource: Any = pytest.importorskip("resource")
    path = tmp_path / "a.mcap"
    block = b"".join(inputs_of(frame) for frame in range(256))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)

    def fill() -> None:
        for _ in range(100):
            writer.add_block(block, None)

    with ReplayWriter(path, HEADER) as writer:
        resource.setrlimit(resource.RLIMIT_FSIZE, (16 << 10, before[1]))
        try:
            with pytest.raises(ReplayError):
                fill()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        count = writer.frames
        writer.add_block(block, None)
    replay = read_replay(path)
    assert (replay.frames, replay.damage) == (count + 256, None)
    assert replay.inputs == block * (replay.frames // 256)


def test_a_pipe_gets_the_same_bytes_as_a_file() -> None:
    pipe: Any = Pipe()
    with ReplayWriter(pipe, HEADER) as writer:
        writer.add_block(b"".join(inputs_of(frame) for frame in range(300)), None)
    file = io.BytesIO()
    with ReplayWriter(file, HEADER) as writer:
        writer.add_block(b"".join(inputs_of(frame) for frame in range(300)), None)
    assert pipe.data == file.getvalue()
    assert not pipe.closed


def test_a_disk_that_fills_up_leaves_a_file_that_is_named(tmp_path: Path) -> None:
    resource: Any = pytest.importorskip("resource")
    path = tmp_path / "a.mcap"

    block = b"".join(inputs_of(frame) for frame in range(256))

    def write() -> None:
        with ReplayWriter(path, HEADER) as writer:
            for _ in range(100):
                writer.add_block(block, None)

    def failure(limit: int) -> ReplayError:
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, before[1]))
        try:
            with pytest.raises(ReplayError) as caught:
                write()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        return caught.value

    found = failure(16 << 10)
    assert found.note == f"what was written before is in {path}.partial"
    assert 0 < Path(f"{path}.partial").stat().st_size <= 16 << 10
    Path(f"{path}.partial").unlink()
    assert failure(10).note is None
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_is_reported_as_such() -> None:
    full: Any = Full()
    with pytest.raises(ReplayError) as caught:
        ReplayWriter(full, HEADER)
    assert str(caught.value) == (
        "cannot write the stream: No space left on device\n"
        "  fix: free space on that disk, or give a path on another"
    )


def test_a_folder_that_is_not_there_is_reported_as_such(tmp_path: Path) -> None:
    path = tmp_path / "none" / "a.mcap"
    with pytest.raises(ReplayError) as caught:
        ReplayWriter(path, HEADER)
    assert str(caught.value) == (
        f"cannot write {path}: No such file or directory\n"
        "  fix: make the folder first, or give another name"
    )


def test_wrong_sizes_are_refused_and_add_nothing() -> None:
    file = io.BytesIO()
    with ReplayWriter(file, HEADER) as writer:
        for call, message in (
            (
                lambda: writer.add(b"12345"),
                "5 bytes of input for 1 frames, not 6\n  note: a frame is 2 players × 3 bytes",
            ),
            (lambda: writer.add_block(bytes(12), [1]), "1 hashes for 2 frames"),
            (lambda: writer.add(bytes(6), 2**64), f"the frame hash {2**64} is not a uint64"),
            (lambda: writer.add(bytes(6), -1), "the frame hash -1 is not a uint64"),
            (lambda: writer.keyframe(b"1"), "a keyframe of 1 bytes where a state has 5"),
        ):
            with pytest.raises(ReplayError) as caught:
                call()
            assert str(caught.value) == message
        writer.add(inputs_of(0), hash_of(0))
        writer.keyframe(state_of(1))
        with pytest.raises(ReplayError) as caught:
            writer.keyframe(state_of(1))
        assert caught.value.message == "frame 1 has a keyframe already"
    with pytest.raises(ReplayError) as caught:
        writer.add(inputs_of(1))
    assert caught.value.message == "the replay is closed"
    replay = read_replay(io.BytesIO(file.getvalue()))
    assert (replay.frames, replay.inputs, replay.damage) == (1, inputs_of(0), None)


def test_frames_without_input_bytes_need_a_count() -> None:
    file = io.BytesIO()
    with ReplayWriter(file, header(players=0)) as writer:
        with pytest.raises(ReplayError) as caught:
            writer.add_block(b"", None)
        with pytest.raises(ReplayError):
            writer.add_block(b"", None, frames=-1)
        assert caught.value.fix == "say how many frames: add_block(b'', None, frames=60)"
        writer.add_block(b"", None, frames=60)
        writer.add_block(b"", [1, 2, 3])
    assert read_replay(io.BytesIO(file.getvalue())).frames == 63


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 2**64}, f"seed is {2**64}, not an int from 0 to {2**64 - 1}"),
        ({"seed": -1}, f"seed is -1, not an int from 0 to {2**64 - 1}"),
        ({"players": True}, "players is True, not an int from 0 to 65535"),
        ({"tick_rate": 0}, "tick_rate is 0, not an int from 1 to 1000000"),
        ({"state_size": 2**40}, f"state_size is {2**40}, not an int from 0 to {2**28}"),
        ({"simulation": ""}, "simulation has 0 characters, not 1 to 200"),
        (
            {"simulation": "a\x1b[2J"},
            "simulation has a character that cannot be printed: 'a\\x1b[2J'",
        ),
        ({"version": 3}, "version is 3, not a str"),
        ({"digest": "ABCDEF01"}, "digest is 'ABCDEF01', not 8 to 128 lowercase hex digits"),
        ({"mode": "STRICT "}, "mode is 'STRICT ', not a name"),
        (
            {"players": 60, "input_size": 2000},
            "60 players of 2000 bytes make 120000 bytes of input a frame, more than 61440",
        ),
        (
            {"schema": {"a": float("nan")}},
            "schema cannot be written as JSON: Out of range float values are not JSON compliant",
        ),
        (
            {"schema": {"a": "x" * 300_000}},
            "schema takes 300008 bytes of JSON, more than 262144",
        ),
    ],
)
def test_a_header_out_of_range_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ReplayError) as caught:
        header(**changes)
    assert caught.value.message.startswith(f"replay header: {message}")


def test_the_largest_header_can_be_read_back() -> None:
    big = header(simulation="é" * 200, schema={"a": "x" * 262_100}, seed=0)
    assert read_replay(io.BytesIO(sound(1, 1, big))).header == big


def test_another_simulation_is_recognised_by_its_digest() -> None:
    HEADER.require("0123456789abcdef")
    with pytest.raises(ReplayError) as caught:
        HEADER.require("ffffffffffffffff")
    assert str(caught.value) == (
        "the replay was recorded from another simulation: bounce 1.2, digest 0123456789abcdef,"
        " not ffffffffffffffff\n"
        "  fix: check out the version that recorded it, or record a new replay"
    )


def test_two_recordings_to_one_path_are_both_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    with ReplayWriter(path, HEADER) as first:
        first.add(inputs_of(0))
        with ReplayWriter(path, HEADER) as second:
            assert first.partial != second.partial
            for frame in range(300):
                second.add(inputs_of(frame))
        assert read_replay(path).frames == 300
        first.add(inputs_of(1))
    assert (read_replay(path).frames, read_replay(path).damage) == (2, None)
    assert os.listdir(tmp_path) == ["a.mcap"]


def test_a_recording_without_its_name_stays_readable(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    writer = ReplayWriter(path, HEADER)
    writer.add(inputs_of(0))
    path.mkdir()
    with pytest.raises(ReplayError) as caught:
        writer.close()
    assert caught.value.message == f"cannot write {path}: Is a directory"
    assert writer.partial is not None
    assert read_replay(writer.partial).frames == 1


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_recording_follows_no_link_and_touches_no_partial_file(tmp_path: Path) -> None:
    path, victim = tmp_path / "a.mcap", tmp_path / "victim"
    victim.write_bytes(b"theirs")
    partial_path(path).symlink_to(victim)
    path.symlink_to(victim)
    with ReplayWriter(path, HEADER) as writer:
        writer.add(inputs_of(0))
    assert read_replay(path).frames == 1
    assert victim.read_bytes() == b"theirs"
    assert partial_path(path).is_symlink()


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="no name for standard output")
def test_a_recording_to_standard_output_replaces_no_device(tmp_path: Path) -> None:
    program = (
        "import sys; from samebits.replay import ReplayHeader, ReplayWriter\n"
        "with ReplayWriter('/dev/stdout', ReplayHeader(**eval(sys.argv[1]))) as writer:\n"
        "    writer.add_block(b'', None, frames=3)"
    )
    fields = {name: getattr(HEADER, name) for name in HEADER.__dataclass_fields__}
    fields |= {"input_size": 0, "schema": dict(HEADER.schema)}
    before = os.lstat("/dev/stdout")
    with open(tmp_path / "a.mcap", "wb") as file:
        subprocess.run([sys.executable, "-c", program, repr(fields)], stdout=file, check=True)
    assert os.lstat("/dev/stdout").st_ino == before.st_ino
    assert read_replay(tmp_path / "a.mcap").frames == 3
