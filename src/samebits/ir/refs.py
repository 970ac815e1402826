"""An operation or statement of a module, named by function and id, and described for people."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from samebits.errors import HazardError, Span, nearest
from samebits.ir.grammar import Module, Numbered, Op, Value, walk
from samebits.types import FLOAT16, RefType, ScalarType

LIBRARY = "samebits."
"""Prefix of the names of functions that are not the user's own."""
MOST_LISTED = 12


@dataclass(frozen=True, order=True, slots=True)
class OpRef:
    """The operation or statement `op` of a function of a module."""

    function: str
    op: int

    def __str__(self) -> str:
        return f"{self.function}#{self.op}"


def is_own(function: str) -> bool:
    """Whether a function of this name is the user's, not the library's."""
    return not function.startswith(LIBRARY)


def statements(module: Module, functions: Iterable[str]) -> Iterator[tuple[OpRef, Numbered]]:
    """Every numbered statement of the functions, in source order."""
    for name in functions:
        for statement in walk(module.functions[name].body):
            if isinstance(statement, Numbered):
                yield OpRef(name, statement.id), statement


def has(module: Module, place: OpRef) -> bool:
    """Whether a module has a statement at an `OpRef`."""
    return place.function in module.functions and _found(module, place) is not None


def statement_at(module: Module, place: OpRef) -> Numbered:
    """The statement at an `OpRef`. Raises HazardError if there is none."""
    if place.function not in module.functions:
        raise no_function(module, place.function)
    found = _found(module, place)
    if found is None:
        raise HazardError(f"{place.function} has no operation {place.op}")
    return found


def _found(module: Module, place: OpRef) -> Numbered | None:
    return next((s for at, s in statements(module, [place.function]) if at == place), None)


def op_at(module: Module, place: OpRef) -> Op:
    """The operation at an `OpRef`. Raises HazardError if there is none."""
    found = statement_at(module, place)
    if not isinstance(found, Op):
        raise HazardError(f"{described(module, place)} is a statement, not an operation")
    return found


def described(module: Module, place: OpRef) -> str:
    """The text of an operation's position: `arena.py:131:20 mul in arena.draw`."""
    statement = statement_at(module, place)
    return f"{_shown(statement.span)} {what(statement)} in {place.function}"


def what(statement: Numbered) -> str:
    """A statement in a word or two: an opcode, the function that is called, a keyword."""
    if not isinstance(statement, Op):
        return type(statement).__name__.lower()
    if statement.opcode == "call":
        name = re.sub(r"[<{].*", "", str(statement.attr).rpartition("<locals>.")[2])
        return f"call of {name.rpartition('.')[2]}"
    if statement.opcode in ("convert", "bitcast"):
        return f"{statement.opcode} to {statement.result.type}"
    return statement.opcode


def shown_type(op: Op, value: Value) -> ScalarType | None:
    """The type of an operand or result as shown to people; None if it is no scalar.

    A half is the uint16 of its bits in IR; only references know it by name.
    """
    t = value.type
    if not isinstance(t, ScalarType):
        return None
    if op.opcode in ("load", "store"):
        ref = op.args[0].type
        if isinstance(ref, RefType) and ref.target == FLOAT16:
            return FLOAT16
    return t


def no_function(module: Module, text: str) -> HazardError:
    own = list(filter(is_own, module.functions))
    short = {name.rpartition(".")[2]: name for name in own}
    meant = nearest(text, own) or short.get(nearest(text, short) or "")
    return HazardError(
        f"there is no function {text!r:.60} in the simulation",
        note=f"its functions are {listed(own)}",
        fix="name one of them, or a line: file.py:12" if meant is None else f"write {meant}",
    )


def parts(path: str) -> list[str]:
    return re.split(r"[/\\]", path)


def _shown(span: Span) -> str:
    return f"{parts(span.file)[-1]}:{span.line}:{span.column + 1}"


def listed(names: Iterable[str], join: str = ", ") -> str:
    rows = list(names)
    more = len(rows) - MOST_LISTED
    return join.join(rows[:MOST_LISTED]) + (f" and {more} more" if more > 0 else "")
