"""Loops without loop-carried dependences, for which an explicit vector width is safe.

A width is more than a hint. LLVM takes it as permission to reorder loop-carried sums of floats,
strict or not (`LoopVectorizeHints::allowReordering`), and if it does not vectorise after all, it
says so on standard error. Errs on the side of finding a dependence.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from samebits.ir.grammar import (
    OPS,
    Break,
    For,
    Function,
    If,
    Op,
    Region,
    Return,
    Value,
    While,
    regions,
    walk,
)
from samebits.types import ArrayType, ScalarType

_PLACES = {"field", "component", "view", "flat"}
"""Opcodes of references into the memory of their one operand."""
_HARMLESS = {"get", "set", "load", "index", "bound", "assert", "assume", "overflow"}
"""Opcodes that are not pure, but write no memory."""


def has_independent_iterations(
    loop: For | While,
    function: Function,
    callee: Callable[[str], Function],
    private: Collection[str] = (),
    prints: Callable[[str], bool] = lambda name: False,
) -> bool:
    """Whether the iterations of the innermost `loop` all run, carry no slot's value to each other
    or out of the loop, and write only to elements indexed by the loop's variable. Slots in
    `private` are known to be private to each iteration; `callee` finds functions that the loop
    calls, `prints` says which of them print."""
    if not isinstance(loop, For):
        return False
    ops: dict[int, Op] = {}
    for statement in walk(loop.body):
        if isinstance(statement, Break | Return | For | While):
            return False
        if isinstance(statement, Op):
            ops[statement.id] = statement
    if not all(_writes_own(op, loop.slot, ops, callee, prints) for op in ops.values()):
        return False
    carried = {str(op.attr) for op in ops.values() if op.opcode == "set"} - set(private)
    read = read_first(loop.body, {loop.slot})
    for region in _after(function.body, loop):
        read |= read_first(region, set())
    return not carried & read


def _writes_own(
    op: Op,
    slot: str,
    ops: dict[int, Op],
    callee: Callable[[str], Function],
    prints: Callable[[str], bool],
) -> bool:
    """Whether `op` prints nothing, and writes no memory, or only an element indexed by the loop's
    variable."""
    if OPS[op.opcode].pure or op.opcode in _HARMLESS:
        return True
    if op.opcode == "call":
        name = str(op.attr)
        scalars = all(isinstance(t, ScalarType) for _, t in callee(name).params)
        return scalars and not prints(name)
    return op.opcode == "store" and _is_own(op.args[0], slot, ops)


def _is_own(place: Value, slot: str, ops: dict[int, Op]) -> bool:
    op = ops.get(place.op)
    while op is not None and op.opcode in _PLACES:
        op = ops.get(op.args[0].op)
    if op is None or op.opcode != "element" or _moves(op.args[0], ops):
        return False
    return any(_is_slot(index, slot, ops) for index in op.args[1:]) or _is_own(
        op.args[0], slot, ops
    )


def _moves(array: Value, ops: dict[int, Op]) -> bool:
    """Whether an array may begin elsewhere in each iteration: equal elements of two such have other
    indices."""
    op = ops.get(array.op)
    while op is not None and op.opcode in ("row", "view"):
        op = ops.get(op.args[0].op)
    if op is None or not isinstance(op.result.type, ArrayType):
        return False
    sets = {str(other.attr) for other in ops.values() if other.opcode == "set"}
    return op.opcode != "get" or op.attr in sets


def _is_slot(index: Value, slot: str, ops: dict[int, Op]) -> bool:
    op = ops.get(index.op)
    return op is not None and op.opcode == "get" and op.attr == slot


def _after(region: Region, loop: For) -> Iterator[Region]:
    """The regions that may run after `loop`: the rest of each enclosing one, all of a loop."""
    for at, statement in enumerate(region):
        if statement is loop:
            yield loop.orelse
            yield region[at + 1 :]
            return
        for inner in regions(statement):
            found = list(_after(inner, loop))
            if found:
                yield from found
                if isinstance(statement, For | While):
                    yield from regions(statement)
                yield region[at + 1 :]
                return


def read_first(region: Region, sets: set[str]) -> set[str]:
    """Slots that `region` may read before it sets them; slots that it always sets join `sets`."""
    found: set[str] = set()
    for statement in region:
        match statement:
            case Op(opcode="get"):
                found |= {str(statement.attr)} - sets
            case Op(opcode="set"):
                sets.add(str(statement.attr))
            case If():
                arms = sets.copy(), sets.copy()
                found |= read_first(statement.then, arms[0])
                found |= read_first(statement.orelse, arms[1])
                sets |= arms[0] & arms[1]
            case For():
                found |= read_first(statement.body, sets | {statement.slot})
                found |= read_first(statement.orelse, sets.copy())
            case While():
                found |= read_first(statement.head, sets)
                found |= read_first(statement.body, sets.copy())
                found |= read_first(statement.orelse, sets.copy())
            case _:
                pass
    return found
