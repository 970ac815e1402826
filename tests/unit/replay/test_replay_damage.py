"""Cut, flipped and shuffled files: a prefix of the true frames and exactly one message."""

from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcap.opcode import Opcode
from tests.support.runs.replay_files import HEADER, MAGIC, outcome, sound

from samebits.errors import ReplayError
from samebits.replay import ReplayReader, frame_count

SOUND = sound(12, 4)
MESSAGE = re.compile(r"damaged at byte (\d+): [^\n]+; (\d+) whole frames? precedes? it")


def records(data: bytes) -> list[tuple[int, int, int]]:
    """Kind, start and end of each record of a sound file."""
    found: list[tuple[int, int, int]] = []
    at = len(MAGIC)
    while at < len(data) - len(MAGIC):
        end = at + 9 + int.from_bytes(data[at + 1 : at + 9], "little")
        found.append((data[at], at, end))
        at = end
    return found


CHUNKS = [(start, end) for kind, start, end in records(SOUND) if kind == Opcode.CHUNK]
HEADER_END = next(end for kind, _, end in records(SOUND) if kind == Opcode.METADATA)


def judged(data: bytes) -> int:
    """Frames given by a damaged file, its one message being seen to fit; -1 without a header."""
    frames, damage = -1, None
    refused: ReplayError | None = None
    try:
        frames, damage = outcome(data)
    except ReplayError as error:
        refused = error
    if refused is not None:
        assert "\n" not in refused.message
        assert refused.fix
        return -1
    assert damage is not None
    told = MESSAGE.fullmatch(damage)
    assert told is not None, damage
    assert int(told[1]) <= len(data)
    assert int(told[2]) == frames
    return frames


def test_cut_at_any_byte_every_frame_of_the_whole_chunks_is_given() -> None:
    # Keyframe and block chunks alternate: a block is whole with its own chunk.
    blocks = CHUNKS[1::2]
    assert len(CHUNKS) == 6
    for cut in range(len(SOUND)):
        whole = 4 * sum(end <= cut for _, end in blocks)
        assert judged(SOUND[:cut]) == (-1 if cut < HEADER_END else whole), cut


@pytest.mark.parametrize("bit", [0, 7])
def test_a_flip_at_any_byte_is_reported_and_gives_no_wrong_frame(bit: int) -> None:
    blocks = CHUNKS[1::2]
    for at in range(len(SOUND)):
        data = bytearray(SOUND)
        data[at] ^= 1 << bit
        frames = judged(bytes(data))
        if at >= HEADER_END:
            assert frames >= 4 * sum(end <= at for _, end in blocks), at


def test_a_flip_in_frames_ends_the_replay_at_their_chunk() -> None:
    start, end = CHUNKS[3]
    data = bytearray(SOUND)
    data[end - 1] ^= 1
    frames, damage = outcome(bytes(data))
    assert frames == 4
    assert damage is not None
    assert re.fullmatch(
        rf"damaged at byte {start}: the chunk's checksum is 0x[0-9a-f]{{8}},"
        r" its bytes give 0x[0-9a-f]{8}; 4 whole frames precede it",
        damage,
    )


def test_a_flip_outside_the_chunks_gives_every_frame_and_is_reported() -> None:
    _, end = CHUNKS[3]
    data = bytearray(SOUND)
    data[end + 20] ^= 1
    data_end = next(start for kind, start, _ in records(SOUND) if kind == Opcode.DATA_END)
    frames, damage = outcome(bytes(data))
    assert frames == 12
    assert damage is not None
    assert damage.startswith(f"damaged at byte {data_end}: the checksum of all data before here is")


