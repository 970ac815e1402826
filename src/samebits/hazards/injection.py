"""Hazards injected into the kernels of a simulation, at one operation or everywhere they act.

Owns which variants exist, their numbers, and the injected program. Original operations keep their
ids, and an injected one takes the id of the result that it computes, so that runs of both programs
can be compared operation by operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from samebits.errors import HazardError
from samebits.hazards.apply import rewritten
from samebits.hazards.catalogue import ExpressionHazard, ProgramHazard, by_name
from samebits.hazards.edit.function_editor import guarded
from samebits.hazards.expressions import Sites
from samebits.hazards.locate import find
from samebits.hazards.site_variants import ACROSS, SiteVariant, first_variants_of, variants_of
from samebits.hazards.switchboard import MOST_FORMS, Switch
from samebits.ir.analysis.budget import Budget
from samebits.ir.grammar import Module, Op
from samebits.ir.refs import OpRef, described, is_own, op_at, statements
from samebits.ir.verify import verify
from samebits.sim.program import Program

_MOST_LISTED = 8


@dataclass(frozen=True)
class ExpressionVariant:
    """A variant of an expression hazard: one evaluation at each of its places."""

    hazard: str
    note: str
    """What does it in practice."""
    parts: tuple[SiteVariant, ...]

    @property
    def places(self) -> tuple[OpRef, ...]:
        """The operations that it acts on."""
        return tuple(part.place for part in self.parts)

    @property
    def expression(self) -> str:
        """The evaluation at the first place, in C's notation."""
        return self.parts[0].expression


def places_of(kernels: Module, hazard: str) -> list[OpRef]:
    """The operations that a hazard acts on, in source order. Raises HazardError for an unknown
    one."""
    found = by_name(hazard)
    if isinstance(found, ProgramHazard):
        return found.places(kernels)
    return [
        place
        for sites, place in _operations(kernels)
        if next(variants_of(found, sites, place), None) is not None
    ]


def _of_expressions(hazard: str) -> ExpressionHazard:
    """The expression hazard of a name. Raises HazardError if it is a program hazard."""
    found = by_name(hazard)
    if isinstance(found, ProgramHazard):
        raise HazardError(f"{hazard} is a program hazard, not an expression hazard")
    return found


def variants_at(
    kernels: Module, hazard: str, place: OpRef | None = None
) -> tuple[ExpressionVariant, ...]:
    """The variants of an expression hazard at a place, the most plausible first; without a place
    those at all of its places at once. Raises HazardError if the hazard or the place is unknown."""
    if place is None:
        return variants_among(kernels, hazard)
    found = _of_expressions(hazard)
    op_at(kernels, place)
    sites = Sites(kernels.functions[place.function])
    return tuple(
        ExpressionVariant(hazard, variant.note, (variant,))
        for variant in variants_of(found, sites, place)
    )


def switches_of(
    kernels: Module, hazards: Sequence[str], most: Mapping[str, int], library: bool = False
) -> tuple[Switch, ...]:
    """The switches of expression hazards, in source order: at each place the first variant with
    each note, then as many others as `most` says of a hazard; with `library`, in the library's
    functions too. Raises HazardError for what is no expression hazard."""
    found = [_of_expressions(hazard) for hazard in hazards]
    switches: list[Switch] = []
    for sites, place in _operations(kernels, library=library):
        forms = [v for each in found for v in _forms(each, sites, place, most.get(each.name, 1))]
        if forms:
            switches.append(Switch(place, tuple(forms[:MOST_FORMS])))
    return tuple(switches)


def _forms(
    hazard: ExpressionHazard, sites: Sites, place: OpRef, most: int
) -> Iterable[SiteVariant]:
    first = list(first_variants_of(hazard, sites, place).values())
    if not first or most <= len(first):
        return first
    every = islice(variants_of(hazard, sites, place), 2 * most)
    return (first + [variant for variant in every if variant not in first])[:most]


def variants_among(
    kernels: Module,
    hazard: str,
    places: Iterable[OpRef] | None = None,
    budget: Budget | None = None,
) -> tuple[ExpressionVariant, ...]:
    """The variants of a hazard at several places at once: one per note, made of the first variant
    at each place that has that note. A variant across statements acts within them too. Raises
    TraceError if `budget` does not suffice."""
    found = _of_expressions(hazard)
    wanted = None if places is None else set(places)
    by_note: dict[str, list[SiteVariant]] = {}
    for sites, place in _operations(kernels, budget):
        if wanted is not None and place not in wanted:
            continue
        for note, variant in first_variants_of(found, sites, place).items():
            by_note.setdefault(note, []).append(variant)
    for note, variants in by_note.items():
        if note.endswith(ACROSS):
            there = {variant.place for variant in variants}
            within = by_note.get(note.removesuffix(ACROSS), [])
            variants += [variant for variant in within if variant.place not in there]
    return tuple(
        ExpressionVariant(hazard, note, tuple(_outer(variants)))
        for note, variants in by_note.items()
    )


