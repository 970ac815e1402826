"""The lowering of float modes: what options of kernels mean, as typed IR for any target.

The module that `lower_float_modes` returns is the meaning: `evaluate` runs it, every target agrees.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial

from samebits.errors import Span
from samebits.ir.grammar import Function, Lanes, Module, Op, plain_name
from samebits.ir.once import Lately
from samebits.modes import FAST, STRICT
from samebits.passes.semantics.accumulate import Accumulation
from samebits.passes.semantics.contract import Contraction
from samebits.passes.semantics.flush import Flushing


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One rewrite: `kind` is "lanes" or "contract", `text` describes what it did at `span`."""

    kind: str
    span: Span
    text: str


def lower_float_modes(module: Module, fast: Mapping[str, Collection[int]] | None = None) -> Module:
    """A linked module with the options of each function lowered; `module` stays as it is.

    Once for each module, before anything else sees it: evaluation, the passes, a back end. `fast`
    are the statements of FAST functions that are rewritten, by function and id; None: all.
    """
    if fast is None:
        return _LOWERED.of(module, partial(_lowered, module, None))
    return _lowered(module, fast)


def _lowered(module: Module, fast: Mapping[str, Collection[int]] | None) -> Module:
    functions: dict[str, Function] = {}
    for name, function in module.functions.items():
        rewritten, _ = _rewritten(function, None if fast is None else fast.get(name, ()))
        flushes = function.options.denormals == "flush"
        functions[name] = Flushing(rewritten, module).run() if flushes else rewritten
    return Module(functions, module.tables)


def rewrites(module: Module) -> dict[str, tuple[Rewrite, ...]]:
    """The rewrites that DETERMINISTIC makes in each function of a linked module, in source
    order."""
    found = {name: _rewritten(f)[1] for name, f in module.functions.items()}
    return {name: done for name, done in found.items() if done}


def first_fast(module: Module) -> str | None:
    """The name of the first FAST function in the module."""
    fast = (f for f in module.functions.values() if f.options.mode is FAST)
    return next(map(plain_name, fast), None)


def _rewritten(
    function: Function, only: Collection[int] | None = None
) -> tuple[Function, tuple[Rewrite, ...]]:
    """The function lowered, and its rewrites. `only` are the statements that are rewritten if the
    function is FAST; None: all."""
    if function.options.mode is STRICT:
        return function, ()
    done: list[Rewrite] = []
    fast = function.options.mode is FAST
    only = only if fast else None
    if function.options.contract or fast:
        contraction = Contraction(function, "muladd" if fast else "fma", only)
        function = contraction.run()
        done += [Rewrite("contract", op.span, _contracted(op)) for op in contraction.found]
    accumulation = Accumulation(function, only)
    function = accumulation.run()
    done += [Rewrite("lanes", s.span, _laned(s.lanes)) for s in accumulation.found if s.lanes]
    if fast:
        # What LLVM misses: fused operations in vectors, wide ones in sums, any in extremes.
        return function, ()
    done.sort(key=lambda rewrite: (rewrite.span.line, rewrite.span.column))
    return function, tuple(done)


def _contracted(op: Op) -> str:
    sign = "+" if op.opcode == "add" else "-"
    return f"a product and {sign} are one fma, rounded once"


_JOINED = {"add": "added", "mul": "multiplied", "min": "joined by min", "max": "joined by max"}


def _laned(lanes: Lanes) -> str:
    slots = ", ".join(f"{slot} {_JOINED[join]}" for slot, join in lanes.slots)
    counts = ", then ".join(map(str, lanes.counts))
    return f"blocks of {counts} lanes: {slots}"


_LOWERED: Lately[Module] = Lately()
"""Lowered modules: evaluation, and each target and level, ask for the same."""