def test_chunks_lost_repeated_or_swapped_are_reported() -> None:
    (a, b), (c, d), (e, f) = CHUNKS[1], CHUNKS[3], CHUNKS[5]
    lost = SOUND[:c] + SOUND[d:]
    assert outcome(lost) == (
        4,
        f"damaged at byte {CHUNKS[4][0] - (d - c)}: a keyframe of frame 8 where 4 belongs;"
        " 4 whole frames precede it",
    )
    repeated = SOUND[:b] + SOUND[a:b] + SOUND[b:]
    assert outcome(repeated) == (
        4,
        f"damaged at byte {b}: frame 0 where frame 4 belongs; 4 whole frames precede it",
    )
    swapped = SOUND[:c] + SOUND[e:f] + SOUND[d:e] + SOUND[c:d] + SOUND[f:]
    assert outcome(swapped) == (
        4,
        f"damaged at byte {c}: frame 8 where frame 4 belongs; 4 whole frames precede it",
    )


def test_bytes_behind_the_end_are_reported() -> None:
    assert outcome(SOUND + b"x") == (
        12,
        f"damaged at byte {len(SOUND)}: bytes after the file's closing mark;"
        " 12 whole frames precede it",
    )


def test_one_frame_is_counted_in_the_singular() -> None:
    data = sound(1)
    assert outcome(data[:-1]) == (
        1,
        f"damaged at byte {len(data) - 8}: the file ends at byte {len(data) - 1}, inside its"
        " closing mark; 1 whole frame precedes it",
    )


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_any_mix_of_cuts_splices_and_noise_gives_only_true_frames(data: st.DataObject) -> None:
    file = bytearray(SOUND)
    place = st.integers(0, len(SOUND))
    for _ in range(data.draw(st.integers(1, 3))):
        a, b = sorted((data.draw(place), data.draw(place)))
        at = data.draw(place)
        piece = data.draw(st.one_of(st.just(bytes(SOUND[a:b])), st.binary(max_size=20)))
        if data.draw(st.booleans()):
            file[at:at] = piece
        else:
            file[a:b] = piece
    if bytes(file) != SOUND:
        judged(bytes(file))


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=400), st.booleans())
def test_noise_behind_a_sound_header_never_gives_a_frame(noise: bytes, whole: bool) -> None:
    assert judged((SOUND[:HEADER_END] if whole else MAGIC) + noise) == (0 if whole else -1)


def test_a_file_that_shrinks_while_it_is_read_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(SOUND)
    reader = ReplayReader(path)
    path.write_bytes(sound(2)[:100])
    assert list(reader.blocks()) == []
    assert reader.damage is not None
    assert reader.damage.startswith("damaged at byte 0: ")


def test_a_file_replaced_by_another_replay_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(SOUND)
    reader = ReplayReader(path)
    other = type(HEADER)("other", "00" * 8, "1", 0, 1, 1, 1, 1)
    path.write_bytes(sound(2, header=other))
    assert list(reader.blocks()) == []
    assert reader.damage == (
        "damaged at byte 0: the file has changed since it was opened; 0 whole frames precede it"
    )


class Failing(io.BytesIO):
    """A disk that fails after `good` bytes."""

    good = 2**60

    def read(self, size: int | None = -1) -> bytes:
        if self.tell() >= self.good:
            raise OSError(5, "Input/output error")
        return super().read(size)


def test_a_failing_disk_is_reported_with_the_frames_before_it() -> None:
    file = Failing(SOUND)
    reader = ReplayReader(file)
    file.good = CHUNKS[3][0]
    assert sum(block.frames for block in reader.blocks()) == 4
    assert reader.damage == (
        f"damaged at byte {file.good}: it cannot be read: Input/output error;"
        " 4 whole frames precede it"
    )


def test_a_disk_that_fails_in_the_header_is_reported() -> None:
    for good in (0, 8):
        file = Failing(SOUND)
        file.good = good
        with pytest.raises(ReplayError) as caught:
            ReplayReader(file)
        assert caught.value.message == (
            f"the stream has no readable header: at byte {good},"
            " it cannot be read: Input/output error"
        )


def test_the_count_of_a_damaged_file_is_that_of_its_whole_frames(tmp_path: Path) -> None:
    path = tmp_path / "a.mcap"
    path.write_bytes(SOUND[: CHUNKS[5][1] - 1])
    assert frame_count(path) == 8
