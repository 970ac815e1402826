"""A loop that iterates in another order: backwards, from the middle on, neighbours exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.edit.draft import Draft, own_functions
from samebits.ir.grammar import For, Module, Value, walk
from samebits.ir.refs import OpRef
from samebits.types import INT

Order = Callable[[Draft, Value, Value], Value]
"""From an iteration's number and their count to the number of the iteration that runs instead."""
_SLOT = ".iteration"


def _places(module: Module) -> list[OpRef]:
    return [
        OpRef(function.name, loop.id)
        for function in own_functions(module)
        for loop in walk(function.body)
        if isinstance(loop, For)
    ]


def _count(draft: Draft, loop: For) -> Value:
    """How many iterations the loop has, computed before it."""
    length = draft.op("sub", loop.stop, loop.start)
    if abs(loop.step) > 1:
        past = draft.const(INT, loop.step - (1 if loop.step > 0 else -1))
        length = draft.op("floordiv", draft.op("add", length, past), draft.const(INT, loop.step))
    elif loop.step < 0:
        length = draft.op("neg", length)
    return draft.op("max", length, draft.const(INT, 0))


def _from_middle(draft: Draft, i: Value, count: Value) -> Value:
    half = draft.op("floordiv", count, draft.const(INT, 2))
    return draft.op("mod", draft.op("add", i, half), count)


def _last_first(draft: Draft, i: Value, count: Value) -> Value:
    past = draft.op("sub", draft.op("add", i, count), draft.const(INT, 1))
    return draft.op("mod", past, count)


def _exchanged(draft: Draft, i: Value, count: Value) -> Value:
    other = draft.op("xor", i, draft.const(INT, 1))
    return draft.op("select", draft.op("lt", other, count), other, i)


_ORDERS: tuple[tuple[Order, str], ...] = (
    (_from_middle, "from the middle on, then the rest: another start of a hash table"),
    (_last_first, "the last iteration first: an entry that was moved, a list that was rotated"),
    (_exchanged, "neighbours exchanged: two workers that finish in the other order"),
)


def _backwards(module: Module, place: OpRef) -> Module:
    draft = Draft(module, place.function)
    with draft.instead(place.op) as loop:
        assert isinstance(loop, For)
        step = draft.const(INT, loop.step)
        past = draft.op("mul", _count(draft, loop), step)
        last = draft.op("sub", draft.op("add", loop.start, past), step)
        before = draft.op("sub", loop.start, step)
        draft.keep(replace(loop, start=last, stop=before, step=-loop.step))
    return draft.done()


def _in_order(module: Module, place: OpRef, order: Order) -> Module:
    draft = Draft(module, place.function)
    slot = next(name for n in range(1 << 20) if (name := f"{_SLOT}{n}") not in draft.function.slots)
    draft.function.slots[slot] = INT
    with draft.instead(place.op) as loop:
        assert isinstance(loop, For)
        count = _count(draft, loop)
        zero = draft.const(INT, 0)
        with draft.into(body := []):
            i = order(draft, draft.get(slot), count)
            past = draft.op("mul", i, draft.const(INT, loop.step))
            draft.set(loop.slot, draft.op("add", loop.start, past))
        inner = replace(loop, slot=slot, start=zero, stop=count, step=1)
        draft.keep(replace(inner, body=[*body, *loop.body]))
    return draft.done()


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    yield _backwards(module, place), "from the last iteration to the first: a reversed list"
    for order, note in _ORDERS:
        yield _in_order(module, place, order), note


ITERATION = ProgramHazard(
    "iteration-order",
    "the iterations of a loop in another order",
    _places,
    _changes,
    practice="sets, hash tables by address, directory listings, tasks as they finish",
    remedy="loop over indices or sorted keys, join results in a fixed order",
)
