"""Ways of structural hazards by number, at one place or at all of them.

Owns how a way is named, so that it can be made again. What it does is its hazard's business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from samebits.hazards.catalogue import Structural
from samebits.ir.grammar import Module
from samebits.ir.refs import Place, statement_at

_LOOKED_AT = 8
"""Places that say how many ways there are at all places at once."""


@dataclass(frozen=True, slots=True)
class KernelWay:
    """One way in which a structural hazard acts, at each of its places."""

    hazard: str
    note: str
    """What is done, at the first place."""
    places: tuple[Place, ...]
    number: int
    seed: int | None
    _structural: Structural

    @property
    def expression(self) -> str:
        """What is done: no expression says it."""
        return self.note

    def kernels(self, kernels: Module) -> Module:
        """The kernels that have it. A place with fewer ways has its last; one with none stays."""
        for place in self.places:
            ways = self._structural.ways(kernels, place, self.seed)
            made = list(islice(ways, self.number + 1))
            kernels = made[-1][0] if made else kernels
        return kernels


def structural_ways(
    kernels: Module, hazard: Structural, place: Place | None = None, seed: int | None = None
) -> Sequence[KernelWay]:
    """The ways of a hazard at a place, or at all of its places at once, the most plausible first.

    Raises HazardError for a place that is not there.
    """
    if place is not None:
        statement_at(kernels, place)
    acts = hazard.places(kernels)
    places = acts if place is None else [each for each in acts if each == place]
    notes: Sequence[str] = ()
    for each in places[:_LOOKED_AT]:
        found = [note for _, note in hazard.ways(kernels, each, seed)]
        notes = found if len(found) > len(notes) else notes
    return [
        KernelWay(hazard.name, note, tuple(places), number, seed, hazard)
        for number, note in enumerate(notes)
    ]
