"""From two sides to a diagnosis: frame, fields, operation, cause, cousins.

Owns the order of the steps and what each hands to the next. A trace is believed where its frame
ends in the bits that the plain run gave, and only there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.cause.experiment import FRAMES, Experiment
from samebits.diagnosis.cause.inquiry import Progress
from samebits.diagnosis.cause.nondeterminism import Facts
from samebits.diagnosis.cause.stand_in import stand_in
from samebits.diagnosis.fast.findings import Freed
from samebits.diagnosis.frame.examine import FirstFrame, begun, outcome
from samebits.diagnosis.frame.lockstep import FrameSearch
from samebits.diagnosis.frame.recorded import recorded_in
from samebits.diagnosis.frame.state_diff import differences
from samebits.diagnosis.frame.timeline import timeline
from samebits.diagnosis.narrow import Pair, narrow
from samebits.diagnosis.operation.match_versions import Aligned, align
from samebits.diagnosis.report.findings import Diagnosis
from samebits.errors import TraceError
from samebits.sides.input_stream import InputStream
from samebits.sides.run import SideRun, Snapshot, open_run
from samebits.sides.side import Side
from samebits.sim.inputs import Inputs
from samebits.sim.outcome import TrapFact
from samebits.sim.simulation import Simulation
from samebits.sim.sources import Source
from samebits.trace.model import Model
from samebits.trace.observer import FrameInput
from samebits.trace.record import Trace, record

_PROBES = (1, 2, 5, 16, 64, 256)
"""How many frames further on each time it is tried whether a hashed state says everything."""
_PROBED = 32
_ALONE = 256
"""Frames behind the differing one that one worker has to get right."""
_ALONE_RUNS = 3
"""How often: what comes from outside may happen to change nothing once."""
_STANDS_IN = "no trace of b can be believed: this is a's program with a hazard that stands in for b"
_BELIEVED = "the traced run gives the plain run's bits"


def diagnose(
    simulation: Simulation,
    source: Source,
    a: Side,
    b: Side,
    progress: Progress | None = None,
    source_b: Source | None = None,
) -> Diagnosis:
    """Compare sides `a` and `b` of a simulation over the inputs of `source`, or `source_b` for b.

    Raises what opening the sides and reading the inputs raise.
    """
    began = time.perf_counter()
    diagnosis = _Diagnosing(simulation, source, a, b, progress or _silent, source_b).run()
    diagnosis.seconds = time.perf_counter() - began
    return diagnosis


def _silent(what: str, done: int, total: int) -> None:
    """Nobody watches."""


class _Diagnosing:
    def __init__(
        self,
        simulation: Simulation,
        source: Source,
        a: Side,
        b: Side,
        progress: Progress,
        source_b: Source | None,
    ) -> None:
        self.sides = a, b
        self.inputs = InputStream(source)
        self.inputs_b = None if source_b is None else InputStream(source_b)
        self.recorded = recorded_in(source)
        self.progress = progress
        self.out = Diagnosis(
            simulation=simulation.name,
            version=simulation.version,
            seed=source.seed,
            a=a.text,
            b=b.text,
            frames=0,
        )
        self.aligned: Aligned | None = None

    def run(self) -> Diagnosis:
        runs = [open_run(side) for side in self.sides]
        try:
            self._run(*runs)
        finally:
            for run in runs:
                run.close()
        return self.out

    def _run(self, a: SideRun, b: SideRun) -> None:
        out = self.out
        search = FrameSearch(
            a, b, self.inputs, self.inputs_b, progress=self.progress, recorded=self.recorded
        )
        report = search.run()
        if self.recorded is not None:
            with beyond_first_facts(out.notes, "where the run departs from its replay is"):
                out.recorded = self.recorded.fact(self.sides[0])
        out.notes += report.notes
        out.frames = report.compared
        found = report.found
        if found is None:
            if report.inputs_differ is not None:
                out.notes.append(
                    f"the inputs differ from frame {report.inputs_differ:,} on, and no state does"
                )
            return
        out.frame = found.frame
        out.frames = max(out.frames, self.inputs.frames)
        out.hashes = found.a.shown(), found.b.shown()
        with beyond_first_facts(out.notes, "the fields are"):
            self._fields(found)
        with beyond_first_facts(out.notes, "the operation and its cause are"):
            self._beyond(found, a, b)

    def _beyond(self, found: FirstFrame, a: SideRun, b: SideRun) -> None:
        """What comes after frame and fields."""
        following = tuple(
            stream.between(max(found.frame, 0), max(found.frame, 0) + FRAMES)
            for stream in (self.inputs, self.inputs_b or self.inputs)
        )
        with beyond_first_facts(self.out.notes, "the operation and its cause are"):
            self._operation(found, a, b, following)
        with beyond_first_facts(self.out.notes, "the timeline is"):
            self.out.timeline = timeline(
                self.sides[0].plain.state, found, a, b, (following[0], following[1])
            )

    def _fields(self, found: FirstFrame) -> None:
        a, b, out = found.a.state, found.b.state, self.out
        if a is None or b is None:
            return
        all_of_them = differences(self.sides[0].plain.state, a, b)
        out.fields = all_of_them.first
        out.differing = all_of_them.differing
        out.heat = tuple(row for row in all_of_them.heat if row.differing)

    def _operation(
        self, found: FirstFrame, a: SideRun, b: SideRun, inputs: tuple[Inputs, ...]
    ) -> None:
        self.progress("tracing the frame", 0, 2)
        one = self._traced(0, a, found)
        self.progress("tracing the frame", 1, 2)
        other = self._traced(1, b, found)
        believed = _BELIEVED
        if one is None or other is None:
            freed = Freed(self.sides, found, self.inputs.seed, self.progress)
            if freed.tell(self.out, one, other) or one is None:
                return
        if other is None:
            other = self._stood_in(found, one)
            believed = _STANDS_IN
        if other is None:
            return
        experiment = self._experiment(found, b, inputs)
        pair = Pair(
            one,
            other,
            believed,
            self.sides[0].plain.with_kernels(one.model.module),
            experiment,
            self._following(found, other, b, inputs[1]),
            found.frame,
            lambda: self._facts(found, b, inputs[1]),
            self.aligned,
            self._frame_at(found, other, b, inputs[1]),
        )
        narrow(self.out, pair, self.progress)

    def _stood_in(self, found: FirstFrame, a: Trace) -> Trace | None:
        """The trace of a hazard that stands in for a side b without one."""
        if found.b.state is None:
            return None
        planted = stand_in(a, found.b.state, self.progress)
        if planted is None:
            return None
        self.out.notes.append(
            "a's program with one hazard at all of its places stands in for b: it gives b's bits "
            f"in {planted.explained:,} of the {planted.differing:,} scalars that differ"
        )
        return planted.trace

    def _experiment(self, found: FirstFrame, b: SideRun, inputs: tuple[Inputs, ...]) -> Experiment:
        """What side b gives, from the frame on."""
        if found.a.before is None or found.b.before is None:
            seed = self.inputs.seed
            first = begun(b, seed)
            done = outcome(b.advance(inputs[1])) if first.trap is None else first
            hashes = done.hashes if first.trap else np.concatenate([first.hashes, done.hashes])
            return Experiment(b"", inputs[0], hashes, done.trap, seed)
        b.restore(found.b.before)
        done = outcome(b.advance(inputs[1]))
        return Experiment(found.a.before.canonical, inputs[0], done.hashes, done.trap)

    def _traced(self, which: int, run: SideRun, found: FirstFrame) -> Trace | None:
        """The trace of a side's frame, if it can be had and ends in the plain run's bits."""
        facts = (found.a, found.b)[which]
        letter = "ab"[which]
        if facts.before is not None:
            run.restore(facts.before)
        model = self._model(which, run, found.frame)
        if model is None:
            self.out.notes.append(
                f"side {letter} has no operations that can be traced: its code is free to depart "
                "from them"
            )
            return None
        if facts.before is None or facts.inputs is None:
            state = np.zeros(1, model.memory.dtype)
            given = np.array([self.inputs.seed], np.uint64)
        else:
            state, given = _state(model, facts.before), facts.inputs[0]
        try:
            trace = record(model, state, given)
        except TraceError as error:
            self.out.notes.append(f"side {letter}'s frame cannot be traced: {error.message}")
            return None
        trap = None if trace.trap is None else TrapFact.of(trace.trap)
        if trap is not None and facts.trap is not None and not facts.trap.place:
            trap = replace(trap, place="")  # versions have it at other places
        if trap == facts.trap and (trap is not None or trace.after == facts.state):
            return trace
        self.out.notes.append(
            f"the traced run of side {letter} gives other bits than its plain run: it is not "
            "believed"
        )
        return None

    def _model(self, which: int, run: SideRun, frame: int) -> Model | None:
        """The operations of a side; of another version of the source, under the first's names."""
        model = _of_frame(run.side, frame)
        side, first = self.sides[which], self.sides[0]
        if model is None or which == 0 or side.spec.source == first.spec.source:
            return model
        other = _of_frame(first, frame)
        if other is None:
            return model
        self.aligned = align(other.module, model.module)
        return replace(model, module=self.aligned.module, step=other.step, plain=None)

    def _following(
        self, found: FirstFrame, first: Trace, run: SideRun, inputs: Inputs
    ) -> Callable[[], Iterator[FrameInput]]:
        """Side b's frames, from the differing one on."""

        def frames() -> Iterator[FrameInput]:
            yield first.frame_input
            if found.b.before is None:
                return
            run.restore(found.b.before)
            for k in range(len(inputs) - 1):
                if run.advance(inputs[k : k + 1]).trap is not None:
                    return
                kept = run.snapshot()
                yield FrameInput.of(first.model, _state(first.model, kept), inputs[k + 1])
                run.restore(kept)

        return frames

    def _frame_at(
        self, found: FirstFrame, first: Trace, run: SideRun, inputs: Inputs
    ) -> Callable[[int], FrameInput | None]:
        """One of side b's frames, by its number from the differing one on."""

        def frames(number: int) -> FrameInput | None:
            if found.b.before is None or number >= len(inputs):
                return None
            run.restore(found.b.before)
            if number and run.advance(inputs[:number]).trap is not None:
                return None
            return FrameInput.of(first.model, _state(first.model, run.snapshot()), inputs[number])

        return frames

    def _facts(self, found: FirstFrame, run: SideRun, inputs: Inputs) -> Facts:
        one_worker = None
        if found.b.repeats is False:
            one_worker = self._with_one_worker(found)
        follows = None if found.b.has_hidden is None else not found.b.has_hidden
        if follows and found.b.repeats is not False:
            follows = self._follows(found, run, inputs)
        return Facts(found.b.repeats, follows, one_worker)

    def _follows(self, found: FirstFrame, run: SideRun, inputs: Inputs) -> bool:
        """Whether side b goes on alike from its hashed states alone, in frames further on."""
        assert found.b.before is not None
        run.restore(found.b.before)
        at = 0
        for count in _PROBES:
            if at + count >= len(inputs) or run.advance(inputs[at : at + count]).trap is not None:
                return True
            at += count
            kept = run.snapshot()
            rest = inputs[at : at + _PROBED]
            plain = run.advance(rest).hashes
            run.restore_canonical(kept.frame, kept.canonical)
            if not np.array_equal(run.advance(rest).hashes, plain):
                return False
            run.restore(kept)
        return True

    def _with_one_worker(self, found: FirstFrame) -> bool | None:
        """Whether side b gives side a's hashes, as far as they are tried, when one thread runs
        it."""
        side = self.sides[1]
        if side.spec.workers == 1:
            return None
        self.progress("running it with one worker", 0, found.frame)
        alone = replace(side, spec=replace(side.spec, workers=1))
        rows = (self.inputs_b or self.inputs).between(0, found.frame + _ALONE)
        mine = self._from_start(self.sides[0], rows)
        return all(mine == self._from_start(alone, rows) for _ in range(_ALONE_RUNS))

    def _from_start(self, side: Side, rows: Inputs) -> tuple[bytes, TrapFact | None]:
        """The hashes of a run of its own, and its trap."""
        run = open_run(side)
        try:
            found = begun(run, self.inputs.seed)
            if found.trap is not None:
                return b"", found.trap
            done = outcome(run.advance(rows))
            return found.hashes.tobytes() + done.hashes.tobytes(), done.trap
        finally:
            run.close()


def _of_frame(side: Side, frame: int) -> Model | None:
    """What a side evaluates in a frame; in -1 its `init`."""
    model = side.model(frame)
    return model if model is None or frame >= 0 else replace(model, step=side.plain.init)


def _state(model: Model, kept: Snapshot) -> np.ndarray[Any, Any]:
    """Raw memory as an element of what the step takes as the state."""
    memory = np.frombuffer(kept.memory, np.uint8).copy()
    t = model.memory if len(memory) == model.memory.size else model.state
    return memory.view(t.dtype)
