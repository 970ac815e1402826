"""A diagnosis of a run here and another machine's desync report of the same replay.

Owns the order of the steps where side b is a report: it cannot be run again, and everything about
it that is not in the report stays unknown.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from samebits.bits import canonical_size, to_canonical, xxh64
from samebits.desync.compare import require_replay
from samebits.desync.format import line_of
from samebits.desync.portable import PortableNames, portable
from samebits.desync.report import Report
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.cause.experiment import FRAMES, Experiment
from samebits.diagnosis.cause.inquiry import Progress
from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.frame.known_hashes import KnownSearch
from samebits.diagnosis.frame.recorded import recorded_in
from samebits.diagnosis.narrow import Pair, narrow
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report_evidence import (
    OVER_INPUTS,
    Told,
    after,
    ask_for_trace,
    blame_inputs,
    following,
    joined,
    note,
    silent,
    tell_budget,
    tell_fields,
    title,
    told,
)
from samebits.errors import ReportError, TraceError
from samebits.ir.text import print_module
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun, Snapshot, open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact
from samebits.sim.sources import Source
from samebits.trace.model import Model
from samebits.trace.record import Trace, record

OTHER_RUN = 0.5
"""The part of the frames whose inputs may differ before a report is one of another run."""


def diagnose_report(
    source: Source, a: Side, report: Report, progress: Progress = silent
) -> Diagnosis:
    """Run side `a` over `source` and compare it with what another machine's `report` tells.

    Raises ReportError where the report is of another run, and what running raises.
    """
    began = time.perf_counter()
    simulation = a.simulation
    require_replay(report, simulation.header(source.seed), source.replay or "this run")
    out = Diagnosis(
        simulation=simulation.name,
        version=simulation.version,
        seed=source.seed,
        a=a.text,
        b=title(report),
        frames=0,
    )
    run = open_run(a)
    try:
        _Beside(out, InputStream(source), a, run, report, progress).run()
    finally:
        run.close()
    tell_budget(out, report.budget)
    out.seconds = time.perf_counter() - began
    return out


@dataclass(frozen=True, eq=False)
class _Moment:
    """The differing frame as it begins: what evaluates it, the state before, both sides' inputs of
    it, and the report's from there on. `kept` is None before `init`."""

    frame: int
    model: Model
    kept: Snapshot | None
    before: bytes
    given: Inputs
    theirs: Inputs | None
    same_inputs: bool
    rows: Inputs | None


