"""Which reports can be compared, over which frames, and what is said of those that cannot."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest
from tests.support.runs.desync_files import ASKED, SMALL, evaluated, inputs_of, made, small

from samebits.bits import xxh64
from samebits.desync.compare import ReportPair, command, require_replay
from samebits.desync.format import HASHES, INPUT_HASHES, STATES, Key
from samebits.desync.record import ReportRequest
from samebits.desync.report import Report
from samebits.errors import ReportError
from samebits.sides.side import Side
from samebits.sim.execution import EvaluateExecution, Execution
from samebits.sim.program import Program
from samebits.sim.sources import PlayerSource


class Faulty(EvaluateExecution):
    """Right, but for one bit of one field after frame 11."""

    def _step(self, inputs: Any) -> None:
        super()._step(inputs)
        if int(self.memory["frame"][0]) == 12:
            self.memory["bodies"]["pos"][0, 4, 1:].view("u4")[...] += 1


class FaultySide(Side):
    def execution(self, program: Program) -> Execution:
        return Faulty(program)


@cache
def report(first: int = ASKED.start, stop: int = ASKED.stop, *, faulty: bool = False) -> Report:
    side = FaultySide("faulty", SMALL, evaluated().spec) if faulty else evaluated()
    found = made(PlayerSource(SMALL, "push", 1, 40), ReportRequest(range(first, stop)), side)
    return replace(found, name="b.desync" if faulty else "a.desync")


def other(of: Report, **header: Any) -> Report:
    return replace(of, header=replace(of.header, **header), name="b.desync")


def refused(a: Report, b: Report) -> str:
    with pytest.raises(ReportError) as caught:
        ReportPair(a, b).require()
    return str(caught.value)


def test_two_reports_of_one_run_share_everything() -> None:
    both = ReportPair(report(), report())
    both.require()
    assert both.first_difference is None
    assert both.first_differing_inputs is None
    assert both.hashed.tolist() == list(range(-1, 14))
    assert both.require_detail() == both.asked == ASKED


def test_the_first_frame_that_differs_is_found_and_so_is_the_field() -> None:
    both = ReportPair(report(), report(faulty=True))
    both.require()
    assert both.first_difference == 11
    assert both.require_detail() == ASKED
    before = [both.a.tree_hashes(11), both.b.tree_hashes(11)]
    assert (before[0] == before[1]).all()  # type: ignore[union-attr]
    one, two = both.a.tree_hashes(12), both.b.tree_hashes(12)
    assert one is not None
    assert two is not None
    (leaf,) = both.a.tree.differing(one, two)
    assert leaf.path == "bodies[4]"


def test_what_init_leaves_counts_as_frame_minus_one() -> None:
    values = bytearray(report().parts[Key(HASHES, 0)])
    values[0] ^= 1
    changed = replace(report(), parts={**report().parts, Key(HASHES, 0): bytes(values)})
    both = ReportPair(report(), changed)
    assert both.first_difference == -1
    assert both.require_detail() == ASKED


def test_reports_of_different_runs_are_refused() -> None:
    a = report()
    assert refused(a, other(a, simulation="large")) == (
        "a.desync is of simulation 'small', and b.desync of 'large'\n"
        "  fix: give two of the same simulation"
    )
    assert refused(a, other(a, players=1)) == (
        "a.desync and b.desync are of 'small' with different states, inputs or players\n"
        "  fix: run the same code on both machines, and write reports again"
    )
    assert refused(a, other(a, players=1, version="2")).startswith(
        "a.desync and b.desync are of 'small' (versions 1 and 2) with different states"
    )


@pytest.mark.parametrize("header", [{"version": "2"}, {"tick_rate": 60}, {"seed": 2}])
def test_what_may_be_the_cause_is_not_refused(header: dict[str, Any]) -> None:
    a = report()
    ReportPair(a, other(a, **header)).require()


def test_other_code_of_the_same_version_can_be_compared() -> None:
    a, b = report(), other(report(), digest="00" * 16)
    assert a.header.digest != b.header.digest
    ReportPair(a, b).require()


def test_other_inputs_are_reported_with_their_frame() -> None:
    a = report()
    values = bytearray(a.parts[Key(INPUT_HASHES, 0)])
    for frame in (5, 9):
        values[8 * frame] ^= 1
    b = replace(a, name="b.desync", parts={**a.parts, Key(INPUT_HASHES, 0): bytes(values)})
    assert ReportPair(a, b).first_differing_inputs == 5
    ReportPair(a, b).require()


def test_frames_that_do_not_overlap_are_reported_with_the_command_that_helps() -> None:
    a, b = report(3, 6), replace(report(20, 30), name="b.desync")
    both = ReportPair(a, b)
    both.require()
    with pytest.raises(ReportError) as caught:
        both.require_detail()
    assert str(caught.value) == (
        "a.desync and b.desync share no frame in detail\n"
        "  note: a.desync holds 3 to 5 in detail, and b.desync holds 20 to 29 in detail\n"
        "  fix: write both again: samebits report SIM REPLAY --frames 3:6"
    )


def test_a_difference_outside_what_is_reported_names_its_frame() -> None:
    a, b = report(20, 30), report(25, 30, faulty=True)
    with pytest.raises(ReportError) as caught:
        ReportPair(a, b).require_detail()
    assert str(caught.value) == (
        "a.desync and b.desync differ first in frame 11, and do not both hold it in detail\n"
        "  note: a.desync holds 20 to 29 in detail, and b.desync holds 25 to 29 in detail\n"
        "  fix: write both again: samebits report SIM REPLAY --frames 6:17 --trace 11"
    )


def test_reports_without_a_common_hash_are_refused() -> None:
    a = report()
    left = {k: v for k, v in a.parts.items() if k.topic not in (HASHES, STATES)}
    b = replace(a, name="b.desync", parts=left)
    assert refused(a, b) == (
        "a.desync and b.desync share no frame's hash\n"
        "  note: the first has those of frames 0 to 13, the second those of none\n"
        "  fix: write them again: samebits report SIM REPLAY --frames 10:14"
    )


def test_states_stand_in_for_hashes_that_are_lost() -> None:
    a, b = report(), report(faulty=True)
    b = replace(b, parts={k: v for k, v in b.parts.items() if k.topic != HASHES})
    both = ReportPair(a, b)
    both.require()
    assert both.hashed.tolist() == [9, 10, 11, 12, 13]
    assert (both.first_difference, both.last_alike(11), both.last_alike(9)) == (11, 10, -2)


def test_a_trap_on_one_side_alone_is_a_difference() -> None:
    trapped = made(PlayerSource(SMALL, "crash", 1, 40), ReportRequest(None))
    assert trapped.frames == 12
    assert trapped.contents.trap is not None
    whole = made(PlayerSource(SMALL, "push", 1, 40), ReportRequest(None))
    on = replace(whole, parts={**whole.parts, Key(HASHES, 0): hashes_of(trapped, whole)})
    for pair in ((trapped, on), (on, trapped)):
        assert ReportPair(*pair).first_difference == 12
    assert ReportPair(trapped, trapped).first_difference is None
    elsewhere = replace(trapped.contents.trap, place="small_simulation.py:1:1")
    other = replace(trapped, contents=replace(trapped.contents, trap=elsewhere))
    assert ReportPair(trapped, other).first_difference == 12
    before = made(PlayerSource(SMALL, "crash", 1, 12), ReportRequest(None))
    assert ReportPair(trapped, before).first_difference is None


def hashes_of(first: Report, rest: Report) -> bytes:
    """The hashes of one report, and behind them those of another."""
    count = 8 * (first.frames + 1)
    return first.parts[Key(HASHES, 0)][:count] + rest.parts[Key(HASHES, 0)][count:]


@pytest.mark.parametrize(
    ("frames", "traced", "expected"),
    [
        (range(3, 4), None, "samebits report SIM REPLAY --frames 3"),
        (range(3, 9), 4, "samebits report SIM REPLAY --frames 3:9 --trace 4"),
        (range(3, 9), -1, "samebits report SIM REPLAY --frames 3:9"),
        (range(0), None, "samebits report SIM REPLAY"),
    ],
)
def test_commands(frames: range, traced: int | None, expected: str) -> None:
    assert command(frames, traced) == expected


def test_a_report_is_checked_against_a_replay() -> None:
    a = small()
    require_replay(a, SMALL.header(1), "r.mcap")
    with pytest.raises(ReportError) as caught:
        require_replay(a, replace(SMALL.header(1), players=1), "r.mcap")
    assert caught.value.message == (
        "r.mcap and the report are of 'small' with different states, inputs or players"
    )


def test_a_report_has_the_hashes_of_the_inputs_that_it_was_made_with() -> None:
    known, given = small().input_hashes, inputs_of()[: ASKED.stop]
    assert [known[frame] for frame in range(ASKED.stop)] == list(map(xxh64, given))
    assert len(set(given)) > 1
