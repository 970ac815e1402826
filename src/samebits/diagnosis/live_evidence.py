"""A side that runs here, as evidence: it can be taken up at any frame, and run again.

Owns what such a side alone can tell: its memory as it lies there, frames behind the differing one,
and whether a second run gives the same.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from samebits.bits import to_canonical, xxh64
from samebits.desync.portable import PortableNames
from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.cause.experiment import FRAMES, Experiment
from samebits.diagnosis.cause.nondeterminism import RerunFacts
from samebits.diagnosis.evidence import Evidence, FrameAt, Validated, leading
from samebits.diagnosis.frame.examine import SideFrame, begun, outcome
from samebits.diagnosis.frame.points import InitPoint, Point
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.operation.match_versions import MatchedVersion, match_versions
from samebits.diagnosis.report.findings import Diagnosis
from samebits.errors import TraceError
from samebits.frame_trace.model import Model
from samebits.frame_trace.observer import FrameInput
from samebits.frame_trace.record import Trace, record
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun, Snapshot, open_run
from samebits.sides.side import Side
from samebits.sim.execution import Advance
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact
from samebits.sim.program import Program

_PROBES = (1, 2, 5, 16, 64, 256)
"""Frame offsets at which we test that the hashed state alone determines the run."""
_PROBED = 32
_ALONE = 256
"""Frames behind the differing one that one worker has to get right."""
_ALONE_RUNS = 3
"""Repetitions, since an outside influence can be absent in one run."""
_VALIDATED = "trace validated: it reproduces the run's bits"


@dataclass(eq=False)
class LiveEvidence:
    """Side `letter` in the differing frame. `original` is side a, whose source names operations."""

    letter: str
    side: Side
    running: SideRun
    frame: int
    seen: SideFrame
    stream: InputStream
    original: Side
    out: Diagnosis
    progress: Progress
    horizon: int = FRAMES

    def __post_init__(self) -> None:
        first = max(self.frame, 0)
        self.rows = self.stream.between(first, first + FRAMES)
        """Its inputs, from the frame on."""
        self.aligned: MatchedVersion | None = None

    def inputs_of(self, frame: int) -> Inputs | None:
        at = frame - max(self.frame, 0)
        return self.rows[at] if 0 <= at < len(self.rows) else None

    def input_hash(self, frame: int) -> int | None:
        row = self.inputs_of(frame)
        return None if row is None else xxh64(to_canonical(self.side.simulation.input_type, row))

    def state_near(self, frame: int) -> tuple[int, bytes] | None:
        kept = self.seen.before
        return None if kept is None or kept.frame > frame else (kept.frame, kept.canonical)

    @cached_property
    def model(self) -> Model | None:
        return self._model_of(self.running.side)

    def _model_of(self, side: Side) -> Model | None:
        model = side.model(self.frame)
        return model if model is None else self.own_point.model(model, side.plain)

    @property
    def program(self) -> Program | None:
        model = self.model
        return None if model is None else self.side.plain.with_kernels(model.module)

    @property
    def own_point(self) -> Point:
        """Where the frame begins on this side."""
        return self.seen.point(self.stream.seed)

    def point(self, b: Evidence) -> Point | str:
        return self.own_point

    def trace(self, point: Point) -> Trace | None:
        return self._validated(self.model, point)

    def after(self, point: Point) -> bytes | None:
        state, trap = self._ends(point)
        return state if trap is None else None

    def as_own(self, experiment: Experiment) -> Experiment:
        """Compiled; a trap of another machine at the place that this one has for it."""
        if not experiment.foreign:
            return experiment
        trap = experiment.trap
        if trap is not None:
            file, *rest = trap.place.rsplit(":", 2)
            local = PortableNames(self.side.simulation).local(file)
            trap = trap if local is None else replace(trap, place=":".join([local, *rest]))
        return replace(experiment, interpreted=False, budget=None, trap=trap)

    def _validated(self, model: Model | None, point: Point) -> Trace | None:
        """The trace of the frame, if it can be had and ends in the plain run's bits."""
        if model is None:
            self.out.note(
                f"side {self.letter} cannot be traced: no evaluation of its operations gives its "
                "bits"
            )
            return None
        before, given = point.given(model)
        if self.seen.before is not None:
            before = _memory(model, self.seen.before)
        try:
            trace = record(model, before, given)
        except TraceError as error:
            self.out.note(f"side {self.letter}'s frame cannot be traced: {error.message}")
            return None
        after, trap = self._ends(point)
        mine = None if trace.trap is None else TrapFact.of(trace.trap)
        if mine is not None and trap is not None and not trap.place:
            mine = replace(mine, place="")  # versions have it at other places
        if mine == trap and (trap is not None or trace.after == after):
            return trace
        self.out.note(
            f"the trace of side {self.letter} is not valid: it does not reproduce the run's bits"
        )
        return None

    def _ends(self, point: Point) -> tuple[bytes | None, TrapFact | None]:
        """The state after the frame over the inputs of a point, or how it traps."""
        kept = self.seen.before
        if kept is None or isinstance(point, InitPoint) or point.row is self.seen.inputs:
            return self.seen.state, self.seen.trap
        self.running.restore(kept)
        done = outcome(self.running.advance(point.row))
        return self.running.save(), done.trap

    def inputs_tried(self, a: Evidence) -> Inputs | None:
        """Side a's: where this side's are others, that is a hazard to be found like any other."""
        first = max(self.frame, 0)
        return leading(a.inputs_of(n) for n in range(first, first + a.horizon))

    def trace_beside(self, a: Evidence, point: Point) -> Validated | None:
        model, is_named = self.model, True
        if model is not None and self.side.spec.source != self.original.spec.source:
            first = self._model_of(self.original)
            is_named = first is None
            with beyond_first_facts(self.out.notes, "which operations both versions have is"):
                if first is not None:
                    self.aligned = match_versions(first.module, model.module)
                    model = replace(model, module=self.aligned.module, step=first.step, plain=None)
                    is_named = True
        trace = self._validated(model, self.own_point)
        return None if trace is None else Validated(trace, _VALIDATED, self.aligned, is_named)

    def experiment(self, point: Point, inputs: Inputs) -> Experiment:
        running, kept, hashes = self.running, self.seen.before, []
        if kept is None:
            first = begun(running, self.stream.seed)
            if first.trap is not None:
                return Experiment(point.before, inputs, first.hashes, first.trap, point.seed)
            hashes = [first.hashes]
        else:
            running.restore(kept)
        done = outcome(running.advance(self.rows))
        hashes = np.concatenate([*hashes, done.hashes])
        return Experiment(point.before, inputs, hashes, done.trap, point.seed)

    def continued(self) -> Advance:
        """The frames behind the differing one, run on; nothing where that traps."""
        running, rows, kept = self.running, self.rows, self.seen.before
        if kept is None:
            begun(running, self.stream.seed)
            return running.advance(rows) if self.seen.trap is None else running.advance(rows[:0])
        running.restore(kept)
        if running.advance(rows[:1]).trap is not None:
            return running.advance(rows[:0])
        return running.advance(rows[1:])

    def frames(self, trace: Trace) -> FrameAt:
        kept, running, model = self.seen.before, self.running, trace.model

        def at(number: int) -> FrameInput | None:
            if number == 0:
                return trace.frame_input
            if kept is None or number >= len(self.rows):
                return None
            running.restore(kept)
            if running.advance(self.rows[:number]).trap is not None:
                return None
            return FrameInput.of(model, _memory(model, running.snapshot()), self.rows[number])

        return at

    def rerun(self) -> RerunFacts:
        seen = self.seen
        one_worker = self._alone_as_original() if seen.repeats is False else None
        follows = None if seen.has_hidden is None else not seen.has_hidden
        if follows and seen.repeats is not False:
            follows = self._follows()
        return RerunFacts(seen.repeats, follows, one_worker)

    def _follows(self) -> bool:
        """Whether it continues identically when restarted from its hashed state."""
        assert self.seen.before is not None
        run, rows = self.running, self.rows
        run.restore(self.seen.before)
        at = 0
        for count in _PROBES:
            if at + count >= len(rows) or run.advance(rows[at : at + count]).trap is not None:
                return True
            at += count
            kept = run.snapshot()
            rest = rows[at : at + _PROBED]
            plain = run.advance(rest).hashes
            run.restore_canonical(kept.frame, kept.canonical)
            if not np.array_equal(run.advance(rest).hashes, plain):
                return False
            run.restore(kept)
        return True

    def _alone_as_original(self) -> bool | None:
        """Whether it gives side a's hashes, as far as they are tried, when one thread runs it."""
        side = self.side
        if side.spec.workers == 1:
            return None
        self.progress("running it with one worker", 0, self.frame)
        alone = replace(side, spec=replace(side.spec, workers=1))
        rows = self.stream.between(0, self.frame + _ALONE)
        original = self._from_start(self.original, rows)
        return all(original == self._from_start(alone, rows) for _ in range(_ALONE_RUNS))

    def _from_start(self, side: Side, rows: Inputs) -> tuple[bytes, TrapFact | None]:
        """The hashes of a run of its own, and its trap."""
        with closing(open_run(side)) as run:
            first = begun(run, self.stream.seed)
            if first.trap is not None:
                return b"", first.trap
            done = outcome(run.advance(rows))
            return first.hashes.tobytes() + done.hashes.tobytes(), done.trap


def _memory(model: Model, kept: Snapshot) -> np.ndarray[Any, Any]:
    """Raw memory as an element of what the step takes as the state."""
    memory = np.frombuffer(kept.memory, np.uint8).copy()
    t = model.memory if len(memory) == model.memory.size else model.state
    return memory.view(t.dtype)
