"""From two sides to a diagnosis: frame, fields, operation, cause, exposed operations.

Owns the order of the steps. What each side can tell is `evidence`'s; the three public functions
differ in how the first frame is found, and in what is done where a side has no trace.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import astuple, dataclass, replace
from functools import partial
from typing import Generic, TypeVar

from samebits.bits import xxh64
from samebits.desync.compare import ReportPair, require_replay
from samebits.desync.machine import this_machine
from samebits.desync.merkle_tree import merkle_tree
from samebits.desync.portable import PortableNames, portable
from samebits.desync.report import Report
from samebits.diagnosis.before.changed_state import cause as change_as_cause
from samebits.diagnosis.before.changed_state import change_before, changed, restores_said
from samebits.diagnosis.before.headers import Header, compared
from samebits.diagnosis.before.input_rows import InputRows
from samebits.diagnosis.before.inputs import other_inputs
from samebits.diagnosis.before.numbering import renumbered
from samebits.diagnosis.before.planted import (
    GivenInputs,
    OtherSeed,
    is_option,
    is_program,
    of_options,
    planted,
    untried,
)
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.builds.search import SECONDS, Theirs
from samebits.diagnosis.builds.tell import tell_builds
from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.diagnosis.cause.proxy import proxy_trace
from samebits.diagnosis.edits.tell import tell_edits
from samebits.diagnosis.evidence import Evidence, Validated
from samebits.diagnosis.fast.findings import FastFindings
from samebits.diagnosis.frame.examine import FirstFrame, SideFrame, outcome
from samebits.diagnosis.frame.hash_search import HashSearch
from samebits.diagnosis.frame.healing import (
    healed_beside,
    healed_in_series,
    healed_in_timeline,
)
from samebits.diagnosis.frame.lockstep import LockstepSearch
from samebits.diagnosis.frame.points import FramePoint, InitPoint, Point
from samebits.diagnosis.frame.recorded import recorded_in
from samebits.diagnosis.frame.search import FrameReport, FrameSearch, Progress, silent
from samebits.diagnosis.frame.state_diff import differences, timeline
from samebits.diagnosis.live_evidence import LiveEvidence
from samebits.diagnosis.narrow import KnownCause, Pair, narrow
from samebits.diagnosis.operation.match_versions import MatchedVersion
from samebits.diagnosis.outside.search import Changes
from samebits.diagnosis.outside.tell import (
    CHANGED_STATE,
    changes_of,
    facts_of,
    tell_certain,
    tell_likely,
)
from samebits.diagnosis.report.findings import (
    INPUT_SHAPES,
    SCOPES,
    WITH_ALL_ELSE,
    CauseFact,
    ColumnFact,
    Diagnosis,
    InputFact,
)
from samebits.diagnosis.report.wording import input_said, moment, what_leave
from samebits.diagnosis.report_evidence import ReportEvidence, reported_frame, title
from samebits.diagnosis.third_side import Beginning, beginning, from_init, judged
from samebits.errors import ReportError
from samebits.frame_trace.record import Trace
from samebits.hazards.catalogue import by_name
from samebits.ir.text import print_module
from samebits.printed import muted
from samebits.sides.common_layout import CommonLayout, common_layout
from samebits.sides.common_run import CommonRun
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun, open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource
from samebits.types import StructType

OTHER_RUN = 0.5
"""The part of the frames whose inputs may differ before it may be another replay's."""
PROXY_OPERATIONS = 1 << 14
"""Operations of a frame that is evaluated under every hazard where a report has no trace of it:
about four seconds."""
_PROXY = "side b could not be traced; side a with the hazard injected everywhere serves as proxy"