class _Beside:
    def __init__(
        self,
        out: Diagnosis,
        inputs: InputStream,
        side: Side,
        run: SideRun,
        report: Report,
        progress: Progress,
    ) -> None:
        self.out = out
        self.inputs = inputs
        self.side = side
        self.running = run
        self.report = report
        self.progress = progress
        self.names = PortableNames(side.simulation)
        self.kernels = portable(side.plain.kernels, self.names)

    def run(self) -> None:
        out, report = self.out, self.report
        self._require_inputs()
        trap = report.contents.trap
        search = KnownSearch(
            self.running, report.known, self.inputs, progress=self.progress,
            trap=None if trap is None else (report.frames, trap), as_told=self._portable,
            recorded=recorded_in(self.inputs.source),
        )  # fmt: skip
        done = search.run()
        if search.recorded is not None:
            with beyond_first_facts(out.notes, "where the run departs from its replay is"):
                out.recorded = search.recorded.fact(self.side)
        out.notes += done.notes
        out.frames = min(self.inputs.frames, report.contents.begun)
        found = done.found
        if found is None:
            self._tell_ends(done.trap)
            return
        out.frame = frame = found.frame
        out.hashes = found.a.shown(), after(report, frame)
        if found.a.state is not None and report.hash_after(frame) is not None:
            with beyond_first_facts(out.notes, "the fields are"):
                tell_fields(out, report, frame, found.a.state)
        if not found.is_exact:
            note(out, f"{report.name} has no hashes of frames {found.since + 1:,} to {frame - 1:,}:"
                      " one of them may be the first that differs")  # fmt: skip
        else:
            self._tell_program()
            with beyond_first_facts(out.notes, "the operation and its cause are"):
                self._narrow(found)

    def _tell_ends(self, trap: str | None) -> None:
        """Where nothing differs: how far that goes."""
        if trap is not None:
            note(self.out, f"both end with a trap: {trap}")
        elif self.out.frames < self.inputs.frames:
            note(self.out, f"{self.report.name} tells the first {self.out.frames:,} of "
                           f"{self.inputs.frames:,} frames")  # fmt: skip

    def _narrow(self, found: FirstFrame) -> None:
        out, frame = self.out, found.frame
        model = self.side.model(frame)
        if model is None:
            note(out, "side a has no operations that can be traced: its code is free to depart "
                      "from them")  # fmt: skip
            return
        moment = self._moment(found, model)
        program = self.side.plain.with_kernels(model.module)
        experiment = self._experiment(moment)
        given, theirs = moment.given, moment.theirs
        if theirs is None:
            note(out, f"the inputs of frame {frame:,} differ, and the report does not tell them")
            blame_inputs(out, frame, None)
            return
        if not moment.same_inputs:
            note(out, f"the inputs of frame {frame:,} differ")
            agreement = experiment.run(program)
            if agreement.same:
                blame_inputs(out, frame, agreement)
            else:  # something else is to be found, over the same inputs
                given = theirs
        own = self._traced(moment, given)
        if own is None:
            return
        other = told(self.report, frame, moment.model, moment.before, theirs, out)
        if other is None and out.causes:
            other = Told(record(moment.model, moment.before, theirs), OVER_INPUTS)
        if other is None:
            ask_for_trace(out, self.report, frame)
            return
        if other.aligned is not None:
            experiment = replace(
                experiment,
                interpreted=True,
                trap=self.report.contents.trap,
                budget=self.report.budget,
            )
        pair = Pair(
            own, other.trace, other.believed, program, experiment,
            lambda: iter([other.trace.frame_input]), frame, aligned=other.aligned,
        )  # fmt: skip
        narrow(out, pair, self.progress)

    def _moment(self, found: FirstFrame, model: Model) -> _Moment:
        kept, frame = found.a.before, found.frame
        if kept is None or found.a.inputs is None:  # `init`
            start = bytes(canonical_size(model.state))
            seed = np.array([self.inputs.seed], np.uint64)
            rows = self._rows(0)
            step = replace(model, step=self.side.plain.init)
            return _Moment(frame, step, None, start, seed, seed, True, rows)
        mine, rows = found.a.inputs[0], self._rows(frame)
        theirs = None if rows is None else rows[0]
        same = theirs is not None and theirs.tobytes() == mine.tobytes()
        return _Moment(frame, model, kept, kept.canonical, mine, theirs, same, rows)

    def _experiment(self, moment: _Moment) -> Experiment:
        """What the report's machine gives, from the frame on, as far as its inputs are known."""
        hashes, trap = following(self.report, moment.frame)
        rows = moment.rows
        count = (0 if rows is None else len(rows)) + (moment.kept is None)
        if len(hashes) >= count:
            hashes, trap = hashes[:count], None
        seed = self.inputs.seed if moment.kept is None else None
        inputs = self.inputs.between(0, 0) if rows is None else rows
        local = None if trap is None else self._local(trap)
        return Experiment(moment.before, inputs, hashes, local, seed, foreign=True)

    def _traced(self, moment: _Moment, given: Inputs) -> Trace | None:
        """Side a's frame over such inputs, traced; None where that is not what it gives."""
        run = self.running
        if moment.kept is None:
            run.start(self.inputs.seed)
            after, trap = run.save(), None
        else:
            run.restore(moment.kept)
            done = run.advance(given.reshape(1, -1))
            after, trap = run.save(), None if done.trap is None else TrapFact.of(done.trap)
        try:
            trace = record(moment.model, moment.before, given)
        except TraceError as error:
            note(self.out, f"side a's frame cannot be traced: {error.message}")
            return None
        mine = None if trace.trap is None else TrapFact.of(trace.trap)
        if mine == trap and (trap is not None or trace.after == after):
            return trace
        note(self.out, "the traced run of side a gives other bits than its plain run: it is not "
                       "believed")  # fmt: skip
        return None

    # -- inputs ---------------------------------------------------------------------------------

    def _rows(self, first: int) -> Inputs | None:
        """The report's inputs from a frame on, as far as they are known: those of the replay where
        their hash is the same."""
        mine = self.inputs.between(first, first + FRAMES)
        t = self.side.simulation.input_type

        def rows() -> Iterator[Inputs | None]:
            for frame, row in enumerate(mine, first):
                known = self.report.input_hashes[frame]
                same = known is None or known == xxh64(to_canonical(t, row))
                yield row if same else self.report.inputs_array(frame)

        return joined(rows())

    def _require_inputs(self) -> None:
        """Raise ReportError where so many inputs are others that it is another run's report."""
        t = self.side.simulation.input_type
        differing = compared = 0
        for at, block in self.inputs.blocks():
            for frame, row in enumerate(block.inputs, at):
                known = self.report.input_hashes[frame]
                if known is not None:
                    compared += 1
                    differing += known != xxh64(to_canonical(t, row))
        if differing > compared * OTHER_RUN:
            raise ReportError(
                f"{self.report.name} is of other inputs than {self.inputs.source.replay}: those of "
                f"{differing:,} of {compared:,} frames differ",
                fix="give the replay that the report was made of",
            )

    # -- names ----------------------------------------------------------------------------------

    def _tell_program(self) -> None:
        theirs = self.report.program_text
        if self.side.spec.source is None and theirs not in (None, print_module(self.kernels)):
            note(self.out, "the report's program is not the one that runs here")

    def _portable(self, trap: TrapFact) -> TrapFact:
        """A trap of this machine as a report has it."""
        found = self.names.trap(trap)
        return replace(found, message=line_of(found.message), place=line_of(found.place))

    def _local(self, trap: TrapFact) -> TrapFact:
        """A trap of the report at the place that this machine has for it."""
        file, *rest = trap.place.rsplit(":", 2)
        local = self.names.local(file)
        return trap if local is None else replace(trap, place=":".join([local, *rest]))
