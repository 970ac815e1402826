"""Local arrays that another local takes over, as the new array of `x = zeros(...)`.

The new array is used for nothing else, so that it can lie where `x` does: it is counted once, and
the compiled code has it once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from samebits.ir.grammar import Function, Op, Region, regions, walk

_PATTERN = ("local", "zero", "local", "copy")


def carried(body: Region) -> frozenset[str]:
    """The names of locals that are zeroed, copied to another local at once, and used no more."""
    found = list(_pairs(body))
    if not found:
        return frozenset()
    ops = [s for s in walk(body) if isinstance(s, Op)]
    named = Counter(str(op.attr) for op in ops if op.opcode == "local")
    used = Counter(value.op for op in ops for value in op.args)
    # By the `zero` and the `copy` alone.
    return frozenset(
        str(op.attr) for op, _ in found if named[str(op.attr)] == 1 and used[op.id] == 2
    )


def destination(function: Function) -> dict[str, str]:
    """The local that each of `carried` is copied to."""
    names = carried(function.body)
    return {
        str(first.attr): str(second.attr)
        for first, second in (_pairs(function.body) if names else ())
        if str(first.attr) in names
    }


def local_bytes(function: Function) -> int:
    """The bytes of local memory of a call of the function, without its callees."""
    names = carried(function.body)
    return sum(t.size for name, t in function.locals.items() if name not in names)


def _pairs(region: Region) -> Iterator[tuple[Op, Op]]:
    """The two `local`s of each such assignment in the region and those inside."""
    for n, statement in enumerate(region):
        if not isinstance(statement, Op):
            for inner in regions(statement):
                yield from _pairs(inner)
            continue
        if statement.opcode != "local":
            continue
        ops = [s for s in region[n : n + 4] if isinstance(s, Op)]
        if tuple(op.opcode for op in ops) != _PATTERN:
            continue
        new, zero, kept, copy = ops
        given = [value.op for value in (*zero.args, *copy.args)]
        same = [v.type for v in new.results] == [v.type for v in kept.results]
        if given == [new.id, kept.id, new.id] and same and new.attr != kept.attr:
            yield new, kept