def _outer(variants: Sequence[SiteVariant]) -> list[SiteVariant]:
    """The variants without those inside another expression that is evaluated anew as a whole and
    is the only user of their results."""
    inside = {
        OpRef(variant.place.function, value.op)
        for variant in variants
        if variant.whole and not variant.site.wide
        for value in variant.site.values.values()
    }
    return sorted(
        (variant for variant in variants if variant.place not in inside),
        key=lambda variant: variant.place,
    )


def _operations(
    kernels: Module, budget: Budget | None = None, library: bool = False
) -> Iterator[tuple[Sites, OpRef]]:
    """The user's own operations, with `library` the library's too, each with the sites of its
    function."""
    for name in kernels.functions:
        if not (library or is_own(name)):
            continue
        sites = Sites(kernels.functions[name], budget)
        for place, statement in statements(kernels, [name]):
            if isinstance(statement, Op):
                yield sites, place


def variants_named(
    kernels: Module, hazard: str, at: str | None, seed: int | None = None
) -> Sequence[ExpressionVariant | ProgramVariant]:
    """The variants of a hazard at the places that `at` names, as `locate.find` reads it, or at all.

    An expression hazard acts at every named place, a program hazard at the first. Raises
    HazardError if it acts at none of them.
    """
    found = by_name(hazard)
    meant = None if at is None else find(kernels, at)
    acts = [p for p in places_of(kernels, hazard) if meant is None or p in meant]
    if not acts:
        raise nothing_there(kernels, hazard, None if at is None else f"at {at}")
    if isinstance(found, ProgramHazard):
        return _program_variants(kernels, found, acts if at is None else acts[:1], seed)
    return (
        variants_at(kernels, hazard, acts[0])
        if len(acts) == 1
        else variants_among(kernels, hazard, acts)
    )


def numbered(
    variants: Sequence[ExpressionVariant | ProgramVariant], number: int
) -> ExpressionVariant | ProgramVariant:
    """The variant with this number. Raises HazardError, which lists them."""
    if 0 <= number < len(variants):
        return variants[number]
    counted = "one variant" if len(variants) == 1 else f"{len(variants):,} variants"
    raise HazardError(
        f"{variants[0].hazard} has {counted} there, and none has number {number}",
        note="; ".join(f"{i}: {w.expression}" for i, w in enumerate(variants[:_MOST_LISTED])),
    )


def nothing_there(kernels: Module, hazard: str, where: str | None) -> HazardError:
    """The error that a hazard changes nothing at a place, or anywhere; it lists where it acts."""
    where = where or "in this simulation"
    acts = places_of(kernels, hazard)
    rows = list(dict.fromkeys(described(kernels, found) for found in acts))
    shown = ", ".join(rows[:_MOST_LISTED])
    more = f" and {len(rows) - _MOST_LISTED} more" if len(rows) > _MOST_LISTED else ""
    return HazardError(
        f"{hazard} changes nothing {where}",
        note=f"it acts at {shown}{more}" if acts else "it acts on no operation of the simulation",
    )


def with_variants(
    program: Program, variants: Sequence[ExpressionVariant | ProgramVariant]
) -> Program:
    """The program with variants of its own kernels in them, and the library functions that they
    call. Raises HazardError if two have one place, or one cannot be injected."""
    kernels = guarded(program.kernels)
    taken = Counter(place for variant in variants for place in variant.places)
    for place, times in taken.items():
        if times > 1:
            raise HazardError(f"two hazards are injected at {described(kernels, place)}")
    # Sites are found by operation ids, which program hazards keep.
    for variant in variants:
        if isinstance(variant, ProgramVariant):
            kernels = variant.kernels(kernels)
    parts = [
        part
        for variant in variants
        if isinstance(variant, ExpressionVariant)
        for part in variant.parts
    ]
    kernels = rewritten(kernels, parts)
    verify(kernels)
    return program.with_kernels(kernels)


_LOOKED_AT = 8
"""Places examined to learn how many variants a program hazard has at all places at once."""


@dataclass(frozen=True, slots=True)
class ProgramVariant:
    """A variant of a program hazard, at each of its places."""

    hazard: str
    note: str
    """The change at the first place."""
    places: tuple[OpRef, ...]
    number: int
    seed: int | None
    _program_hazard: ProgramHazard

    @property
    def expression(self) -> str:
        """A description of the change, which no expression shows."""
        return self.note

    def kernels(self, kernels: Module) -> Module:
        """The kernels with this variant. A place with fewer variants gets its last one, if any."""
        for place in self.places:
            variants = self._program_hazard.variants(kernels, place, self.seed)
            made = list(islice(variants, self.number + 1))
            kernels = made[-1][0] if made else kernels
        return kernels


def _program_variants(
    kernels: Module, hazard: ProgramHazard, places: Sequence[OpRef], seed: int | None
) -> Sequence[ProgramVariant]:
    """The variants of a program hazard at all of these places, most plausible first."""
    notes: Sequence[str] = ()
    for each in places[:_LOOKED_AT]:
        found = [note for _, note in hazard.variants(kernels, each, seed)]
        notes = found if len(found) > len(notes) else notes
    return [
        ProgramVariant(hazard.name, note, tuple(places), number, seed, hazard)
        for number, note in enumerate(notes)
    ]
