"""Kernels with `sin` and `cos` in the place of `sincos`, which has the same bits.

Other math libraries have other bits for each of them, and a place has one result.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache

import samebits.math
from samebits.fpmodel.lowering import Lowered
from samebits.frontend.compile import Unit, compile_kernel, symbol_of
from samebits.hazards.apply import linked
from samebits.hazards.edit.function_editor import guarded
from samebits.ir.grammar import Function, Module, Op, Region, Statement, Value, walk
from samebits.ir.refs import is_own
from samebits.ir.rewrite import fresh_ids, map_region, with_operands
from samebits.lang.overloads import Overloads
from samebits.types import FLOAT32, FLOAT64


def parted_sincos(kernels: Module) -> Module:
    """The kernels in which no function of the user's calls `math.sincos` at HIGH precision."""
    called = {
        str(s.attr) for f in kernels.functions.values() for s in _calls(f.body) if is_own(f.name)
    }
    pairs = {name: pair for name, pair in _pairs().items() if name in called}
    if not pairs:
        return kernels
    kernels = guarded(kernels)
    made = {name: _parted(f, pairs) if is_own(name) else f for name, f in kernels.functions.items()}
    units = tuple(unit for pair in pairs.values() for unit in pair)
    return linked(Module(made, kernels.tables), [Lowered((), units, ())])


@cache
def _pairs() -> dict[str, tuple[Unit, Unit]]:
    """The functions sin and cos by the symbol of sincos, of both widths."""
    found: dict[str, tuple[Unit, Unit]] = {}
    for t in (FLOAT32, FLOAT64):
        both, *parts = ((f.kernel_for(t), (t,)) for f in _functions())
        sin, cos = (compile_kernel(*part) for part in parts)
        found[symbol_of(*both)] = sin, cos
    return found


def _functions() -> Iterator[Overloads]:
    for name in ("sincos", "sin", "cos"):
        found = getattr(samebits.math, name)
        assert isinstance(found, Overloads)
        yield found


def _calls(body: Region) -> Iterator[Op]:
    return (s for s in walk(body) if isinstance(s, Op) and s.opcode == "call")


def _parted(function: Function, pairs: Mapping[str, tuple[Unit, Unit]]) -> Function:
    """A function with two calls in the place of each of `pairs`."""
    ids, renamed = fresh_ids(function), dict[tuple[int, int], Value]()

    def changed(s: Statement) -> Region:
        pair = pairs.get(str(s.attr)) if isinstance(s, Op) and s.opcode == "call" else None
        if pair is None:
            return [s]
        assert isinstance(s, Op)
        made: Region = []
        for old, unit in zip(s.results, pair, strict=True):
            number = next(ids)
            new = renamed[old.op, old.index] = Value(number, 0, old.type)
            made.append(Op(number, "call", s.args, unit.function.name, (new,), s.span))
        return made

    body = map_region(function.body, changed)
    body = map_region(body, lambda s: [with_operands(s, lambda v: renamed.get((v.op, v.index), v))])
    return replace(function, body=body) if renamed else function
