"""A kernel as IR that the passes have gone over."""

from __future__ import annotations

from samebits.frontend.compile import compile_kernel, link
from samebits.ir.grammar import Module
from samebits.lang.kernel import Kernel
from samebits.passes.pipeline import optimise


def optimised(one: Kernel) -> tuple[Module, list[str]]:
    types = one.fixed_types
    assert types is not None
    unit = compile_kernel(one, types)
    entries = [unit.function.name]
    return optimise(link(unit), entries), entries
