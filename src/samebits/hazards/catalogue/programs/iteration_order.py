"""A loop that iterates in another order: backwards, from the middle on, neighbours exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.edit.function_editor import FunctionEditor, own_statements
from samebits.ir.grammar import For, Module, Value
from samebits.ir.refs import OpRef
from samebits.types import INT

Order = Callable[[FunctionEditor, Value, Value], Value]
"""From an iteration's number and their count to the number of the iteration that runs instead."""
_SLOT = ".iteration"


def _places(module: Module) -> list[OpRef]:
    return [place for place, loop in own_statements(module) if isinstance(loop, For)]


def _count(editor: FunctionEditor, loop: For) -> Value:
    """The loop's number of iterations, computed before it."""
    length = editor.op("sub", loop.stop, loop.start)
    if abs(loop.step) > 1:
        past = editor.const(INT, loop.step - (1 if loop.step > 0 else -1))
        length = editor.op("floordiv", editor.op("add", length, past), editor.const(INT, loop.step))
    elif loop.step < 0:
        length = editor.op("neg", length)
    return editor.op("max", length, editor.const(INT, 0))


def _from_middle(editor: FunctionEditor, i: Value, count: Value) -> Value:
    half = editor.op("floordiv", count, editor.const(INT, 2))
    return editor.op("mod", editor.op("add", i, half), count)


def _last_first(editor: FunctionEditor, i: Value, count: Value) -> Value:
    past = editor.op("sub", editor.op("add", i, count), editor.const(INT, 1))
    return editor.op("mod", past, count)


def _exchanged(editor: FunctionEditor, i: Value, count: Value) -> Value:
    other = editor.op("xor", i, editor.const(INT, 1))
    return editor.op("select", editor.op("lt", other, count), other, i)


_ORDERS: tuple[tuple[Order, str], ...] = (
    (_from_middle, "from the middle on, then the rest: another start of a hash table"),
    (_last_first, "the last iteration first: an entry that was moved, a list that was rotated"),
    (_exchanged, "neighbours exchanged: two workers that finish in the other order"),
)


def _backwards(module: Module, place: OpRef) -> Module:
    editor = FunctionEditor(module, place.function)
    with editor.instead(place.op) as loop:
        assert isinstance(loop, For)
        step = editor.const(INT, loop.step)
        past = editor.op("mul", _count(editor, loop), step)
        last = editor.op("sub", editor.op("add", loop.start, past), step)
        before = editor.op("sub", loop.start, step)
        editor.append(replace(loop, start=last, stop=before, step=-loop.step))
    return editor.done()


def _in_order(module: Module, place: OpRef, order: Order) -> Module:
    editor = FunctionEditor(module, place.function)
    slot = next(
        name for n in range(1 << 20) if (name := f"{_SLOT}{n}") not in editor.function.slots
    )
    editor.function.slots[slot] = INT
    with editor.instead(place.op) as loop:
        assert isinstance(loop, For)
        count = _count(editor, loop)
        zero = editor.const(INT, 0)
        with editor.into(body := []):
            i = order(editor, editor.get(slot), count)
            past = editor.op("mul", i, editor.const(INT, loop.step))
            editor.set(loop.slot, editor.op("add", loop.start, past))
        inner = replace(loop, slot=slot, start=zero, stop=count, step=1)
        editor.append(replace(inner, body=[*body, *loop.body]))
    return editor.done()


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
