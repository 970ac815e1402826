"""A run here beside what another machine tells of its own: a report, hashes, state dumps.

Owns which explanations are tried there, and in which order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial

from samebits.desync.compare import require_replay
from samebits.desync.machine import this_machine
from samebits.desync.portable import PortableNames, portable
from samebits.desync.report import Report
from samebits.diagnosis.before.changed_state import change_before
from samebits.diagnosis.before.headers import Header, compared
from samebits.diagnosis.before.numbering import renumbered
from samebits.diagnosis.before.planted import GivenInputs, OtherSeed, is_program, planted
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.builds.boards import Boards
from samebits.diagnosis.builds.compilers.plans import USUAL_STAGES
from samebits.diagnosis.builds.hypotheses import HEALING, QUICK
from samebits.diagnosis.builds.option_side import flushing_gives_all
from samebits.diagnosis.builds.search import SECONDS, BuildSearch
from samebits.diagnosis.builds.tell import tell_builds
from samebits.diagnosis.builds.theirs import theirs_of
from samebits.diagnosis.driver.steps import Driver
from samebits.diagnosis.driver.told import (
    begun,
    header_of,
    rows_here,
    rows_of,
    searched,
    tell_budget,
    tell_damage,
    tell_inputs,
    tell_planted,
    tell_restores,
    timed,
)
from samebits.diagnosis.driver.two_runs import diagnose
from samebits.diagnosis.evidence import Validated
from samebits.diagnosis.frame.examine import FirstFrame, outcome
from samebits.diagnosis.frame.hash_search import HashSearch
from samebits.diagnosis.frame.healing import healed_beside, tell_healed
from samebits.diagnosis.frame.recorded import recorded_in
from samebits.diagnosis.frame.search import Progress, silent
from samebits.diagnosis.live_evidence import LiveEvidence
from samebits.diagnosis.operation.writers import MOST, writers
from samebits.diagnosis.outside.search import Changes
from samebits.diagnosis.outside.tell import (
    are_slight,
    changes_of,
    facts_of,
    tell_certain,
    tell_likely,
)
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report.wording import file_of, moment
from samebits.diagnosis.report_evidence import (
    STATES_ARE_KNOWN,
    ReportEvidence,
    reported_frame,
    title,
)
from samebits.diagnosis.telling_apart import tell_apart
from samebits.errors import ReportError
from samebits.frame_trace.record import Trace
from samebits.ir.text import print_module
from samebits.printed import muted
from samebits.sides.input_stream import InputStream
from samebits.sides.run import open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.sim.sources import InputSource

PROXY_OPERATIONS = 1 << 14
"""Operations of a frame that is evaluated under every hazard where a report has no trace of it:
about four seconds."""
_HEALING_SECONDS, _QUICK_SECONDS = 4.0, 12.0
"""For builds that are looked for before a changed state is believed: also where no more are looked
for then."""


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
    out = begun(simulation.name, simulation.version, source.seed, a.text, title(report))
    out.headers = compared(mine, header_of(report))
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
    tell_damage(out, report)
    with timed(out), closing(open_run(a)) as run:
        theirs = tell_inputs(
            out, rows_here(inputs, simulation.input_type), rows_of(report),
            min(inputs.frames, report.contents.begun),
        )  # fmt: skip
        trap, names = report.contents.trap, PortableNames(simulation)
        search = HashSearch(
            run, inputs, report.known, progress=progress, recorded=recorded_in(source),
            trap=None if trap is None else (report.frames, trap), portable_trap=names.trap,
        )  # fmt: skip
        done = searched(out, search, a)
        out.frames = min(inputs.frames, report.contents.begun)
        known = [n for n in report.known if 0 <= n < out.frames]
        out.compared = len(known)
        out.is_partial = not report.made_up.isdisjoint(known)
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
                tell_planted(out, suspect.cause)
                known = replace(known, state=suspect.state if known.state is None else known.state)
            outside = _outside(out, a, source, inputs, report, theirs, done.found)
            says_itself = change_before(report, frame) is not None
            is_open = frame in report.told and not says_itself
            boards = Boards(a, inputs, theirs_of(report).known)
            if outside is not None and is_open and _heals(source, report, frame, outside, boards):
                outside, out.changes = None, ()
            if outside is not None and known.state is None and outside.first == frame:
                known = replace(known, state=outside.state)
            # A build that makes as little of a difference is looked for before that is believed.
            believed = None if are_slight(out.changes) else outside
            if (
                believed is not None
                and not (out.causes or says_itself)
                and believed.begin_at(frame)
            ):
                tell_certain(out, believed)
            found = replace(done.found, b=known)
            if found.is_exact and a.spec.source is None:
                text = report.program_text
                if text not in (None, print_module(portable(a.plain.kernels, names))):
                    out.note("the report's program is not the one that runs here")
            one = LiveEvidence("a", a, run, frame, found.a, inputs, a, out, progress)
            other = ReportEvidence(report, frame, out, progress, known_inputs=theirs)
            told, limit = list(out.notes), SECONDS if seconds is None else seconds
            # A build would differ again in what follows.
            is_changed = believed is not None and believed.explain_what_follows
            is_open = frame in report.told and not is_changed and limit > 0
            both = RunAndReport(out, one, other, found, a.plain.state, progress)
            both.proxies = not is_open
            both.run()
            if is_open and not (out.causes or out.inputs):
                lacking = [note for note in out.notes if note not in told]
                with beyond_first_facts(out.notes, "which build gives these hashes is"):
                    tell_builds(
                        out, a, source, theirs_of(report),
                        partial(diagnose, simulation, source, progress=progress),
                        progress, limit, boards,
                    )  # fmt: skip
                if out.causes and out.causes[0].holds:  # nobody has to ask the other machine
                    out.notes = [note for note in out.notes if note not in lacking]
                elif not out.causes or not out.causes[0].frames_same:
                    both.with_proxies(lacking)
            with beyond_first_facts(out.notes, "whether the difference heals is"):
                hashes = outcome(one.continued()).hashes
                tell_healed(out, healed_beside(hashes, frame + 1, report.known))
            tell_restores(out, report)
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
                tell_planted(out, suspect.cause)
            if outside is not None and not tell_certain(out, outside):
                tell_likely(out, outside)
            with beyond_first_facts(out.notes, "what would tell the causes apart is"):
                tell_apart(out)
            is_placed = out.operation is not None or out.changes or out.inputs
            # Of another program no trace can be asked for.
            if report.is_bare and not is_placed and frame not in report.made_up:
                with beyond_first_facts(out.notes, "where the fields are written is"):
                    _tell_writers(out, one, found.b.state)
    tell_budget(out, report)
    return out


@dataclass(eq=False)
class RunAndReport(Driver[LiveEvidence, ReportEvidence]):
    """A run here, and a report. `is_alone` is whether no other one can be asked for: a state after
    the frame then has to do in place of a trace, as it has where nothing else is told."""

    is_alone: bool = False
    proxies: bool = True
    """Whether a proxy may stand for a side without a trace: a build that gives its hashes says
    more."""

    @property
    def needs_own(self) -> bool:
        return self.proxies or self.b.is_traced

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
        if other is None and not self.needs_own:
            self.b.ask_for_trace()
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


def _heals(
    source: InputSource, report: Report, frame: int, outside: Changes, boards: Boards
) -> bool:
    """Whether a build whose differences heal, as those of a changed state do, gives all hashes."""
    a = boards.a
    if flushing_gives_all(a, source, report.told, frame):
        return True
    if outside.are_exact:
        return False
    is_last, theirs = outside.explain_what_follows, theirs_of(report)
    seconds = _QUICK_SECONDS if is_last else _HEALING_SECONDS
    search = BuildSearch(a, source, theirs, frame, seconds=seconds, boards=boards)
    with closing(search):
        if is_last:
            return search.gives_all(QUICK, USUAL_STAGES)
        return search.gives_all(HEALING)


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


def _tell_writers(out: Diagnosis, a: LiveEvidence, after: bytes | None) -> None:
    """Tells where side a writes what differs."""
    trace = None if after is None else a.trace(a.own_point)
    places = [] if after is None or trace is None else writers(trace, after)
    if not places:
        return
    named = ", ".join(f"{file_of(p)}:{p.line} in {p.function}" for p in places[:MOST])
    more = f" and {len(places) - MOST:,} more lines" if len(places) > MOST else ""
    out.notes = [note for note in out.notes if not note.startswith(STATES_ARE_KNOWN)]
    out.note(
        f"side a writes what differs at {named}{more}: have that program print what goes into "
        "these and what comes out, and ask `samebits explain` about it"
    )


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
    b = rows_of(report)
    a = rows_here(inputs, report.types[1])
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
