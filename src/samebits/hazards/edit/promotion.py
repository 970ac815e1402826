"""Scalar promotion, as compilers do it: a sum in memory that a loop keeps in a slot.

Owns when that is right, for all that a loop's body may reach. Knows nothing of what is summed up.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, replace

from samebits.hazards.edit.function_editor import FunctionEditor
from samebits.ir.grammar import For, Function, Module, Op, Value, walk
from samebits.types import ArrayType, FixedArrayType, RefType, ScalarType

_STEPS = ("get", "local", "const", "field", "component", "element")
"""The operations of which an address that does not change may be made."""


@dataclass(frozen=True, slots=True)
class _Access:
    """A load or store in a loop's body: the operations of its address, what tells addresses apart
    and, as far as it is known, what memory it is in: a struct's field."""

    op: Op
    steps: tuple[Op, ...]
    key: object
    field: object


def promoted(module: Module, name: str, number: int) -> Module:
    """The module with what loop `number` of a function loads and stores at one place of float
    memory in a slot; the module itself where there is no such place."""
    function = module.functions[name]
    loop = next(s for s in walk(function.body) if isinstance(s, For) and s.id == number)
    groups = _groups(function, loop)
    if not groups:
        return module
    editor = FunctionEditor(module, name)
    written: list[tuple[str, Value]] = []
    with editor.instead(number):
        for i, group in enumerate(groups):
            place = _copied(editor, group[0].steps)
            slot = f".sum{number}.{i}"
            value = editor.load(place)
            editor.function.slots[slot] = value.type
            editor.set(slot, value)
            written.append((slot, place))
        editor.append(loop)
        for slot, place in written:
            editor.store(place, editor.get(slot))
    for group, (slot, _) in zip(groups, written, strict=True):
        for access in group:
            with editor.instead(access.op.id) as op:
                assert isinstance(op, Op)
                opcode = "get" if op.opcode == "load" else "set"
                editor.append(replace(op, opcode=opcode, args=op.args[1:], attr=slot))
    return editor.done()


def _groups(function: Function, loop: For) -> list[list[_Access]]:
    """The accesses of one float each that nothing else in the body can reach."""
    makers = {op.id: op for op in walk(function.body) if isinstance(op, Op)}
    inside = list(walk(loop.body))
    changed = {str(s.attr) for s in inside if isinstance(s, Op) and s.opcode == "set"}
    changed |= {s.slot for s in inside if isinstance(s, For)} | {loop.slot}
    local = {s.id for s in inside if isinstance(s, Op)}
    accesses: list[_Access] = []
    for op in inside:
        if not isinstance(op, Op):
            continue
        if op.opcode in ("load", "store"):
            accesses.append(_access(op, makers, local, changed))
        elif op.opcode in ("copy", "zero", "parallel") or (
            op.opcode == "call" and any(isinstance(v.type, RefType | ArrayType) for v in op.args)
        ):
            return []
    by_key: dict[object, list[_Access]] = defaultdict(list)
    for access in accesses:
        by_key[access.key].append(access)
    return [
        group
        for key, group in by_key.items()
        if key is not None
        and _is_float(group[0].op.args[0])
        and {access.op.opcode for access in group} == {"load", "store"}
        and all(_apart(group[0], other) for other in accesses if other.key != key)
    ]


def _access(op: Op, makers: dict[int, Op], local: set[int], changed: set[str]) -> _Access:
    steps: dict[int, Op] = {}
    fixed = True

    def key(value: Value) -> object:
        nonlocal fixed
        step = makers[value.op]
        if value.op not in local:
            return value.op
        fixed &= step.opcode in _STEPS and not (step.opcode == "get" and step.attr in changed)
        if step.opcode == "element":
            fixed &= _is_inside(step, makers)
        found = (step.opcode, step.attr, tuple(map(key, step.args)))
        steps[step.id] = step
        return found

    address = key(op.args[0])
    at = makers[op.args[0].op]
    while at.opcode in ("component", "element", "row", "slice", "view"):
        at = makers[at.args[0].op]
    field = (str(at.args[0].type), at.attr) if at.opcode == "field" else None
    return _Access(op, tuple(steps.values()), address if fixed else None, field)


def _is_inside(element: Op, makers: dict[int, Op]) -> bool:
    """Whether its indices are constants that need no check."""
    t = element.args[0].type
    if not isinstance(t, RefType) or not isinstance(t.target, FixedArrayType):
        return False
    indices = [makers[value.op] for value in element.args[1:]]
    return all(
        index.opcode == "const" and 0 <= int(index.attr or 0) < length
        for index, length in zip(indices, t.target.shape, strict=True)
    )


def _is_float(place: Value) -> bool:
    assert isinstance(place.type, RefType)
    return isinstance(place.type.target, ScalarType) and place.type.target.is_float


def _apart(a: _Access, b: _Access) -> bool:
    """Whether two accesses cannot meet: they are in different fields, or of different types."""
    if a.op.args[0].type != b.op.args[0].type:
        return True
    return a.field is not None and b.field is not None and a.field != b.field


def _copied(editor: FunctionEditor, steps: tuple[Op, ...]) -> Value:
    made: dict[int, Value] = {}
    value: Value | None = None
    for op in steps:
        args = [made.get(v.op, v) for v in op.args]
        types = [v.type for v in op.results]
        value = made[op.id] = editor.emit(op.opcode, *args, attr=op.attr, types=types).result
    assert value is not None
    return value
