"""Several hazards injected into one program at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from samebits.hazards.injection import numbered, variants_named, with_variants
from samebits.ir.refs import OpRef
from samebits.sim.program import Program


class Injection(NamedTuple):
    """A hazard at a place, or everywhere if that is None."""

    hazard: str
    place: OpRef | None = None
    variant: int = 0
    seed: int | None = None


def injected(program: Program, injections: Sequence[Injection]) -> Program:
    """The program with these in its kernels."""
    chosen = [
        numbered(variants_named(program.kernels, hazard, place and str(place), seed), variant)
        for hazard, place, variant, seed in injections
    ]
    return with_variants(program, chosen)
