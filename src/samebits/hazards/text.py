"""Hazards as a user writes them, `fma@arena.py:131:20#0`, injected into a program.

Owns the notation; `injection` owns the variants.
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

_TEXT = re.compile(r"(?P<hazard>[^@#]+)(?:@(?P<place>[^@]+?))?(?:#(?P<variant>[0-9]{1,6}))?")
_NUMBERED = re.compile(r"[^:]+")
"""A place given by its function, whose first number is an operation's."""
_MOST_LISTED = 8


def inject_texts(
    program: Program, texts: Sequence[str], run: int = 0, races: bool = True
) -> Program:
    """The program with the hazards that the texts name, injected in order.

    What is random follows from the text and, if the hazard differs between runs, from the number
    of the `run`. Without `races`, data races are left out.

    A text is HAZARD[@PLACE][#VARIANT], the place as `locate.find` reads it, the variant 0 by
    default; in `fma@draw#37` the number is the operation's. An expression hazard acts at every
    operation of the place, or everywhere; a program hazard at the first statement where it can.
    Raises HazardError.
    """
    for text in texts:
        program = _injected(program, text, run, races)
    return program


def _injected(program: Program, text: str, run: int, races: bool) -> Program:
    match = _TEXT.fullmatch(text.strip())
    if match is None:
        raise HazardError(
            f"{text!r:.80} does not name a hazard",
            fix="write HAZARD, HAZARD@FILE:LINE or HAZARD@FUNCTION",
        )
    place, variant = match["place"], match["variant"]
    if place and variant and _NUMBERED.fullmatch(place) and "#" not in place:
        place, variant = f"{place}#{variant}", None
    found = None if place is None else find(program.kernels, place)
    number = int(variant or 0)
    hazard = by_name(match["hazard"])
    if isinstance(hazard, ProgramHazard):
        if hazard.is_race and not races:
            return program
        return _with_program_hazard(program, hazard, found, number, run if hazard.varies else 0)
    variants = variants_named(program.kernels, hazard.name, place)
    return with_variants(program, [numbered(variants, number)])


def _with_program_hazard(
    program: Program, hazard: ProgramHazard, found: Sequence[OpRef] | None, number: int, seed: int
) -> Program:
    every = hazard.places(program.kernels)
    place = next((place for place in every if found is None or place in found), None)
    if place is None:
        raise _nothing(program.kernels, hazard, every)
    variants = list(hazard.variants(program.kernels, place, seed))
    if number >= len(variants):
        raise HazardError(
            f"{hazard.name} has {len(variants)} variants there, and none has number {number}",
            note="; ".join(f"{n}: {note}" for n, (_, note) in enumerate(variants[:_MOST_LISTED])),
        )
    verify(variants[number][0])
    return program.with_kernels(variants[number][0])


def _nothing(kernels: Module, hazard: ProgramHazard, every: Sequence[OpRef]) -> HazardError:
    shown = ", ".join(described(kernels, place) for place in every[:_MOST_LISTED])
    more = f" and {len(every) - _MOST_LISTED} more" if len(every) > _MOST_LISTED else ""
    return HazardError(
        f"{hazard.name} changes nothing there",
        note=f"it acts at {shown}{more}" if every else "it acts on nothing in the simulation",
    )
