"""The number of the frame, in kernels: the state's own count where it has one, or a hidden one."""

from __future__ import annotations

from samebits.hazards.edit.function_editor import FunctionEditor, Source, entries, state_of
from samebits.hazards.edit.hidden_state import with_hidden
from samebits.ir.grammar import Function, Module, Op, Value, walk
from samebits.types import UINT64, RefType, ScalarType, StructType

FRAME = ".frame"


def with_frame(module: Module) -> tuple[Module, Source]:
    """The kernels, and what gives the number of the frame, from 0, where `step` begins.

    The state's own count stays right after a saved state is restored; a hidden one counts on.
    """
    own = own_count(module)
    field = own or FRAME
    module = module if own else with_hidden(module, field)

    def source(editor: FunctionEditor) -> Value:
        memory = editor.field(editor.get(editor.function.params[0][0]), field)
        count = editor.load(memory)
        if not own:
            editor.store(memory, editor.op("add", count, editor.const(UINT64, 1)))
        return count if count.type == UINT64 else editor.to(UINT64, count)

    return module, source


def own_count(module: Module) -> str | None:
    """The field of the state that counts its frames: `step` adds 1 once, whatever it does else,
    and nothing else writes it, but for a 0 in `init`."""
    init, step = entries(module)
    state = state_of(module)
    for name, field in state.fields:
        if isinstance(field, ScalarType) and field.is_int:
            stores = list(_stores(module, state, name))
            counted = [op for f, op in stores if f == step and _is_count(module, step, op, name)]
            others = [(f, op) for f, op in stores if op not in counted]
            if len(counted) == 1 and all(f == init and _is_zero(module, f, op) for f, op in others):
                return name
    return None


def _stores(module: Module, state: StructType, name: str) -> list[tuple[str, Op]]:
    found: list[tuple[str, Op]] = []
    for function in module.functions.values():
        places: set[int] = set()
        for op in walk(function.body):
            if not isinstance(op, Op):
                continue
            if op.opcode == "field" and op.attr == name and op.args[0].type == RefType(state):
                places.add(op.id)
            elif places & {value.op for value in op.args} and op.opcode != "load":
                found.append((function.name, op))
    return found


def _makers(function: Function) -> dict[int, Op]:
    return {op.id: op for op in walk(function.body) if isinstance(op, Op)}


def _is_count(module: Module, step: str, op: Op, name: str) -> bool:
    """Whether a store adds 1 to what was there, in every frame."""
    function = module.functions[step]
    if op.opcode != "store" or not any(op is s for s in function.body):
        return False
    makers = _makers(function)
    total = makers[op.args[1].op]
    if total.opcode != "add":
        return False
    for a, b in (total.args, total.args[::-1]):
        load, one = makers[a.op], makers[b.op]
        if load.opcode == "load" and (one.opcode, one.attr) == ("const", 1):
            place = makers[load.args[0].op]
            return place.opcode == "field" and place.attr == name
    return False


def _is_zero(module: Module, function: str, op: Op) -> bool:
    if op.opcode != "store":
        return False
    value = _makers(module.functions[function])[op.args[1].op]
    return value.opcode == "const" and value.attr == 0
