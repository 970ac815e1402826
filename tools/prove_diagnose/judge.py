"""A diagnosis beside the known answer: what of it is right.

Where the first named cause is not the injected one, the named hazard is injected at the same place
and run natively, by this module: where it gives the other side's bits in every frame that is left,
nothing can tell the two apart, and the case says so. Nothing is decided in the diagnosis's favour
by that; both counts are kept.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tools.prove_diagnose import injections
from tools.prove_diagnose.case import Case
from tools.prove_diagnose.injected_side import sides
from tools.prove_diagnose.injections import Injection
from tools.prove_diagnose.truth import Answer, Truth, described, inputs_of, native

from samebits.diagnosis.driver import diagnose
from samebits.diagnosis.report.findings import Diagnosis
from samebits.errors import HazardError
from samebits.ir.refs import OpRef, is_own, statements, what

MOST_FIELDS = 64
"""Differing scalars that a diagnosis names; it counts all of them."""
MOST_RIVALS = 40
"""Variants of a named hazard that are injected to see whether it can be told from the true one."""


@dataclass
class Verdict:
    """What is right of one diagnosis. `certain` is whether the cause is called certain."""

    frame: bool = False
    fields: bool = False
    line: bool = False
    operation: bool = False
    cause: bool = False
    named: str = ""
    """The hazard that is named first."""
    also: list[str] = field(default_factory=list[str])
    certainty: str = ""
    indistinguishable: bool = False
    """Whether the named hazard, though it is another one, gives the same bits in every frame."""
    failure: str = ""
    """What went wrong: an exception in one line."""
    said: dict[str, Any] = field(default_factory=dict[str, Any])
    """What the diagnosis had, where it is not right."""
    seconds: float = 0.0
    """What the diagnosis took, by the clock."""
    cpu_seconds: float = 0.0
    """Processor time of this process in it."""

    @property
    def right(self) -> bool:
        """Whether all of it is."""
        return self.frame and self.fields and self.line and self.operation and self.cause

    @property
    def falsely_certain(self) -> bool:
        """Whether something that is not right was stated as certain."""
        return self.certainty == "certain" and not self.right


def judged(case: Case, truth: Truth) -> Verdict:
    """Diagnose a case, and compare. What the diagnosis raises is a failure."""
    source = case.simulation.source(case.inputs, case.seed, case.frames)
    with sides(case) as (a, b):
        began = time.perf_counter(), time.process_time()
        found, failure = None, ""
        try:
            found = diagnose(case.simulation.simulation(), source, a, b)
        except Exception as error:
            failure = f"{type(error).__name__}: {error}"[:500]
        took = time.perf_counter() - began[0], time.process_time() - began[1]
    verdict = Verdict(failure=failure) if found is None else compared(found, case, truth)
    verdict.seconds, verdict.cpu_seconds = took
    return verdict


def compared(found: Diagnosis, case: Case, truth: Truth) -> Verdict:
    """What is right of a diagnosis."""
    verdict = Verdict(certainty=found.certainty)
    verdict.frame = found.frame == truth.frame
    verdict.fields = (
        found.differing == len(truth.fields)
        and tuple(fact.path for fact in found.fields) == truth.fields[: len(found.fields)]
        and len(found.fields) == min(len(truth.fields), MOST_FIELDS)
    )
    if found.operation is not None:
        at, opcode = found.operation.place, found.operation.opcode
        matches = [_matches(answer, at, opcode) for answer in truth.answers]
        verdict.line = any(line for line, _ in matches)
        verdict.operation = any(operation for _, operation in matches)
    names = [fact.hazard for fact in found.causes]
    verdict.named = names[0] if names else ""
    verdict.also = names[1:]
    verdict.cause = verdict.named == case.hazard
    if verdict.named and not verdict.cause and truth.frame >= 0:
        expression = found.causes[0].expression
        verdict.indistinguishable = _same_bits(case, truth, verdict.named, expression)
    if not verdict.right:
        verdict.said = _said(found)
    return verdict


def _matches(answer: Answer, at: Any, opcode: str) -> tuple[bool, bool]:
    """Whether line and operation of a finding are those of an answer."""
    if answer.line is None:
        right = answer.file == at.file and answer.function == at.function
        return right, right
    line = (answer.file, answer.line) == (at.file, at.line)
    column = answer.column is None or answer.column == at.column
    return line, line and column and answer.opcode in ("", opcode)


def _said(found: Diagnosis) -> dict[str, Any]:
    operation = found.operation
    return {
        "frame": found.frame,
        "differing": found.differing,
        "fields": [fact.path for fact in found.fields[:4]],
        "operation": operation and f"{operation.kind} {operation.place} {operation.opcode}",
        "causes": [
            f"{c.hazard} ({c.scope}): {c.expression} "
            f"({c.frames_same} of {c.frames_compared} frames)"
            for c in found.causes[:4]
        ],
        "notes": list(found.notes),
    }


def _same_bits(case: Case, truth: Truth, named: str, expression: str) -> bool:
    """Whether a variant of another hazard at the same place, or everywhere, has the other side's
    hashes in every frame from the differing one on. Those that do what was named come first."""
    if case.injected is None or named not in injections.NAMES or named in injections.VARYING:
        return False
    program = case.simulation.simulation().program
    _, inputs = inputs_of(case)
    places: list[OpRef | None] = []
    if case.injected.place is not None:
        places.append(case.injected.place)
    else:
        places += _answered(program.kernels, truth)
    if not injections.is_program_hazard(named):
        places.append(None)
    for place in places:
        try:
            count = injections.count_variants(program.kernels, named, place)
        except HazardError:
            continue
        rivals = [Injection(named, place, variant, case.injected.draw) for variant in range(count)]
        rivals.sort(key=lambda rival: not rival.note(program.kernels).startswith(expression))
        for rival in rivals[:MOST_RIVALS]:
            try:
                execution = native(rival.program(program))
            except (HazardError, StopIteration):
                continue
            execution.restore(truth.before)
            done = execution.advance(inputs[truth.frame :])
            trap = described(done.trap, case)
            if trap == truth.trap and np.array_equal(done.hashes, truth.hashes):
                return True
    return False


def _answered(kernels: Any, truth: Truth) -> list[OpRef]:
    """The places that the answers name."""
    wanted = {(a.file, a.line, a.column, a.opcode) for a in truth.answers}
    return [
        place
        for place, s in statements(kernels, filter(is_own, kernels.functions))
        if (s.span.file, s.span.line, s.span.column, what(s)) in wanted
    ]


def restored(data: dict[str, Any]) -> Verdict:
    """What `vars` of a verdict gave."""
    return replace(Verdict(), **data)
