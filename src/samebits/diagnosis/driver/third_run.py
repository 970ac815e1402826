"""Two reports beside a run made here, which says which of them departs from the source."""

from __future__ import annotations

from contextlib import closing
from functools import partial

from samebits.desync.compare import ReportPair, require_replay
from samebits.desync.report import Report
from samebits.diagnosis.before.headers import compared
from samebits.diagnosis.before.planted import GivenInputs
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.builds.search import SECONDS
from samebits.diagnosis.builds.tell import tell_builds
from samebits.diagnosis.builds.theirs import theirs_of
from samebits.diagnosis.driver.run_and_report import RunAndReport
from samebits.diagnosis.driver.told import (
    begun,
    header_of,
    rows_of,
    tell_budget,
    tell_damage,
    tell_inputs,
    tell_restores,
    timed,
)
from samebits.diagnosis.driver.two_reports import diagnose_reports
from samebits.diagnosis.driver.two_runs import diagnose
from samebits.diagnosis.frame.examine import FirstFrame, SideFrame, outcome
from samebits.diagnosis.frame.healing import healed_in_series, tell_healed
from samebits.diagnosis.frame.search import Progress, silent
from samebits.diagnosis.live_evidence import LiveEvidence
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report.wording import moment
from samebits.diagnosis.report_evidence import ReportEvidence, reported_frame, title
from samebits.diagnosis.third_side import Beginning, beginning, from_init, judged
from samebits.printed import muted
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun, open_run
from samebits.sides.side import Side


@muted()
def diagnose_reports_here(
    side: Side, a: Report, b: Report, progress: Progress = silent
) -> Diagnosis:
    """As `diagnose_reports`, with the source beside them: where the reports have the inputs of all
    frames from a common state on, `side` is run from there, and says which of the two departs from
    it. That one is then side b, and the run stands for the other.

    Raises ReportError where they are of different runs or of another simulation, and what running
    raises.
    """
    both = ReportPair(a, b)
    both.require()
    for report in (a, b):
        require_replay(report, side.header(report.header.seed), side.simulation.name)
    frame = both.first_difference
    start = None if frame is None else beginning(both, frame)
    if frame is None or start is None:
        out = diagnose_reports(a, b, progress)
        if frame is not None:
            out.note(
                "the source cannot tell which of them is right: they do not hold a state before "
                f"{moment(frame)} and all inputs from there on, which are the same"
            )
        return out
    progress("running it here", 0, frame)
    with closing(open_run(side)) as run:
        found = judged(run, both, start, frame)
        if found.agrees not in ((True, False), (False, True)):
            out = diagnose_reports(a, b, progress)
            where = frame if found.parted is None else found.parted
            out.note(
                f"a run here, {side.text}, has neither report's hash after {moment(where)}, but "
                f"{found.seen.shown()}: the source is another, or both machines depart from it"
            )
            return out
        right, wrong = (a, b) if found.agrees[0] else (b, a)
        return _judged(side, run, right, wrong, start, both, found.seen, progress)


def _judged(
    side: Side,
    run: SideRun,
    right: Report,
    wrong: Report,
    start: Beginning,
    both: ReportPair,
    seen: SideFrame,
    progress: Progress,
) -> Diagnosis:
    """The report that departs from the run here, beside that run, which has the other's hashes."""
    header, frame = right.header, both.first_difference
    assert frame is not None
    out = begun(header.simulation, header.version, header.seed, title(right), title(wrong))
    out.frames = min(right.contents.begun, wrong.contents.begun)
    out.headers = compared(header_of(right), header_of(wrong))
    since = "init" if start.state is None else f"the state before frame {start.number:,}"
    out.note(
        f"{right.name} is right: a run here, {side.text}, from {since} on has its hash after "
        f"{moment(frame)}, and not that of {wrong.name}"
    )
    for report in (right, wrong):
        tell_damage(out, report)
    given = GivenInputs(start.rows, header.seed)
    inputs, rows = InputStream(given), start.frames()
    with timed(out):
        tell_inputs(out, rows_of(right), rows_of(wrong), out.frames)
        found = FirstFrame(frame, seen, reported_frame(wrong, frame), both.last_alike(frame))
        one = LiveEvidence("a", side, run, frame, seen, inputs, side, out, progress)
        other = ReportEvidence(wrong, frame, out, progress, known_inputs=rows)
        RunAndReport(out, one, other, found, side.plain.state, progress, is_alone=True).run()
        whole = from_init(both, frame)
        if found.is_exact and whole is not None and not (out.causes or out.inputs):
            source = GivenInputs(whole.rows, header.seed)
            with beyond_first_facts(out.notes, "which build gives these hashes is"):
                tell_builds(
                    out, side, source, theirs_of(wrong),
                    partial(diagnose, side.simulation, source, progress=progress),
                    progress, SECONDS,
                )  # fmt: skip
        following = outcome(one.continued()).hashes
        behind = [n for n in range(frame + 1, frame + 1 + len(following)) if n in right.told]
        same = sum(int(following[n - frame - 1]) == right.hash_after(n) for n in behind)
        if behind:
            out.note(f"of the {len(behind):,} frames that follow it has {right.name}'s hash in "
                     f"{'all' if same == len(behind) else f'{same:,}'}")  # fmt: skip
        tell_healed(out, healed_in_series(right.hashes, wrong.hashes, frame))
        for report in (right, wrong):
            tell_restores(out, report)
    tell_budget(out, wrong)
    return out
