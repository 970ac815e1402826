"""A run is compared with hashes of another, and run again where they are missing."""

from __future__ import annotations

from collections.abc import Iterable

from tests.support.runs.small_runs import hashes, inputs, side

from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.frame.hash_search import HashSearch

FRAMES = 700
FRAME = 431
OTHER = f"fpenv=up,from={FRAME}"


def known(text: str, frames: Iterable[int]) -> dict[int, int]:
    every = hashes(text, FRAMES)
    return {frame: every[frame] for frame in frames}


def found(search: HashSearch) -> FirstFrame:
    result = search.run().found
    assert result is not None
    return result


def test_every_hash_names_the_frame_exactly() -> None:
    a = side("")
    first = found(HashSearch(a, inputs(FRAMES), known(OTHER, range(FRAMES))))
    assert (first.frame, first.is_exact, first.b.state) == (FRAME, True, None)
    assert (first.a.hash, first.b.hash) == (hashes("", FRAMES)[FRAME], hashes(OTHER, FRAMES)[FRAME])
    assert first.a.before is not None
    assert (first.a.before.frame, a.frame) == (FRAME, FRAME)


def test_hashes_that_agree_are_reported_with_their_gaps() -> None:
    report = HashSearch(side(""), inputs(FRAMES), known("", range(9, FRAMES, 10))).run()
    assert (report.found, report.compared) == (None, FRAMES)
    assert report.notes == ["70 of the 700 frames have a hash to compare"]
    whole = HashSearch(side(""), inputs(FRAMES), known("", range(FRAMES))).run()
    assert (whole.found, whole.compared, whole.notes) == (None, FRAMES, [])


SPARSE = range(29, FRAMES, 60)


def test_without_the_other_side_the_frame_is_the_first_that_is_known_to_differ() -> None:
    first = found(HashSearch(side(""), inputs(FRAMES), known(OTHER, SPARSE)))
    assert (first.frame, first.since, first.is_exact) == (449, 389, False)
    assert first.b.hash == hashes(OTHER, FRAMES)[449]


def test_init_is_compared_where_its_hash_is_known() -> None:
    a = side("")
    a.start(1)
    right = a.hash()
    assert HashSearch(side(""), inputs(FRAMES), {-1: right}).run().found is None
    first = found(HashSearch(side(""), inputs(FRAMES), {-1: right ^ 1}))
    assert (first.frame, first.a.hash, first.b.hash) == (-1, right, right ^ 1)


def test_a_trap_differs_from_hashes_that_go_on() -> None:
    goes_on = known("", range(FRAMES))
    search = HashSearch(side(""), inputs(FRAMES, "crash"), goes_on)
    assert found(search).frame == 0  # the inputs are others from the start
    crashed = hashes("", 12, "crash")
    later = dict(enumerate(crashed)) | {20: 1}
    first = found(HashSearch(side(""), inputs(FRAMES, "crash"), later))
    assert (first.frame, first.a.hash, first.b.hash, first.is_exact) == (12, None, None, True)
    assert first.a.trap is not None
    ended = HashSearch(side(""), inputs(FRAMES, "crash"), dict(enumerate(crashed))).run()
    assert (ended.found, ended.trap) == (None, "index out of range")