@muted()
def diagnose(
    simulation: Simulation,
    source: InputSource,
    a: Side,
    b: Side,
    progress: Progress = silent,
    known: KnownCause | None = None,
) -> Diagnosis:
    """Compare sides `a` and `b` of a simulation over the inputs of `source`. Where the cause is
    `known`, none is looked for.

    Raises what opening the sides and reading the inputs raise.
    """
    out = _begun(simulation.name, simulation.version, source.seed, a.text, b.text)
    out.causes = () if known is None else (known.fact,)
    seed, inputs = source.seed, InputStream(source)
    out.headers = compared(
        Header(a.header(seed), words=a.text), Header(b.header(seed), words=b.text)
    )
    layout = common_layout(a.plain.state, b.plain.state)
    state = a.plain.state if layout is None else layout.type
    with _timed(out), closing(_opened(a, layout)) as run_a, closing(_opened(b, layout)) as run_b:
        recorded = recorded_in(source) if layout is None else None
        search = LockstepSearch(run_a, inputs, run_b, progress=progress, recorded=recorded)
        done = _searched(out, search, a)
        if layout is not None:
            out.note(f"not compared, for the states differ: {'; '.join(layout.missing)}")
        out.frames = done.compared
        found = done.found
        if found is None:
            return out
        out.frames = max(out.frames, inputs.frames)
        frame = found.frame
        one = LiveEvidence("a", a, run_a, frame, found.a, inputs, a, out, progress)
        other = LiveEvidence("b", b, run_b, frame, found.b, inputs, a, out, progress)
        _TwoRuns(out, one, other, found, state, progress, known, layout).run()
        with beyond_first_facts(out.notes, "the timeline is"):
            out.timeline = timeline(state, found, run_a, run_b, one.rows, source.seed)
        out.heals, out.followed = healed_in_timeline(out.timeline, frame)
    return out


