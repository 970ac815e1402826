"""Hazards put into the kernels of a simulation, at one operation or at all where they act.

Owns which variants there are, how each is numbered so that it can be made again, and the program
that they make. Every operation that was there keeps its id, and the injected one has the id of the
result that it gives: runs of both programs can be compared operation by operation.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from samebits.errors import HazardError
from samebits.hazards.apply import rewritten
from samebits.hazards.catalogue import Hazard, Structural, by_name
from samebits.hazards.edit.function_editor import guarded
from samebits.hazards.expressions import Sites
from samebits.hazards.locate import find
from samebits.hazards.variants import ACROSS, ExpressionWay, first_ways_of, ways_of
from samebits.ir.analysis.budget import Budget
from samebits.ir.grammar import Module, Op
from samebits.ir.refs import Place, described, is_own, op_at, statement_at, statements
from samebits.ir.verify import verify
from samebits.sim.program import Program

_MOST_LISTED = 8


@dataclass(frozen=True, slots=True)
class Plant:
    """A hazard at a place, or at every place where it acts; `way` counts what `ways_at` gives.

    What chance decides in a structural hazard follows from `seed`, or is drawn anew each time.
    """

    hazard: str
    place: Place | None = None
    way: int = 0
    seed: int | None = None


@dataclass(frozen=True)
class Way:
    """One way in which a hazard acts: the evaluation at each of its places."""

    hazard: str
    note: str
    """What does it in practice."""
    parts: tuple[ExpressionWay, ...]

    @property
    def places(self) -> tuple[Place, ...]:
        """Where it acts."""
        return tuple(part.place for part in self.parts)

    @property
    def expression(self) -> str:
        """The evaluation at the first place, as C would have it."""
        return self.parts[0].expression

    def kernels(self, kernels: Module) -> Module:
        """The kernels that have it. Raises HazardError where IR cannot say what it does."""
        return rewritten(kernels, self.parts)


def places_of(kernels: Module, hazard: str) -> list[Place]:
    """Where a hazard acts, in source order. Raises HazardError for an unknown one."""
    found = by_name(hazard)
    if isinstance(found, Structural):
        return found.places(kernels)
    return [
        place
        for sites, place in _operations(kernels)
        if next(ways_of(found, sites, place), None) is not None
    ]


def _of_expressions(hazard: str) -> Hazard:
    """The hazard of a name. Raises HazardError where it is none of an expression."""
    found = by_name(hazard)
    if isinstance(found, Structural):
        raise HazardError(f"{hazard} is no hazard of an expression")
    return found


def ways_at(kernels: Module, hazard: str, place: Place | None = None) -> tuple[Way, ...]:
    """The ways of a hazard of expressions at a place, the most plausible first; without a place
    those at all of its places at once. Raises HazardError for what there is not."""
    if place is None:
        return ways_among(kernels, hazard)
    found = _of_expressions(hazard)
    op_at(kernels, place)
    sites = Sites(kernels.functions[place.function])
    return tuple(Way(hazard, way.note, (way,)) for way in ways_of(found, sites, place))


def ways_among(
    kernels: Module,
    hazard: str,
    places: Iterable[Place] | None = None,
    budget: Budget | None = None,
) -> tuple[Way, ...]:
    """The ways of a hazard at all of some places at once: one for each note, by the first way at
    each place that has that note. Across statements it acts within them too. Raises TraceError
    where that takes more than `budget`."""
    found = _of_expressions(hazard)
    wanted = None if places is None else set(places)
    by_note: dict[str, list[ExpressionWay]] = {}
    for sites, place in _operations(kernels, budget):
        if wanted is not None and place not in wanted:
            continue
        for note, way in first_ways_of(found, sites, place).items():
            by_note.setdefault(note, []).append(way)
    for note, ways in by_note.items():
        if note.endswith(ACROSS):
            there = {way.place for way in ways}
            within = by_note.get(note.removesuffix(ACROSS), [])
            ways += [way for way in within if way.place not in there]
    return tuple(Way(hazard, note, tuple(_outer(ways))) for note, ways in by_note.items())


def _outer(ways: Sequence[ExpressionWay]) -> list[ExpressionWay]:
    """The ways but for those inside another expression that is evaluated anew as a whole, and
    that alone uses their results."""
    inside = {
        Place(way.place.function, value.op)
        for way in ways
        if way.whole and not way.site.wide
        for value in way.site.values.values()
    }
    return sorted((way for way in ways if way.place not in inside), key=lambda way: way.place)


def _operations(kernels: Module, budget: Budget | None = None) -> Iterator[tuple[Sites, Place]]:
    """The user's own operations, with their functions' sites."""
    for name in filter(is_own, kernels.functions):
        sites = Sites(kernels.functions[name], budget)
        for place, statement in statements(kernels, [name]):
            if isinstance(statement, Op):
                yield sites, place


def ways_named(
    kernels: Module, hazard: str, at: str | None, seed: int | None = None
) -> Sequence[Way | KernelWay]:
    """The ways of a hazard where `at` says, as `places.find` reads it, or at all places at once.

    An expression's hazard acts at every place that is meant, a structural one at the first.
    Raises HazardError where it acts at none.
    """
    found = by_name(hazard)
    meant = None if at is None else find(kernels, at)
    acts = [p for p in places_of(kernels, hazard) if meant is None or p in meant]
    if not acts:
        raise nothing_there(kernels, hazard, None if at is None else f"at {at}")
    if isinstance(found, Structural):
        return structural_ways(kernels, found, None if at is None else acts[0], seed)
    return (
        ways_at(kernels, hazard, acts[0]) if len(acts) == 1 else ways_among(kernels, hazard, acts)
    )


def chosen(kernels: Module, plant: Plant) -> Way | KernelWay:
    """The way that a plant names. Raises HazardError, which says what there is."""
    found = by_name(plant.hazard)
    ways: Sequence[Way | KernelWay]
    if isinstance(found, Structural):
        ways = structural_ways(kernels, found, plant.place, plant.seed)
    else:
        ways = ways_at(kernels, plant.hazard, plant.place)
    if not ways:
        where = None if plant.place is None else f"at {described(kernels, plant.place)}"
        raise nothing_there(kernels, plant.hazard, where)
    return numbered(ways, plant.way)


def numbered(ways: Sequence[Way | KernelWay], number: int) -> Way | KernelWay:
    """The way of a number. Raises HazardError, which lists them."""
    if 0 <= number < len(ways):
        return ways[number]
    counted = "one way" if len(ways) == 1 else f"{len(ways):,} ways"
    raise HazardError(
        f"{ways[0].hazard} has {counted} there, and none is number {number}",
        note="; ".join(f"{i}: {w.expression}" for i, w in enumerate(ways[:_MOST_LISTED])),
    )


def nothing_there(kernels: Module, hazard: str, where: str | None) -> HazardError:
    """The error that a hazard changes nothing somewhere, or at all; it names where it acts."""
    where = where or "in this simulation"
    acts = places_of(kernels, hazard)
    rows = list(dict.fromkeys(described(kernels, found) for found in acts))
    shown = ", ".join(rows[:_MOST_LISTED])
    more = f" and {len(rows) - _MOST_LISTED} more" if len(rows) > _MOST_LISTED else ""
    return HazardError(
        f"{hazard} changes nothing {where}",
        note=f"it acts at {shown}{more}" if acts else "there is no operation that it acts on",
    )


def planted(program: Program, plants: Sequence[Plant]) -> Program:
    """The program with hazards in its kernels, and what they need of the library. Raises
    HazardError where one changes nothing or cannot be planted."""
    kernels = guarded(program.kernels)
    return with_ways(program, [chosen(kernels, plant) for plant in plants])


def with_ways(program: Program, ways: Sequence[Way | KernelWay]) -> Program:
    """As `planted`, with ways of the program's own kernels."""
    kernels = guarded(program.kernels)
    taken = Counter(place for way in ways for place in way.places)
    for place, times in taken.items():
        if times > 1:
            raise HazardError(f"two hazards are planted at {described(kernels, place)}")
    # Sites are found by ids, which structural ways keep.
    for way in ways:
        if isinstance(way, KernelWay):
            kernels = way.kernels(kernels)
    parts = [part for way in ways if isinstance(way, Way) for part in way.parts]
    kernels = rewritten(kernels, parts)
    verify(kernels)
    return program.with_kernels(kernels)


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
