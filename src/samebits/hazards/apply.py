"""Kernels whose operations evaluate their expressions in other ways.

Owns how lowered evaluations get into functions. Which evaluations they are is `ways`' business.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import count

from samebits.errors import HazardError
from samebits.fpmodel.lowering import Lowered, Unlowered, lower
from samebits.frontend.compile import link
from samebits.hazards.variants import ExpressionWay
from samebits.ir.grammar import Module, Region, Value, can_trap
from samebits.ir.refs import described
from samebits.ir.rewrite import exchanged, fresh_ids
from samebits.passes.semantics.float_modes import lower_float_modes


def rewritten(kernels: Module, ways: Sequence[ExpressionWay]) -> Module:
    """The kernels with each way in its place. What the expressions were stays as it was, so that
    operations inside them still have their values.

    Functions that do not change are shared. Raises HazardError where two ways have one place, or
    where IR cannot say what one does.
    """
    by_function: defaultdict[str, dict[int, ExpressionWay]] = defaultdict(dict)
    for way in ways:
        known = by_function[way.place.function]
        if way.place.op in known:
            raise HazardError(f"two hazards are planted at {described(kernels, way.place)}")
        known[way.place.op] = way
    needs: list[Lowered] = []
    changed = dict(kernels.functions)
    for name, here in by_function.items():
        function = kernels.functions[name]
        ids = fresh_ids(function)
        made = {op: _instead(kernels, way, ids, needs) for op, way in here.items()}
        changed[name] = replace(function, body=exchanged(function.body, made))
    return _linked(Module(changed, kernels.tables), needs)


def lowered_at(way: ExpressionWay, ids: Iterator[int] | None = None) -> Lowered | Unlowered:
    """The operations in the place of a way's own; `ids` gives unused ids."""
    site = way.site
    return lower(
        way.tree, way.arithmetic, site.operands, ids or count(1 << 20), site.op, known=site.values
    )


def _instead(
    kernels: Module, way: ExpressionWay, ids: Iterator[int], needs: list[Lowered]
) -> Region:
    op = way.site.op
    found = lowered_at(way, ids)
    if isinstance(found, Unlowered):
        raise HazardError(
            f"{way.hazard.name} cannot be planted at {described(kernels, way.place)}: "
            f"{found.reason}"
        )
    needs.append(found)
    if not can_trap(op):
        return list(found.ops)
    # A weak division traps where it did, whatever becomes of its result.
    number = next(ids)
    results = tuple([Value(number, v.index, v.type) for v in op.results])
    return [replace(op, id=number, results=results), *found.ops]


def _linked(kernels: Module, needs: Sequence[Lowered]) -> Module:
    """The kernels behind all that their new operations call."""
    brought = Module({f.name: f for need in needs for f in need.hosts})
    for unit in {u.function.name: u for need in needs for u in need.units}.values():
        linked = link(unit)
        brought.functions.update(linked.functions)
        brought.tables.update(linked.tables)
    if not brought.functions:
        return kernels
    ready = lower_float_modes(brought)
    # What is there already is the same function; here it comes before all that is brought.
    first = {name: kernels.functions.get(name, f) for name, f in ready.functions.items()}
    return Module({**first, **kernels.functions}, {**brought.tables, **kernels.tables})
