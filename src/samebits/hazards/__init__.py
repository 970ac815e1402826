"""Fault injection: hazards, which make the same source give other bits, put into a simulation.

For tests of what should notice a desync. A hazard is one row of the table in
docs/reference/hazards.md. It acts at operations of a simulation's own kernels, in one or more
variants.
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
    """A place where a hazard acts; as text, `arena.py:131:20 mul in arena.draw`."""

    at: str
    """What `inject` takes for this place alone: `arena.draw#37`."""
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
    """One variant of a hazard: an alternative evaluation, or a change of the program."""

    note: str
    """What does it in practice."""
    expression: str
    """The evaluation in C's notation, or a description of the change."""
    places: tuple[HazardPlace, ...]
    """Where it acts."""

    def __str__(self) -> str:
        return f"{self.expression}: {self.note}" if self.note != self.expression else self.note


def names() -> tuple[str, ...]:
    """The names of all hazards: expression hazards, the most plausible first, then program hazards,
    which change control flow, memory or inputs."""
    return tuple(hazard.name for hazard in (*EXPRESSION_HAZARDS, *PROGRAM_HAZARDS))


def title(hazard: str) -> str:
    """A hazard's title, a few words. Raises HazardError for an unknown one."""
    return by_name(hazard).title


def places(simulation: Simulation, hazard: str) -> tuple[HazardPlace, ...]:
    """The places where a hazard acts in a simulation, in source order. Raises HazardError for an
    unknown one, CompileError."""
    kernels = simulation.program.kernels
    return tuple(_place(simulation, place) for place in places_of(kernels, hazard))


def variants(
    simulation: Simulation, hazard: str, at: str | None = None
) -> tuple[HazardVariant, ...]:
    """The variants of a hazard at a place, the most plausible first; `inject` takes their index.

    `at` is a line, `arena.py:131`, a column of it, `arena.py:131:20`, counted from 1, a function,
    `draw`, or one of its operations, `draw#37`; None means all places at once. Where `at` covers
    several operations there is one variant per note, which acts at every operation that has it.
    Raises HazardError if the hazard or the place is unknown, or the hazard does not act there.
    """
    found = variants_named(simulation.program.kernels, hazard, at)
    return tuple(
        HazardVariant(v.note, v.expression, tuple(_place(simulation, p) for p in v.places))
        for v in found
    )


def inject(
    simulation: Simulation,
    hazard: str,
    at: str | None = None,
    variant: int = 0,
    from_frame: int = 0,
    seed: int | None = None,
) -> InjectedSimulation:
    """The simulation with a hazard in its kernels, at a place, as `variants` takes it, or at all.

    The hazard acts from frame `from_frame` on, and in `init` if that is 0. What is random in
    practice follows from `seed`, or is drawn anew at each call. Injected simulations can be
    injected again. Raises HazardError if the hazard, the place or the variant is unknown, or the
    hazard does not act there (the error lists where it does); CompileError.
    """
    if type(from_frame) is not int or from_frame < 0:
        raise HazardError(f"from_frame is {from_frame!r}", fix="give an int, 0 or more")
    if isinstance(simulation, InjectedSimulation) and simulation.from_frame != from_frame:
        raise HazardError(
            f"the injected hazards act from frame {simulation.from_frame} on, this one from "
            f"{from_frame}",
            fix="inject all of them from the same frame on",
        )
    program = simulation.program
    chosen = numbered(variants_named(program.kernels, hazard, at, seed), variant)
    return InjectedSimulation(simulation, with_variants(program, [chosen]), from_frame)


def _place(simulation: Simulation, place: OpRef) -> HazardPlace:
    kernels = simulation.program.kernels
    span = statement_at(kernels, place).span
    text = described(kernels, place)
    return HazardPlace(str(place), span.file, span.line, span.column + 1, place.function, text)
