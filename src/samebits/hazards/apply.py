"""The injection of expression hazards: kernels whose expressions are replaced by variants.

Owns how lowered evaluations are spliced into functions; `site_variants` decides which ones.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from samebits.errors import HazardError
from samebits.fpmodel.lowering import Lowered, Unlowered, lower
from samebits.frontend.compile import link
from samebits.hazards.site_variants import SiteVariant
from samebits.ir.grammar import Module, Region, Value, can_trap
from samebits.ir.refs import described
from samebits.ir.rewrite import exchanged, fresh_ids
from samebits.passes.semantics.float_modes import lower_float_modes


def rewritten(kernels: Module, variants: Sequence[SiteVariant]) -> Module:
    """The kernels with each variant at its place. The original inner operations remain, so that
    their values can still be observed.

    Unchanged functions are shared. Raises HazardError if two variants have one place, or if a
    variant cannot be lowered to IR.
    """
    by_function: defaultdict[str, dict[int, SiteVariant]] = defaultdict(dict)
    for variant in variants:
        known = by_function[variant.place.function]
        if variant.place.op in known:
            raise HazardError(f"two hazards are injected at {described(kernels, variant.place)}")
        known[variant.place.op] = variant
    needs: list[Lowered] = []
    changed = dict(kernels.functions)
    for name, here in by_function.items():
        function = kernels.functions[name]
        ids = fresh_ids(function)
        made = {op: _replacement(kernels, variant, ids, needs) for op, variant in here.items()}
        changed[name] = replace(function, body=exchanged(function.body, made))
    return linked(Module(changed, kernels.tables), needs)


def _replacement(
    kernels: Module, variant: SiteVariant, ids: Iterator[int], needs: list[Lowered]
) -> Region:
    site, op = variant.site, variant.site.op
    found = lower(variant.tree, variant.arithmetic, site.operands, ids, op, known=site.values)
    if isinstance(found, Unlowered):
        raise HazardError(
            f"{variant.hazard.name} cannot be injected at {described(kernels, variant.place)}: "
            f"{found.reason}"
        )
    needs.append(found)
    if not can_trap(op):
        return list(found.ops)
    # A weak division still traps where it did, whoever uses its result.
    number = next(ids)
    results = tuple([Value(number, v.index, v.type) for v in op.results])
    return [replace(op, id=number, results=results), *found.ops]


def linked(kernels: Module, needs: Sequence[Lowered]) -> Module:
    """The kernels, preceded by the functions that their new operations call."""
    brought = Module({f.name: f for need in needs for f in need.hosts})
    for unit in {u.function.name: u for need in needs for u in need.units}.values():
        linked = link(unit)
        brought.functions.update(linked.functions)
        brought.tables.update(linked.tables)
    if not brought.functions:
        return kernels
    ready = lower_float_modes(brought)
    # A function of the same name is the same function; callees come before their callers.
    first = {name: kernels.functions.get(name, f) for name, f in ready.functions.items()}
    return Module({**first, **kernels.functions}, {**brought.tables, **kernels.tables})