@muted()
def diagnose_report(
    source: InputSource,
    a: Side,
    report: Report,
    progress: Progress = silent,
    seconds: float | None = None,
) -> Diagnosis:
    """Run side `a` over `source` and compare it with what another machine's `report` tells.

    Where that is hashes alone, what other builds do is tried for some `seconds` of the processor.
    Raises ReportError where the report is of another run, and what running raises.
    """
    simulation, mine = a.simulation, Header(a.header(source.seed), this_machine(), a.text)
    require_replay(report, mine.run, source.replay or "this run")
    out = _begun(simulation.name, simulation.version, source.seed, a.text, title(report))
    out.headers = compared(mine, _header(report))
    inputs = InputStream(source)
    out.notes += report.remarks
    report, numbering = renumbered(report, a, inputs)
    if numbering:
        out.note(numbering)
    if report.is_bare and report.frames > inputs.frames:
        out.note(
            f"{report.name} has hashes of frames up to {report.frames - 1:,}, and "
            f"{source.replay or 'this run'} ends with frame {inputs.frames - 1:,}: those behind it "
            "are not compared"
        )
    _require_known(report, inputs.frames, source.replay)
    _tell_damage(out, report)
    with _timed(out), closing(open_run(a)) as run:
        theirs = _tell_inputs(
            out, _rows_here(inputs, simulation.input_type), _rows_of(report),
            min(inputs.frames, report.contents.begun),
        )  # fmt: skip
        trap, names = report.contents.trap, PortableNames(simulation)
        search = HashSearch(
            run, inputs, report.known, progress=progress, recorded=recorded_in(source),
            trap=None if trap is None else (report.frames, trap), portable_trap=names.trap,
        )  # fmt: skip
        done = _searched(out, search, a)
        out.frames = min(inputs.frames, report.contents.begun)
        if done.found is None:
            if report.states:
                _outside(out, a, source, inputs, report, theirs, None)
            if done.trap is not None:
                out.note(f"both end with a trap: {done.trap}")
            elif out.frames < inputs.frames:
                out.note(
                    f"{report.name} covers the first {out.frames:,} of {inputs.frames:,} frames"
                )
        else:
            frame = done.found.frame
            suspect, known = None, reported_frame(report, frame)
            with beyond_first_facts(out.notes, "whether the headers' difference is the cause is"):
                others = _other_source(out, source, inputs, report, theirs)
                suspect = planted(out.headers, a, source, report.told, frame, progress, others)
            if suspect is not None and suspect.cause.holds:
                _tell_planted(out, suspect.cause)
                known = replace(known, state=suspect.state if known.state is None else known.state)
            outside = _outside(out, a, source, inputs, report, theirs, done.found)
            if outside is not None and known.state is None and outside.first == frame:
                known = replace(known, state=outside.state)
            says_itself = change_before(report, frame) is not None
            if outside is not None and not (out.causes or says_itself) and outside.begin_at(frame):
                tell_certain(out, outside)
            found = replace(done.found, b=known)
            if found.is_exact and a.spec.source is None:
                text = report.program_text
                if text not in (None, print_module(portable(a.plain.kernels, names))):
                    out.note("the report's program is not the one that runs here")
            one = LiveEvidence("a", a, run, frame, found.a, inputs, a, out, progress)
            other = ReportEvidence(report, frame, out, progress, known_inputs=theirs)
            told, limit = list(out.notes), SECONDS if seconds is None else seconds
            # A build would differ again in what follows.
            is_changed = outside is not None and outside.explain_what_follows
            is_open = frame in report.told and not is_changed and limit > 0
            both = _RunAndReport(out, one, other, found, a.plain.state, progress)
            both.proxies = not is_open
            both.run()
            if is_open and not (out.causes or out.inputs):
                lacking = [note for note in out.notes if note not in told]
                with beyond_first_facts(out.notes, "which build gives these hashes is"):
                    tell_builds(
                        out, a, source, _theirs(report),
                        partial(diagnose, simulation, source, progress=progress),
                        progress, limit,
                    )  # fmt: skip
                if out.causes and out.causes[0].holds:  # nobody has to ask the other machine
                    out.notes = [note for note in out.notes if note not in lacking]
                elif not out.causes:
                    both.with_proxies(lacking)
            with beyond_first_facts(out.notes, "whether the difference heals is"):
                hashes = outcome(one.continued()).hashes
                out.heals, out.followed = healed_beside(hashes, frame + 1, report.known)
            _tell_restores(out, report)
            if not found.is_exact:
                other.ask_for_frames()
            if report.is_bare:
                _tell_strange(out, report)
            best = max((cause.frames_same for cause in out.causes), default=0)
            if (
                suspect is not None
                and not suspect.cause.holds
                and best <= suspect.cause.frames_same
            ):
                _tell_planted(out, suspect.cause)
            if outside is not None and not tell_certain(out, outside):
                tell_likely(out, outside)
    _tell_budget(out, report)
    return out


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
    out = _begun(header.simulation, header.version, header.seed, title(a), title(b))
    out.frames = min(a.contents.begun, b.contents.begun)
    for report in (a, b):
        _tell_damage(out, report)
    out.headers = compared(_header(a), _header(b))
    frame, first = both.first_difference, both.first_differing_inputs
    with _timed(out):
        theirs = _tell_inputs(out, _rows_of(a), _rows_of(b), out.frames)
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
            _tell_planted(out, untried(out.headers[names.index("seed")]))
        _TwoReports(out, one, other, found, a.types[0], progress).run()
        for report in (a, b):
            _tell_restores(out, report)
        out.heals, out.followed = healed_in_series(a.hashes, b.hashes, frame)
        options = [fact for fact in out.headers if is_option(fact)]
        if options and "digest" not in names and out.causes:
            first = out.causes[0]
            if first.scope == WITH_ALL_ELSE:  # one source: what differs comes from its options
                out.causes = (of_options(options, first), *out.causes[1:])
    _tell_budget(out, a)
    return out


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
    out = _begun(header.simulation, header.version, header.seed, title(right), title(wrong))
    out.frames = min(right.contents.begun, wrong.contents.begun)
    out.headers = compared(_header(right), _header(wrong))
    since = "init" if start.state is None else f"the state before frame {start.number:,}"
    out.note(
        f"{right.name} is right: a run here, {side.text}, from {since} on has its hash after "
        f"{moment(frame)}, and not that of {wrong.name}"
    )
    for report in (right, wrong):
        _tell_damage(out, report)
    given = GivenInputs(start.rows, header.seed)
    inputs, rows = InputStream(given), start.frames()
    with _timed(out):
        _tell_inputs(out, _rows_of(right), _rows_of(wrong), out.frames)
        found = FirstFrame(frame, seen, reported_frame(wrong, frame), both.last_alike(frame))
        one = LiveEvidence("a", side, run, frame, seen, inputs, side, out, progress)
        other = ReportEvidence(wrong, frame, out, progress, known_inputs=rows)
        _RunAndReport(out, one, other, found, side.plain.state, progress, is_alone=True).run()
        whole = from_init(both, frame)
        if found.is_exact and whole is not None and not (out.causes or out.inputs):
            source = GivenInputs(whole.rows, header.seed)
            with beyond_first_facts(out.notes, "which build gives these hashes is"):
                tell_builds(
                    out, side, source, _theirs(wrong),
                    partial(diagnose, side.simulation, source, progress=progress),
                    progress, SECONDS,
                )  # fmt: skip
        following = outcome(one.continued()).hashes
        behind = [n for n in range(frame + 1, frame + 1 + len(following)) if n in right.told]
        same = sum(int(following[n - frame - 1]) == right.hash_after(n) for n in behind)
        if behind:
            out.note(f"of the {len(behind):,} frames that follow it has {right.name}'s hash in "
                     f"{'all' if same == len(behind) else f'{same:,}'}")  # fmt: skip
        out.heals, out.followed = healed_in_series(right.hashes, wrong.hashes, frame)
        for report in (right, wrong):
            _tell_restores(out, report)
    _tell_budget(out, wrong)
    return out


