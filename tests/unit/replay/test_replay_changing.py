"""Replays that another process writes, replaces or cuts while they are read: what was there when
they were opened is read, and anything else is reported."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from tests.support.runs.replay_files import HEADER, inputs_of, sound
from tests.support.simulations.small_simulation import SMALL

from samebits.errors import ReplayError
from samebits.export.inputs_file import HEAD, export_inputs
from samebits.replay import ReplayReader, ReplayWriter, frame_count, read_replay
from samebits.sim.players import player
from samebits.sim.recording import Replay
from samebits.sim.sources import ReplaySource

FRAMES = 400
BLOCK = 256


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("replay") / "push.mcap"
    with SMALL.record(path, seed=5, keyframe_every=0) as recording:
        recording.run(player(SMALL, "push", 5)(0, FRAMES))
    return path.read_bytes()


@pytest.fixture(scope="module")
def half(whole: bytes) -> bytes:
    """What a recorder has written after its first block."""
    for end in range(len(whole) // 4, len(whole)):
        if frame_count(io.BytesIO(whole[:end])) == BLOCK:
            return whole[:end]
    raise AssertionError


def in_place(path: Path, data: bytes) -> None:
    with open(path, "r+b") as file:
        file.write(data)
        file.truncate()


def renamed(path: Path, data: bytes) -> None:
    other = path.with_suffix(".new")
    other.write_bytes(data)
    os.replace(other, path)


WAYS: list[Callable[[Path, bytes], None]] = [in_place, renamed]


@pytest.mark.parametrize("change", WAYS)
def test_a_replay_that_grows_once_it_is_opened_is_the_short_one_and_damaged(
    whole: bytes, half: bytes, tmp_path: Path, change: Callable[[Path, bytes], None]
) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(half)
    source = ReplaySource(SMALL, str(path))
    assert source.damage is not None
    change(path, whole)
    for _ in range(2):
        assert sum(len(block.inputs) for block in source.blocks()) == source.frames == BLOCK
        assert source.damage is not None
        assert source.damage.endswith(f"; {BLOCK} whole frames precede it")


class Growing(io.BytesIO):
    """A stream that has more once somebody has read to its end."""

    def __init__(self, data: bytes, later: bytes) -> None:
        super().__init__(data)
        self.later = later

    def read(self, size: int | None = -1) -> bytes:
        data = super().read(size)
        if size is not None and len(data) < size:
            at = self.tell()
            self.seek(0)
            self.write(self.later)
            self.seek(at)
        return data


def test_a_replay_that_grows_while_it_is_read_is_never_short_and_sound(
    whole: bytes, half: bytes
) -> None:
    found = read_replay(Growing(half, whole))
    assert found.frames == BLOCK
    assert found.damage is not None
    assert found.damage.endswith(f"; {BLOCK} whole frames precede it")


def test_an_opened_replay_is_read_once(
    whole: bytes, half: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(half)
    blocks = ReplayReader.blocks

    def then_whole(self: ReplayReader) -> object:
        yield from blocks(self)
        path.write_bytes(whole)

    monkeypatch.setattr(ReplayReader, "blocks", then_whole)
    replay = Replay.open(path, SMALL)
    assert len(replay) == BLOCK
    assert replay.damage is not None


@pytest.mark.parametrize("change", WAYS)
def test_another_replay_of_the_same_header_is_reported_or_not_seen(
    tmp_path: Path, change: Callable[[Path, bytes], None]
) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(sound(12, 4))
    other = io.BytesIO()
    with ReplayWriter(other, HEADER) as writer:
        for frame in range(12):
            writer.add(inputs_of(frame + 100), 7)
    with ReplayReader(path) as reader:
        before = b"".join(block.inputs for block in reader.blocks())
        assert reader.damage is None
        change(path, other.getvalue())
        after = b"".join(block.inputs for block in reader.blocks())
    if change is renamed:
        assert (after, reader.damage) == (before, None)
    else:
        assert after != before
        assert reader.damage == (
            "damaged at byte 0: the file has changed since it was opened;"
            " 12 whole frames precede it"
        )


def test_a_replay_that_shrinks_is_reported_and_is_no_shorter_sound_one(
    whole: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(whole)
    short = tmp_path / "b.mcap"
    with SMALL.record(short, seed=5, keyframe_every=0) as recording:
        recording.run(player(SMALL, "push", 5)(0, 30))
    source = ReplaySource(SMALL, str(path))
    assert source.damage is None
    in_place(path, short.read_bytes())
    assert sum(len(block.inputs) for block in source.blocks()) == 30
    assert source.damage == (
        "damaged at byte 0: the file has changed since it was opened; 30 whole frames precede it"
    )


def test_a_longer_replay_in_its_place_gives_no_frames_that_were_not_counted(
    whole: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "a.mcap"
    with SMALL.record(path, seed=5, keyframe_every=0) as recording:
        recording.run(player(SMALL, "push", 5)(0, 30))
    # As long as it will be: the size at the opening is what bounds a reading.
    short = path.read_bytes()
    path.write_bytes(short + bytes(len(whole)))
    source = ReplaySource(SMALL, str(path))
    assert source.frames == 30
    in_place(path, whole)
    lengths = [len(block.inputs) for block in source.blocks()]
    assert lengths == [30]
    assert source.damage is not None
    assert "the file has changed since it was opened" in source.damage


def test_what_changes_is_not_exported(
    whole: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, out = tmp_path / "a.mcap", tmp_path / "a.inputs"
    path.write_bytes(whole)
    blocks = ReplayReader.blocks

    def then_shorter(self: ReplayReader) -> object:
        yield from blocks(self)
        path.write_bytes(whole[:-700])

    monkeypatch.setattr(ReplayReader, "blocks", then_shorter)
    with pytest.raises(ReplayError) as caught:
        export_inputs(path, out)
    assert caught.value.message == f"{path} changed while it was read"
    assert os.listdir(tmp_path) == ["a.mcap"]


@pytest.mark.parametrize("limit", [None, 10, BLOCK])
def test_damage_is_exported_as_damage_wherever_it_lies(
    half: bytes, tmp_path: Path, limit: int | None
) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(half)
    done = export_inputs(path, tmp_path / "out", limit)
    assert done.damage == read_replay(path).damage is not None
    assert HEAD.unpack((tmp_path / "out").read_bytes()[: HEAD.size])[3] == done.frames
    source = ReplaySource(SMALL, str(path), limit)
    assert sum(len(block.inputs) for block in source.blocks()) == done.frames == (limit or BLOCK)
    assert source.damage == done.damage


def test_a_replay_without_frames_is_not_exported(tmp_path: Path) -> None:
    with SMALL.record(tmp_path / "a.mcap"):
        pass
    with pytest.raises(ReplayError) as caught:
        export_inputs(tmp_path / "a.mcap", tmp_path / "out")
    assert caught.value.message == f"{tmp_path / 'a.mcap'} is an empty replay: it has no frames"
    assert os.listdir(tmp_path) == ["a.mcap"]


class Failing(io.BytesIO):
    """A disk that fails from a byte on, once it is told to."""

    good = 2**60

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() >= self.good:
            raise OSError(5, "Input/output error")
        return super().read(size)


def test_a_disk_that_fails_later_is_not_taken_for_a_change() -> None:
    file = Failing(sound(12, 4))
    reader = ReplayReader(file)
    assert [block.frames for block in reader.blocks()] == [4, 4, 4]
    file.good = 1000
    [*reader.blocks()]
    assert reader.damage is not None
    assert "it cannot be read: Input/output error" in reader.damage


def opened_below(folder: Path) -> list[str]:
    """What this process has open there, on a system that tells."""
    found: list[str] = []
    for link in Path("/proc/self/fd").glob("*"):
        with suppress(OSError):
            found.append(os.readlink(link))
    return [name for name in found if name.startswith(str(folder))]


def test_a_closed_replay_says_so_and_holds_no_descriptor(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(sound(12, 4))
    with ReplayReader(path) as reader:
        blocks = reader.blocks()
        next(blocks)
    with pytest.raises(ReplayError) as caught:
        next(reader.blocks())
    assert caught.value.message == f"{path} is closed"
    reader.close()
    (tmp_path / "no").write_bytes(b"no")
    for name in ("no", "."):
        with pytest.raises(ReplayError):
            ReplayReader(tmp_path / name)
    ReplayReader(path)
    assert frame_count(path) == 12
    assert opened_below(tmp_path) == []


def test_a_stream_is_read_from_where_it_stands_and_stays_open() -> None:
    stream = io.BytesIO(b"before" + sound(12, 4))
    stream.seek(6)
    with ReplayReader(stream) as reader:
        first = [block.frames for block in reader.blocks()]
        assert (first, reader.damage) == ([4, 4, 4], None)
        # Iterations do not disturb each other.
        pairs = list(zip(reader.blocks(), reader.keyframes(), strict=True))
    assert [block.first_frame for block, _ in pairs] == [frame for _, (frame, _) in pairs]
    assert not stream.closed
    assert np.all(np.diff([block.first_frame for block, _ in pairs]) == 4)


@pytest.mark.parametrize("bad", ["a\0b", "no/such/file", "", "x" * 300])
def test_a_name_that_is_no_file_is_refused(tmp_path: Path, bad: str) -> None:
    with pytest.raises(ReplayError):
        ReplayReader(str(tmp_path / "gone") + "/" + bad)
