"""Both kinds of hazard by one name each: where they act, in how many ways, and the kernels made.

Owns nothing of which one is planted: `draw` chooses.
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
CHANCE: tuple[str, ...] = tuple(hazard.name for hazard in PROGRAM_HAZARDS if hazard.varies)
"""Those that no two runs have alike."""
RACES: tuple[str, ...] = tuple(hazard.name for hazard in PROGRAM_HAZARDS if hazard.is_race)
"""Those that take several workers."""
MOST_WAYS = 256
"""Ways of one structural hazard at one place that are counted."""


@dataclass(frozen=True)
class Planted:
    """A hazard's way at a place of some kernels, or everywhere. What chance decides follows from
    `draw`; with `fresh`, each run of the program has another one."""

    hazard: str
    place: OpRef | None
    way: int
    draw: int = 0
    fresh: bool = False

    def kernels(self, kernels: Module) -> Module:
        """The kernels that have it. Raises HazardError where IR cannot say what it does."""
        plain = guarded(kernels)
        hazard = _PROGRAM_HAZARDS.get(self.hazard)
        if hazard is None:
            made = rewritten(plain, variants_at(plain, self.hazard, self.place)[self.way].parts)
        else:
            assert self.place is not None
            ways = hazard.variants(plain, self.place, self.draw)
            made = next(islice(ways, self.way, None))[0]
        verify(made)
        return made

    def program(self, program: Program) -> Program:
        """The program that has it."""
        return program.with_kernels(self.kernels(program.kernels))

    def again(self, run: int) -> Planted:
        """As run number `run` has it."""
        return replace(self, draw=self.draw + run) if self.fresh else self

    def note(self, kernels: Module) -> str:
        """What has been done, in words."""
        plain = guarded(kernels)
        hazard = _PROGRAM_HAZARDS.get(self.hazard)
        if hazard is None:
            way = variants_at(plain, self.hazard, self.place)[self.way]
            return f"{way.expression} ({way.note})"
        assert self.place is not None
        return next(islice(hazard.variants(plain, self.place, self.draw), self.way, None))[1]


def places_of(kernels: Module, hazard: str) -> Sequence[OpRef]:
    """Where a hazard acts."""
    found = _PROGRAM_HAZARDS.get(hazard)
    return places_of_expression(kernels, hazard) if found is None else found.places(kernels)


def count_ways(kernels: Module, hazard: str, place: OpRef | None) -> int:
    """In how many ways it acts there."""
    plain = guarded(kernels)
    found = _PROGRAM_HAZARDS.get(hazard)
    if found is None:
        return len(variants_at(plain, hazard, place))
    if place is None:
        return 0
    return sum(1 for _ in islice(found.variants(plain, place, 0), MOST_WAYS))


def is_structural(hazard: str) -> bool:
    """Whether it is one of control flow, memory or inputs, rather than of an expression."""
    return hazard in _PROGRAM_HAZARDS


__all__ = [
    "CHANCE",
    "NAMES",
    "RACES",
    "HazardError",
    "Planted",
    "count_ways",
    "is_structural",
    "places_of",
]
