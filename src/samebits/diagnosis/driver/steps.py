"""The steps from the first differing frame on: ends, fields, operation, cause.

Owns their order. What each side can tell is `evidence`'s; what is done where a side has no trace is
said by those who know both sides.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from samebits.bits import xxh64
from samebits.desync.merkle_tree import merkle_tree
from samebits.diagnosis.before.changed_state import cause as change_as_cause
from samebits.diagnosis.before.changed_state import change_before, changed
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.cause.experiment import Agreement
from samebits.diagnosis.cause.inquiry import SURE_FRAMES
from samebits.diagnosis.cause.proxy import proxy_trace
from samebits.diagnosis.driver.told import tell_planted
from samebits.diagnosis.evidence import Evidence, Validated
from samebits.diagnosis.frame.examine import FirstFrame
from samebits.diagnosis.frame.points import FramePoint, InitPoint, Point
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.narrow import KnownCause, Pair, narrow
from samebits.diagnosis.operation.match_versions import MatchedVersion
from samebits.diagnosis.outside.tell import CHANGED_STATE
from samebits.diagnosis.report.findings import (
    INPUT_SHAPES,
    CauseFact,
    ColumnFact,
    Diagnosis,
    InputFact,
)
from samebits.diagnosis.report.wording import input_said, moment, what_leave
from samebits.diagnosis.report_evidence import ReportEvidence
from samebits.frame_trace.record import Trace
from samebits.hazards.catalogue import by_name
from samebits.sim.inputs import Inputs
from samebits.types import StructType

_PROXY = "side b could not be traced; side a with the hazard injected everywhere serves as proxy"


A = TypeVar("A", bound=Evidence)
B = TypeVar("B", bound=Evidence)


@dataclass(eq=False)
class Driver(ABC, Generic[A, B]):
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

    @property
    def needs_own(self) -> bool:
        """Whether side a's trace is of use where side b has none."""
        return True

    @abstractmethod
    def without(self, own: Trace | None, other: Validated | None) -> Validated | None:
        """What is done where a side has no trace: what it gives stands for side b's."""

    def _proxy(self, own: Trace, after: bytes, aligned: MatchedVersion | None) -> Validated | None:
        """Side a's program with a hazard in it, in place of side b, whose state is `after`. Beside
        a cause that is known it has to give all of that: the first operation of a part may be a
        later one."""
        among = None if self.known is None else self.known.proxies
        proxy = proxy_trace(own, after, self.progress, among)
        if proxy is None or (self.known is not None and proxy.explained < proxy.differing):
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
        changed = over_inputs(point, inputs)
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
        own = a.trace(mine) if self.needs_own else None
        self.progress("tracing the frame", 1, 2)
        other = b.trace_beside(a, theirs)
        if other is not None and not self.needs_own:
            own = a.trace(mine)
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
        tell_planted(self.out, change_as_cause(report, change, found))
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


def over_inputs(point: Point, inputs: Inputs) -> FramePoint | None:
    """The point over other inputs; None where they are the point's own."""
    if isinstance(point, InitPoint) or inputs[0].tobytes() == point.row[0].tobytes():
        return None
    return replace(point, row=inputs[:1])
