"""The first operation at which two traces differ, or the one to which that is attributed.

Everything before it agrees: where its operands do too, it is the answer. Where it only hands on
what was in memory or in a slot, the answer is what put it there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from samebits.bits import from_canonical
from samebits.diagnosis.operation.align import Alignment, align_traces
from samebits.diagnosis.operation.branches import END, divergent_branch
from samebits.diagnosis.operation.missing import (
    MissingWrite,
    loop_that_set,
    missing_set,
    missing_statement,
    missing_write,
    rewritten,
)
from samebits.errors import Span, Trap
from samebits.frame_trace.instances import Instance
from samebits.frame_trace.last_write import Origin, origin_in_state, origin_of_load
from samebits.frame_trace.record import Trace
from samebits.ir.grammar import For, Op, While
from samebits.ir.refs import OpRef

Kind = Literal["result", "path", "memory", "input", "loop"]
"""What each of them is, `OperationFact` says."""
CallPath = tuple[OpRef, ...]


@dataclass(frozen=True, slots=True)
class OperationDifference:
    """The first thing that one frame does otherwise on one side than on the other.

    `a` and `b` are the operation that shows it, on each side, with operands, results, calls and
    loop counters; None on a side that does not do it. Their `values` are the operands of the
    operation as the plain program has it, where they are to be had: what is evaluated may be
    rewritten.
    """

    kind: Kind
    place: OpRef | None
    """What is to blame: an operation, for "path" an `if` perhaps, for "loop" a loop. None where
    the state differs from the frame's beginning on, and nothing reads what differs."""
    span: Span
    op: Op | None
    """The operation to blame, if it is one, as side a has it, or else as side b does."""
    a: Instance | None = None
    b: Instance | None = None


def first_difference(a: Trace, b: Trace) -> OperationDifference | None:
    """The first difference between two traces of one frame, or between the states that it leaves;
    None where nothing does."""
    at = align_traces(a, b)
    to_a, to_b = at.comes_to(0), at.comes_to(1)
    if to_a != to_b:
        return _path(at)
    if to_a is None or (at.ended and _same_trap(a.trap, b.trap)):
        return _state(at)
    return _operation(at, to_a)


def _same_trap(a: Trap | None, b: Trap | None) -> bool:
    if a is None or b is None:
        return a is b
    return (a.kind, a.detail, a.own) == (b.kind, b.detail, b.own)


def _operation(at: Alignment, place: OpRef) -> OperationDifference:
    """Both sides do the same operation, and its results differ."""
    a, b = at.instance(0, at.first), at.instance(1, at.first)
    if a is None or b is None:
        return _found(at, "path", place, a, b)
    plain = at.plain(place)
    if plain.opcode == "get":
        return _slot(at, place, str(plain.attr), a, b)
    if plain.opcode == a.op.opcode == b.op.opcode == "load":
        origins = tuple(
            origin_of_load(trace.frame_input, i.event)
            for trace, i in zip(at.traces, (a, b), strict=True)
        )
        return _memory(at, place, (origins[0], origins[1]), a, b)
    place, a, b = rewritten(at, a, b) or (place, a, b)
    return _found(at, "result", place, a, b)


def _slot(at: Alignment, get: OpRef, slot: str, a: Instance, b: Instance) -> OperationDifference:
    missing = missing_set(at, get, slot)
    if missing is not None:
        return _missing(at, missing)
    loop = loop_that_set(at, get, slot)
    return _found(at, "result", get, a, b) if loop is None else _found(at, "loop", loop, a, b)


def _memory(
    at: Alignment,
    place: OpRef | None,
    origins: tuple[Origin, Origin],
    a: Instance | None = None,
    b: Instance | None = None,
) -> OperationDifference:
    """A load gives something else (or nothing reads it, and the state differs in the end)."""
    missing = missing_write(at, origins)
    if missing is not None and (missing.opcode != "zero" or place is None):
        return _missing(at, missing)
    read = any(o.memory == "inputs" and o.write is None for o in origins)
    return _found(at, "input" if read else "memory", place, a, b)


def _missing(at: Alignment, missing: MissingWrite) -> OperationDifference:
    plain = at.plain(missing.place)
    done = at.traces[missing.side].instance(missing.event, plain.args)
    a, b = (None, done) if missing.side else (done, None)
    return _found(at, "path", missing_statement(at, missing.side, missing.place), a, b)


def _state(at: Alignment) -> OperationDifference | None:
    """All operations agree; the states that they leave may differ nevertheless."""
    a, b = (from_canonical(trace.model.state, trace.after) for trace in at.traces)
    differing = np.flatnonzero(a.view(np.uint8) != b.view(np.uint8))
    if not len(differing):
        return None
    offset = int(differing[0])
    origins = tuple(origin_in_state(trace.frame_input, offset) for trace in at.traces)
    return _memory(at, None, (origins[0], origins[1]))


def _path(at: Alignment) -> OperationDifference:
    """The sides do different operations next."""
    paths = at.call_path(0, at.first), at.call_path(1, at.first)
    level = 0
    while level < min(map(len, paths)) and paths[0][level] == paths[1][level]:
        level += 1
    place = _divergence(at, paths, level)
    a, b = at.instance(0, at.first), at.instance(1, at.first)
    loop = isinstance(at.statement(place), For | While)
    return _found(at, "loop" if loop else "path", place, a, b)


def _divergence(at: Alignment, paths: tuple[CallPath, CallPath], level: int) -> OpRef:
    """The operation that decides between two paths that are the same down to a level."""
    next_a, next_b = (path[level] if level < len(path) else None for path in paths)
    for side, place in enumerate((next_a, next_b)):
        if place is not None and not at.knows(1 - side, place):
            return missing_statement(at, side, place)
    place = next_a or next_b
    assert place is not None
    if next_a is not None and next_b is not None and next_a.function != next_b.function:
        return place
    before = at.call_path(0, at.first - 1) if at.first else ()
    inside = before[:level] == paths[0][:level] and level < len(before)
    a, b = (at.layout(side, place.function) for side in (0, 1))
    to_a, to_b = (END if to is None else to.op for to in (next_a, next_b))
    last = before[level].op if inside else None
    return OpRef(place.function, divergent_branch(a, b, last, to_a, to_b))


def _found(
    at: Alignment,
    kind: Kind,
    place: OpRef | None,
    a: Instance | None = None,
    b: Instance | None = None,
) -> OperationDifference:
    if place is None:
        model = at.traces[0].model
        return OperationDifference(kind, None, model.module.functions[model.step].span, None, a, b)
    statement = at.statement(place)
    op = statement if isinstance(statement, Op) else None
    return OperationDifference(kind, place, statement.span, op, a, b)