def _header(report: Report) -> Header:
    return Header(report.header, report.machine, report.contents.side)


def _theirs(report: Report) -> Theirs:
    """What a build has to give: of states those that are known whole."""
    found = {n - 1: report.state(n) for n in report.states if n - 1 not in report.incomplete}
    states = {n: state for n, state in found.items() if state is not None}
    return Theirs(report.told, states, report.machine.architecture, report.dumps)


def _require_known(report: Report, frames: int, replay: str | None) -> None:
    """Raise ReportError if nothing of a run of `frames` can be compared with the report."""
    trap = report.contents.trap is not None and report.frames < frames
    if not trap and not any(frame < frames for frame in report.known):
        if report.is_bare:
            known = report.known
            raise ReportError(
                f"{report.name} has no hash of a frame of this run",
                note=f"it has those of frames {min(known):,} to {max(known):,}, and "
                f"{replay or 'this run'} has frames 0 to {frames - 1:,}",
                fix="give the replay that they are of",
            )
        raise ReportError(
            f"{report.name} has no hash of a frame of this run",
            note=report.damage[0] if report.damage else None,
            fix="ask for the report again, or compare more frames",
        )


def _tell_restores(out: Diagnosis, report: Report) -> None:
    """Tells the restore after which the differing frame was run."""
    assert out.frame is not None
    if said := restores_said(report, out.frame):
        out.note(said)


def _tell_strange(out: Diagnosis, report: Report) -> None:
    """Tells where no hash at all is of this run."""
    assert out.frame is not None
    agreed = any(frame < out.frame for frame in report.known)
    agreed |= bool(out.causes) and out.causes[0].holds  # a build of this run has them
    if out.heals is None and report.is_hashed(out.frame) and not agreed:
        out.note(
            f"no hash of {report.name} that was compared is of this run: it may be of another run, "
            "or of something else than session.hash(), the XXH64 of the canonical state"
        )


