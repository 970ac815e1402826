"""Loops in blocks of iterations, whose checks are made for a block before it runs.

A dry run over the block stores nothing and finds whether some check may fail. If none does, a
copy of the loop runs without checks, which LLVM can vectorise; else the loop as it was, which
traps where it should, or does not. Owns the shape of that; `dry_run` and `accesses` decide for
which loops it is equivalent.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from samebits.ir.grammar import (
    For,
    If,
    Op,
    Region,
    Statement,
    Value,
    ValueType,
    can_trap,
    walk,
)
from samebits.ir.rewrite import ValueWriter, clone, map_region
from samebits.passes.bounds.accesses import Accesses, Base, Separation
from samebits.passes.bounds.dry_run import BODY_LIMIT, CHECKS, DryRun
from samebits.types import BOOL, INT, INT64, UINT64

BLOCK = 512
"""Iterations of a block: what they read stays in the L1 cache between the dry run and the run."""
LEAST = 16
"""Iterations below which a block is not worth a dry run."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A loop in blocks to be: `dry_run` is the loop over a block that reports in the slots `found`
    and `excess`; once analysed, it is `assembled` only if no check is left in it."""

    dry_run: For
    found: str
    excess: str
    slots: dict[str, ValueType]
    """New slots."""
    separations: list[Separation]


def plan(
    loop: For,
    hard: set[int],
    total: set[str],
    types: dict[str, ValueType],
    ids: Iterator[int],
) -> Plan | None:
    """The plan of a loop whose checks with the ids `hard` stay; None if it cannot run in blocks.

    `total` are functions that only compute scalars and always end, `types` those of slots.
    """
    body = [*walk(loop.body)]
    if loop.step != 1 or loop.orelse or loop.lanes or len(body) > BODY_LIMIT:
        return None
    ops = {s.id: s for s in body if isinstance(s, Op)}
    if not hard or any(ops[i].opcode not in CHECKS for i in hard):
        return None
    accesses = Accesses(loop, types)
    separations = accesses.separations()
    if separations is None or not accesses.stores or not accesses.in_rows():
        return None
    dry_run = DryRun(loop, hard, total, ids)
    region = dry_run.body()
    if region is None:
        return None
    ahead = replace(loop, id=next(ids), slot=dry_run.slot, body=region, vectorized=False)
    slots: dict[str, ValueType] = {new: types[old] for old, new in dry_run.slots.items()}
    slots |= {dry_run.found: BOOL, dry_run.excess: UINT64}
    return Plan(ahead, dry_run.found, dry_run.excess, slots, separations)


def condition(plan: Plan, types: dict[str, ValueType], writer: ValueWriter) -> Value | None:
    """Whether the memory that must be disjoint is; None if none must."""
    result: Value | None = None
    for pair in plan.separations:
        a, b = (_value(base, types, writer) for base in (pair.a, pair.b))
        test = writer.op("apart", BOOL, a, b, attr=pair.aligned)
        result = test if result is None else writer.op("and", BOOL, result, test)
    return result


def _value(base: Base, types: dict[str, ValueType], writer: ValueWriter) -> Value:
    return base if isinstance(base, Value) else writer.op("get", types[base], attr=base)


def assembled(plan: Plan, dry_run: For, run: For, ids: Iterator[int], block: str) -> For:
    """The loop in blocks. `run` is the loop with its checks, which is copied; `dry_run` the plan's
    as analysed; the int slot `block` is the outer loop's own."""
    span = run.span
    body: Region = []
    w = ValueWriter(body, span, ids)
    first = w.op("get", INT, attr=block)
    start = w.op("convert", INT64, first)
    left = w.op("sub", INT64, w.op("convert", INT64, run.stop), start)
    iterations = w.op("min", UINT64, w.op("convert", UINT64, left), w.constant(BLOCK, UINT64))
    stop = w.op("convert", INT, w.op("add", INT64, start, w.op("convert", INT64, iterations)))
    few = w.op("lt", BOOL, iterations, w.constant(LEAST, UINT64))
    w.emit("set", few, attr=plan.found)
    w.emit("set", w.constant(0, UINT64), attr=plan.excess)
    swept = w.op("select", INT, few, first, stop)
    body.append(replace(dry_run, start=first, stop=swept))
    of_block = replace(run, start=first, stop=stop)
    free = clone([replace(of_block, body=map_region(run.body, _without_check))], ids)
    excess = w.op("get", UINT64, attr=plan.excess)
    above = w.op("ne", BOOL, excess, w.constant(0, UINT64))
    failing = w.op("or", BOOL, w.op("get", BOOL, attr=plan.found), above)
    body.append(If(next(ids), failing, clone([of_block], ids), free, span))
    return For(next(ids), block, run.start, run.stop, BLOCK, body, [], span)


def _without_check(statement: Statement) -> Region:
    if not (isinstance(statement, Op) and can_trap(statement)):
        return [statement]
    return [replace(statement, unchecked=True)] if statement.results else []
