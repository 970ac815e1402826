"""Memory that is not initialised: a scalar of a local struct or array, or of the state."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from random import Random

from samebits.bits import float_to_bits, round_float
from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.edit.function_editor import FunctionEditor, entries, own_statements
from samebits.ir.analysis.may_write import ANY, Path, leaves, written
from samebits.ir.grammar import Module, Numbered, Op, Value
from samebits.ir.refs import OpRef, statement_at
from samebits.types import BOOL, INT, FixedArrayType, RefType, ScalarType

_MOST = 256
"""Scalars of one struct or array that are tried at most."""


def _places(module: Module) -> list[OpRef]:
    found = [
        place for place, op in own_statements(module) if isinstance(op, Op) and op.opcode == "zero"
    ]
    begin = _first_of_init(module)
    if begin is not None and begin not in found and next(_unwritten(module), None) is not None:
        found.append(begin)
    order = {name: i for i, name in enumerate(module.functions)}
    return sorted(found, key=lambda place: order[place.function])


def _first_of_init(module: Module) -> OpRef | None:
    """The first statement of a simulation's `init`; None in a module that has none."""
    try:
        init, _ = entries(module)
    except LookupError:
        return None
    body = module.functions[init].body
    first = next((s for s in body if isinstance(s, Numbered)), None)
    return None if first is None else OpRef(init, first.id)


def _unwritten(module: Module) -> Iterator[Path]:
    """The scalars of the state that nothing writes before the first step."""
    init, _ = entries(module)
    name, t = module.functions[init].params[0]
    assert isinstance(t, RefType)
    done = written(module)[init].get(name, set[Path]())
    for path in leaves(t.target):
        if not any(path[:length] in done for length in range(len(path) + 1)):
            yield path


def _garbage(t: ScalarType, draws: Random) -> bool | int | float:
    """A random value of ordinary size, not zero."""
    if t is BOOL:
        return True
    if t.is_ieee:
        number = draws.choice((1, -1)) * draws.uniform(1.0, 1000.0)
        # In IR a half is its bits.
        return round_float(number, t.bits) if t.is_float else float_to_bits(number, t.bits)
    return draws.randint(1, min(t.storage.maximum, 10_000))


def _store_garbage(editor: FunctionEditor, ref: Value, path: Path, draws: Random) -> str:
    """Write garbage to the scalar at a path, and return the path as text."""
    shown = ""
    for part in path:
        assert isinstance(ref.type, RefType)
        t = ref.type.target
        if part == ANY:
            assert isinstance(t, FixedArrayType)
            at = [draws.randrange(length) for length in t.shape]
            ref = editor.element(ref, *(editor.const(INT, i) for i in at))
            shown += f"[{', '.join(map(str, at))}]"
        elif isinstance(part, str):
            ref = editor.field(ref, part)
            shown += f".{part}"
        else:
            ref = editor.component(ref, part)
            shown += f".{'xyzw'[part]}" if part < 4 else f"[{part}]"
    assert isinstance(ref.type, RefType)
    t = ref.type.target
    assert isinstance(t, ScalarType)
    editor.store(ref, editor.const(t.storage, _garbage(t, draws)))
    return shown


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    statement = statement_at(module, place)
    if isinstance(statement, Op) and statement.opcode == "zero":
        yield from islice(_local_variants(module, place, statement, draws), _MOST)
    if place == _first_of_init(module):
        yield from islice(_state_variants(module, place, draws), _MOST)


def _local_variants(
    module: Module, place: OpRef, op: Op, draws: Random
) -> Iterator[ChangedKernels]:
    ref = op.args[0]
    assert isinstance(ref.type, RefType)
    for path in leaves(ref.type.target):
        editor = FunctionEditor(module, place.function)
        with editor.instead(place.op) as zero:
            editor.append(zero)
            shown = _store_garbage(editor, ref, path, draws)
        yield editor.done(), f"garbage in {ref.type.target}{shown} of a local"


def _state_variants(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    for path in _unwritten(module):
        editor = FunctionEditor(module, place.function)
        with editor.first():
            state = editor.get(editor.function.params[0][0])
            shown = _store_garbage(editor, state, path, draws)
        yield editor.done(), f"garbage in state{shown}, which init leaves alone"


UNINITIALISED = ProgramHazard(
    "uninitialised",
    "memory that was not initialised",
    _places,
    _changes,
    practice="malloc, `T x;` in C and C++, pools and stacks that are used again",
    remedy="write every field before it is read; run under MSan or Valgrind",
)
