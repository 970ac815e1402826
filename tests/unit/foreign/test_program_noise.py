"""What two runs of one side disagree on, by whole scalars, and runs without it."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest
from tests.support.foreign_records import HEAD, begin, done, run_record

from samebits.foreign.programs.noise import noise_of, without_noise
from samebits.foreign.records import ForeignRun, read_record


def run(path: Path, frames: list[tuple[int, int]], kept: int = 99) -> ForeignRun:
    """A record of two u32, `steady` and `stamp`, after each frame from -1 on."""
    data = HEAD + run_record([(0, "steady", "u32"), (0, "stamp", "u32")])
    for number, values in enumerate(frames, -1):
        state = struct.pack("<II", *values)
        data += begin(number) + done(number, state, 1 if number < kept else 0)
    path.write_bytes(data)
    return read_record(str(path))


def test_two_runs_alike_have_no_noise(tmp_path: Path) -> None:
    one, other = (run(tmp_path / name, [(1, 2), (3, 4)]) for name in "ab")
    assert noise_of(one, other) is None
    assert without_noise(one, []) is one


def test_a_scalar_of_which_one_byte_differs_is_noise_as_a_whole(tmp_path: Path) -> None:
    one = run(tmp_path / "a", [(1, 0x11223344), (2, 0x11223344)])
    other = run(tmp_path / "b", [(1, 0x11223344), (2, 0x11223355)])
    noise = noise_of(one, other)
    assert noise is not None
    assert noise.first == 0
    third = run(tmp_path / "c", [(1, 0x11223344), (2, 0x99887766)])
    apart = run(tmp_path / "d", [(1, 0x11223344), (7, 0x99887766)])
    masked = [without_noise(each, [noise]).hashes for each in (one, third, apart)]
    assert masked[0] == masked[1]
    assert masked[0] != masked[2]


def test_states_without_their_noise_have_zeros_there(tmp_path: Path) -> None:
    one = run(tmp_path / "a", [(1, 5), (2, 6), (3, 7)])
    noise = noise_of(one, run(tmp_path / "b", [(1, 5), (2, 9), (3, 7)]))
    assert noise is not None
    masked = without_noise(one, [noise])
    assert masked.state_after(-1) == struct.pack("<II", 1, 5)
    assert masked.state_after(1) == struct.pack("<II", 3, 0), "once noise, always noise"


@pytest.mark.parametrize("kept", [0, 1])
def test_a_run_ends_before_noise_whose_state_was_not_kept(kept: int, tmp_path: Path) -> None:
    one = run(tmp_path / "a", [(1, 5), (2, 6), (3, 7)], kept)
    noise = noise_of(one, run(tmp_path / "b", [(1, 5), (2, 9), (3, 8)], kept))
    assert noise is not None
    assert [*without_noise(one, [noise]).hashes] == [-1, 0][: kept + 1]
