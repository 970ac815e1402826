"""A run is compared with hashes of another, and run again where they are missing."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from tests.support.runs.small_runs import hashes, inputs, side

from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.frame.known_hashes import KnownSearch
from samebits.sides.run import SideRun

FRAMES = 700
FRAME = 431
OTHER = f"fpenv=up,from={FRAME}"


def known(text: str, frames: Iterable[int]) -> dict[int, int]:
    every = hashes(text, FRAMES)
    return {frame: every[frame] for frame in frames}


def found(search: KnownSearch) -> FirstFrame:
    result = search.run().found
    assert result is not None
    return result


def test_every_hash_names_the_frame_exactly() -> None:
    a = side("")
    first = found(KnownSearch(a, known(OTHER, range(FRAMES)), inputs(FRAMES)))
    assert (first.frame, first.is_exact, first.b.state) == (FRAME, True, None)
    assert (first.a.hash, first.b.hash) == (hashes("", FRAMES)[FRAME], hashes(OTHER, FRAMES)[FRAME])
    assert first.a.before is not None
    assert (first.a.before.frame, a.frame) == (FRAME, FRAME)


def test_hashes_that_agree_are_told_with_their_gaps() -> None:
    report = KnownSearch(side(""), known("", range(9, FRAMES, 10)), inputs(FRAMES)).run()
    assert (report.found, report.compared) == (None, FRAMES)
    assert report.notes == ["70 of the 700 frames have a hash to compare"]
    whole = KnownSearch(side(""), known("", range(FRAMES)), inputs(FRAMES)).run()
    assert (whole.found, whole.compared, whole.notes) == (None, FRAMES, [])


Keyframes = list[tuple[int, bytes]]


@pytest.fixture(scope="module")
def fast_keyframes() -> Keyframes:
    """States of the plain run, every 100 frames."""
    fast, keyframes = side(""), Keyframes()
    fast.start(1)
    for first in range(0, FRAMES, 100):
        keyframes.append((first, fast.save()))
        fast.advance(inputs(FRAMES).between(first, first + 100))
    return keyframes


SPARSE = range(29, FRAMES, 60)


def test_between_sparse_hashes_the_other_side_is_run() -> None:
    a, b = side(""), side(OTHER)
    search = KnownSearch(a, known(OTHER, SPARSE), inputs(FRAMES), b)
    first = found(search)
    assert (first.frame, first.is_exact, search.report.notes) == (FRAME, True, [])
    assert first.b.hash == hashes(OTHER, FRAMES)[FRAME]
    assert (a.frame, b.frame) == (FRAME, FRAME)


def test_without_the_other_side_the_frame_is_the_first_that_is_known_to_differ() -> None:
    first = found(KnownSearch(side(""), known(OTHER, SPARSE), inputs(FRAMES)))
    assert (first.frame, first.since, first.is_exact) == (449, 389, False)
    assert first.b.hash == hashes(OTHER, FRAMES)[449]


def test_a_side_that_does_not_give_the_hashes_here_is_told() -> None:
    search = KnownSearch(side(""), known(OTHER, SPARSE), inputs(FRAMES), side("opt=0"))
    first = found(search)
    assert (first.frame, first.since, first.b.before) == (449, 389, None)
    (note,) = search.report.notes
    assert note.startswith("side b, run here from frame 390, gives the bits of side a")


def test_a_side_that_gives_yet_other_hashes_here_is_told() -> None:
    other = side("fpenv=down,from=440")
    search = KnownSearch(side(""), known(OTHER, SPARSE), inputs(FRAMES), other)
    first = found(search)
    assert (first.frame, first.is_exact) == (440, True)
    one = KnownSearch(side(""), known(OTHER, [430, 431]), inputs(FRAMES), side("fpenv=down"))
    first = found(one)
    assert first.b.hash != hashes(OTHER, FRAMES)[431]
    (note,) = one.report.notes
    assert note == (
        f"side b, run here, gives {first.b.shown()} in frame 431, and gave "
        f"{hashes(OTHER, FRAMES)[431]:016x}"
    )


def test_init_is_compared_where_its_hash_is_known() -> None:
    a = side("")
    a.start(1)
    right = a.hash()
    assert KnownSearch(side(""), {-1: right}, inputs(FRAMES)).run().found is None
    first = found(KnownSearch(side(""), {-1: right ^ 1}, inputs(FRAMES)))
    assert (first.frame, first.a.hash, first.b.hash) == (-1, right, right ^ 1)


def test_a_trap_differs_from_hashes_that_go_on() -> None:
    goes_on = known("", range(FRAMES))
    search = KnownSearch(side(""), goes_on, inputs(FRAMES, "crash"))
    assert found(search).frame == 0  # the inputs are others from the start
    crashed = hashes("", 12, "crash")
    later = dict(enumerate(crashed)) | {20: 1}
    first = found(KnownSearch(side(""), later, inputs(FRAMES, "crash")))
    assert (first.frame, first.a.hash, first.b.hash, first.is_exact) == (12, None, None, True)
    assert first.a.trap is not None
    ended = KnownSearch(side(""), dict(enumerate(crashed)), inputs(FRAMES, "crash")).run()
    assert (ended.found, ended.trap) == (None, "index out of range")


@pytest.mark.parametrize("frame", [0, 119, 431, 699])
def test_a_slow_side_is_run_from_keyframes_and_only_where_needed(
    frame: int, fast_keyframes: Keyframes, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[int] = []
    advance = SideRun.advance

    def counted(self: SideRun, rows: object) -> object:
        if self.side.is_slow:
            ran.append(len(rows))  # type: ignore[arg-type]
        return advance(self, rows)  # type: ignore[arg-type]

    monkeypatch.setattr(SideRun, "advance", counted)
    other = f"fpenv=up,from={frame}"
    search = KnownSearch(
        side("evaluate"), known(other, range(FRAMES)), inputs(FRAMES), None, fast_keyframes
    )
    first_frame = found(search)
    assert (first_frame.frame, first_frame.is_exact) == (frame, True)
    assert sum(ran) <= 100 + 16 + 3  # a segment, and the frame itself
    agrees = KnownSearch(
        side("evaluate"), known("", range(9, FRAMES, 10)), inputs(FRAMES), None, fast_keyframes
    ).run()
    assert (agrees.found, agrees.compared) == (None, FRAMES)
    assert agrees.notes == [
        "hashes before frame 599 were compared at keyframes alone",
        "70 of the 700 frames have a hash to compare",
    ]


def test_keyframes_between_known_hashes_are_run_to_the_next(fast_keyframes: Keyframes) -> None:
    search = KnownSearch(
        side("evaluate"), known(OTHER, SPARSE), inputs(FRAMES), side(OTHER), fast_keyframes
    )
    first = found(search)
    assert (first.frame, first.is_exact) == (FRAME, True)
