"""State dumps beside the run that they are compared with, as a report, or as more of one.

Owns what stands for the parts of a state that a dump does not tell: those of the run made here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import pairwise

from samebits.bits import xxh64
from samebits.desync.evidence.dump import Dump
from samebits.desync.evidence.facts import report_of_facts
from samebits.desync.format import STATES, Key
from samebits.desync.report import Report
from samebits.diagnosis.frame.examine import begun
from samebits.diagnosis.report.wording import moment
from samebits.errors import ReportError
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.sources import InputSource


def with_dumps(
    report: Report | None, dumps: Sequence[Dump], side: Side, source: InputSource
) -> Report:
    """The facts of a report, if there is one, and of state dumps besides.

    Raises ReportError for dumps that contradict the report or one another, or of frames that the
    run does not have; and what running side a raises.
    """
    ordered = sorted(dumps, key=lambda dump: dump.frame)
    for one, other in pairwise(ordered):
        if one.frame == other.frame:
            raise ReportError(f"{one.name} and {other.name} are both of {moment(one.frame)}",
                              fix="give one dump of each frame")  # fmt: skip
    last = ordered[-1]
    if last.frame >= source.frames:
        raise ReportError(
            f"{last.name} is of frame {last.frame:,}, and {source.replay or 'the run'} has frames "
            f"0 to {source.frames - 1:,}",
            fix="give the replay that it is of",
        )
    states, remarks, incomplete = dict[int, bytes](), list[str](), set[int]()
    for dump, mine in _beside(ordered, side, source):
        whole = dump.state
        if whole is None:
            incomplete.add(dump.frame)
            remarks += dump.limits
            whole = dump.beside(mine)
            is_hashed = report is not None and report.hash_after(dump.frame) == xxh64(mine)
            if report is not None and is_hashed and whole != mine:
                raise ReportError(
                    f"{dump.name} has other fields than the state after {moment(dump.frame)} of "
                    f"which {report.name} has the hash: that is side a's",
                    fix="give the dump and the hashes of one run, written after the frame",
                )
        states[dump.frame] = whole
    if report is None:
        name = (
            last.name if len({d.name for d in ordered}) == 1 else f"the set of {len(ordered)} dumps"
        )
        report = report_of_facts(side.header(source.seed), name, {}, states)
    else:
        for dump in ordered:
            _check(report, dump)
        report = _added(report, states)
    return replace(
        report, incomplete=frozenset(incomplete), dumps=tuple(ordered), remarks=tuple(remarks)
    )


def _beside(dumps: Sequence[Dump], side: Side, source: InputSource) -> Iterator[tuple[Dump, bytes]]:
    """Each dump with the run's own state after its frame, if it needs one."""
    if all(dump.state is not None for dump in dumps):
        yield from ((dump, b"") for dump in dumps)
        return
    inputs = InputStream(source)
    with closing(open_run(side)) as run:
        trap = begun(run, inputs.seed).trap
        for dump in dumps:
            if trap is None and run.frame <= dump.frame:
                found = run.advance(inputs.between(run.frame, dump.frame + 1)).trap
                trap = trap if found is None else found
            if trap is not None:
                raise ReportError(
                    f"{dump.name} is of {moment(dump.frame)}, and the run traps before its end",
                    fix="dump whole states, or give a report of that machine",
                )
            yield dump, run.save()


def _check(report: Report, dump: Dump) -> None:
    """Raise ReportError where a whole dump is not the state that the report has the hash of."""
    state, known = dump.state, report.hash_after(dump.frame)
    if state is None or known in (None, xxh64(state)):
        return
    near = (n for n in (dump.frame - 1, dump.frame + 1) if report.hash_after(n) == xxh64(state))
    fix = "give the dump and the hashes of one run, written after the frame"
    for frame in near:
        fix = f"it is the state after {moment(frame)}: --state {frame}={dump.name}"
    raise ReportError(
        f"{dump.name} is not the state after {moment(dump.frame)} of which {report.name} has the "
        "hash",
        fix=fix,
    )


def _added(report: Report, states: dict[int, bytes]) -> Report:
    """A report with more states."""
    contents = report.contents
    numbers = tuple(sorted({*contents.states, *(frame + 1 for frame in states)}))
    frames = max(contents.frames, *numbers)
    if contents.trap is not None and frames > contents.frames:
        raise ReportError(f"a dump is of a frame behind the trap that ends {report.name}",
                          fix="give the dump and the report of one run")  # fmt: skip
    asked = report.asked or range(frames, frames)
    made = {Key(STATES, frame + 1): state for frame, state in states.items()}
    return replace(
        report,
        contents=replace(contents, frames=frames, asked=asked, states=numbers),
        parts={**report.parts, **made},
    )
