"""The second half of a diagnosis: operation, cause, exposed operations, from two traces.

Owns what is handed from step to step, whoever the sides are: runs here, or another machine's
report.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

import numpy as np

from samebits.diagnosis.beyond import beyond_first_facts
from samebits.diagnosis.cause.asked import asked
from samebits.diagnosis.cause.experiment import Experiment
from samebits.diagnosis.cause.inquiry import Question, explain_difference
from samebits.diagnosis.cause.nondeterminism import RerunFacts
from samebits.diagnosis.cause.observations import (
    FrameObservations,
    Observations,
    values_of,
)
from samebits.diagnosis.evidence import FrameAt, Validated
from samebits.diagnosis.exposure.operations import exposed_operations
from samebits.diagnosis.frame.search import Progress
from samebits.diagnosis.operation.describe import operation_fact
from samebits.diagnosis.operation.first_difference import OperationDifference, first_difference
from samebits.diagnosis.operation.parting import parting
from samebits.diagnosis.operation.source_changes import attributed
from samebits.diagnosis.report.findings import CauseFact, Diagnosis, OperationFact
from samebits.frame_trace.last_write import origin_of_load
from samebits.frame_trace.record import Trace
from samebits.hazards.catalogue import ExpressionHazard, ProgramHazard
from samebits.hazards.expressions import Sites
from samebits.hazards.site_variants import SiteVariant
from samebits.ir.refs import OpRef
from samebits.sim.program import Program

MOST_EXPOSED = 200
"""Exposed operations that a diagnosis holds."""


@dataclass(frozen=True, eq=False)
class KnownCause:
    """A cause that was found by other means, and how it evaluates which operations."""

    fact: CauseFact
    variants: tuple[SiteVariant, ...]
    step: OperationFact | None = None
    """The operation, where it is known too: then nothing is traced."""
    proxies: Collection[str] | None = None
    """Hazards that may stand for a side which cannot be traced: with none of them nothing does,
    and FAST code is not searched; None for all."""


@dataclass(frozen=True, eq=False)
class Pair:
    """The differing frame on both sides, and what experiments need.

    `program` is side a's, `frames` gives side b's frames, `rerun` what running b again tells;
    nobody looks for a cause that is `known`.
    """

    a: Trace
    b: Validated
    program: Program
    experiment: Experiment
    frames: FrameAt
    frame: int
    rerun: Callable[[], RerunFacts]
    known: KnownCause | None = None


def narrow(out: Diagnosis, pair: Pair, progress: Progress) -> None:
    """Fill in the operation, its causes, and the operations that these expose."""
    a, b, aligned = pair.a, pair.b.trace, pair.b.aligned
    difference = None
    with beyond_first_facts(out.notes, "the operation and its cause are"):
        difference = _difference(out, pair) if pair.b.is_named else None
    if difference is None:
        if out.operation is None:
            with beyond_first_facts(out.notes, "the line is"):
                out.operation = parting(a, b, pair.b.validation)
        return
    observe = _observe(pair, difference)
    with beyond_first_facts(out.notes, "the question for `samebits explain` is"):
        _tell_question(out, pair, difference, observe)
    if pair.known is not None:
        variants = [v for v in pair.known.variants if v.place == difference.place]
        for variant in variants[:1]:
            _tell_exposed(out, pair, variant.hazard, variant.note, variant.place, None, progress)
        return
    question = Question(
        pair.program,
        difference,
        pair.experiment,
        observe,
        pair.rerun(),
        (_times(a, difference), _times(b, difference)),
        pair.frame,
        () if aligned is None else aligned.changes,
        b.model.module,
        b if aligned is None and pair.experiment.interpreted else None,
        None if aligned is None else aligned.module,
    )
    if out.causes:  # it is known already
        return
    with beyond_first_facts(out.notes, "the cause is"):
        _tell_causes(out, pair, question, progress)


def _difference(out: Diagnosis, pair: Pair) -> OperationDifference | None:
    """The first operation that differs, which is told."""
    a, b, aligned = pair.a, pair.b.trace, pair.b.aligned
    difference = first_difference(a, b)
    if difference is None:
        out.notes.append(
            "no traced operation differs, though the states do: what differs is outside of the "
            "kernels"
        )
        return None
    difference = _of_inputs(pair, difference)
    if aligned is not None:
        difference = attributed(difference, a, aligned.changes)
    modules = a.model.module, b.model.module
    out.operation = operation_fact(modules, difference, pair.b.validation)
    return difference


def _tell_question(
    out: Diagnosis, pair: Pair, difference: OperationDifference, observe: Observations
) -> None:
    """Tells how the operation is asked about by itself, in the words of the cause that is known."""
    place, fact = difference.place, out.operation
    if place is None or fact is None or difference.kind != "result" or fact.b is None:
        return
    function = pair.program.kernels.functions.get(place.function)
    variants = () if pair.known is None else pair.known.variants
    known = next((v.site for v in variants if v.place == place), None)
    site = known or (None if function is None else Sites(function).at(place.op))
    seen = None if site is None else observe.differing(site)
    if site is not None and seen is not None:
        out.operation = replace(fact, ask=asked(site, seen))


def _tell_causes(out: Diagnosis, pair: Pair, question: Question, progress: Progress) -> None:
    answer = explain_difference(question, progress)
    out.causes = tuple(each.fact for each in answer.causes)
    out.certainty = answer.certainty
    for budget in (pair.a.model.budget, pair.b.trace.model.budget, pair.experiment.budget):
        if budget is not None and budget.is_spent:  # what might explain it too was not tried
            out.certainty = "likely" if answer.certainty == "certain" else answer.certainty
            out.note(f"not all that might explain it was tried: {budget.why}")
    out.notes += answer.notes
    place = question.difference.place
    if not answer.causes or place is None:
        return
    first = answer.causes[0]
    at = first.place or place
    _tell_exposed(out, pair, first.hazard, first.note, at, first.only, progress)


def _tell_exposed(
    out: Diagnosis,
    pair: Pair,
    hazard: ExpressionHazard | ProgramHazard,
    note: str,
    place: OpRef,
    only: frozenset[OpRef] | None,
    progress: Progress,
) -> None:
    progress("looking for exposed operations", 0, 1)
    frames = pair.a.frame_input
    with beyond_first_facts(out.notes, "the exposed operations are"):
        every = exposed_operations(
            pair.a.model, frames.memory, frames.inputs, hazard, note, place, only
        )
        out.exposed = tuple(every[:MOST_EXPOSED])
        out.exposed_left = len(every) - len(out.exposed)


def _of_inputs(pair: Pair, difference: OperationDifference) -> OperationDifference:
    """A load that gives another value is one of inputs where inputs are what it reads."""
    op, a = difference.op, difference.a
    if difference.kind != "result" or op is None or a is None or op.opcode != "load":
        return difference
    read = origin_of_load(pair.a.frame_input, a.event).memory == "inputs"
    return replace(difference, kind="input") if read else difference


def _observe(pair: Pair, difference: OperationDifference) -> Observations:
    place, seen = difference.place, difference.b
    function = None if place is None else pair.program.kernels.functions.get(place.function)
    if place is None or seen is None or function is None:
        return Observations()
    values = values_of(Sites(function), place)
    return FrameObservations(place, seen.event, pair.frames, values)


def _times(trace: Trace, difference: OperationDifference) -> int:
    """The number of times a frame does the differing operation."""
    place = difference.place
    number = None if place is None else trace.model.numbering.at(place)
    return 0 if number is None else int(np.count_nonzero(trace.numbers == number))