def _tell_damage(out: Diagnosis, report: Report) -> None:
    if report.damage:
        out.note(f"{report.name} is damaged: what it has lost is not compared")


A = TypeVar("A", bound=Evidence)
B = TypeVar("B", bound=Evidence)


@dataclass(eq=False)
class _Driver(ABC, Generic[A, B]):
    """The steps that follow once the first differing frame is `found`, in states of type
    `state`."""

    out: Diagnosis
    a: A
    b: B
    found: FirstFrame
    state: StructType
    progress: Progress
    known: KnownCause | None = None

    def run(self) -> None:
        self.tell_ends()
        self._beyond_ends()
        out, sides = self.out, (self.found.a, self.found.b)
        untold = any(side.state is None and side.leaves is None for side in sides)
        if untold and not out.columns and all(side.hash is not None for side in sides):
            out.notes.insert(0, f"the state after {moment(self.found.frame)} is not known")

    def _beyond_ends(self) -> None:
        found = self.found
        if any(cause.hazard in ("seed", CHANGED_STATE) for cause in self.out.causes):
            return  # all of it is another run
        if not found.is_exact and found.b.before is None:
            self.out.note(
                f"{what_leave(found.since + 1, found.frame - 1)} is not known on both sides: it "
                "may be the first that differs"
            )
            return
        with beyond_first_facts(self.out.notes, "the operation and its cause are"):
            self._operation()

    @abstractmethod
    def without(self, own: Trace | None, other: Validated | None) -> Validated | None:
        """What is done where a side has no trace: what it gives stands for side b's."""

    def _proxy(self, own: Trace, after: bytes, aligned: MatchedVersion | None) -> Validated | None:
        """Side a's program with a hazard in it, in place of side b, whose state is `after`."""
        proxy = proxy_trace(own, after, self.progress)
        if proxy is None:
            return None
        self.out.note(
            "side a with one hazard injected everywhere serves as proxy for side b: it gives b's "
            f"bits in {proxy.explained:,} of the {proxy.differing:,} scalars that differ"
        )
        return Validated(proxy.trace, _PROXY, aligned)

    def tell_ends(self) -> None:
        """Both sides' states after the frame."""
        self.out.frame, self.out.since = self.found.frame, self.found.since
        self.out.hashes = self.found.a.shown(), self.found.b.shown()
        with beyond_first_facts(self.out.notes, "the fields are"):
            self._fields()

    def _fields(self) -> None:
        """Differing fields: of both states, or as far as hashes of their parts tell."""
        out, sides = self.out, (self.found.a, self.found.b)
        if any(side.hash is None for side in sides):
            return
        a, b = (side.state for side in sides)
        if a is not None and b is not None:
            every = differences(self.state, a, b)
            out.fields, out.differing = every.first, every.differing
            out.columns = tuple(row for row in every.columns if row.differing)
            return
        tree = merkle_tree(self.state)
        mine, theirs = (
            side.leaves if side.state is None else tree.hashes(side.state) for side in sides
        )
        if mine is None or theirs is None:
            return
        out.columns = tuple(ColumnFact(n.path, 0, 0, None) for n in tree.differing(mine, theirs))

    def _operation(self) -> None:
        out, a, b, frame = self.out, self.a, self.b, self.found.frame
        point = a.point(b)
        if isinstance(point, str):
            out.note(point)
            return
        inputs, program = b.inputs_tried(a), a.program
        if inputs is None:
            out.note(f"the inputs of frame {frame:,} differ, and the report does not hold them")
            self._changed_inputs(None)
            return
        if self._changed_state(point, inputs):
            return
        self.progress("tracing the frame", 0, 2)
        mine = theirs = point
        changed = _other_inputs(point, inputs)
        if changed is not None and program is not None:
            if not self._input_facts:
                out.note(f"the inputs of frame {frame:,} differ")
            theirs = changed
            agreement = a.as_own(b.experiment(point, inputs)).run(program)
            if agreement.same:
                self._changed_inputs(agreement)
                self._fields_after(a.after(changed))
            else:  # something else is to be found, over the same inputs
                mine = theirs
        own = a.trace(mine)
        self.progress("tracing the frame", 1, 2)
        other = b.trace_beside(a, theirs)
        if own is None or other is None:
            other = self.without(own, other)
        if own is None or other is None or program is None:
            return
        experiment = b.experiment(point, inputs)
        if other.aligned is None:
            experiment = a.as_own(experiment)
        frames = b.frames(other.trace)
        pair = Pair(own, other, program, experiment, frames, frame, b.rerun, self.known)
        narrow(out, pair, self.progress)

    @property
    def _input_facts(self) -> list[InputFact]:
        """What is known of how the frame's inputs differ."""
        return [fact for fact in self.out.inputs if fact.frame <= self.found.frame <= fact.last]

    def _changed_state(self, point: Point, inputs: Inputs) -> bool:
        """Whether side b's machine tells that it changed its state before the frame, and nothing
        shows that something else makes the difference."""
        report = self.b.report if isinstance(self.b, ReportEvidence) else None
        change = None if report is None else change_before(report, self.found.frame)
        if report is None or change is None:
            return False
        before, program = changed(self.state, point.before, change), self.a.program
        found = Agreement(0, 0)
        if before is not None and program is not None:
            experiment = self.a.as_own(self.b.experiment(point, inputs))
            found = replace(experiment, before=before).run(program)
            if not found.same:
                self.out.note(
                    f"{report.name} tells a change of its state before {moment(change.number)}, "
                    "which does not give its hashes"
                )
                return False
        _tell_planted(self.out, change_as_cause(report, change, found))
        model = self.a.model
        if before is not None and model is not None and isinstance(point, FramePoint):
            there = replace(point, before=before, row=inputs[:1])
            self._fields_after(there.trace(model).after)
        return True

    def _fields_after(self, state: bytes | None) -> None:
        """Fields where side b's state is not known, and one that has its hash is."""
        theirs = self.found.b
        if state is not None and theirs.state is None and xxh64(state) == theirs.hash:
            self.found = replace(self.found, b=replace(theirs, state=state))
            self._fields()

    def _changed_inputs(self, agreement: Agreement | None) -> None:
        """Name the frame's inputs as the cause: nothing else has to be found. `agreement` is what
        side a's program gives over side b's inputs, where these are known."""
        frame, found = self.found.frame, agreement or Agreement(0, 0)
        hazard = by_name("changed-input")
        facts = self._input_facts
        cause = CauseFact(
            hazard=hazard.name,
            title=hazard.title,
            expression="" if agreement is None else "side a's program over side b's inputs",
            practice=hazard.practice,
            remedy=INPUT_SHAPES[facts[0].shape] if facts else hazard.remedy,
            scope="",
            frames_same=found.same,
            frames_compared=found.compared,
            evidence=tuple(input_said(fact) for fact in facts)
            or (f"the inputs of frame {frame:,} are not the same on both sides",),
        )
        self.out.causes = (cause,)
        is_sure = found.whole and found.compared >= SURE_FRAMES
        self.out.certainty = "certain" if is_sure else "likely"


