"""Local arrays whose size is known only at run time: they lie in the call's arena.

A loop frees at the start of each iteration what the one before has made, unless a name from before
the loop is given such an array, and so keeps it.
"""

from __future__ import annotations

import ast
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager

from samebits.errors import CompileError, Span
from samebits.frontend.core.context import Context, LoopArrays
from samebits.frontend.core.operands import Operand, View
from samebits.frontend.operations.conversions import index_value
from samebits.ir.grammar import Function, Op, Region, walk
from samebits.lang.jobs import JobKernel
from samebits.types import INT, ArrayType, MemoryType

_FIX = "make the array before, and use it there"


def allocate(ctx: Context, node: ast.Call, sizes: Sequence[Operand], element: MemoryType) -> View:
    """A new array of zeros of these lengths, of which one at least is no constant."""
    if ctx.is_parallel or isinstance(ctx.kernel, JobKernel):
        ctx.fail(
            node,
            "jobs and parallel ranges make no arrays whose size is known only at run time",
            note="its memory is the calling thread's",
            fix=_FIX,
        )
    span = ctx.span(node)
    parts = node.args[0].elts if isinstance(node.args[0], ast.Tuple) else [node.args[0]]
    places = parts if len(parts) == len(sizes) else [node.args[0]] * len(sizes)
    lengths = [index_value(ctx, place, n) for place, n in zip(places, sizes, strict=True)]
    t = ArrayType(element, len(lengths))
    used = ctx.builder.value("arena", (), INT, span)
    limit = ctx.kernel.options.arena
    value = ctx.builder.value("allocate", (*lengths, used), t, span, limit)
    for loop in ctx.loops:
        loop.allocates = True
    ctx.joins.allocations.add(span)
    return View(value, t, frozenset(), fresh=True)


def named(ctx: Context, name: str, value: View) -> View:
    """`value` as the array that `name` has from here on."""
    if value.fresh:
        value = View(value.value, value.type, frozenset({name}))
        for loop in ctx.loops:
            loop.made.add(name)
    keep(ctx, name, value.roots)
    return value


def keep(ctx: Context, name: str, roots: frozenset[str]) -> None:
    """Note what `name` refers to: loops inside which that is made must not free it where the name
    is known before them."""
    for loop in ctx.loops:
        if loop.before is None or (name in loop.before and roots & loop.made):
            loop.keeps = True


@contextmanager
def loop(ctx: Context) -> Generator[LoopArrays]:
    """What the loop whose body is lowered inside makes of arrays and structs."""
    arrays = LoopArrays(ctx.assigned)
    ctx.loops.append(arrays)
    try:
        yield arrays
    finally:
        ctx.loops.pop()


def free_each_iteration(ctx: Context, node: ast.stmt, arrays: LoopArrays, body: Region) -> None:
    """Free at the start of each iteration, if the loop can. Goes before the loop."""
    if not arrays.allocates or arrays.keeps:
        return
    span = ctx.span(node)
    used = ctx.builder.value("arena", (), INT, span)
    with ctx.builder.into([]) as first:
        ctx.builder.effect("release", (used,), span)
    body[:0] = first
    ctx.joins.freeing.add(span)


def refuse_in_parallel(functions: Iterable[Function], span: Span) -> None:
    """Raise CompileError if one of the functions that a parallel part calls makes such arrays."""
    for function in functions:
        made = (s for s in walk(function.body) if isinstance(s, Op) and s.opcode == "allocate")
        for op in made:
            raise CompileError(
                f"jobs and parallel ranges don't call '{op.span.function}', which makes an array "
                "whose size is known only at run time",
                span=span,
                note="its memory is the calling thread's",
                fix=_FIX,
            )
