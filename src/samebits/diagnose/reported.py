"""A diagnosis in which another machine's desync report is side b, or in which two of them are both.

Owns what stands in for a run that cannot be made here: hashes, states, the trace, and the report's
program, which is only ever interpreted.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from samebits.bits import from_canonical, to_canonical, xxh64
from samebits.diagnose.causes import Progress
from samebits.diagnose.desync.overlap import Overlap, command, require_replay
from samebits.diagnose.desync.portable import Names, portable
from samebits.diagnose.desync.report import Report
from samebits.diagnose.experiment import FRAMES, Experiment
from samebits.diagnose.fields import differences
from samebits.diagnose.finding import CauseFact, Diagnosis, HeatFact
from samebits.diagnose.hazards import by_name
from samebits.diagnose.input_stream import InputStream
from samebits.diagnose.known_hashes import KnownSearch
from samebits.diagnose.model import Model
from samebits.diagnose.narrowing import Pair, narrow
from samebits.diagnose.replayed import replay
from samebits.diagnose.running import Running
from samebits.diagnose.sides import Side
from samebits.diagnose.trace import Trace, record
from samebits.diagnose.trace_bytes import decode
from samebits.diagnose.versions import Aligned, align
from samebits.errors import IRError, ReportError, TraceError
from samebits.ir.text import print_module
from samebits.sim.inputs import Inputs
from samebits.sim.program import Program
from samebits.sim.sources import Source

_BELIEVED = "the traced run gives the plain run's bits, on both machines"
_OTHER_RUN = 0.1
"""The part of the frames whose inputs may differ before a report is one of another run."""
_EVALUATED = "the report's own program, evaluated, gives the state that its machine reported"


def diagnose_report(
    source: Source, a: Side, report: Report, progress: Progress | None = None
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
        a=a.text or "this machine",
        b=_title(report),
        frames=0,
    )
    run = a.open()
    try:
        _OneReport(out, InputStream(source), a, run, report, progress or _silent).run()
    finally:
        run.close()
    out.seconds = time.perf_counter() - began
    return out


def diagnose_reports(a: Report, b: Report, progress: Progress | None = None) -> Diagnosis:
    """Compare what two machines reported of one run, with nothing else.

    Raises ReportError where they are of different runs, or share too little to be compared.
    """
    began = time.perf_counter()
    both = Overlap(a, b)
    both.require(changed_inputs=True)
    header = a.header
    out = Diagnosis(
        simulation=header.simulation,
        version=header.version,
        seed=header.seed,
        a=_title(a),
        b=_title(b),
        frames=int(np.count_nonzero(both.hashed >= 0)),
    )
    _TwoReports(out, both, progress or _silent).run()
    out.seconds = time.perf_counter() - began
    return out


def _silent(what: str, done: int, total: int) -> None:
    """Nobody watches."""


def _title(report: Report) -> str:
    machine = report.machine
    words = [report.name, report.contents.side, machine.processor or machine.architecture]
    return ", ".join(word for word in (*words, machine.system) if word)


@dataclass(frozen=True, eq=False)
class _Told:
    """A trace that a report gives, and why it is believed; with its source, where that is
    another."""

    trace: Trace
    believed: str
    aligned: Aligned | None = None


def _told(report: Report, frame: int, mine: Model, before: bytes, given: Inputs) -> _Told | None:
    """The trace of a frame on the report's machine, under the names of `mine`; None where the
    report does not tell it. Raises TraceError where it tells nonsense."""
    program = report.program
    if program is None:
        return None
    theirs = Model.of(program)
    aligned = align(mine.module, theirs.module)
    stored = report.trace if report.contents.traced == frame else None
    if stored is not None and report.trace_is_faithful and not aligned.changes:
        trace = replay(theirs, decode(stored), before, given)
        return _Told(_under(trace, mine), _BELIEVED)
    if not aligned.changes:
        return None
    model = replace(theirs, module=aligned.module, step=mine.step)
    trace = record(model, before, given)
    after = report.hash_after(frame)
    if trace.trap is None and xxh64(trace.after) == after:
        return _Told(trace, _EVALUATED, aligned)
    return None


def _under(trace: Trace, model: Model) -> Trace:
    """The trace with places as another model of the same operations calls them."""
    if len(model.numbering) != len(trace.model.numbering):
        raise TraceError("the trace is of another program", event=0)
    return replace(trace, frames=replace(trace.frames, model=model))


class _OneReport:
    """Side a runs here; the report is side b."""

    def __init__(
        self,
        out: Diagnosis,
        inputs: InputStream,
        side: Side,
        run: Running,
        report: Report,
        progress: Progress,
    ) -> None:
        self.out = out
        self.inputs = inputs
        self.side = side
        self.running = run
        self.report = report
        self.progress = progress

    def run(self) -> None:
        out, report = self.out, self.report
        known = {
            int(number) - 1: int(report.hashes.values[number])
            for number in np.flatnonzero(report.hashes.known)
        }
        search = KnownSearch(self.running, known, self.inputs, progress=self.progress)
        done = search.run()
        out.notes += done.notes
        changed = self._changed_inputs()
        out.frames = done.compared
        found = done.found
        if found is None:
            return
        out.frame = frame = found.frame
        out.frames = max(out.frames, min(self.inputs.frames, report.frames))
        out.hashes = found.a.shown(), found.b.shown()
        if found.a.state is not None:
            _fields(out, report, frame, found.a.state)
        if changed is not None and changed <= frame:
            _blame_inputs(out, changed)
        if frame < 0 or found.a.before is None:
            out.notes.append("the sides differ before the first frame, in what init leaves")
            return
        mine = self.inputs.between(frame, frame + FRAMES)
        theirs = self._inputs(frame, mine)
        self.running.go_back(found.a.before)
        model = self.running.model()
        if model is None:
            out.notes.append("side a has no operations that can be traced")
            return
        before = found.a.before.canonical
        trace = record(model, before, mine[0])
        if trace.trap is None and trace.after != found.a.state:
            out.notes.append(
                "the traced run of side a gives other bits than its plain run: it is not believed"
            )
            return
        told = self._told(frame, model, before, theirs)
        if told is None:
            return
        hashes = _following(report, frame)
        pair = Pair(
            trace,
            told.trace,
            told.believed,
            self.side.plain.with_kernels(model.module),
            Experiment(before, mine[: len(hashes)], hashes),
            lambda: iter([told.trace.frames]),
            frame,
            aligned=told.aligned,
        )
        narrow(out, pair, self.progress)

    def _changed_inputs(self) -> int | None:
        """The first frame whose inputs are others than the report's. Raises ReportError where so
        many are that it is another run's report."""
        given = self.side.simulation.input_type
        differing = compared = 0
        first: int | None = None
        for at, block in self.inputs.blocks():
            for k, row in enumerate(block.inputs):
                theirs = self.report.input_hashes[at + k]
                if theirs is None:
                    continue
                compared += 1
                if xxh64(to_canonical(given, row)) != theirs:
                    differing += 1
                    first = at + k if first is None else first
        if differing > compared * _OTHER_RUN:
            raise ReportError(
                f"{self.report.name} is of other inputs than {self.inputs.source.replay}: those of "
                f"{differing:,} of {compared:,} frames differ",
                fix="give the replay that the report was made of",
            )
        return first

    def _inputs(self, frame: int, mine: Inputs) -> Inputs:
        """The report's inputs of the frame, or ours where it tells none."""
        data = self.report.inputs(frame)
        if data is None:
            return mine[0]
        theirs = from_canonical(self.report.types[1], data, len(mine[0]))
        if theirs.tobytes() != mine[0].tobytes():
            self.out.notes.append(f"the inputs of frame {frame:,} differ")
        return theirs

    def _told(self, frame: int, model: Model, before: bytes, given: Inputs) -> _Told | None:
        out, report = self.out, self.report
        if self.side.told.source is None:
            names = Names(self.side.simulation)
            text = print_module(portable(self.side.plain.kernels, names))
            if report.program_text is not None and text != report.program_text:
                out.notes.append("the report's program is not the one that runs here")
        try:
            told = _told(report, frame, model, before, given)
        except (TraceError, IRError) as error:
            out.notes.append(f"the report's trace cannot be followed: {error.message}")
            return None
        if told is None:
            again = command(range(max(0, frame - 2), frame + 3), frame)
            out.notes.append(
                f"the report does not tell the operations of frame {frame:,}; on that machine, "
                f"write another: {again}"
            )
        return told


