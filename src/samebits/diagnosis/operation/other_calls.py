"""Calls that name another function of the library on the other side, as of another precision."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from samebits.hazards.edit.draft import Draft, own_functions
from samebits.ir.grammar import CALLS, Module, Op, Region, walk
from samebits.ir.refs import OpRef

PRACTICE = "another precision: an option of the kernel, of its module, or of the build"


def other_calls(mine: Module, theirs: Module) -> frozenset[OpRef]:
    """The user's own calls that are of another function in `theirs`, whose operations have the
    same ids."""
    found: set[OpRef] = set()
    for function in own_functions(mine):
        other = theirs.functions.get(function.name)
        if other is not None:
            named = {op.id: op.attr for op in _calls(other.body)}
            found |= {
                OpRef(function.name, op.id)
                for op in _calls(function.body)
                if named.get(op.id, op.attr) != op.attr
            }
    return frozenset(found)


def with_other_calls(mine: Module, theirs: Module, places: Collection[OpRef]) -> Module:
    """The module in which the calls at some places are those that `theirs` has there."""
    made = mine
    for place in places:
        called = next(
            op for op in _calls(theirs.functions[place.function].body) if op.id == place.op
        )
        draft = Draft(made, place.function)
        with draft.instead(place.op) as old:
            assert isinstance(old, Op)
            draft.keep(replace(old, attr=called.attr))
        made = draft.done()
    new = {name: f for name, f in theirs.functions.items() if name not in made.functions}
    return Module({**new, **made.functions}, {**theirs.tables, **made.tables})


def _calls(body: Region) -> list[Op]:
    return [op for op in walk(body) if isinstance(op, Op) and op.opcode in CALLS]
