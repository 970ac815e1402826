"""Hazards as a user writes them, `fma@arena.py:131:20#0`, planted in a program.

Owns the text. Which ways there are and what they make is the hazards'.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from samebits.errors import HazardError
from samebits.hazards.catalogue import ProgramHazard, by_name
from samebits.hazards.injection import numbered, variants_named, with_variants
from samebits.hazards.locate import find
from samebits.ir.grammar import Module
from samebits.ir.refs import OpRef, described
from samebits.ir.verify import verify
from samebits.sim.program import Program

_TEXT = re.compile(r"(?P<hazard>[^@#]+)(?:@(?P<place>[^@]+?))?(?:#(?P<way>\d{1,6}))?")
_NUMBERED = re.compile(r"[^:]+")
"""A place by its function, whose first number is an operation's."""
_MOST_LISTED = 8


def inject_texts(
    program: Program, texts: Sequence[str], run: int = 0, races: bool = True
) -> Program:
    """The program with the hazards that the texts say, one after the other.

    Chance follows from the text, and from the number of the `run` where the hazard differs from
    run to run. Without `races`, hazards that are some are left out.

    A text is HAZARD[@PLACE][#WAY], the place as `places.find` has it; the first way if none is
    given; in `fma@draw#37` the number is the operation's. A hazard of expressions acts at every
    operation that is meant, all without a place; a structural one at the first statement of them.
    Raises HazardError.
    """
    for text in texts:
        program = _planted(program, text, run, races)
    return program


def _planted(program: Program, text: str, run: int, races: bool) -> Program:
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise HazardError(
            f"{text!r:.80} is no hazard", fix="write HAZARD, HAZARD@FILE:LINE or HAZARD@FUNCTION"
        )
    place, way = match["place"], match["way"]
    if place and way and _NUMBERED.fullmatch(place) and "#" not in place:
        place, way = f"{place}#{way}", None
    found = None if place is None else find(program.kernels, place)
    number = int(way or 0)
    hazard = by_name(match["hazard"])
    if isinstance(hazard, ProgramHazard):
        if hazard.is_race and not races:
            return program
        return _structural(program, hazard, found, number, run if hazard.varies else 0)
    ways = variants_named(program.kernels, hazard.name, place)
    return with_variants(program, [numbered(ways, number)])


def _structural(
    program: Program, hazard: ProgramHazard, found: Sequence[OpRef] | None, number: int, seed: int
) -> Program:
    every = hazard.places(program.kernels)
    place = next((place for place in every if found is None or place in found), None)
    if place is None:
        raise _nothing(program.kernels, hazard, every)
    ways = list(hazard.variants(program.kernels, place, seed))
    if number >= len(ways):
        raise HazardError(
            f"{hazard.name} has {len(ways)} ways there, and none is number {number}",
            note="; ".join(f"{n}: {note}" for n, (_, note) in enumerate(ways[:_MOST_LISTED])),
        )
    verify(ways[number][0])
    return program.with_kernels(ways[number][0])


def _nothing(kernels: Module, hazard: ProgramHazard, every: Sequence[OpRef]) -> HazardError:
    shown = ", ".join(described(kernels, place) for place in every[:_MOST_LISTED])
    more = f" and {len(every) - _MOST_LISTED} more" if len(every) > _MOST_LISTED else ""
    return HazardError(
        f"{hazard.name} changes nothing there",
        note=f"it acts at {shown}{more}" if every else "there is nothing that it acts on",
    )
