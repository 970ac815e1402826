"""Two ways to run a simulation here, compared frame by frame."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass

from samebits.diagnosis.before.headers import Header, compared
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.driver.steps import Driver
from samebits.diagnosis.driver.told import begun, searched, timed
from samebits.diagnosis.edits.tell import tell_edits
from samebits.diagnosis.evidence import Validated
from samebits.diagnosis.fast.findings import FastFindings
from samebits.diagnosis.frame.healing import healed_in_timeline, tell_healed
from samebits.diagnosis.frame.lockstep import LockstepSearch
from samebits.diagnosis.frame.recorded import recorded_in
from samebits.diagnosis.frame.search import Progress, silent
from samebits.diagnosis.frame.state_diff import timeline
from samebits.diagnosis.live_evidence import LiveEvidence
from samebits.diagnosis.narrow import KnownCause
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.telling_apart import tell_apart
from samebits.frame_trace.record import Trace
from samebits.printed import muted
from samebits.sides.common_layout import CommonLayout, common_layout
from samebits.sides.common_run import CommonRun
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun, open_run
from samebits.sides.side import Side
from samebits.sim.simulation import Simulation
from samebits.sim.sources import InputSource


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
    out = begun(simulation.name, simulation.version, source.seed, a.text, b.text)
    out.causes = () if known is None else (known.fact,)
    seed, inputs = source.seed, InputStream(source)
    out.headers = compared(
        Header(a.header(seed), words=a.text), Header(b.header(seed), words=b.text)
    )
    layout = common_layout(a.plain.state, b.plain.state)
    state = a.plain.state if layout is None else layout.type
    with timed(out), closing(_opened(a, layout)) as run_a, closing(_opened(b, layout)) as run_b:
        recorded = recorded_in(source) if layout is None else None
        search = LockstepSearch(run_a, inputs, run_b, progress=progress, recorded=recorded)
        done = searched(out, search, a)
        if layout is not None and layout.missing:
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
        tell_healed(out, healed_in_timeline(out.timeline, frame))
        with beyond_first_facts(out.notes, "what would tell the causes apart is"):
            tell_apart(out)
    return out


@dataclass(eq=False)
class _TwoRuns(Driver[LiveEvidence, LiveEvidence]):
    """Two runs here; where versions have states of their own, of the part of `layout`."""

    layout: CommonLayout | None = None

    def _operation(self) -> None:
        with beyond_first_facts(self.out.notes, "which edits of the source matter is"):
            sides, stream = (self.a.side, self.b.side), self.a.stream
            tell_edits(self.out, sides, self.found, stream, self.progress, self.layout)
        if self.known is not None and self.known.step is not None:
            self.out.operation = self.known.step
        elif self.layout is None:  # else there is no operation of both to be compared
            super()._operation()

    @property
    def needs_own(self) -> bool:
        """Whether anything may stand for side b."""
        known = self.known
        return known is None or known.proxies is None or bool(known.proxies)

    def without(self, own: Trace | None, other: Validated | None) -> Validated | None:
        """Side b's FAST code, bisected; or a proxy, which is side a's program with a hazard."""
        if not self.needs_own:
            return None
        sides, after = (self.a.side, self.b.side), self.found.b.state
        fast = FastFindings(sides, self.found, self.a.stream.seed, self.progress)
        told = fast.tell(self.out, own, None if other is None else other.trace)
        return (
            None
            if told or own is None or after is None
            else self._proxy(own, after, self.b.aligned)
        )


def _opened(side: Side, layout: CommonLayout | None) -> SideRun:
    """One more run of a side, of whose states the part of `layout` is compared."""
    return open_run(side) if layout is None else CommonRun(side.next_run(), layout)
