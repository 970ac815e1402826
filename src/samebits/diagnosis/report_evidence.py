"""A desync report as evidence, in place of a live run.

Owns what of a report is validated. Whatever a report brings is interpreted, never compiled.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from samebits.bits import xxh64
from samebits.desync.compare import ReportPair, command
from samebits.desync.report import Report
from samebits.diagnosis.cause.experiment import FRAMES_INTERPRETED, Experiment
from samebits.diagnosis.cause.nondeterminism import RerunFacts
from samebits.diagnosis.evidence import Evidence, FrameAt, Validated, leading
from samebits.diagnosis.frame.examine import SideFrame
from samebits.diagnosis.frame.points import FramePoint, InitPoint, Point
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.operation.match_versions import match_versions
from samebits.diagnosis.report.findings import Diagnosis
from samebits.diagnosis.report.wording import moment, what_leave
from samebits.errors import IRError, ReportError, TraceError
from samebits.frame_trace.encoding import decode
from samebits.frame_trace.model import Model
from samebits.frame_trace.record import Trace, record
from samebits.frame_trace.restore import restore_trace
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact
from samebits.sim.program import Program

_VALIDATED = "trace validated: it reproduces the run's bits, on both machines"
_EVALUATED = "the report's own program, evaluated, reproduces the state that its machine reported"
_OVER_INPUTS = "side a's program, evaluated over side b's inputs, gives side b's state"
_MOST_BEFORE = 64
"""Frames that are evaluated on the way from a state that a report tells to the differing frame."""
STATES_ARE_KNOWN = "the states around"
"""How a note begins where no other state would tell more."""
_AROUND = 2
"""Frames on each side of the differing one that another report is to tell."""


def title(report: Report) -> str:
    """The name of a report in a comparison."""
    machine = report.machine
    words = [report.name, report.contents.side, machine.processor or machine.architecture]
    return ", ".join(word for word in (*words, machine.system) if word)


def reported_frame(report: Report, frame: int) -> SideFrame:
    """A report's facts about the end of a frame."""
    trap = report.contents.trap if frame == report.frames else None
    hash_, state = report.hash_after(frame), report.state(frame + 1)
    leaves = report.tree_hashes(frame + 1) if state is None else None
    return SideFrame(None, hash_, state, trap, None, leaves=leaves)