@dataclass(eq=False)
class _TwoRuns(_Driver[LiveEvidence, LiveEvidence]):
    """Two runs here; where versions have states of their own, of the part of `layout`."""

    layout: CommonLayout | None = None

    def _operation(self) -> None:
        with beyond_first_facts(self.out.notes, "which edits of the source matter is"):
            sides, stream = (self.a.side, self.b.side), self.a.stream
            tell_edits(self.out, sides, self.found, stream, self.progress, self.layout)
        if self.layout is None:  # there is no operation of both to be compared
            super()._operation()

    def without(self, own: Trace | None, other: Validated | None) -> Validated | None:
        """Side b's FAST code, bisected; or a proxy, which is side a's program with a hazard."""
        sides, after = (self.a.side, self.b.side), self.found.b.state
        fast = FastFindings(sides, self.found, self.a.stream.seed, self.progress)
        told = fast.tell(self.out, own, None if other is None else other.trace)
        return (
            None
            if told or own is None or after is None
            else self._proxy(own, after, self.b.aligned)
        )


@dataclass(eq=False)
class _RunAndReport(_Driver[LiveEvidence, ReportEvidence]):
    """A run here, and a report. `is_alone` is whether no other one can be asked for: a state after
    the frame then has to do in place of a trace, as it has where nothing else is told."""

    is_alone: bool = False
    proxies: bool = True
    """Whether a proxy may stand for a side without a trace: a build that gives its hashes says
    more."""

    def with_proxies(self, notes: Sequence[str]) -> None:
        """Look for the operation once more, with a proxy; without `notes` of the first time."""
        self.proxies = True
        self.out.notes = [note for note in self.out.notes if note not in notes]
        self._beyond_ends()

    def _operation(self) -> None:
        report, frame = self.b.report, self.found.frame
        if frame not in report.made_up:
            super()._operation()
            return
        self.out.note(
            f"{report.name} does not tell the whole state after {moment(frame)}: the operation and "
            "its cause are not looked for; dump all of its bytes"
        )

    def tell_ends(self) -> None:
        """Both sides' states, and no hash of one that is not known whole."""
        super().tell_ends()
        report, frame, hashes = self.b.report, self.found.frame, self.out.hashes
        if hashes is not None and frame in report.made_up:
            self.out.hashes = hashes[0], "unknown"

    def without(self, own: Trace | None, other: Validated | None) -> Validated | None:
        """A proxy, of a frame of which but the state after it is told; or what is to be asked
        for."""
        if own is None:
            return None
        report = self.b.report
        is_whole = self.found.frame not in report.incomplete
        is_whole = is_whole and (self.is_alone or not report.asked)
        is_small = self.proxies and len(own.numbers) <= PROXY_OPERATIONS
        after = self.found.b.state if is_whole and is_small else None
        found = None if after is None else self._proxy(own, after, None)
        if found is None:
            self.b.ask_for_trace()
        return found


