"""Two machines' reports of one run, where nothing runs but the interpreter."""

from __future__ import annotations

from dataclasses import astuple, replace

from samebits.desync.compare import ReportPair
from samebits.desync.report import Report
from samebits.diagnosis.before.headers import compared
from samebits.diagnosis.before.planted import is_option, of_options, untried
from samebits.diagnosis.driver.steps import Driver, over_inputs
from samebits.diagnosis.driver.told import (
    begun,
    header_of,
    rows_of,
    tell_budget,
    tell_damage,
    tell_inputs,
    tell_planted,
    tell_restores,
    timed,
)
from samebits.diagnosis.evidence import Validated
from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.frame.healing import healed_in_series, tell_healed
from samebits.diagnosis.frame.search import Progress, silent
from samebits.diagnosis.report.findings import WITH_ALL_ELSE, Diagnosis
from samebits.diagnosis.report_evidence import ReportEvidence, reported_frame, title
from samebits.frame_trace.record import Trace
from samebits.printed import muted


@muted()
def diagnose_reports(a: Report, b: Report, progress: Progress = silent) -> Diagnosis:
    """Compare what two machines reported of one run: nothing runs but the interpreter, over the
    reports' own programs.

    Raises ReportError where they are of different runs, or share too little to be compared.
    """
    both = ReportPair(a, b)
    both.require()
    budget = min(a.budget, b.budget, key=astuple)  # one for both together
    a, b = replace(a, budget=budget), replace(b, budget=budget)
    header = a.header
    out = begun(header.simulation, header.version, header.seed, title(a), title(b))
    out.frames = min(a.contents.begun, b.contents.begun)
    for report in (a, b):
        tell_damage(out, report)
        out.notes += report.remarks
    out.headers = compared(header_of(a), header_of(b))
    frame, first = both.first_difference, both.first_differing_inputs
    with timed(out):
        theirs = tell_inputs(out, rows_of(a), rows_of(b), out.frames)
        if first is not None and (frame is None or first < frame):
            out.note(f"the inputs of frame {first:,} differ, and the state after it does not")
        if frame is None:
            _tell_ends(out, a, b)
            return out
        one = ReportEvidence(a, frame, out, progress)
        other = ReportEvidence(b, frame, out, progress, known_inputs=theirs)
        ends = [reported_frame(report, frame) for report in (a, b)]
        found = FirstFrame(frame, ends[0], ends[1], both.last_alike(frame))
        names = [fact.name for fact in out.headers]
        if "seed" in names:
            tell_planted(out, untried(out.headers[names.index("seed")]))
        _TwoReports(out, one, other, found, a.types[0], progress).run()
        for report in (a, b):
            tell_restores(out, report)
        tell_healed(out, healed_in_series(a.hashes, b.hashes, frame))
        options = [fact for fact in out.headers if is_option(fact)]
        if options and "digest" not in names and out.causes:
            first = out.causes[0]
            if first.scope == WITH_ALL_ELSE:  # one source: what differs comes from its options
                out.causes = (of_options(options, first), *out.causes[1:])
    tell_budget(out, a)
    return out


class _TwoReports(Driver[ReportEvidence, ReportEvidence]):
    def _operation(self) -> None:
        """With the sides crossed, where side b alone gives the bits of its own program."""
        if self._is_crossed():
            out, found = self.out, self.found
            self.a, self.b, out.a, out.b = self.b, self.a, out.b, out.a
            self.found = replace(found, a=found.b, b=found.a)
            self.tell_ends()
            name = self.a.report.name
            out.note(f"{name} stands as side a: its own program, evaluated, gives its bits")
        super()._operation()

    def _is_crossed(self) -> bool:
        point, rows = self.a.point(self.b), self.b.inputs_tried(self.a)
        if isinstance(point, str) or rows is None or over_inputs(point, rows) is not None:
            return False
        return not self.a.reproduces(point) and self.b.reproduces(point)

    def without(self, own: Trace | None, other: Validated | None) -> None:
        for side, trace in ((self.a, own), (self.b, other)):
            if trace is None:
                side.ask_for_trace()


def _tell_ends(out: Diagnosis, a: Report, b: Report) -> None:
    """Tells how far the comparison went, if nothing differs."""
    if a.contents.begun != b.contents.begun:
        short = a if a.contents.begun < b.contents.begun else b
        most = max(a.contents.begun, b.contents.begun)
        out.note(f"{short.name} covers the first {short.contents.begun:,} of {most:,} frames")
    elif a.contents.trap is not None:
        out.note(f"both end with a trap: {a.contents.trap.message}")
