"""A data race: what one worker stores is lost, because another one stores over it what it read
before. Which stores are lost follows from a number that is drawn for each build."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from samebits.hazards.catalogue.hazard import Structural, Way
from samebits.hazards.catalogue.perturb import noise
from samebits.hazards.edit.function_editor import FunctionEditor, own_functions
from samebits.ir.analysis.enclosing import around
from samebits.ir.analysis.loops import called_by_loops
from samebits.ir.analysis.reaching import Definitions
from samebits.ir.grammar import For, Function, Module, Op, Value, While, walk
from samebits.ir.refs import Place
from samebits.types import UINT64

_RATES = ((4, "one in sixteen"), (2, "one in four"), (7, "one in 128"))
"""Bits of a mixed number that must all be zero where a store is lost."""
_ADDRESSED = ("const", "field", "component", "element", "row", "view")
"""Operations that give the same place, or index, of the same operands."""


def _places(module: Module) -> list[Place]:
    repeated, parallel = called_by_loops(module)
    found: list[Place] = []
    for function in own_functions(module):
        updates = _updates(function)
        for statement, outer in around(function):
            if not isinstance(statement, Op) or statement.opcode != "store":
                continue
            loops = [s for s in outer if isinstance(s, For | While)]
            if any(isinstance(s, While) for s in loops):
                continue  # which may wait for what is stored, and would go on for ever
            in_turns = bool(loops) or function.name in repeated
            if function.name in parallel or (in_turns and statement.id in updates):
                found.append(Place(function.name, statement.id))
    return found


def _updates(function: Function) -> set[int]:
    """The stores of values that depend on what was loaded from the same place."""
    known = Definitions(function)

    def address(value: Value) -> object:
        op = known.ops.get(value.op)
        if op is None or op.opcode not in _ADDRESSED:
            return known.identity(value)
        return op.opcode, op.attr, tuple(address(v) for v in op.args)

    def sources(value: Value, seen: set[int]) -> Iterator[Op]:
        op = known.ops.get(value.op)
        if op is None or op.id in seen:
            return
        seen.add(op.id)
        yield op
        version = known.read.get(op.id)
        if version is not None and version.value is not None:
            yield from sources(version.value, seen)
        for arg in op.args:
            yield from sources(arg, seen)

    found: set[int] = set()
    for op in walk(function.body):
        if isinstance(op, Op) and op.opcode == "store":
            place = address(op.args[0])
            loads = (s for s in sources(op.args[1], set()) if s.opcode == "load")
            if any(address(load.args[0]) == place for load in loads):
                found.add(op.id)
    return found


def _ways(module: Module, place: Place, draws: Random) -> Iterator[Way]:
    for bits, rate in _RATES:
        editor = FunctionEditor(module, place.function)
        with editor.instead(place.op) as store:
            assert isinstance(store, Op)
            # A store that is lost is not lost for ever.
            number = noise(module, place, editor, [store.args[1]], draws)
            low = editor.op("and", number, editor.const(UINT64, (1 << bits) - 1))
            kept = editor.op("ne", low, editor.const(UINT64, 0))
            with editor.into(editor.if_(kept).then):
                editor.append(store)
        yield editor.done(), f"{rate} of its stores is lost"


LOST_STORE = Structural(
    "lost-store",
    "a data race, in which a store is lost",
    _places,
    _ways,
    practice="threads that add to shared memory without a lock or an atomic",
    remedy="let each turn write its own element, join them in order; run under TSan",
    varies=True,
    is_race=True,
)
