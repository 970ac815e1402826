"""A report beside a run, and two reports, are narrowed as far as they tell: and what they do not
tell is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.support.runs.reports_of_runs import (
    SOURCE,
    ours,
    report,
    side,
    source,
    theirs,
    version,
    with_part,
    without,
)

from samebits.desync.format import (
    HASHES,
    INPUT_HASHES,
    PROGRAM,
    STATES,
    TRACE,
    Key,
)
from samebits.desync.portable import PortableNames, portable
from samebits.desync.report import Report
from samebits.diagnosis.cause import experiment
from samebits.diagnosis.driver import diagnose_report, diagnose_reports
from samebits.diagnosis.report.findings import Diagnosis
from samebits.frame_trace import observer as watching
from samebits.frame_trace import record as trace
from samebits.ir.text import print_module
from samebits.sim.simulation import Simulation

Compare = Callable[[Report], Diagnosis]
"""What the plain side and a report differ in."""


def beside(b: Report) -> Diagnosis:
    return diagnose_report(source(), side(), b)


def with_ours(b: Report) -> Diagnosis:
    return diagnose_reports(ours(b.asked.start, b.asked.stop), b)


@pytest.fixture(params=[beside, with_ours], ids=["beside a run", "two reports"])
def compare(request: pytest.FixtureRequest) -> Compare:
    return request.param


def line(text: str) -> int:
    return next(n for n, row in enumerate(SOURCE.read_text().split("\n"), 1) if text in row)


CASES = [
    ("fma@drift,from=9", 9, "mote.vel = mote.vel * 0.98", "add", "fma"),
    ("lanes@step", 3, "for i in range(N):\n        total", "for", "lanes"),
    ("changed-constant@drift,from=9", 9, "mote.vel = mote.vel * 0.98", "const", "changed-constant"),
]


@pytest.mark.parametrize(("hazard", "frame", "text", "opcode", "cause"), CASES)
def test_with_a_trace_the_cause_is_found(
    compare: Compare, hazard: str, frame: int, text: str, opcode: str, cause: str
) -> None:
    found = compare(theirs(hazard, frame - 2, frame + 4, frame))
    assert (found.same, found.frame) == (False, frame)
    assert found.fields
    operation = found.operation
    assert operation is not None
    whole = SOURCE.read_text()
    assert operation.place.line == whole[: whole.index(text)].count("\n") + 1
    assert (operation.opcode, operation.place.file.split("/")[-1]) == (opcode, SOURCE.name)
    assert operation.validation == "trace validated: it reproduces the run's bits, on both machines"
    first = found.causes[0]
    assert (first.hazard, first.holds) == (cause, True)
    assert first.frames_compared == 4
    assert found.certainty == "likely"  # four frames are few
    assert found.notes == []


@pytest.mark.parametrize("hazard", ["fma@drift,from=9", "changed-constant@drift,from=9"])
def test_without_a_trace_it_says_which_command_writes_one(compare: Compare, hazard: str) -> None:
    found = compare(theirs(hazard, 7, 13))
    assert (found.frame, found.operation, found.causes) == (9, None, ())
    assert found.fields
    assert found.fields[0].path.startswith("motes[")
    assert found.certainty == "unknown"
    assert found.notes == [
        "theirs has no trace of frame 9; on that machine, write another: "
        "samebits report SIM REPLAY --frames 7:12 --trace 9"
    ]


def test_a_trace_of_another_frame_is_no_trace_of_this_one(compare: Compare) -> None:
    found = compare(theirs("fma@drift,from=9", 7, 13, 11))
    assert (found.frame, found.operation) == (9, None)
    assert "theirs has no trace of frame 9; " in found.notes[0]


def test_reports_that_do_not_both_tell_the_frame_say_how_to_write_ones_that_do() -> None:
    found = diagnose_reports(ours(20, 24), theirs("fma@drift,from=9", 14, 18))
    assert (found.frame, found.operation) == (9, None)
    assert found.notes == [
        "the state after frame 9 is not known",
        "ours and theirs share no frame in detail; write both again: samebits report SIM REPLAY "
        "--frames 4:15 --trace 9",
    ]


def test_one_report_that_tells_the_frame_is_enough_where_inputs_agree() -> None:
    found = diagnose_reports(report("ours", None), theirs("fma@drift,from=9", 7, 13, 9))
    assert found.causes[0].hazard == "fma"
    assert found.notes == ["the state after frame 9 is not known"]


def test_the_plain_side_is_the_one_that_experiments_begin_with() -> None:
    b = theirs("lanes@step", 1, 7, 3)
    straight, crossed = diagnose_reports(ours(1, 7), b), diagnose_reports(b, ours(1, 7))
    assert (crossed.a, crossed.b, crossed.hashes) == (straight.a, straight.b, straight.hashes)
    assert crossed.causes == straight.causes
    assert crossed.notes == ["ours stands as side a: its own program, evaluated, gives its bits"]


# -- another version of the source --------------------------------------------------------------


@pytest.fixture
def changed(tmp_path: Path) -> Report:
    """What a version reports whose constant is another, without a trace."""
    other = version(tmp_path, ("mote.vel * 0.98", "mote.vel * 0.97"))
    return report("theirs", range(12), simulation=other)


def test_another_version_is_known_by_its_program(compare: Compare, changed: Report) -> None:
    found = compare(changed)
    assert found.frame == 0
    assert found.operation is not None
    assert found.operation.place.line == line("mote.vel * 0.98")
    assert found.operation.validation == (
        "the report's own program, evaluated, reproduces the state that its machine reported"
    )
    first = found.causes[0]
    assert (first.hazard, first.holds, first.frames_compared) == ("changed-constant", True, 12)
    assert found.certainty == "likely"  # the whole other program was injected
    assert "0.97" in first.expression
    if compare is beside:
        assert found.notes == ["the report's program is not the one that runs here"]


def test_another_version_is_known_where_its_trace_is_stored_too(
    compare: Compare, tmp_path: Path
) -> None:
    other = version(tmp_path, ("mote.vel = -mote.vel", "mote.vel = mote.vel * -0.5"))
    whole = report("theirs", None, simulation=other)
    frame = next(n for n in range(40) if whole.hash_after(n) != report("ours", None).hash_after(n))
    b = report("theirs", range(frame, frame + 2), frame, simulation=other)
    found = compare(b)
    assert (found.frame, found.causes[0].hazard) == (frame, "changed-operation")
    assert found.operation is not None
    assert found.operation.place.line == line("mote.vel = -mote.vel")


def test_a_program_of_another_machine_is_never_compiled(
    changed: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(experiment, "NativeExecution", refuse)
    assert beside(changed).causes[0].holds


def test_a_constant_of_another_machine_is_never_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(experiment, "NativeExecution", refuse)
    found = beside(theirs("changed-constant@drift,from=9", 7, 13, 9))
    assert found.causes[0].hazard == "changed-constant"


def test_what_init_does_otherwise_is_found(compare: Compare, tmp_path: Path) -> None:
    other = version(tmp_path, ("float32(i) * 0.37", "float32(i) * 0.38"))
    found = compare(report("theirs", range(10), simulation=other))
    assert found.frame == -1
    assert found.operation is not None
    assert found.operation.place.line == line("float32(i) * 0.37")
    assert found.causes[0].hazard == "changed-constant"
    assert found.causes[0].holds


@pytest.mark.parametrize("lost", [(), (PROGRAM,)])
def test_what_is_not_known_of_init_is_said_without_a_frame_number(
    tmp_path: Path, lost: tuple[str, ...]
) -> None:
    other = version(tmp_path, ("float32(i) * 0.37", "float32(i) * 0.38"))
    mine, theirs = report("ours", None), report("theirs", None, simulation=other)
    found = diagnose_reports(without(mine, *lost), without(theirs, *lost))
    assert found.frame == -1
    assert "the state after init is not known" in found.notes
    assert "-1" not in "".join(found.notes)


def test_a_difference_that_may_be_in_init_is_said_so() -> None:
    found = with_ours(without(theirs("changed-constant@drift,from=0", 1, 4, 2), HASHES))
    assert found.frame == 0
    assert found.notes[-1] == (
        "what init leaves is not known on both sides: it may be the first that differs"
    )


# -- traps --------------------------------------------------------------------------------------


TRAP = "assertion failed: too many hits"


@pytest.fixture
def trapping(tmp_path: Path) -> Simulation:
    """A version that traps where the other goes on."""
    return version(tmp_path, ("state.hits < 1000", "state.hits < 3"))


def test_a_trap_that_one_side_has_alone_is_found(compare: Compare, trapping: Simulation) -> None:
    whole = report("theirs", None, simulation=trapping)
    assert whole.contents.trap is not None
    frame = whole.frames
    found = compare(report("theirs", range(frame - 2, frame + 1), simulation=trapping))
    mine = report("ours", None).hash_after(frame)
    assert (found.frame, found.hashes) == (frame, (f"{mine:016x}", f"trap: {TRAP}"))
    assert found.fields == ()
    assert found.operation is not None
    assert found.operation.place.line == line("assert state.hits")
    assert (found.causes[0].hazard, found.causes[0].holds) == ("changed-constant", True)


def test_a_trap_that_only_the_run_has_is_found(trapping: Simulation) -> None:
    b = replace(report("theirs", range(5, 9)), name="theirs")
    found = diagnose_report(source(simulation=trapping), side(simulation=trapping), b)
    assert found.frame == report("trapping", None, simulation=trapping).frames
    assert found.hashes is not None
    assert found.hashes[0] == f"trap: {TRAP}"


def test_a_trap_that_both_have_is_no_difference(trapping: Simulation) -> None:
    b = report("theirs", None, simulation=trapping)
    for found in (
        diagnose_report(source(simulation=trapping), side(simulation=trapping), b),
        diagnose_reports(b, b),
    ):
        assert (found.same, found.notes) == (True, [f"both end with a trap: {TRAP}"])


# -- inputs -------------------------------------------------------------------------------------


def test_an_input_that_differs_is_the_cause(compare: Compare) -> None:
    b = report("theirs", range(7, 19), changes={9: {"push": 0.75}})
    found = compare(b)
    assert (found.frame, found.certainty) == (9, "certain")
    first = found.causes[0]
    assert (first.hazard, first.holds) == ("changed-input", True)
    said = "player 0's push is 0.75 on side b, and 1.5 on side a, in frame 9"
    assert first.evidence == (said,)
    assert found.operation is not None
    assert (found.operation.kind, found.operation.place.line) == ("input", line("push = inputs[0]"))
    assert found.notes == []


def test_an_input_that_the_report_does_not_tell_is_likely_the_cause() -> None:
    found = beside(report("theirs", range(3, 5), changes={2: {"push": 0.8125}}))
    assert (found.frame, found.certainty) == (2, "likely")
    assert [cause.hazard for cause in found.causes] == ["changed-input"]
    assert found.notes == [
        "the inputs of frame 2 differ, and the report does not hold them",
    ]


def test_an_input_that_changes_no_state_is_not_the_cause(compare: Compare) -> None:
    """Where the push is 0, its sign is lost in the sums."""
    b = report("theirs", range(9, 16), 12, text="opt=0,hazard=fma@drift,from=12",
               changes={10: {"push": -0.0}})  # fmt: skip
    found = compare(b)
    assert (found.frame, found.causes[0].hazard) == (12, "fma")
    if compare is with_ours:
        assert found.notes == ["the inputs of frame 10 differ, and the state after it does not"]


def test_another_cause_beside_a_changed_input_is_found(compare: Compare) -> None:
    b = report("theirs", range(7, 13), 9, text="opt=0,hazard=changed-constant@drift,from=9",
               changes={9: {"push": 0.75}})  # fmt: skip
    found = compare(b)
    assert found.frame == 9
    assert [fact.frame for fact in found.inputs] == [9]
    assert [cause.hazard for cause in found.causes] == ["changed-constant"]
    assert found.causes[0].holds


def test_a_report_of_another_replay_is_told_as_such() -> None:
    changes = {frame: {"push": 0.625} for frame in range(30)}
    found = beside(report("theirs", None, changes=changes))
    assert found.inputs_differing == 30
    assert ("the inputs of 30 of 40 frames differ: they may be of another replay") in found.notes
    assert (found.causes[0].hazard, found.frame) == ("changed-input", 0)


# -- what is damaged ----------------------------------------------------------------------------


def test_without_its_program_a_trace_cannot_be_followed(compare: Compare) -> None:
    found = compare(without(theirs("fma@drift,from=9", 7, 13, 9), PROGRAM))
    assert (found.frame, found.operation) == (9, None)
    assert found.fields


def test_without_its_states_there_are_hashes_of_fields(compare: Compare) -> None:
    found = compare(without(theirs("fma@drift,from=9", 7, 13, 9), STATES))
    assert found.frame == 9
    assert found.fields == ()
    assert found.columns[0].path == "motes[4:6]"
    assert (found.columns[0].differing, found.columns[0].scalars) == (0, 0)
    assert found.causes[0].hazard == "fma"


def test_without_hashes_the_states_serve(compare: Compare) -> None:
    found = compare(without(theirs("fma@drift,from=9", 7, 13, 9), HASHES))
    assert found.frame == 9
    assert found.causes[0].hazard == "fma"


def test_where_hashes_are_lost_the_frame_may_be_an_earlier_one(compare: Compare) -> None:
    found = compare(without(theirs("fma@drift,from=9", 11, 14, 12), HASHES))
    assert (found.frame, found.operation) == (10, None)
    assert any("may be the first that differs" in note for note in found.notes)


def test_without_hashes_of_inputs_they_are_taken_to_agree(compare: Compare) -> None:
    found = compare(without(theirs("fma@drift,from=9", 7, 13, 9), INPUT_HASHES))
    assert found.causes[0].hazard == "fma"


# -- what is not what it says -------------------------------------------------------------------


def test_a_trace_that_does_not_show_what_ran_is_not_believed(compare: Compare) -> None:
    b = theirs("fma@drift,from=9", 7, 13, 9)
    contents = replace(b.contents, traced_hash=b.contents.traced_hash ^ 1)
    found = compare(replace(b, contents=contents))
    assert (found.frame, found.operation, found.causes) == (9, None, ())
    assert found.notes == ["the trace in theirs is not valid: it left another state than the run"]


def test_a_trace_of_another_frame_is_reported(compare: Compare) -> None:
    b, other = theirs("fma@drift,from=9", 7, 13, 9), theirs("fma@drift,from=9", 7, 13, 12)
    assert other.trace is not None
    contents = replace(b.contents, trace=len(other.trace))
    found = compare(with_part(replace(b, contents=contents), Key(TRACE, 9), other.trace))
    assert (found.frame, found.operation) == (9, None)
    assert found.notes[0].startswith("the record of frame 9 in theirs cannot be followed: ")


def test_a_trace_of_another_program_is_reported(compare: Compare, tmp_path: Path) -> None:
    other = version(tmp_path, ("mote.vel * 0.98", "mote.vel * 0.98 * 1.0"))
    b = theirs("fma@drift,from=9", 7, 13, 9)
    trace = report("other", range(7, 13), 9, simulation=other).trace
    assert trace is not None
    contents = replace(b.contents, trace=len(trace))
    found = compare(with_part(replace(b, contents=contents), Key(TRACE, 9), trace))
    assert (found.frame, found.operation) == (9, None)
    assert "it is of another program" in found.notes[0]


def test_junk_as_a_trace_is_reported(compare: Compare) -> None:
    b = theirs("fma@drift,from=9", 7, 13, 9)
    found = compare(with_part(b, Key(TRACE, 9), b"junk" * 99))
    assert (found.frame, found.operation) == (9, None)
    assert found.notes == [
        "the record of frame 9 in theirs cannot be followed: these bytes are not a trace"
    ]


def test_a_program_that_is_none_is_reported(compare: Compare) -> None:
    b = theirs("fma@drift,from=9", 7, 13, 9)
    found = compare(with_part(b, Key(PROGRAM, 0), b.parts[Key(PROGRAM, 0)].replace(b"add", b"ad")))
    assert (found.frame, found.operation) == (9, None)
    assert found.fields
    assert any(
        "has a program whose text is not typed IR: IR text, line " in note for note in found.notes
    )


@pytest.fixture
def endless(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """What a machine says whose program never ends in the frame that differs."""
    monkeypatch.setattr(watching, "LIMIT", 50_000)
    monkeypatch.setattr(trace, "LIMIT", 50_000)
    loop = "        k += 1\n    state.peak"
    other = version(tmp_path, (loop, "        k += 0\n    state.peak"))
    b = theirs("fma@drift,from=9", 7, 13, 9)
    text = print_module(portable(other.program.kernels, PortableNames(other))).encode()
    contents = replace(b.contents, program=len(text))
    return with_part(replace(b, contents=contents), Key(PROGRAM, 0), text)


def test_a_program_that_never_ends_is_given_up(compare: Compare, endless: Report) -> None:
    found = compare(endless)
    assert (found.frame, found.operation, found.causes) == (9, None, ())
    assert any("has more than 50000 operations" in note for note in found.notes)


def test_a_first_report_whose_program_never_ends_is_given_up(endless: Report) -> None:
    found = diagnose_reports(endless, ours(7, 13))
    assert (found.frame, found.operation, found.causes) == (9, None, ())
    assert any("has more than 50000 operations" in note for note in found.notes)
