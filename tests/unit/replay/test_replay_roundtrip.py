"""What is recorded is what is read, for every shape of replay, in bounded memory."""

from __future__ import annotations

import io
import tracemalloc
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.runs.replay_files import HEADER, hash_of, inputs_of, sound, state_of

from samebits.replay import (
    ReplayHeader,
    ReplayReader,
    ReplayWriter,
    frame_count,
    read_replay,
)
from samebits.replay.header import BLOCK_FRAMES


@settings(max_examples=60, deadline=None)
@given(
    players=st.integers(0, 5),
    input_size=st.integers(0, 300),
    state_size=st.sampled_from([0, 1, 7, 61_440, 61_441, 150_000]),
    runs=st.lists(st.tuples(st.integers(0, 400), st.booleans(), st.booleans()), max_size=4),
    seed=st.integers(0, 2**64 - 1),
)
def test_every_frame_hash_and_keyframe_comes_back(
    players: int,
    input_size: int,
    state_size: int,
    runs: list[tuple[int, bool, bool]],
    seed: int,
) -> None:
    header = ReplayHeader("s", "00" * 8, "0", seed, players, input_size, state_size, 50)
    size = header.frame_size
    file = io.BytesIO()
    expected_hashes: list[int | None] = []
    expected_keyframes: list[tuple[int, bytes]] = []
    with ReplayWriter(file, header) as writer:
        for count, hashed, keyed in runs:
            first = writer.frames
            if keyed and all(frame != first for frame, _ in expected_keyframes):
                writer.keyframe(state_of(first, state_size))
                expected_keyframes.append((first, state_of(first, state_size)))
            frames = range(first, first + count)
            values = [hash_of(frame) for frame in frames] if hashed else None
            writer.add_block(b"".join(inputs_of(f, size) for f in frames), values, frames=count)
            expected_hashes += values if values is not None else [None] * count
    total = len(expected_hashes)

    reader = ReplayReader(io.BytesIO(file.getvalue()))
    found_inputs = b""
    found_hashes: list[int | None] = []
    for block in reader.blocks():
        assert block.first_frame == len(found_hashes)
        assert 1 <= block.frames <= BLOCK_FRAMES
        found_inputs += block.inputs
        found_hashes += [None] * block.frames if block.hashes is None else block.hashes.tolist()
    assert reader.header == header
    assert found_inputs == b"".join(inputs_of(f, size) for f in range(total))
    assert found_hashes == expected_hashes
    assert list(reader.keyframes()) == expected_keyframes
    assert (reader.damage is None) == (total > 0)


def test_a_replay_in_memory_has_everything() -> None:
    replay = read_replay(io.BytesIO(sound(10, 4)))
    assert replay.header == HEADER
    assert replay.frames == 10
    assert replay.inputs == b"".join(inputs_of(frame) for frame in range(10))
    assert replay.hashes is not None
    assert replay.hashes.dtype == np.uint64
    assert replay.hashes.tolist() == [hash_of(frame) for frame in range(10)]
    assert replay.keyframes == tuple((frame, state_of(frame)) for frame in (0, 4, 8))
    assert replay.damage is None


def test_a_stream_is_read_from_where_it_stands() -> None:
    file = io.BytesIO(b"before" + sound(3))
    file.seek(6)
    reader = ReplayReader(file)
    assert [block.frames for block in reader.blocks()] == [3]
    assert [frame for frame, _ in reader.keyframes()] == [0]
    assert reader.damage is None


def test_two_iterations_over_a_path_do_not_disturb_each_other(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(sound(12, 4))
    reader = ReplayReader(path)
    pairs = list(zip(reader.blocks(), reader.keyframes(), strict=True))
    assert [(block.first_frame, frame) for block, (frame, _) in pairs] == [(0, 0), (4, 4), (8, 8)]


def test_an_hour_of_frames_is_read_within_one_megabyte(tmp_path: Path) -> None:
    path = tmp_path / "hour.mcap"
    frames = 216_000
    header = ReplayHeader("hour", "00" * 8, "1", 0, 4, 16, 1000, 60)
    with ReplayWriter(path, header) as writer:
        for first in range(0, frames, 36_000):
            writer.keyframe(bytes(1000))
            writer.add_block(bytes(36_000 * 64), range(first, first + 36_000))
    assert frame_count(path) == frames
    reader = ReplayReader(path)
    tracemalloc.start()
    try:
        count = sum(block.frames for block in reader.blocks())
        states = sum(1 for _ in reader.keyframes())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (count, states, reader.damage) == (frames, 6, None)
    assert peak < 1024 * 1024
