"""Uses of the values and slots of a function, as a writer of C needs to know them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from samebits.ir.grammar import For, Function, If, Op, Region, Return, Value, While, regions, walk

UNUSED = frozenset({"index", "bound", "assert", "assume", "overflow", "own", "print", "trace"})
"""Operations that a run without a trap does not need."""
WRITES = frozenset({"store", "copy", "zero", "release", "allocate", "parallel"})
"""Operations that write memory, calls aside."""
_EFFECTS = WRITES | {"set", "call"}
Key = tuple[int, int]
"""A value: its operation's id, and which of its results it is."""


def writers(functions: Mapping[str, Function]) -> set[str]:
    """The functions that may write memory."""
    found: set[str] = set()
    for name, function in functions.items():  # callees first, but for recursion
        ops = [s for s in walk(function.body) if isinstance(s, Op)]
        calls = {str(op.attr) for op in ops if op.opcode == "call"}
        if function.recursion or calls & found or any(op.opcode in WRITES for op in ops):
            found.add(name)
    return found


def uses_of(body: Region) -> tuple[Counter[Key], Counter[Key]]:
    """How often each value is used by what is written, and how often within inner regions."""
    live = _live(body)
    uses, nested = Counter[Key](), Counter[Key]()

    def used(values: Sequence[Value], here: set[int]) -> None:
        for value in values:
            uses[value.op, value.index] += 1
            nested[value.op, value.index] += value.op not in here

    def visit(region: Region) -> None:
        here: set[int] = set()
        for statement in region:
            match statement:
                case Op():
                    if statement.opcode not in UNUSED and statement.id in live:
                        used(statement.args, here)
                    here.add(statement.id)
                case If():
                    used([statement.condition], here)
                case For():
                    used([statement.start, statement.stop], here)
                case Return():
                    used(statement.values, here)
                case While():
                    used([statement.condition], {statement.condition.op})
                case _:
                    pass
            for inner in () if isinstance(statement, Op) else regions(statement):
                visit(inner)

    visit(body)
    return uses, nested


def _live(body: Region) -> set[int]:
    """The operations that have an effect, and those that these need."""
    by_id = {s.id: s for s in walk(body) if isinstance(s, Op)}
    left: list[Value] = []
    for statement in walk(body):
        match statement:
            case Op():
                if statement.opcode in _EFFECTS:
                    left += statement.args
            case If() | While():
                left.append(statement.condition)
            case For():
                left += [statement.start, statement.stop]
            case Return():
                left += statement.values
            case _:
                pass
    found = {s.id for s in by_id.values() if s.opcode in _EFFECTS}
    while left:
        op = by_id[left.pop().op]
        if op.id not in found:
            found.add(op.id)
            left += op.args
    return found


def set_in(region: Region) -> set[str]:
    """The slots that a region sets."""
    found = {str(s.attr) for s in walk(region) if isinstance(s, Op) and s.opcode == "set"}
    return found | {s.slot for s in walk(region) if isinstance(s, For)}


def read_outside(function: Function, loop: For) -> bool:
    """Whether a loop's slot is read where this loop, or another one over it, is not around it."""

    def visit(region: Region) -> Iterator[Op]:
        for statement in region:
            if isinstance(statement, Op):
                if statement.opcode == "get" and statement.attr == loop.slot:
                    yield statement
            elif isinstance(statement, For) and statement.slot == loop.slot:
                yield from visit(statement.orelse)
            else:
                for inner in regions(statement):
                    yield from visit(inner)

    return next(visit(function.body), None) is not None
