"""A loop that accumulates a sum, product or extreme of floats in SIMD lanes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.edit.function_editor import own_statements, with_statements
from samebits.hazards.edit.promotion import promoted
from samebits.ir.grammar import For, Lanes, Module
from samebits.ir.refs import OpRef, statement_at
from samebits.passes.semantics.accumulate import Accumulation

_COUNTS = (4, 8, 2, 16)
_VECTORS = {
    2: "SSE2 and NEON in doubles",
    4: "SSE and NEON in floats, AVX in doubles",
    8: "AVX in floats, AVX-512 in doubles, two accumulators of four lanes",
    16: "AVX-512 in floats, two accumulators of eight lanes",
}


def _places(module: Module) -> list[OpRef]:
    return [
        place
        for place, loop in own_statements(module)
        if isinstance(loop, For) and _accumulated(promoted(module, place.function, place.op), place)
    ]


def _accumulated(module: Module, place: OpRef) -> tuple[tuple[str, str], ...]:
    """The slots that a loop accumulates into, each with the operation that joins its lanes."""
    loop = statement_at(module, place)
    assert isinstance(loop, For)
    return Accumulation(module.functions[place.function]).of(loop)


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    module = promoted(module, place.function, place.op)
    slots, loop = _accumulated(module, place), statement_at(module, place)
    assert isinstance(loop, For)
    flush = module.functions[place.function].options.denormals == "flush"
    for count in _COUNTS:
        lanes = Lanes((count,), slots, flush)
        if lanes != loop.lanes:
            laned = replace(loop, lanes=lanes)
            changed = with_statements(module, place.function, {place.op: [laned]})
            yield changed, f"{count} lanes, folded by halves: {_VECTORS[count]}"


LANES = ProgramHazard(
    "lanes",
    "a loop that accumulates in SIMD lanes",
    _places,
    _changes,
    practice="-Ofast, -ffast-math, `omp simd reduction`, hand-written intrinsics",
    remedy="fix the shape: samebits' reductions, or DETERMINISTIC; no -ffast-math",
)
