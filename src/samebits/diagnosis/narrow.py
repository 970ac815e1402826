"""From two believed traces of the differing frame to operation, cause and cousins.

Owns what is handed from step to step, whoever the sides are: runs here, or another machine's
report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.cause.candidates import Observe, Unobserved
from samebits.diagnosis.cause.experiment import Experiment
from samebits.diagnosis.cause.inquiry import Progress, Question, explain_difference
from samebits.diagnosis.cause.nondeterminism import Facts
from samebits.diagnosis.cause.observations import Observations, values_of
from samebits.diagnosis.exposure.operations import cousins
from samebits.diagnosis.operation.describe import operation_fact
from samebits.diagnosis.operation.first_difference import OperationDifference, first_difference
from samebits.diagnosis.operation.match_versions import Aligned
from samebits.diagnosis.operation.source_changes import blamed
from samebits.diagnosis.report.findings import Diagnosis
from samebits.hazards.expressions import Sites
from samebits.sim.program import Program
from samebits.trace.last_write import origin_of_load
from samebits.trace.observer import FrameInput
from samebits.trace.record import Trace

COUSINS = 200
"""Cousins that a diagnosis holds."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The differing frame on both sides, and what experiments need.

    `program` is side a's, `following` gives side b's frames from the differing one on, `facts` what
    running b again has told; `aligned` is b's source where it is another version.
    """

    a: Trace
    b: Trace
    believed: str
    """Why the traces are believed."""
    program: Program
    experiment: Experiment
    following: Callable[[], Iterator[FrameInput]]
    frame: int
    facts: Callable[[], Facts] = field(default=Facts)
    aligned: Aligned | None = None
    frame_at: Callable[[int], FrameInput | None] = lambda number: None
    """One of side b's frames, by its number from the differing one on, where it can be had."""


def narrow(out: Diagnosis, pair: Pair, progress: Progress) -> None:
    """Fill in the operation, its causes and their cousins."""
    difference = first_difference(pair.a, pair.b)
    if difference is None:
        out.notes.append(
            "no traced operation differs, though the states do: what differs is outside of the "
            "kernels"
        )
        return
    difference = _of_inputs(pair, difference)
    if pair.aligned is not None:
        difference = blamed(difference, pair.a, pair.aligned.changes)
    modules = pair.a.model.module, pair.b.model.module
    out.operation = operation_fact(modules, difference, pair.believed)
    question = Question(
        pair.program,
        difference,
        pair.experiment,
        _observe(pair, difference),
        pair.facts(),
        (_times(pair.a, difference), _times(pair.b, difference)),
        pair.frame,
        () if pair.aligned is None else pair.aligned.changes,
        pair.b.model.module,
        pair.b if pair.aligned is None and pair.experiment.interpreted else None,
        None if pair.aligned is None else pair.aligned.module,
    )
    if out.causes:  # it is known already
        return
    with beyond_first_facts(out.notes, "the cause is"):
        _tell_causes(out, pair, question, progress)


def _tell_causes(out: Diagnosis, pair: Pair, question: Question, progress: Progress) -> None:
    answer = explain_difference(question, progress)
    out.causes = tuple(each.fact for each in answer.causes)
    out.certainty = answer.certainty
    for budget in (pair.a.model.budget, pair.b.model.budget, pair.experiment.budget):
        if budget is not None and budget.is_spent:  # what might explain it too was not tried
            out.certainty = "likely" if answer.certainty == "certain" else answer.certainty
            untried = f"not all that might explain it was tried: {budget.why}"
            if untried not in out.notes:
                out.notes.append(untried)
    out.notes += answer.notes
    place = question.difference.place
    if not answer.causes or place is None:
        return
    progress("looking for cousins", 0, 1)
    first = answer.causes[0]
    frames = pair.a.frame_input
    with beyond_first_facts(out.notes, "the cousins are"):
        every = cousins(
            pair.a.model, frames.memory, frames.inputs, first.hazard, first.note,
            first.place or place, first.only,
        )  # fmt: skip
        out.cousins = tuple(every[:COUSINS])
        out.cousins_left = len(every) - len(out.cousins)


def _of_inputs(pair: Pair, difference: OperationDifference) -> OperationDifference:
    """A load that gives another value is one of inputs where inputs are what it reads."""
    op, a = difference.op, difference.a
    if difference.kind != "result" or op is None or a is None or op.opcode != "load":
        return difference
    read = origin_of_load(pair.a.frame_input, a.event).memory == "inputs"
    return replace(difference, kind="input") if read else difference


def _observe(pair: Pair, difference: OperationDifference) -> Observe:
    place, seen = difference.place, difference.b
    function = None if place is None else pair.program.kernels.functions.get(place.function)
    if place is None or seen is None or function is None:
        return Unobserved()
    values = values_of(Sites(function), place)
    return Observations(place, seen.event, pair.following, values, pair.frame_at)


def _times(trace: Trace, difference: OperationDifference) -> int:
    """How often a frame does the differing operation."""
    place = difference.place
    number = None if place is None else trace.model.numbering.at(place)
    return 0 if number is None else int(np.count_nonzero(trace.numbers == number))
