"""Hazards: what makes the same source give other bits, planted in a simulation on purpose.

For rehearsals of a desync, and for tests of whatever is to notice one. A hazard is one row of the
table in docs/reference/hazards.md; each acts at operations of a simulation's own kernels, in one
or more ways.
"""

from __future__ import annotations

from dataclasses import dataclass

from samebits.errors import HazardError
from samebits.hazards.catalogue import EXPRESSION_HAZARDS, PROGRAM_HAZARDS, by_name
from samebits.hazards.injected_simulation import InjectedSimulation
from samebits.hazards.injection import numbered, places_of, variants_named, with_variants
from samebits.ir.refs import OpRef, described, statement_at
from samebits.sim.simulation import Simulation

__all__ = [
    "HazardPlace",
    "HazardVariant",
    "InjectedSimulation",
    "inject",
    "names",
    "places",
    "title",
    "variants",
]


@dataclass(frozen=True)
class HazardPlace:
    """Where a hazard acts; as text, `arena.py:131:20 mul in arena.draw`."""

    at: str
    """What `plant` takes for this place alone: `arena.draw#37`."""
    file: str
    line: int
    column: int
    """From 1."""
    function: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class HazardVariant:
    """One way in which a hazard acts."""

    note: str
    """What does it in practice."""
    expression: str
    """The evaluation, as C would have it, or what is done where it is more than an expression."""
    places: tuple[HazardPlace, ...]
    """Where it acts."""

    def __str__(self) -> str:
        return f"{self.expression}: {self.note}" if self.note != self.expression else self.note


def names() -> tuple[str, ...]:
    """The names of all hazards: those of an expression, the most plausible first, then those of
    control flow, memory and inputs."""
    return tuple(hazard.name for hazard in (*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS))


def title(hazard: str) -> str:
    """What a hazard is, in a few words. Raises HazardError for an unknown one."""
    return by_name(hazard).title


def places(simulation: Simulation, hazard: str) -> tuple[HazardPlace, ...]:
    """Where a hazard acts in a simulation, in source order. Raises HazardError for an unknown one,
    CompileError."""
    kernels = simulation.program.kernels
    return tuple(_place(simulation, place) for place in places_of(kernels, hazard))


def variants(
    simulation: Simulation, hazard: str, at: str | None = None
) -> tuple[HazardVariant, ...]:
    """The ways of a hazard at a place, the most plausible first: their positions are what `plant`
    takes.

    `at` is a line, `arena.py:131`, a column of it, `arena.py:131:20`, counted from 1, a function,
    `draw`, or one of its operations, `draw#37`; None for all places at once. Where it means
    several operations there is one way for each note, which acts at all that it can. Raises
    HazardError for what there is not, and for a hazard that changes nothing there.
    """
    found = variants_named(simulation.program.kernels, hazard, at)
    return tuple(
        HazardVariant(way.note, way.expression, tuple(_place(simulation, p) for p in way.places))
        for way in found
    )


def inject(
    simulation: Simulation,
    hazard: str,
    at: str | None = None,
    variant: int = 0,
    from_frame: int = 0,
    seed: int | None = None,
) -> InjectedSimulation:
    """The simulation with a hazard in its kernels: at a place, as `ways` takes it, or at all.

    From frame `from_frame` on the hazard acts; in `init` where that is 0. What chance decides in
    practice follows from `seed`, or is drawn anew each time. What is planted can be planted in
    again. Raises HazardError for a hazard, a place or a way that there is not, and for a hazard
    that changes nothing there, with the places where it acts; CompileError.
    """
    if type(from_frame) is not int or from_frame < 0:
        raise HazardError(f"the hazard acts from frame {from_frame!r}", fix="give an int from 0 on")
    if isinstance(simulation, InjectedSimulation) and simulation.from_frame != from_frame:
        raise HazardError(
            f"hazards act from frame {simulation.from_frame} on, and this one from {from_frame}",
            fix="plant all of them from the same frame on",
        )
    program = simulation.program
    chosen = numbered(variants_named(program.kernels, hazard, at, seed), variant)
    return InjectedSimulation(simulation, with_variants(program, [chosen]), from_frame)


def _place(simulation: Simulation, place: OpRef) -> HazardPlace:
    kernels = simulation.program.kernels
    span = statement_at(kernels, place).span
    text = described(kernels, place)
    return HazardPlace(str(place), span.file, span.line, span.column + 1, place.function, text)
