"""What a desync report says of a run is true, and its file gives it back."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from tests.support.runs.desync_files import (
    ASKED,
    FRAMES,
    SMALL,
    TRACED,
    evaluated,
    inputs_of,
    made,
    small,
    states,
)

from samebits.bits import xxh64
from samebits.desync import format as layout
from samebits.desync import record as making
from samebits.desync.format import PROGRAM, STATES, TREES, Key
from samebits.desync.reader import read_report, report_from_bytes
from samebits.desync.record import ReportRequest
from samebits.desync.report import Report
from samebits.desync.summary import summary
from samebits.desync.writer import report_bytes, write_report
from samebits.errors import ReportError
from samebits.sim.execution import EvaluateExecution
from samebits.sim.sources import PlayerSource


@pytest.fixture(params=["made", "read"])
def report(request: pytest.FixtureRequest) -> Report:
    found = small()
    return found if request.param == "made" else report_from_bytes(report_bytes(found))


def test_hashes_are_those_of_every_state_up_to_the_last_frame_asked_for(report: Report) -> None:
    assert report.frames == ASKED.stop
    assert [report.hashes[n] for n in range(ASKED.stop + 1)] == [
        xxh64(state) for state in states()[: ASKED.stop + 1]
    ]
    assert report.hash_after(-1) == xxh64(states()[0])
    assert report.hash_after(ASKED.stop) is None
    assert report.known == {n - 1: report.hashes[n] for n in range(ASKED.stop + 1)}


def test_inputs_are_hashed_up_to_there_and_reported_where_asked(report: Report) -> None:
    given = inputs_of()
    for frame in range(FRAMES):
        begun = frame < ASKED.stop
        assert report.input_hashes[frame] == (xxh64(given[frame]) if begun else None)
        assert report.inputs(frame) == (given[frame] if frame in ASKED else None)


def test_states_lie_around_and_between_the_frames_asked_for(report: Report) -> None:
    assert report.states == [10, 11, 12, 13, 14]
    for number in report.states:
        assert report.state(number) == states()[number]
    assert report.state(9) is None


def test_trees_are_of_the_states_after_the_frames_asked_for(report: Report) -> None:
    for number in range(ASKED.start + 1, ASKED.stop + 1):
        assert Key(TREES, number) in report.parts
        found = report.tree_hashes(number)
        assert found is not None
        assert np.array_equal(found, report.tree.hashes(states()[number]))


def test_the_program_in_it_gives_the_same_states(report: Report) -> None:
    program = report.program
    assert program is not None
    run = EvaluateExecution(program)
    run.start(1)
    assert run.save() == states()[0]
    run.restore(states()[11])
    given = report.inputs(11)
    assert given is not None
    run.advance(SMALL.inputs.from_bytes(given, 1))
    assert run.save() == states()[12]


def test_the_traced_run_is_compared_with_the_plain_one(report: Report) -> None:
    assert report.contents.traced == TRACED
    assert report.contents.traced_hash == xxh64(states()[TRACED + 1])
    assert report.trace_is_faithful
    other = replace(report.contents, traced_hash=report.contents.traced_hash ^ 1)
    assert not replace(report, contents=other).trace_is_faithful


def test_a_file_gives_back_what_was_written() -> None:
    one = small()
    other = report_from_bytes(report_bytes(one))
    assert (other.machine, other.header, other.contents) == (one.machine, one.header, one.contents)
    assert other.parts == one.parts
    assert list(other.parts) == list(one.parts)
    assert other.damage == ()
    assert other.missing == []
    assert summary(other) == "everything in it is usable"


def test_the_same_run_gives_the_same_bytes() -> None:
    again = made(PlayerSource(SMALL, "push", 1, FRAMES), ReportRequest(ASKED, TRACED))
    assert report_bytes(again) == report_bytes(small())


def test_any_mcap_reader_opens_it_and_time_is_the_frames() -> None:
    reader = make_reader(io.BytesIO(report_bytes(small())), validate_crcs=True)
    assert reader.get_header().profile == "samebits-report"
    seen: dict[str, set[int]] = {}
    for _, channel, message in reader.iter_messages():
        seen.setdefault(channel.topic, set()).add(message.log_time)
    assert set(seen) == set(layout.TOPICS)
    assert seen[STATES] == {frame * 10**9 // 30 for frame in range(10, 15)}
    metadata, repeated = reader.iter_metadata()
    assert metadata == repeated


def test_without_frames_the_whole_run_is_hashed_and_nothing_else_told() -> None:
    report = made(PlayerSource(SMALL, "push", 1, FRAMES), ReportRequest(None))
    assert (report.frames, len(report.asked)) == (FRAMES, 0)
    assert report.hashes.ranges() == [range(FRAMES + 1)]
    assert {key.topic for key in report.parts} == {layout.HASHES, layout.INPUT_HASHES, PROGRAM}
    assert report_from_bytes(report_bytes(report)).parts == report.parts


def test_a_trap_is_reported_with_the_inputs_of_its_frame() -> None:
    report = made(PlayerSource(SMALL, "crash", 1, FRAMES), ReportRequest(range(10, 20)))
    again = report_from_bytes(report_bytes(report))
    for it in (report, again):
        assert (it.frames, it.asked) == (12, range(10, 13))
        assert it.contents.trap is not None
        assert it.contents.trap.message == "index out of range"
        assert it.contents.trap.place == "small_simulation.py:55:13"
        assert it.state(12) == states("crash", 1, 12)[12]
        assert it.inputs(12) == inputs_of("crash")[12]
        assert it.input_hashes[12] == xxh64(inputs_of("crash")[12])
        assert it.hash_after(11) is not None
        assert it.hash_after(12) is None


def test_a_trap_before_what_is_asked_for_is_an_error() -> None:
    with pytest.raises(ReportError) as caught:
        made(PlayerSource(SMALL, "crash", 1, FRAMES), ReportRequest(range(20, 30)))
    assert str(caught.value) == (
        "the run traps in frame 12, before frame 20: index out of range\n"
        "  fix: select that frame: --frames 12"
    )


def test_frames_behind_the_last_are_an_error() -> None:
    with pytest.raises(ReportError) as caught:
        made(PlayerSource(SMALL, "push", 1, FRAMES), ReportRequest(range(38, 42)))
    assert str(caught.value) == (
        "frame 41 is requested, and the run has 40 frames\n"
        "  fix: select frames below 40, or give a longer replay"
    )


def test_more_frames_than_a_report_holds_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layout, "MAX_TREES", 8 * len(small().tree.leaves) * 5)
    with pytest.raises(ReportError) as caught:
        made(PlayerSource(SMALL, "push", 1, FRAMES), ReportRequest(range(3, 9)))
    assert str(caught.value) == (
        "6 frames are requested, and a report of 'small' holds 5 in detail at most, below frame "
        "4,194,304\n"
        "  fix: select fewer: --frames 3:8"
    )


@pytest.mark.parametrize(
    ("most", "between", "kept"),
    [
        (10_000, 10_000, [10, 11, 12, 13, 14]),
        (10_000, 2 * 164, [10, 12, 13, 14]),
        (10_000, 3 * 164, [10, 11, 12, 13, 14]),
        (3 * 164, 10_000, [10, 12, 14]),
        (2 * 164, 10_000, [10, 14]),
        (164, 10_000, [10]),
        (163, 10_000, []),
    ],
)
def test_states_stay_within_their_bounds(
    monkeypatch: pytest.MonkeyPatch, most: int, between: int, kept: list[int]
) -> None:
    assert SMALL.header(0).state_size == 164
    monkeypatch.setattr(making, "MAX_STATES", most)
    monkeypatch.setattr(making, "BETWEEN_STATES", between)
    report = made(PlayerSource(SMALL, "push", 1, FRAMES), ReportRequest(ASKED, TRACED))
    assert report.states == kept
    assert report.trace == small().trace  # it needs a state, kept or not
    after = report.tree_hashes(12)
    assert after is not None
    assert np.array_equal(after, report.tree.hashes(states()[12]))


def test_a_side_is_reported_without_its_folders() -> None:
    source = PlayerSource(SMALL, "push", 1, FRAMES)
    side = evaluated(SMALL, "source=/home/somebody/old/game.py,opt=3")
    assert made(source, ReportRequest(ASKED), side).contents.side == "source=game.py,opt=3"


def test_many_frames_are_hashed_in_blocks() -> None:
    frames = layout.BLOCK_VALUES + 7
    report = made(PlayerSource(SMALL, "push", 1, frames), ReportRequest(None))
    again = report_from_bytes(report_bytes(report))
    assert again.parts == report.parts
    assert sum(key.topic == layout.HASHES for key in report.parts) == 2
    assert again.hash_after(frames - 1) == xxh64(states("push", 1, frames)[-1])


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.desync"
    size = write_report(small(), path)
    assert path.read_bytes() == report_bytes(small())
    assert size == path.stat().st_size
    assert read_report(path).parts == small().parts
    assert read_report(str(path)).name == str(path)
    with open(path, "rb") as file:
        assert read_report(file).parts == small().parts
    with pytest.raises(ReportError, match="exists already"):
        write_report(small(), path)
    write_report(small(seed=2), path, force=True)
    assert read_report(path).header.seed == 2
    assert [p.name for p in tmp_path.iterdir()] == ["a.desync"]
    with pytest.raises(ReportError, match=r"cannot write .*: No such file or directory"):
        write_report(small(), tmp_path / "none" / "a.desync")
