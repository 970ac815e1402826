"""A side whose program has variants at places that no words name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from samebits.hazards.edit.inlined import inlined
from samebits.hazards.edit.parted_sincos import parted_sincos
from samebits.hazards.injection import ExpressionVariant, with_variants
from samebits.hazards.site_variants import SiteVariant
from samebits.ir.grammar import Module
from samebits.sides.side import Side
from samebits.sim.program import Program


@dataclass(frozen=True, eq=False)
class BuiltSide(Side):
    """A side with `variants` injected all at once, on top of the hazards of its words."""

    variants: tuple[SiteVariant, ...] = ()
    inlined: bool = False
    """Whether small functions stand in the place of their calls, which changes no bit."""

    rewrite: Callable[[Module], Module] | None = None
    """What is done to all kernels, if anything."""

    @cached_property
    def plain(self) -> Program:
        program = Side(self.text, self.simulation, self.spec).plain
        kernels = parted_sincos(program.kernels)
        kernels = inlined(kernels) if self.inlined else kernels
        return program if kernels is program.kernels else program.with_kernels(kernels)

    def with_hazards(self, program: Program) -> Program:
        if self.rewrite is not None:
            program = program.with_kernels(self.rewrite(program.kernels))
        return with_variants(super().with_hazards(program), _by_note(self.variants))


def _by_note(variants: Sequence[SiteVariant]) -> list[ExpressionVariant]:
    found: dict[tuple[str, str], list[SiteVariant]] = {}
    for variant in variants:
        found.setdefault((variant.hazard.name, variant.note), []).append(variant)
    return [ExpressionVariant(*key, tuple(parts)) for key, parts in found.items()]