class _TwoReports(_Driver[ReportEvidence, ReportEvidence]):
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
        if isinstance(point, str) or rows is None or _other_inputs(point, rows) is not None:
            return False
        return not self.a.reproduces(point) and self.b.reproduces(point)

    def without(self, own: Trace | None, other: Validated | None) -> None:
        for side, trace in ((self.a, own), (self.b, other)):
            if trace is None:
                side.ask_for_trace()


def _other_inputs(point: Point, inputs: Inputs) -> FramePoint | None:
    """The point over other inputs; None where they are the point's own."""
    if isinstance(point, InitPoint) or inputs[0].tobytes() == point.row[0].tobytes():
        return None
    return replace(point, row=inputs[:1])


def _opened(side: Side, layout: CommonLayout | None) -> SideRun:
    """One more run of a side, of whose states the part of `layout` is compared."""
    return open_run(side) if layout is None else CommonRun(side.next_run(), layout)


def _tell_planted(out: Diagnosis, cause: CauseFact) -> None:
    """Tells a cause that the headers named, as far as the experiment with it goes."""
    out.causes = (cause,)
    by_itself = cause.scope in (SCOPES[-1], "")
    if cause.holds and cause.frames_compared >= SURE_FRAMES and by_itself:
        out.certainty = "certain"
    else:
        out.certainty = "likely" if cause.holds or not cause.frames_compared else "possible"


@contextmanager
def _timed(out: Diagnosis) -> Generator[None]:
    began = time.perf_counter()
    yield
    out.seconds = time.perf_counter() - began


