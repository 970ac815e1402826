"""A diagnosis of two desync reports, with nothing else: nothing runs but the interpreter, over the
reports' own programs.

Owns the order of the steps where neither side can be run.
"""

from __future__ import annotations

import time
from dataclasses import astuple, dataclass, replace

import numpy as np

from samebits.bits import canonical_size, xxh64
from samebits.desync.compare import ReportPair
from samebits.desync.report import Report
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.cause.experiment import FRAMES_INTERPRETED, Experiment
from samebits.diagnosis.cause.inquiry import Progress
from samebits.diagnosis.narrow import Pair, narrow
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report_evidence import (
    EVALUATED,
    OVER_INPUTS,
    Told,
    after,
    ask_for_trace,
    blame_inputs,
    following,
    gives,
    joined,
    note,
    silent,
    tell_budget,
    tell_fields,
    tell_trees,
    title,
    told,
)
from samebits.errors import ReportError
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program
from samebits.trace.encoding import decode
from samebits.trace.model import Model
from samebits.trace.record import Trace, record
from samebits.trace.restore import restore_trace

MOST_BEFORE = 64
"""Frames that are evaluated on the way from a state that a report tells to the differing frame."""


def diagnose_reports(a: Report, b: Report, progress: Progress = silent) -> Diagnosis:
    """Compare what two machines reported of one run.

    Raises ReportError where they are of different runs, or share too little to be compared.
    """
    began = time.perf_counter()
    ReportPair(a, b).require(changed_inputs=True)
    budget = min(a.budget, b.budget, key=astuple)  # one for both together
    a, b = replace(a, budget=budget), replace(b, budget=budget)
    out = _compared(a, b, progress)
    if out is None:
        out = _compared(b, a, progress) or _begun(b, a)
        note(out, f"{b.name} stands as side a: its own program, evaluated, gives its bits")
    tell_budget(out, budget)
    out.seconds = time.perf_counter() - began
    return out


def _compared(a: Report, b: Report, progress: Progress) -> Diagnosis | None:
    """None where `b` had better be the side that experiments begin with."""
    out = _begun(a, b)
    both = _TwoReports(out, ReportPair(a, b), progress)
    both.run()
    return None if both.a_departs else out


def _begun(a: Report, b: Report) -> Diagnosis:
    header = a.header
    return Diagnosis(
        simulation=header.simulation,
        version=header.version,
        seed=header.seed,
        a=title(a),
        b=title(b),
        frames=min(a.contents.begun, b.contents.begun),
    )


@dataclass(frozen=True, eq=False)
class _Moment:
    """The differing frame as it begins. `before` is the canonical state; None before `init`."""

    frame: int
    model: Model
    before: bytes
    given: Inputs
    theirs: Inputs
    rows: Inputs | None
    """Side b's inputs, from the frame on."""


