"""A changed input: one field of one player's input reads as another value in one frame."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from random import Random

from samebits.bits import float_to_bits, round_float
from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.edit.frame_count import FRAME, with_frame
from samebits.hazards.edit.function_editor import FunctionEditor, brought, entries
from samebits.ir.grammar import CALLS, Function, Module, Op, Value, walk
from samebits.ir.refs import OpRef, is_own, op_at, shown_type
from samebits.types import BOOL, FLOAT16, INT, UINT64, ArrayType, RefType, ScalarType

_INPUT = ".input"
_FRAMES = 240
"""The changed frame is drawn from so many."""
_PARTS = ("field", "component", "element", "row", "slice", "view")
"""Operations whose result is a part of what their first operand refers to."""


def _places(module: Module) -> list[OpRef]:
    try:
        _, step = entries(module)
    except LookupError:
        return []
    given: dict[str, set[str]] = defaultdict(set)
    """The parameters of each function that refer to inputs."""
    given[step].add(module.functions[step].params[1][0])
    found: dict[str, list[OpRef]] = {}
    for function in reversed(list(module.functions.values())):
        if given[function.name]:
            found[function.name] = _loads(module, function, given)
    return [place for name in module.functions if is_own(name) for place in found.get(name, [])]


def _loads(module: Module, function: Function, given: dict[str, set[str]]) -> list[OpRef]:
    """The loads of inputs in a function; its callees' input parameters are added to `given`."""
    slots = set(given[function.name])
    values: set[int] = set()
    found: list[OpRef] = []
    for op in walk(function.body):
        if not isinstance(op, Op):
            continue
        inside = [value.op in values for value in op.args]
        match op.opcode:
            case "get" if op.attr in slots:
                values.add(op.id)
            case "set" if inside[0]:
                slots.add(str(op.attr))
            case opcode if opcode in _PARTS and inside[0]:
                values.add(op.id)
            case "load" if inside[0]:
                found.append(OpRef(function.name, op.id))
            case opcode if opcode in CALLS:
                callee = module.functions[str(op.attr)]
                # A parallel range takes its batch size as well.
                inside = inside if opcode == "call" else [*inside[:2], *inside[3:]]
                for (name, _), is_input in zip(callee.params, inside, strict=True):
                    if is_input:
                        given[callee.name].add(name)
            case _:
                pass
    return found


def changed_in(
    module: Module, place: OpRef, frame: int, player: int, value: bool | int | float
) -> Module:
    """The kernels in which the load at `place` reads `value` in one frame, for one player's input.

    Frames count from 0, by a field of the state if there is one, otherwise since the state began.
    A player number beyond the last means the last. Raises LookupError if code that `init` calls
    reads inputs.
    """
    _, step = entries(module)

    def of_player(editor: FunctionEditor) -> Value:
        inputs = editor.get(editor.function.params[1][0])
        last = editor.op("sub", editor.length(inputs), editor.const(INT, 1))
        return editor.element(inputs, editor.op("min", editor.const(INT, player), last))

    inputs = module.functions[step].params[1][1]
    assert isinstance(inputs, ArrayType)
    module, count = with_frame(module)
    module = brought(module, place.function, _INPUT, RefType(inputs.element), {step: of_player})
    module = brought(module, place.function, FRAME, UINT64, {step: count})
    editor = FunctionEditor(module, place.function)
    with editor.instead(place.op) as load:
        assert isinstance(load, Op)
        t = load.result.type
        assert isinstance(t, ScalarType)
        read = editor.again(load)
        theirs = editor.emit("apart", load.args[0], editor.get(_INPUT), attr=False, types=[BOOL])
        mine = editor.op("not", theirs.result)
        now = editor.op("eq", editor.get(FRAME), editor.const(UINT64, frame))
        other = editor.const(t, value)
        editor.give(load.id, "select", editor.op("and", mine, now), other, read, type=t)
    return editor.done()


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    op = op_at(module, place)
    t = shown_type(op, op.result)
    assert t is not None
    frame, player = draws.randrange(_FRAMES), draws.randrange(2)
    for value, what in _values(t, draws):
        note = f"{what} of player {player} in frame {frame}"
        try:
            yield changed_in(module, place, frame, player, value), note
        except LookupError:
            return


def _values(t: ScalarType, draws: Random) -> Iterator[tuple[bool | int | float, str]]:
    if t is BOOL:
        yield True, "a button that is held"
        yield False, "a button that is free"
    elif t.is_float:
        yield round_float(draws.uniform(-1.0, 1.0), t.bits), "another value"
        yield 0.0, "zero, a lost input,"
    elif t == FLOAT16:  # in IR its bits
        yield float_to_bits(draws.uniform(-1.0, 1.0), FLOAT16.bits), "another value"
        yield 0, "zero, a lost input,"
    else:
        yield draws.randint(max(t.minimum, -127), min(t.maximum, 127)), "another value"
        yield 0, "zero, a lost input,"


CHANGED_INPUT = ProgramHazard(
    "changed-input",
    "an input that is not the same",
    _places,
    _changes,
    practice="late or lost packets, prediction never corrected, input read twice a frame",
    remedy="record and exchange inputs, step only with those that all peers have",
)