def _begun(simulation: str, version: str, seed: int, a: str, b: str) -> Diagnosis:
    return Diagnosis(simulation=simulation, version=version, seed=seed, a=a, b=b, frames=0)


def _searched(out: Diagnosis, search: FrameSearch, a: Side) -> FrameReport:
    """The result of a search, and where its run of side a departs from the replay."""
    done = search.run()
    if search.recorded is not None:
        with beyond_first_facts(out.notes, "where the run departs from its replay is"):
            out.recorded = search.recorded.fact(a)
    out.notes += done.notes
    return done


def _tell_inputs(out: Diagnosis, a: InputRows, b: InputRows, frames: int) -> dict[int, Inputs]:
    """Tells the inputs that differ; those of side b that their hashes give away are returned."""
    found = other_inputs(a, b, frames)
    out.inputs, out.inputs_differing = found.facts, len(found.frames)
    unshaped = any(fact.shape in ("changed", "unknown") for fact in found.facts)
    if unshaped and len(found.frames) > found.compared * OTHER_RUN:
        out.note(
            f"the inputs of {len(found.frames):,} of {found.compared:,} frames differ: they may be "
            "of another replay"
        )
    return found.found


def _rows_of(report: Report) -> InputRows:
    return InputRows(report.types[1], report.inputs_array, report.input_hashes.__getitem__)


def _other_source(
    out: Diagnosis,
    source: InputSource,
    inputs: InputStream,
    report: Report,
    theirs: Mapping[int, Inputs],
) -> InputSource | None:
    """The report's inputs of all frames; None where they are not others, or not all known."""
    if not out.inputs_differing:
        return None
    rows = inputs.between(0, min(inputs.frames, report.contents.begun)).copy()
    b = _rows_of(report)
    a = _rows_here(inputs, report.types[1])
    for n in range(len(rows)):
        row = report.inputs_array(n)
        row = theirs.get(n) if row is None else row
        if row is None and a.hash(n) != b.hash(n):
            return None
        rows[n] = rows[n] if row is None else row
    return GivenInputs(rows, source.seed)


def _outside(
    out: Diagnosis,
    a: Side,
    source: InputSource,
    inputs: InputStream,
    report: Report,
    theirs: Mapping[int, Inputs],
    found: FirstFrame | None,
) -> Changes | None:
    """What was done to the report's state outside of its frames, which is told; None where it
    cannot be examined: the program is another, or not all inputs are known."""
    if any(is_program(fact) for fact in out.headers) or (found is not None and not found.is_exact):
        return None
    given: InputSource | None = source
    if out.inputs_differing:
        given = _other_source(out, source, inputs, report, theirs)
    if given is None:
        return None
    stream = InputStream(OtherSeed(given, report.header.seed))
    with beyond_first_facts(out.notes, "whether the state was changed between frames is"):
        with closing(open_run(a)) as run:
            changes = changes_of(
                run, stream, report, None if found is None else found.frame, out.frames
            )
        out.changes = tuple(facts_of(a.plain.state, changes))
        return changes
    return None


def _rows_here(inputs: InputStream, t: StructType) -> InputRows:
    rows = inputs.between(0, inputs.frames)
    return InputRows(t, lambda n: rows[n] if 0 <= n < len(rows) else None, lambda n: None)


def _tell_ends(out: Diagnosis, a: Report, b: Report) -> None:
    """Tells how far the comparison went, if nothing differs."""
    if a.contents.begun != b.contents.begun:
        short = a if a.contents.begun < b.contents.begun else b
        most = max(a.contents.begun, b.contents.begun)
        out.note(f"{short.name} covers the first {short.contents.begun:,} of {most:,} frames")
    elif a.contents.trap is not None:
        out.note(f"both end with a trap: {a.contents.trap.message}")


def _tell_budget(out: Diagnosis, report: Report) -> None:
    """Tells what to do if the budget was not enough."""
    if report.budget.is_spent:
        out.note(report.budget.advice)
