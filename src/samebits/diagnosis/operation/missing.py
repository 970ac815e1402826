"""The reason why a value differs though no shared operation computes it.

A missing write, a loop or a rewritten operand is the reason.

A slot differs because a loop sets it, or because one side leaves out a `set`; memory because one
side leaves out a `store`, or because it differed before; an operand because a rewritten program
changes it on the way. Knows two aligned traces.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from samebits.diagnosis.operation.align import Alignment
from samebits.frame_trace.instances import Instance
from samebits.frame_trace.last_write import Origin
from samebits.ir.grammar import CALLS, For, Op, walk
from samebits.ir.refs import OpRef


class MissingWrite(NamedTuple):
    """A write that one side alone does."""

    side: int
    place: OpRef
    event: int
    opcode: str


def rewritten(at: Alignment, a: Instance, b: Instance) -> tuple[OpRef, Instance, Instance] | None:
    """The operation whose result one side changes before it is used, if that is why an operation's
    operands differ: its place, and what each side makes of it in the end.

    What was put behind an operation has its span; what was put before the one that shows it has
    the latter's, which then is to blame itself.
    """
    if a.op.opcode != b.op.opcode or len(a.operands) != len(b.operands):
        return None
    for k, patterns in enumerate(zip(a.operands, b.operands, strict=True)):
        makers = [_maker(at, side, i, k) for side, i in enumerate((a, b))]
        known = [
            at.knows(1 - side, OpRef(a.place.function, op.id)) for side, op in enumerate(makers)
        ]
        if None in patterns or patterns[0] == patterns[1] or known[0] == known[1]:
            continue
        maker, change = makers if known[0] else makers[::-1]
        if change.span != maker.span or change.span == a.op.span:
            continue
        place = OpRef(a.place.function, maker.id)
        made = [_last(at, side, place, i.event) for side, i in enumerate((a, b))]
        index = (a, b)[not known[0]].op.args[k].index
        made = [_with_result(i, index, p) for i, p in zip(made, patterns, strict=True)]
        return place, made[0], made[1]
    return None


def _with_result(instance: Instance, index: int, pattern: int | None) -> Instance:
    results = list(instance.results)
    results[index] = pattern
    return replace(instance, results=tuple(results))


def _maker(at: Alignment, side: int, instance: Instance, operand: int) -> Op:
    value = instance.op.args[operand]
    made = at.layout(side, instance.place.function).statements[value.op]
    assert isinstance(made, Op)
    return made


def _last(at: Alignment, side: int, place: OpRef, event: int) -> Instance:
    number = at.traces[side].model.numbering.at(place)
    assert number is not None
    return at.traces[side].instance(at.last_before(side, {number}, event))


def missing_statement(at: Alignment, side: int, place: OpRef) -> OpRef:
    """The statement that the other side lacks: an operation that it lacks, or the outermost
    statement around it of which it has nothing."""
    layout = at.layout(side, place.function)
    for spot in layout.spots[place.op]:
        inside = [] if spot.around is None else list(walk([layout.statements[spot.around]]))
        places = [OpRef(place.function, s.id) for s in inside if isinstance(s, Op)]
        if places and not any(at.knows(1 - side, each) for each in places):
            assert spot.around is not None
            return OpRef(place.function, spot.around)
    return place


def missing_set(at: Alignment, get: OpRef, slot: str) -> MissingWrite | None:
    """The `set` that one side alone does, of those since the last that both do."""
    for side in (0, 1):
        sets = {
            number
            for number, op in _numbered(at, side, get.function)
            if op.opcode == "set" and op.attr == slot
        }
        own = {n for n in sets if _is_missing(at, side, get.function, n)}
        event = at.event(side, at.first)
        last = at.last_before(side, own, event)
        if last > max(at.last_before(side, sets - own, event), _began(at, side, get.function)):
            return MissingWrite(side, at.traces[side].place(last), last, "set")
    return None


def _numbered(at: Alignment, side: int, function: str) -> list[tuple[int, Op]]:
    numbering = at.traces[side].model.numbering
    numbers = numbering.functions[function].values()
    return [(number, numbering.ops[number]) for number in numbers]


def _is_missing(at: Alignment, side: int, function: str, number: int) -> bool:
    """Whether the other side lacks a `set`, and not what it sets as well: that was put in."""
    op = at.traces[side].model.numbering.ops[number]
    here, value = OpRef(function, op.id), OpRef(function, op.args[-1].op)
    return not at.knows(1 - side, here) and at.knows(1 - side, value)


def _began(at: Alignment, side: int, function: str) -> int:
    """The event before the first of the function's present call, or some time earlier."""
    numbering = at.traces[side].model.numbering
    calls = {n for n, op in enumerate(numbering.ops) if op.opcode in CALLS and op.attr == function}
    return at.last_before(side, calls, at.event(side, at.first))


def loop_that_set(at: Alignment, get: OpRef, slot: str) -> OpRef | None:
    """The loop that gives a slot its value: as its counter, or by joining the lanes of what its
    iterations set."""
    loops = [loop for loop in _loops(at, get.function) if _sets(loop, slot)]
    around = {loop.id for loop in at.layout(0, get.function).loops_around(get.op)}
    inner = [loop for loop in loops if loop[0].id in around]
    if inner:
        return OpRef(get.function, inner[-1][0].id)
    ended = {_ended(at, get.function, loop[0]): loop[0].id for loop in loops}
    last = max(ended, default=-1)
    return OpRef(get.function, ended[last]) if last > _began(at, 0, get.function) else None


def _loops(at: Alignment, function: str) -> list[tuple[For, For]]:
    """The function's loops, as both sides have them, outer ones before those inside."""
    a, b = (at.layout(side, function).statements for side in (0, 1))
    pairs = [(loop, b.get(id)) for id, loop in a.items()]
    return [(x, y) for x, y in pairs if isinstance(x, For) and isinstance(y, For)]


def _sets(loops: tuple[For, For], slot: str) -> bool:
    return any(
        slot == loop.slot
        or any(isinstance(s, Op) and s.opcode == "set" and s.attr == slot for s in walk(loop.body))
        for loop in loops
    )


def _ended(at: Alignment, function: str, loop: For) -> int:
    """The last event of side 0 in a loop."""
    layout = at.layout(0, function)
    inside = {id for id, spots in layout.spots.items() if any(s.around == loop.id for s in spots)}
    numbers = {n for n, op in _numbered(at, 0, function) if op.id in inside}
    return at.last_before(0, numbers, at.event(0, at.first))


def missing_write(at: Alignment, origins: tuple[Origin, Origin]) -> MissingWrite | None:
    """The write that one side alone does, of the last ones to a piece of memory."""
    for side, origin in enumerate(origins):
        write = origin.write
        if write is None or write.event is None:
            continue
        if at.shared_event(side, write.event) is None:
            return MissingWrite(side, write.place, write.event, write.opcode)
    return None