class _TwoReports:
    """Nothing runs here but the interpreter, over the reports' own programs."""

    def __init__(self, out: Diagnosis, both: Overlap, progress: Progress) -> None:
        self.out = out
        self.both = both
        self.progress = progress

    def run(self) -> None:
        out, a, b = self.out, self.both.a, self.both.b
        frame = out.frame = self.both.first_difference
        inputs = self.both.first_differing_inputs
        if inputs is not None and (frame is None or inputs <= frame):
            out.notes.append(f"the inputs differ from frame {inputs:,} on")
            if frame is not None:
                _blame_inputs(out, inputs)
        if frame is None:
            return
        out.hashes = _hex(a.hash_after(frame)), _hex(b.hash_after(frame))
        state = a.state(frame + 1)
        if state is not None:
            _fields(out, b, frame, state)
        else:
            _from_trees(out, a, b, frame)
        if frame < 0:
            out.notes.append("the sides differ before the first frame, in what init leaves")
            return
        try:
            self.both.require_detail()
        except ReportError as error:
            out.notes.append(f"{error.message}; {error.fix}")
            return
        program = a.program
        before = None if program is None else self._before(program, frame)
        given = [self._inputs(report, frame) for report in (a, b)]
        if program is None or before is None or given[0] is None or given[1] is None:
            out.notes.append(f"the reports do not tell the state before frame {frame:,}")
            return
        self._narrow(program, frame, before, given[0], given[1])

    def _narrow(
        self, program: Program, frame: int, before: bytes, mine: Inputs, theirs: Inputs
    ) -> None:
        out, a, b = self.out, self.both.a, self.both.b
        model = Model.of(program)
        self.progress("evaluating the frame", 0, 2)
        try:
            own = self._own(a, frame, model, before, mine)
            self.progress("evaluating the frame", 1, 2)
            told = _told(b, frame, model, before, theirs)
            if told is None and own is not None:
                plain = record(model, before, theirs)
                if xxh64(plain.after) == b.hash_after(frame):
                    told = _Told(plain, _EVALUATED)
        except (TraceError, IRError) as error:
            out.notes.append(f"a report's trace cannot be followed: {error.message}")
            return
        if own is None or told is None:
            which = a.name if own is None else b.name
            out.notes.append(
                f"{which} does not tell the operations of frame {frame:,}; on that machine, write "
                f"another: {command(self.both.wanted, frame)}"
            )
            return
        hashes = _following(b, frame)
        rows = self._rows(frame, len(hashes))
        experiment = Experiment(before, rows, hashes[: len(rows)], interpreted=True)
        frames = told.trace.frames
        pair = Pair(
            own, told.trace, told.believed, program, experiment, lambda: iter([frames]), frame,
            aligned=told.aligned,
        )  # fmt: skip
        narrow(out, pair, self.progress)

    def _own(
        self, report: Report, frame: int, model: Model, before: bytes, given: Inputs
    ) -> Trace | None:
        """The trace of side a: its own, or that of its program if that gives its hash."""
        if report.contents.traced == frame and report.trace and report.trace_is_faithful:
            return replay(model, decode(report.trace), before, given)
        trace = record(model, before, given)
        return trace if xxh64(trace.after) == report.hash_after(frame) else None

    def _before(self, program: Program, frame: int) -> bytes | None:
        """The state before the frame: a report's, or an earlier one evaluated from there on."""
        for report in (self.both.a, self.both.b):
            state = report.state(frame)
            if state is not None:
                return state
        earlier = [n for n in self.both.a.states if n < frame]
        if not earlier:
            return None
        number = max(earlier)
        state = self.both.a.state(number)
        model = Model.of(program)
        while state is not None and number < frame:
            given = self._inputs(self.both.a, number)
            if given is None:
                return None
            self.progress("evaluating up to the frame", number, frame)
            state = record(model, state, given).after
            number += 1
        known = self.both.a.hash_after(frame - 1)
        return state if state is not None and xxh64(state) == known else None

    def _inputs(self, report: Report, frame: int) -> Inputs | None:
        data = report.inputs(frame)
        if data is None:
            return None
        return from_canonical(report.types[1], data, report.header.players)

    def _rows(self, frame: int, most: int) -> Inputs:
        """Side a's inputs from the frame on, as far as they are told."""
        rows: list[Inputs] = []
        for number in range(frame, frame + most):
            given = self._inputs(self.both.a, number)
            if given is None:
                break
            rows.append(given)
        return np.stack(rows)


