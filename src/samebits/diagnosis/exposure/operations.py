"""Exposed operations: the others of a simulation that a hazard acts on, and what it would change.

Owns the survey of one frame; how far each is from the state is `distance`'s.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from samebits.bits import pattern_of
from samebits.diagnosis.cause.observations import Observation
from samebits.diagnosis.exposure.distance import StateDistance
from samebits.diagnosis.report.findings import ExposedFact
from samebits.diagnosis.report.findings import Place as Source
from samebits.frame_trace.model import Model
from samebits.frame_trace.observer import FrameInput, Memory, Observer, State
from samebits.hazards.catalogue import ExpressionHazard, ProgramHazard
from samebits.hazards.expressions import Site
from samebits.hazards.injection import variants_among
from samebits.ir.grammar import Op
from samebits.ir.interp.closures import UNSET, Frame, Step, Steps
from samebits.ir.refs import OpRef, statements, what
from samebits.types import ScalarType

MOST_INSTANCES = 32
"""Evaluations of an operation in a frame that are tried; what is beyond them is not counted."""


def exposed_operations(
    model: Model,
    state: State,
    inputs: Memory,
    hazard: ExpressionHazard | ProgramHazard,
    note: str,
    found: OpRef,
    only: Collection[OpRef] | None = None,
) -> list[ExposedFact]:
    """The operations besides `found`, or those of `only`, that `hazard` acts on, nearest to the
    state first.

    Of an expression hazard the variants that do `note` are tried on the frame's own operands.
    """
    kernels = model.module
    distance = StateDistance(kernels)
    known = dict(statements(kernels, kernels.functions))
    facts: list[ExposedFact] = []
    if only is None:
        places = [*_surveyed(model, state, inputs, hazard, note)]
    else:
        places = [(place, 0, 0) for place in sorted(only, key=lambda p: (p.function, p.op))]
    for place, changed, evaluations in places:
        statement = known.get(place)
        if place == found or statement is None:
            continue
        steps = distance.steps(place)
        fact = ExposedFact(Source.of(statement.span), what(statement), steps, changed, evaluations)
        facts.append(fact)
    return sorted(facts, key=lambda f: (f.steps is None, f.steps or 0, -f.changed))


def _surveyed(
    model: Model, state: State, inputs: Memory, hazard: ExpressionHazard | ProgramHazard, note: str
) -> Iterator[tuple[OpRef, int, int]]:
    """Each place, how many of its results in the frame change, and of how many."""
    if isinstance(hazard, ProgramHazard):
        yield from ((place, 0, 0) for place in hazard.places(model.module))
        return
    every = variants_among(model.module, hazard.name, budget=model.budget)
    alike = [variant for variant in every if variant.note == note] or every[:1]
    variants = {part.place: part for variant in alike for part in variant.parts}
    survey = _Survey({place: variant.site for place, variant in variants.items()})
    FrameInput.of(model, state, inputs).run(survey)
    for place, variant in variants.items():
        seen = survey.instances[place]
        results = (variant.site.bits(variant.tree, variant.arithmetic, each.given) for each in seen)
        changed = sum(bits != each.result for bits, each in zip(results, seen, strict=True))
        yield place, changed, len(seen)


@dataclass
class _Survey(Observer):
    """Keeps the operands and results of the first evaluations of each site."""

    sites: Mapping[OpRef, Site]
    instances: defaultdict[OpRef, list[Observation]] = field(
        default_factory=lambda: defaultdict(list)
    )

    def observe(self, steps: Steps, op: Op, number: int | None, step: Step) -> Step:
        place = OpRef(steps.function.name, op.id)
        site = self.sites.get(place)
        if site is None or number is None:
            return step
        kept = self.instances[place]
        operands, result = site.operands, op.result

        def run(frame: Frame) -> None:
            step(frame)
            if len(kept) < MOST_INSTANCES:
                given: dict[str, int] = {}
                for name, value in operands.items():
                    at = frame[steps.values[value.op, value.index]]
                    if at is UNSET or not isinstance(value.type, ScalarType):
                        return
                    given[name] = pattern_of(value.type, at)
                assert isinstance(result.type, ScalarType)
                made = frame[steps.values[result.op, result.index]]
                kept.append(Observation(given, pattern_of(result.type, made)))

        return run