@dataclass(eq=False)
class ReportEvidence:
    """A report's evidence of the differing frame."""

    report: Report
    frame: int
    out: Diagnosis
    progress: Progress
    horizon: int = FRAMES_INTERPRETED
    known_inputs: Mapping[int, Inputs] = field(default_factory=dict[int, Inputs])
    """Inputs that it has only the hash of, and that are known nevertheless."""

    def __post_init__(self) -> None:
        self._own: Point | None = None
        """Where the frame begins, once that has been found."""
        self._traces: dict[Point, Trace] = {}
        """Evaluations of its program."""

    def inputs_of(self, frame: int) -> Inputs | None:
        found = self.report.inputs_array(frame)
        return self.known_inputs.get(frame) if found is None else found

    def input_hash(self, frame: int) -> int | None:
        return self.report.input_hashes[frame]

    def state_near(self, frame: int) -> tuple[int, bytes] | None:
        numbers = [n for n in self.report.states if frame - _MOST_BEFORE < n <= frame]
        state = self.report.state(max(numbers)) if numbers else None
        return None if state is None else (max(numbers), state)

    def _inputs(self, frame: int, other: Evidence) -> Inputs | None:
        """A frame's inputs, or the other side's, where no hash says that they differ."""
        found = self.inputs_of(frame)
        if found is None and self.input_hash(frame) in (None, other.input_hash(frame)):
            return other.inputs_of(frame)
        return found

    @cached_property
    def model(self) -> Model | None:
        program = self.program
        if program is None:
            return None
        model = self.report.model_of(program)
        return model if self.frame >= 0 else replace(model, step=program.init)

    @property
    def program(self) -> Program | None:
        return self.report.program

    def point(self, b: Evidence) -> Point | str:
        model = self.model
        if model is not None and self.frame < 0:
            self._own = InitPoint(self.report.header.seed)
            return self._own
        before = None if model is None else self._before(model, b)
        given = self._inputs(self.frame, b)
        if before is None or given is None or b.inputs_tried(self) is None:
            return self._lack(b)
        self._own = FramePoint(before, given.reshape(1, -1))
        return self._own

    def _before(self, model: Model, b: Evidence) -> bytes | None:
        """The state before the frame: a report's, or an earlier one, evaluated from there on."""
        near = [side.state_near(self.frame) for side in (self, b)]
        states = [state for state in near if state is not None]
        if not states:
            return None
        number, state = max(states, key=lambda state: state[0])
        for n in range(number, self.frame):
            self.progress("evaluating up to the frame", n - number, self.frame - number)
            given = self._inputs(n, b)
            if given is None:
                return None
            state = record(model, state, given).after
        return state if xxh64(state) == self.report.hash_after(self.frame - 1) else None

    def _lack(self, b: Evidence) -> str:
        if isinstance(b, ReportEvidence):
            try:
                ReportPair(self.report, b.report).require_detail()
            except ReportError as error:
                return f"{error.message}; {error.fix}"
        if self.report.is_foreign:
            return f"{self.report.name} tells states and inputs of a program, and no operations"
        lack = "program" if self.program is None else "state and the inputs before it"
        return f"{self.report.name} does not hold the {lack} of {moment(self.frame)}"

    def trace(self, point: Point) -> Trace | None:
        """The stored one, or else its program's, if that gives its hash; over the other side's
        inputs its program's."""
        model, is_own = self.model, point is self._own
        if model is None:
            return None
        stored = self._stored
        if is_own and stored is not None and self.report.trace_is_faithful:
            return restore_trace(model, decode(stored), *point.given(model))
        trace = self._evaluated(point)
        return trace if not is_own or self._gives(trace) else None

    def after(self, point: Point) -> bytes | None:
        trace = None if self.model is None else self._evaluated(point)
        return None if trace is None or trace.trap is not None else trace.after

    def reproduces(self, point: Point) -> bool:
        """Whether its own program, evaluated, gives its bits."""
        return self.model is not None and self._gives(self._evaluated(point))

    def _evaluated(self, point: Point) -> Trace:
        if point not in self._traces:
            assert self.model is not None
            self._traces[point] = point.trace(self.model)
        return self._traces[point]

    def as_own(self, experiment: Experiment) -> Experiment:
        return experiment

    def inputs_tried(self, a: Evidence) -> Inputs | None:
        """Its own, as far as they are known."""
        first = max(self.frame, 0)
        last = min(first + a.horizon, self.report.contents.begun)
        rows = leading(self._inputs(n, a) for n in range(first, last))
        if rows is None and self.frame < 0:
            return np.zeros((0, self.report.header.players), self.report.types[1].dtype)
        return rows

    def trace_beside(self, a: Evidence, point: Point) -> Validated | None:
        """The stored trace; or, where its program is another, that one's evaluation; or side a's
        program's, where that gives its bits over its inputs."""
        mine = a.model
        if mine is None:
            return None
        try:
            found = self._reported(mine, point)
        except (IRError, ReportError, TraceError) as error:
            self.out.note(
                f"the record of {moment(self.frame)} in {self.report.name} cannot be followed: "
                f"{error.message}"
            )
            found = None
        over_inputs = _is_of_inputs(self.out)
        if found is None and (over_inputs or self._may_give(a.after(point))):
            trace = point.trace(mine)
            if over_inputs or self._gives(trace):
                found = Validated(trace, _OVER_INPUTS if over_inputs else _EVALUATED)
        return found

    def _may_give(self, after: bytes | None) -> bool:
        """Whether a frame that leaves this state, None where it traps, may end as the report's."""
        return after is None or xxh64(after) == self.report.hash_after(self.frame)

    def _reported(self, mine: Model, point: Point) -> Validated | None:
        """Its machine's trace, under the names of `mine`."""
        report, theirs, stored = self.report, self.model, self._stored
        if theirs is None:
            return None
        aligned = match_versions(
            mine.module, theirs.module, report.budget, (mine.step, theirs.step)
        )
        if stored is not None and not report.trace_is_faithful:
            self.out.note(
                f"the trace in {report.name} is not valid: it left another state than the run"
            )
        elif stored is not None and not aligned.changes:
            trace = restore_trace(theirs, decode(stored), *point.given(theirs))
            return Validated(_under(trace, mine), _VALIDATED)
        if not aligned.changes:
            return None
        trace = point.trace(replace(theirs, module=aligned.module, step=mine.step))
        return Validated(trace, _EVALUATED, aligned) if self._gives(trace) else None

    def experiment(self, point: Point, inputs: Inputs) -> Experiment:
        """Its machine's hashes, as far as its inputs are known."""
        hashes, trap = self._following()
        count = len(inputs) + (self.frame < 0)
        if len(hashes) >= count:
            hashes, trap = hashes[:count], None
        return Experiment(
            point.before, inputs, hashes, trap, point.seed, interpreted=True,
            budget=self.report.budget, foreign=True,
        )  # fmt: skip

    def _following(self) -> tuple[NDArray[np.uint64], TrapFact | None]:
        """The hashes from the frame on, as far as they are known without a gap, and the trap that
        ended the run, if it is behind them."""
        series = self.report.hashes
        hashes, known = series.values[self.frame + 1 :], series.known[self.frame + 1 :].copy()
        known[[n - self.frame for n in self.report.made_up if n >= self.frame]] = False
        gaps = np.flatnonzero(~known)
        is_whole = not len(gaps) and len(series.known) == len(series)
        trap = self.report.contents.trap if is_whole else None
        return hashes[: int(gaps[0]) if len(gaps) else None], trap

    def frames(self, trace: Trace) -> FrameAt:
        """The differing one alone."""
        return lambda number: None if number else trace.frame_input

    def rerun(self) -> RerunFacts:
        return RerunFacts()

    @property
    def is_traced(self) -> bool:
        """Whether it has a trace of the frame."""
        return self._stored is not None

    @property
    def _stored(self) -> bytes | None:
        return self.report.trace if self.report.contents.traced == self.frame else None

    def _gives(self, trace: Trace) -> bool:
        """Whether a traced frame ends as the report's did. A trap's place is as the report has
        it."""
        report = self.report
        ends = report.contents.trap if self.frame == report.frames else None
        if trace.trap is not None or ends is not None:
            return trace.trap is not None and TrapFact.of(trace.trap) == ends
        return xxh64(trace.after) == report.hash_after(self.frame)

    def ask_for_trace(self) -> None:
        """Say how a report is written that tells the frame's operations, if that is what lacks."""
        if self.report.budget.is_spent or self._stored is not None:
            return
        if self.report.is_bare:
            self._ask_for_dumps()
            return
        if self.report.is_replay:
            self.out.note(
                f"{self.report.name} keeps no state around {moment(self.frame)}: on that machine, "
                "record with keyframe_every=1, or write `session.report()` where the desync is "
                "seen; playing the replay again there does not repeat what was done to the state"
            )
            return
        if self.frame < 0:
            self.out.note(f"{self.report.name} has no trace of init: reports hold those of frames")
            return
        if self.report.is_of_library or self.report.is_foreign:
            self._ask_for_kept_states()
            return
        frames = range(max(0, self.frame - _AROUND), self.frame + _AROUND + 1)
        self.out.note(
            f"{self.report.name} has no trace of frame {self.frame:,}; on that "
            f"machine, write another: {command(frames, self.frame)}"
        )

    def _ask_for_kept_states(self) -> None:
        """Say which states the exported library there should have kept."""
        lacking = {self.frame, self.frame + 1}.difference(self.report.states)
        if lacking:
            self.out.note(
                f"{self.report.name} does not have the states before and after frame "
                f"{self.frame:,}: have that program keep both, and write its report again"
            )

    def ask_for_frames(self) -> None:
        """Say how a report is written that tells every frame."""
        name = self.report.name
        if self.report.is_bare:
            known = max((n for n in self.report.known if n < self.frame), default=-2)
            self.out.note(
                f"{name} does not tell which of them: log the hash of "
                f"{what_leave(known + 1, self.frame - 1)} there too, and run `samebits diagnose` "
                "again"
            )
            return
        self.out.note(
            f"{name} does not tell which of them; on that machine, write another: "
            f"{command(range(0))}"
        )

    def _ask_for_dumps(self) -> None:
        """Say which states tell more, where another program than samebits runs there."""
        wanted = (self.frame - 1, self.frame) if self.frame >= 0 else (self.frame,)
        # A state before the frame whose hash is side a's is side a's.
        alike = self.report.told if self.frame >= 0 else {}
        lacking = [
            n
            for n in wanted
            if n + 1 not in self.report.states and not (n < self.frame and n in alike)
        ]
        if not lacking:
            self.out.note(
                f"{STATES_ARE_KNOWN} {moment(self.frame)} are known: have that program print what "
                "goes into an operation and what comes out, and ask `samebits explain` about it"
            )
            return
        words = ["init" if n < 0 else str(n) for n in lacking]
        given = " ".join(f"--state {word}=FILE" for word in words)
        self.out.note(
            f"{self.report.name} does not tell the state after "
            f"{' and after '.join(moment(n) for n in lacking)}: have that program write it to a "
            f"file, and add it here, `samebits diagnose … {given}`"
        )


def _is_of_inputs(out: Diagnosis) -> bool:
    """Whether it is known that side a's program over side b's inputs gives side b's bits."""
    return any(cause.hazard == "changed-input" for cause in out.causes)


def _under(trace: Trace, model: Model) -> Trace:
    """The trace with places as another model of the same operations calls them."""
    if len(model.numbering) != len(trace.model.numbering):
        raise TraceError("the trace is of another program", event=0)
    return replace(trace, frame_input=replace(trace.frame_input, model=model))
