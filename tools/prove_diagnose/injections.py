"""Injections of hazards of both kinds: where a hazard acts, its variants there, and the kernels.

Does not choose among them: `draw` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice

from samebits.errors import HazardError
from samebits.hazards.apply import rewritten
from samebits.hazards.catalogue import EXPRESSION_HAZARDS, PROGRAM_HAZARDS
from samebits.hazards.edit.function_editor import guarded
from samebits.hazards.injection import places_of as places_of_expression
from samebits.hazards.injection import variants_at
from samebits.ir.grammar import Module
from samebits.ir.refs import OpRef
from samebits.ir.verify import verify
from samebits.sim.program import Program

_PROGRAM_HAZARDS = {hazard.name: hazard for hazard in PROGRAM_HAZARDS}
NAMES: tuple[str, ...] = (*(hazard.name for hazard in EXPRESSION_HAZARDS), *_PROGRAM_HAZARDS)
"""Every row of both tables."""
VARYING: tuple[str, ...] = tuple(hazard.name for hazard in PROGRAM_HAZARDS if hazard.varies)
"""Those that differ from run to run."""
RACES: tuple[str, ...] = tuple(hazard.name for hazard in PROGRAM_HAZARDS if hazard.is_race)
"""Those that take several workers."""
MOST_VARIANTS = 256
"""Variants of one program hazard at one place that are counted."""


@dataclass(frozen=True)
class Injection:
    """A hazard's variant at a place of some kernels, or everywhere. Its noise follows from `draw`;
    with `fresh`, each run of the program has another draw."""

    hazard: str
    place: OpRef | None
    variant: int
    draw: int = 0
    fresh: bool = False

    def kernels(self, kernels: Module) -> Module:
        """The kernels that have it. Raises HazardError where IR cannot say what it does."""
        plain = guarded(kernels)
        hazard = _PROGRAM_HAZARDS.get(self.hazard)
        if hazard is None:
            made = rewritten(plain, variants_at(plain, self.hazard, self.place)[self.variant].parts)
        else:
            assert self.place is not None
            variants = hazard.variants(plain, self.place, self.draw)
            made = next(islice(variants, self.variant, None))[0]
        verify(made)
        return made

    def program(self, program: Program) -> Program:
        """The program that has it."""
        return program.with_kernels(self.kernels(program.kernels))

    def again(self, run: int) -> Injection:
        """As run number `run` has it."""
        return replace(self, draw=self.draw + run) if self.fresh else self

    def note(self, kernels: Module) -> str:
        """What has been done, in words."""
        plain = guarded(kernels)
        hazard = _PROGRAM_HAZARDS.get(self.hazard)
        if hazard is None:
            variant = variants_at(plain, self.hazard, self.place)[self.variant]
            return f"{variant.expression} ({variant.note})"
        assert self.place is not None
        return next(islice(hazard.variants(plain, self.place, self.draw), self.variant, None))[1]


def places_of(kernels: Module, hazard: str) -> Sequence[OpRef]:
    """Where a hazard acts."""
    found = _PROGRAM_HAZARDS.get(hazard)
    return places_of_expression(kernels, hazard) if found is None else found.places(kernels)


def count_variants(kernels: Module, hazard: str, place: OpRef | None) -> int:
    """The number of its variants there."""
    plain = guarded(kernels)
    found = _PROGRAM_HAZARDS.get(hazard)
    if found is None:
        return len(variants_at(plain, hazard, place))
    if place is None:
        return 0
    return sum(1 for _ in islice(found.variants(plain, place, 0), MOST_VARIANTS))


def is_program_hazard(hazard: str) -> bool:
    """Whether it changes control flow, memory or inputs, rather than an expression."""
    return hazard in _PROGRAM_HAZARDS


__all__ = [
    "NAMES",
    "RACES",
    "VARYING",
    "HazardError",
    "Injection",
    "count_variants",
    "is_program_hazard",
    "places_of",
]
