"""A loop that accumulates a sum, product or extreme of floats in SIMD lanes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random

from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.edit.function_editor import FunctionEditor, own_functions
from samebits.hazards.edit.promotion import promoted
from samebits.ir.grammar import For, Lanes, Module, walk
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
        OpRef(function.name, loop.id)
        for function in own_functions(module)
        for loop in walk(function.body)
        if isinstance(loop, For)
        and _accumulated(promoted(module, function.name, loop.id), function.name, loop.id)
    ]


def _accumulated(module: Module, name: str, number: int) -> tuple[tuple[str, str], ...]:
    """The slots that a loop accumulates into, each with the operation that joins its lanes."""
    function = module.functions[name]
    loop = statement_at(module, OpRef(name, number))
    assert isinstance(loop, For)
    return Accumulation(function).of(loop)


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    module = promoted(module, place.function, place.op)
    slots = _accumulated(module, place.function, place.op)
    for count in _COUNTS:
        editor = FunctionEditor(module, place.function)
        with editor.instead(place.op) as loop:
            assert isinstance(loop, For)
            flush = editor.function.options.denormals == "flush"
            lanes = Lanes((count,), slots, flush)
            editor.append(replace(loop, lanes=lanes))
        if lanes != loop.lanes:
            yield editor.done(), f"{count} lanes, folded by halves: {_VECTORS[count]}"


LANES = ProgramHazard(
    "lanes",
    "a loop that accumulates in SIMD lanes",
    _places,
    _changes,
    practice="-Ofast, -ffast-math, `omp simd reduction`, hand-written intrinsics",
    remedy="fix the shape: samebits' reductions, or DETERMINISTIC; no -ffast-math",
)
