"""A loop whose turns come in another order: backwards, from the middle on, neighbours exchanged."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from random import Random

from samebits.hazards.catalogue.hazard import Structural, Way
from samebits.hazards.edit.function_editor import FunctionEditor, own_functions
from samebits.ir.grammar import For, Module, Value, walk
from samebits.ir.refs import Place
from samebits.types import INT

Order = Callable[[FunctionEditor, Value, Value], Value]
"""From the number of a turn and the count of turns to the number of the turn that is due then."""
_SLOT = ".turn"


def _places(module: Module) -> list[Place]:
    return [
        Place(function.name, loop.id)
        for function in own_functions(module)
        for loop in walk(function.body)
        if isinstance(loop, For)
    ]


def _turns(editor: FunctionEditor, loop: For) -> Value:
    """How many there are, before the loop."""
    length = editor.op("sub", loop.stop, loop.start)
    if abs(loop.step) > 1:
        past = editor.const(INT, loop.step - (1 if loop.step > 0 else -1))
        length = editor.op("floordiv", editor.op("add", length, past), editor.const(INT, loop.step))
    elif loop.step < 0:
        length = editor.op("neg", length)
    return editor.op("max", length, editor.const(INT, 0))


def _from_middle(editor: FunctionEditor, turn: Value, turns: Value) -> Value:
    half = editor.op("floordiv", turns, editor.const(INT, 2))
    return editor.op("mod", editor.op("add", turn, half), turns)


def _last_first(editor: FunctionEditor, turn: Value, turns: Value) -> Value:
    past = editor.op("sub", editor.op("add", turn, turns), editor.const(INT, 1))
    return editor.op("mod", past, turns)


def _exchanged(editor: FunctionEditor, turn: Value, turns: Value) -> Value:
    other = editor.op("xor", turn, editor.const(INT, 1))
    return editor.op("select", editor.op("lt", other, turns), other, turn)


_ORDERS: tuple[tuple[Order, str], ...] = (
    (_from_middle, "from the middle on, then the rest: another start of a hash table"),
    (_last_first, "the last turn first: an entry that was moved, a list that was rotated"),
    (_exchanged, "neighbours exchanged: two workers that finish in the other order"),
)


def _backwards(module: Module, place: Place) -> Module:
    editor = FunctionEditor(module, place.function)
    with editor.instead(place.op) as loop:
        assert isinstance(loop, For)
        step = editor.const(INT, loop.step)
        past = editor.op("mul", _turns(editor, loop), step)
        last = editor.op("sub", editor.op("add", loop.start, past), step)
        before = editor.op("sub", loop.start, step)
        editor.append(replace(loop, start=last, stop=before, step=-loop.step))
    return editor.done()


def _in_order(module: Module, place: Place, order: Order) -> Module:
    editor = FunctionEditor(module, place.function)
    slot = next(
        name for i in range(1 << 20) if (name := f"{_SLOT}{i}") not in editor.function.slots
    )
    editor.function.slots[slot] = INT
    with editor.instead(place.op) as loop:
        assert isinstance(loop, For)
        turns = _turns(editor, loop)
        zero = editor.const(INT, 0)
        with editor.into(body := []):
            turn = order(editor, editor.get(slot), turns)
            past = editor.op("mul", turn, editor.const(INT, loop.step))
            editor.set(loop.slot, editor.op("add", loop.start, past))
        inner = replace(loop, slot=slot, start=zero, stop=turns, step=1)
        editor.append(replace(inner, body=[*body, *loop.body]))
    return editor.done()


def _ways(module: Module, place: Place, draws: Random) -> Iterator[Way]:
    yield _backwards(module, place), "the turns from the last to the first: a reversed list"
    for order, note in _ORDERS:
        yield _in_order(module, place, order), note


ITERATION = Structural(
    "iteration-order",
    "the turns of a loop in another order",
    _places,
    _ways,
    practice="sets, hash tables by address, directory listings, tasks as they finish",
    remedy="loop over indices or sorted keys, join results in a fixed order",
)