def _blame_inputs(out: Diagnosis, frame: int) -> None:
    """Name inputs that differ as the cause: nothing else has to be found."""
    hazard = by_name("changed-input")
    out.causes = (
        CauseFact(
            hazard=hazard.name,
            title=hazard.title,
            expression="",
            practice=hazard.practice,
            remedy=hazard.remedy,
            reach="",
            frames_same=0,
            frames_compared=0,
            evidence=(f"the inputs of frame {frame:,} are not the same on both sides",),
        ),
    )
    out.certainty = "certain"


def _fields(out: Diagnosis, report: Report, frame: int, mine: bytes) -> None:
    """The differing fields: from the report's state, or as far as its hash tree tells."""
    t = report.types[0]
    theirs = report.state(frame + 1)
    if theirs is not None:
        found = differences(t, mine, theirs)
        out.fields, out.differing = found.first, found.differing
        out.heat = tuple(row for row in found.heat if row.differing)
        return
    hashes = report.tree_hashes(frame + 1)
    if hashes is None:
        out.notes.append(f"the report does not tell the state after frame {frame:,}")
        return
    nodes = report.tree.differing(report.tree.hashes(mine), hashes)
    out.heat = tuple(HeatFact(node.path, 1, 1, None) for node in nodes)


def _from_trees(out: Diagnosis, a: Report, b: Report, frame: int) -> None:
    one, other = a.tree_hashes(frame + 1), b.tree_hashes(frame + 1)
    if one is None or other is None:
        out.notes.append(f"the reports do not tell the state after frame {frame:,}")
        return
    out.heat = tuple(HeatFact(node.path, 1, 1, None) for node in a.tree.differing(one, other))


def _following(report: Report, frame: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """The report's hashes from a frame on, as far as they are known without a gap."""
    hashes, known = report.hashes.values[frame + 1 :], report.hashes.known[frame + 1 :]
    gaps = np.flatnonzero(~known)
    return hashes[: int(gaps[0]) if len(gaps) else len(hashes)]


def _hex(value: int | None) -> str:
    return "unknown" if value is None else f"{value:016x}"
