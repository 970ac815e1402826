"""A data race: a worker's store is lost because another worker overwrites it.

The other worker's value comes from what was there before. A random number drawn for each build
decides which stores are lost.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from samebits.hazards.catalogue.hazard import ChangedKernels, ProgramHazard
from samebits.hazards.catalogue.perturb import noise
from samebits.hazards.edit.function_editor import FunctionEditor, own_functions
from samebits.ir.analysis.enclosing import around
from samebits.ir.analysis.loops import called_by_loops
from samebits.ir.analysis.reaching import Definitions
from samebits.ir.grammar import For, Function, Module, Op, Value, While, walk
from samebits.ir.refs import OpRef
from samebits.types import UINT64

_RATES = ((4, "one in sixteen"), (2, "one in four"), (7, "one in 128"))
"""How many low bits of the noise are all zero when a store is lost."""
_ADDRESSED = ("const", "field", "component", "element", "row", "slice", "view")
"""Operations that compute the same address, or index, from the same operands."""


def _places(module: Module) -> list[OpRef]:
    repeated, parallel = called_by_loops(module)
    found: list[OpRef] = []
    for function in own_functions(module):
        updates = _updates(function)
        for statement, outer in around(function):
            if not isinstance(statement, Op) or statement.opcode != "store":
                continue
            loops = [s for s in outer if isinstance(s, For | While)]
            if any(isinstance(s, While) for s in loops):
                continue  # the loop may wait for what is stored, and would never end
            in_loop = bool(loops) or function.name in repeated
            if function.name in parallel or (in_loop and statement.id in updates):
                found.append(OpRef(function.name, statement.id))
    return found


def _updates(function: Function) -> set[int]:
    """The stores of values that depend on a load from the same address."""
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


def _changes(module: Module, place: OpRef, draws: Random) -> Iterator[ChangedKernels]:
    for bits, rate in _RATES:
        editor = FunctionEditor(module, place.function)
        with editor.instead(place.op) as store:
            assert isinstance(store, Op)
            # The stored value varies the noise, so that a repeated store is not lost every time.
            number = noise(module, place, editor, [store.args[1]], draws)
            low = editor.op("and", number, editor.const(UINT64, (1 << bits) - 1))
            kept = editor.op("ne", low, editor.const(UINT64, 0))
            with editor.into(editor.if_(kept).then):
                editor.append(store)
        yield editor.done(), f"{rate} of its stores is lost"


LOST_STORE = ProgramHazard(
    "lost-store",
    "a data race, in which a store is lost",
    _places,
    _changes,
    practice="threads that add to shared memory without a lock or an atomic",
    remedy="let each iteration write its own element, join in order; run under TSan",
    varies=True,
    is_race=True,
)
