"""The own-index rule of parallel bodies: what an iteration writes, no other iteration touches.

An array that the body writes is indexed by the iteration's own index alone. Where the index itself
does not show that, a check stands before the access. Works on IR, so that it sees every access,
however it is written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from samebits.errors import CompileError, Span
from samebits.ir.analysis.points_to import Memory, Use, Writes, overlap
from samebits.ir.analysis.points_to import Region as Place
from samebits.ir.grammar import Function, Op, Region, Statement, Value, walk
from samebits.ir.rewrite import ValueWriter, fresh_ids, map_region
from samebits.types import INT, ScalarType


@dataclass(frozen=True, slots=True)
class OwnRange:
    """The indices that an iteration owns: from slot `first` on, as many as slot `count` says.

    The slots hold integers, and the body must not set them. `roots` says of parameters that refer
    into the memory of others which these are.
    """

    first: str
    count: str | None
    roots: Mapping[str, frozenset[str]]


def enforce(
    function: Function,
    own: OwnRange,
    writes: Writes,
    exempt: frozenset[tuple[int, int]] = frozenset(),
) -> tuple[Function, dict[Span, str]]:
    """`function` so that each run touches what it writes at its own indices only, or traps; and
    the array's name for each access that has a check.

    `exempt` are references, by op and index, that `unsafe_parallel` gave. Raises CompileError for
    a write to what all iterations share, and for arrays used whole though they are written.
    """
    memory = Memory(function, writes, exempt)
    written = {use.origin.region for use in memory.uses if use.writes and use.origin.inside}
    for use in memory.uses:
        if not use.origin.inside:
            _whole(use, written, own)
    needed: dict[int, str] = {}
    for access in memory.accesses:
        near = [place for place in written if overlap(access.region, place, own.roots)]
        other = next((place for place in near if place != access.region), None)
        if other is not None:
            raise _same_memory(access.region, other, access.op.span)
        if near and not is_own(function, access.op, own):
            needed[access.op.id] = str(access.region)
    return _with_checks(function, own, needed) if needed else (function, {})


def _whole(use: Use, written: set[Place], own: OwnRange) -> None:
    place = use.origin.region
    if use.origin.sliced:
        _of_slice(use, written, own)
        return
    if use.writes and use.op.opcode == "call":
        raise CompileError(
            f"`{place}` is given whole to a kernel that writes it, in a parallel body",
            span=use.op.span,
            note="an iteration writes only at its own index, which the kernel could leave",
            fix=f"give the iteration's own element or row, `{place}[i]`, or write here",
        )
    if use.writes:
        raise CompileError(
            f"`{place}` is shared by all iterations of this parallel body, which can't write it",
            span=use.op.span,
            note="iterations run in any order, and at the same time",
            fix="write to an array at the iteration's own index, and combine its elements "
            "afterwards",
        )
    for other in written:
        if overlap(place, other, own.roots):
            raise CompileError(
                f"`{place}` is used whole in a parallel body that writes `{other}`",
                span=use.op.span,
                note="other iterations may be writing their elements at the same time",
                fix=f"use the iteration's own element, or write to another array than `{other}`",
            )


def _of_slice(use: Use, written: set[Place], own: OwnRange) -> None:
    place = use.origin.region
    near = [other for other in written if overlap(place, other, own.roots)]
    if use.writes or place in near:
        raise CompileError(
            f"`{place}` is sliced in a parallel body that writes it",
            span=use.op.span,
            note="an element of a slice is another iteration's own, by its index in the array",
            fix=f"index `{place}` by the iteration's own index, or slice an array that it does not "
            "write",
        )
    if near:
        raise _same_memory(place, near[0], use.op.span)


def _same_memory(place: Place, other: Place, span: Span) -> CompileError:
    return CompileError(
        f"`{place}` may lie in the same memory as `{other}`, which this parallel body writes",
        span=span,
        note="an iteration touches what it writes only by one name, at its own index",
        fix="reach both by the same name, or write to another array; where two arrays change "
        "places, make the range a kernel of both, and call it: `step(src, dst)`",
    )


def is_own(function: Function, access: Op, own: OwnRange) -> bool:
    """Whether the first index is plainly the iteration's own."""
    if own.count is not None:
        return False
    producers = {s.id: s for s in walk(function.body) if isinstance(s, Op)}
    op = producers.get(access.args[1].op)
    while op is not None and op.opcode == "convert" and _keeps(op):
        op = producers.get(op.args[0].op)
    return op is not None and op.opcode == "get" and op.attr == own.first


def _keeps(op: Op) -> bool:
    """Whether a conversion to `int` preserves its operand's value."""
    source = op.args[0].type
    return (
        op.result.type == INT
        and isinstance(source, ScalarType)
        and source.is_int
        and (source.is_signed or source.bits < 64)
    )


def _with_checks(
    function: Function, own: OwnRange, needed: Mapping[int, str]
) -> tuple[Function, dict[Span, str]]:
    """The function with a check before each access whose id `needed` has, with its array's name."""
    accesses: dict[Span, str] = {}
    types = {**dict(function.params), **function.slots}
    ids = fresh_ids(function)

    def checked(statement: Statement) -> Region:
        name = needed.get(statement.id) if isinstance(statement, Op) else None
        if not isinstance(statement, Op) or name is None:
            return [statement]
        accesses[statement.span] = name
        writer = ValueWriter([], statement.span, ids)

        def read(slot: str) -> Value:
            value = writer.op("get", types[slot], attr=slot)
            return value if value.type == INT else writer.op("convert", INT, value)

        first = read(own.first)
        length = writer.constant(1, INT) if own.count is None else read(own.count)
        writer.emit("own", statement.args[1], first, length, attr=name)
        return [*writer.region, statement]

    return replace(function, body=map_region(function.body, checked)), accesses
