"""An experiment in the interpreter: what no code of samebits' can do, such as calling the host's
math library, is put in an operation's place while frames are evaluated.

Owns the exchange of one operation's result. It is slow: a few frames are all that it runs.
"""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace

import numpy as np

from samebits.bits import canonical_size, pattern_of, to_canonical, value_of, xxh64
from samebits.diagnosis.cause.experiment import Agreement, Experiment
from samebits.errors import TraceError
from samebits.fpmodel.evaluate import Arithmetic
from samebits.fpmodel.tree import Tree
from samebits.hazards.expressions import Site
from samebits.ir.grammar import Op
from samebits.ir.interp.closures import Frame, Step, Steps
from samebits.ir.refs import OpRef
from samebits.sim.program import Program
from samebits.trace.model import Model
from samebits.trace.observer import BoundedObserver, FrameInput, Memory, Source
from samebits.types import ScalarType

FRAMES = 12
"""Frames that are evaluated at most."""


def run_interpreted(
    program: Program,
    place: OpRef,
    site: Site,
    variant: tuple[Tree, Arithmetic],
    experiment: Experiment,
    frames_at_most: int = FRAMES,
) -> Agreement:
    """How many frames from the first on give the other side's hash, with the operation at `place`
    evaluated so."""
    model = replace(Model.of(program), budget=experiment.budget)
    state = experiment.before
    rows: list[tuple[Model, Memory]] = [(model, row) for row in experiment.inputs]
    if experiment.seed is not None:
        state = bytes(canonical_size(program.state))
        rows.insert(0, (replace(model, step=program.init), np.array([experiment.seed], np.uint64)))
    goal = experiment.hashes[:frames_at_most]
    for k, value in enumerate(goal):
        frames = FrameInput.of(rows[k][0], state, rows[k][1])
        exchanged = replace(frames, source=lambda: _exchange(place, site, variant))
        budget = experiment.budget
        try:
            with nullcontext() if budget is None else budget.trying():
                memory, trap = exchanged.run(BoundedObserver())
        except TraceError:  # it runs on and on
            return Agreement(k, len(goal))
        state = to_canonical(program.state, memory)
        if trap is not None or np.uint64(xxh64(state)) != value:
            return Agreement(k, len(goal))
    return Agreement(len(goal), len(goal))


def _exchange(place: OpRef, site: Site, variant: tuple[Tree, Arithmetic]) -> Source:
    def source(steps: Steps, op: Op, number: int, step: Step) -> Step:
        if OpRef(steps.function.name, op.id) != place:
            return step
        operands = {name: steps.read(value) for name, value in site.operands.items()}
        types = {name: value.type for name, value in site.operands.items()}
        result, t = steps.read(op.result), op.result.type
        assert isinstance(t, ScalarType)

        def run(frame: Frame) -> None:
            step(frame)
            given: dict[str, int] = {}
            for name, at in operands.items():
                operand = types[name]
                assert isinstance(operand, ScalarType)
                given[name] = pattern_of(operand, frame[at])
            frame[result] = value_of(t, site.bits(*variant, given))

        return run

    return source