class _TwoReports:
    def __init__(self, out: Diagnosis, both: ReportPair, progress: Progress) -> None:
        self.out = out
        self.both = both
        self.a, self.b = both.a, both.b
        self.progress = progress
        self.a_departs = False
        """Whether it is not side b, but side a that departs from its own program."""

    def run(self) -> None:
        out, a, b = self.out, self.a, self.b
        frame = out.frame = self.both.first_difference
        self._tell_inputs(frame)
        if frame is None:
            self._tell_ends()
            return
        out.hashes = after(a, frame), after(b, frame)
        if a.hash_after(frame) is not None and b.hash_after(frame) is not None:
            with beyond_first_facts(out.notes, "the fields are"):
                self._tell_fields(frame)
        since = self.both.last_alike(frame)
        if since != frame - 1:
            note(out, f"the hashes of frames {since + 1:,} to {frame - 1:,} are not in both: one "
                      "of them may be the first that differs")  # fmt: skip
            return
        with beyond_first_facts(out.notes, "the operation and its cause are"):
            self._narrow(frame)

    def _tell_inputs(self, frame: int | None) -> None:
        first = self.both.first_differing_inputs
        if first is not None and (frame is None or first < frame):
            note(self.out, f"the inputs of frame {first:,} differ, and the state after it does not")

    def _tell_ends(self) -> None:
        """Where nothing differs: how far that goes."""
        a, b = self.a, self.b
        if a.contents.begun != b.contents.begun:
            short = a if a.contents.begun < b.contents.begun else b
            note(self.out, f"{short.name} tells the first {short.contents.begun:,} of "
                           f"{max(a.contents.begun, b.contents.begun):,} frames")  # fmt: skip
        elif a.contents.trap is not None:
            note(self.out, f"both end with a trap: {a.contents.trap.message}")

    def _tell_fields(self, frame: int) -> None:
        state = self.a.state(frame + 1)
        if state is None:
            tell_trees(self.out, self.b, frame, self.a.tree_hashes(frame + 1))
        else:
            tell_fields(self.out, self.b, frame, state)

    def _narrow(self, frame: int) -> None:
        out, a, b = self.out, self.a, self.b
        program = a.program
        moment = None if program is None else self._moment(program, frame)
        if program is None or moment is None:
            self._ask_for_detail(frame)
            return
        experiment = self._experiment(moment)
        model, before, given, theirs = moment.model, moment.before, moment.given, moment.theirs
        self.progress("evaluating the frame", 0, 2)
        if given.tobytes() != theirs.tobytes():
            note(out, f"the inputs of frame {frame:,} differ")
            agreement = experiment.run(program)
            if agreement.same:
                blame_inputs(out, frame, agreement)
            else:  # something else is to be found, over the same inputs
                given = theirs
        elif not gives(record(model, before, given), a, frame) and self._is_plain(moment):
            self.a_departs = True
            return
        own = self._own(moment, given)
        self.progress("evaluating the frame", 1, 2)
        other = told(b, frame, model, before, theirs, out)
        if other is None:
            plain = record(model, before, theirs)
            if gives(plain, b, frame):
                other = Told(plain, OVER_INPUTS if out.causes else EVALUATED)
        for report, trace in ((a, own), (b, other)):
            if trace is None:
                ask_for_trace(out, report, frame)
        if own is None or other is None:
            return
        frames = other.trace.frame_input
        pair = Pair(
            own, other.trace, other.believed, program, experiment, lambda: iter([frames]), frame,
            aligned=other.aligned,
        )  # fmt: skip
        narrow(out, pair, self.progress)

    def _moment(self, program: Program, frame: int) -> _Moment | None:
        """None where the reports do not tell enough."""
        model = self.a.model_of(program)
        # As many as an experiment evaluates: a report may tell of many more.
        last = min(max(frame, 0) + FRAMES_INTERPRETED, self.b.contents.begun)
        rows = joined(self._inputs(self.b, n) for n in range(max(frame, 0), last))
        if frame < 0:
            start = bytes(canonical_size(model.state))
            seed = np.array([self.a.header.seed], np.uint64)
            return _Moment(frame, replace(model, step=program.init), start, seed, seed, rows)
        before, given = self._before(model, frame), self._inputs(self.a, frame)
        if before is None or given is None or rows is None:
            return None
        return _Moment(frame, model, before, given, rows[0], rows)

    def _is_plain(self, moment: _Moment) -> bool:
        """Whether side b gives the bits of its own program."""
        program = self.b.program
        if program is None:
            return False
        step = program.init if moment.frame < 0 else program.step
        model = replace(self.b.model_of(program), step=step)
        return gives(record(model, moment.before, moment.theirs), self.b, moment.frame)

    def _before(self, model: Model, frame: int) -> bytes | None:
        """The state before the frame: a report's, or an earlier one, evaluated from there on."""
        reports = self.a, self.b
        numbers = [
            n for report in reports for n in report.states if frame - MOST_BEFORE < n <= frame
        ]
        if not numbers:
            return None
        number = max(numbers)
        state = next(s for s in (report.state(number) for report in reports) if s is not None)
        for n in range(number, frame):
            self.progress("evaluating up to the frame", n - number, frame - number)
            given = self._inputs(self.a, n)
            if given is None:
                return None
            state = record(model, state, given).after
        return state if xxh64(state) == self.a.hash_after(frame - 1) else None

    def _own(self, moment: _Moment, given: Inputs) -> Trace | None:
        """Side a's trace: what it tells, or else its program's, if that gives its hash."""
        a, model, frame = self.a, moment.model, moment.frame
        stored = a.trace if a.contents.traced == frame and a.trace_is_faithful else None
        if stored is not None and given is moment.given:
            return restore_trace(model, decode(stored), moment.before, given)
        trace = record(model, moment.before, given)
        return trace if given is not moment.given or gives(trace, a, frame) else None

    def _experiment(self, moment: _Moment) -> Experiment:
        """What side b gives, from the frame on, as far as its inputs are known."""
        hashes, trap = following(self.b, moment.frame)
        rows, is_init = moment.rows, moment.frame < 0
        count = (0 if rows is None else len(rows)) + is_init
        if len(hashes) >= count:
            hashes, trap = hashes[:count], None
        inputs = np.zeros((0, self.b.header.players), moment.model.input.dtype)
        return Experiment(
            moment.before, inputs if rows is None else rows, hashes, trap,
            self.b.header.seed if is_init else None, interpreted=True, budget=self.a.budget,
            foreign=True,
        )  # fmt: skip

    def _inputs(self, report: Report, frame: int) -> Inputs | None:
        """A report's inputs of a frame, or the other's, where their hashes say that they are the
        same."""
        found = report.inputs_array(frame)
        if found is None and self.a.input_hashes[frame] == self.b.input_hashes[frame]:
            other = self.b if report is self.a else self.a
            return other.inputs_array(frame)
        return found

    def _ask_for_detail(self, frame: int) -> None:
        try:
            self.both.require_detail()
        except ReportError as error:
            note(self.out, f"{error.message}; {error.fix}")
            return
        lack = "program" if self.a.program is None else "state and the inputs before it"
        note(self.out, f"{self.a.name} does not tell the {lack} of frame {frame:,}")
