"""A result that depends on memory which outlives the frame and is neither hashed nor saved."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.catalogue.perturb import mixed, results
from samebits.hazards.edit.function_editor import FunctionEditor, brought, entries
from samebits.hazards.edit.hidden_state import hidden_sources, with_hidden
from samebits.ir.analysis.loops import called_by_loops
from samebits.ir.grammar import Module, Op
from samebits.ir.refs import OpRef
from samebits.types import UINT64, RefType

FIELD = ".unhashed"
"""The hidden field that counts how often operations with this hazard ran since the start."""
_SHIFTS = ((0, "each time"), (6, "every 64 times"), (12, "every 4,096 times"))
"""How many low bits of the counter are dropped, and how often the rest changes."""


def _places(module: Module) -> list[OpRef]:
    try:
        entries(module)
    except LookupError:
        return []
    # Several threads would count at the same time.
    _, parallel = called_by_loops(module)
    return [place for place in results(module) if place.function not in parallel]


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    module = with_hidden(module, FIELD)
    sources = hidden_sources(module, FIELD)
    module = brought(module, place.function, FIELD, RefType(UINT64), sources)
    for shift, when in _SHIFTS:
        editor = FunctionEditor(module, place.function)
        with editor.instead(place.op) as op:
            assert isinstance(op, Op)
            count = editor.load(memory := editor.get(FIELD))
            editor.store(memory, editor.op("add", count, editor.const(UINT64, 1)))
            slow = editor.op("shr", count, editor.const(UINT64, shift))
            mixed(editor, op, editor.op("and", slow, editor.const(UINT64, 7)))
        yield editor.done(), f"a number from outside the state, which changes {when}"


UNHASHED = ProgramHazard(
    "unhashed",
    "state that is not hashed or saved",
    _places,
    _changes,
    practice="caches, statics, objects outside the snapshot; it shows after rollbacks",
    remedy="make it part of the state, or compute it anew in each frame",
)
