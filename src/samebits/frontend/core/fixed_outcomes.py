"""Warnings of integer operations with one outcome: comparisons, and shifts that leave no bit.

Each is defined, and mostly a wider number was meant. Knows the IR of one function, as the front end
made it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from samebits.errors import SamebitsWarning, Span
from samebits.frontend.core.operands import number_text
from samebits.frontend.core.reach import Reach, Reaches, reach_of
from samebits.frontend.core.source import Source
from samebits.ir.grammar import Function, Op, Region, Value, While, regions, walk
from samebits.types import INT32, INT64, ScalarType

Doubt = tuple[SamebitsWarning, Span]
"""A warning, and its place."""
Fixed = tuple[Span, int, bool, str]
"""A comparison with a number that the other side's type does not hold: its place, the number, the
outcome, and the sign as written."""
_SIGNS = {"shl": "<<", "shr": ">>"}
_MIRRORED = {"gt": "lt", "ge": "le"}


_WRITTEN = (ast.Compare, ast.BinOp, ast.AugAssign)
"""What is told of: operations that are written, not those that conversions are made of."""


def doubts(function: Function, source: Source) -> Iterator[Doubt]:
    """A warning for each shift by a count that is the width or more in any case, each comparison
    of integers that never holds, and each that always does where a `while` loop asks it."""
    asked = [op for op in walk(function.body) if isinstance(op, Op) and _is_asked(op)]
    if not asked:
        return
    reaches = Reaches(function)
    endless = {*_conditions(function.body)}
    found: list[Doubt] = []
    for op in asked:
        if op.opcode in _SIGNS:
            found += _shift(op, reaches)
        else:
            found += _comparison(op, reaches, endless)
    if found:
        nodes = (node for node in ast.walk(source.node) if isinstance(node, _WRITTEN))
        written = {source.span(node) for node in nodes}
        yield from (doubt for doubt in found if doubt[1] in written)


def _is_asked(op: Op) -> bool:
    compares = op.opcode in ("eq", "ne", "lt", "le", "gt", "ge")
    return (compares or op.opcode in _SIGNS) and all(map(_is_strong, op.args))


def _is_strong(value: Value) -> bool:
    t = value.type
    return isinstance(t, ScalarType) and t.is_int and not t.weak


def _conditions(region: Region) -> Iterator[int]:
    """The operations that `while` loops ask before each iteration, by number."""
    for statement in region:
        if isinstance(statement, While):
            yield from (op.id for op in walk(statement.head) if isinstance(op, Op))
        if not isinstance(statement, Op):
            for inner in regions(statement):
                yield from _conditions(inner)


def _shift(op: Op, reaches: Reaches) -> Iterator[Doubt]:
    t, least = op.result.type, reaches.of(op.args[1])[0]
    assert isinstance(t, ScalarType)
    if least < t.bits or reaches.of(op.args[0]) == (0, 0):
        return
    result = "0, or -1 below 0" if op.opcode == "shr" and t.is_signed else "0"
    fix = f"shift by {t.bits - 1} at most"
    wide = next((wide for wide in (INT32, INT64) if wide.bits > max(least, t.bits)), None)
    if op.opcode == "shl" and wide is not None:
        name = str(wide) if t.is_signed else f"u{wide}"
        fix = f"convert what is shifted before, `{name}(...)`, or {fix}"
    message = f"`{_SIGNS[op.opcode]}` by {least} or more moves all bits out: the result is {result}"
    note = f"what is shifted is of {t}"
    yield SamebitsWarning(message, span=op.span, note=note, fix=fix), op.span


def _comparison(op: Op, reaches: Reaches, endless: set[int]) -> Iterator[Doubt]:
    a, b = (reaches.of(value) for value in op.args)
    if _is_one(a) == _is_one(b):
        return
    holds = _outcome(op.opcode, a, b)
    if holds is None or (holds and op.opcode != "ne" and op.id not in endless):
        return
    side, value, reach, other = ("left", op.args[0], a, b) if _is_one(b) else (
        "right", op.args[1], b, a
    )  # fmt: skip
    t = value.type
    assert isinstance(t, ScalarType)
    if reach == reach_of(t):
        wide = INT32 if t.bits < INT32.bits else INT64
        note = f"its {side} side, a {t}, is {reach[0]} to {reach[1]}"
        fix = f"leave it out, or compute the {side} side in a wider type, from `{wide}(...)` on"
    else:
        note = f"its {side} side is {reach[0]} to {reach[1]}"
        fix = f"leave it out, or compare with a number of {reach[0]} to {reach[1]}"
    message = f"this comparison with {other[0]} {'always' if holds else 'never'} holds"
    yield SamebitsWarning(message, span=op.span, note=note, fix=fix), op.span


def beyond(fixed: list[Fixed]) -> Iterator[Doubt]:
    """A warning for each comparison with a number beyond the other side's type that never holds."""
    for span, number, held, sign in dict.fromkeys(fixed):
        if not held or sign == "!=":
            outcome = "always" if held else "never"
            note = "the type of its other side has no such number"
            message = f"this comparison with {number_text(number)} {outcome} holds"
            yield SamebitsWarning(message, span=span, note=note, fix="leave it out"), span


def _is_one(reach: Reach) -> bool:
    return reach[0] == reach[1]


def _outcome(opcode: str, a: Reach, b: Reach) -> bool | None:
    """Whether a comparison holds for all numbers of two reaches; None if for some only."""
    if opcode in _MIRRORED:
        opcode, a, b = _MIRRORED[opcode], b, a
    apart = a[1] < b[0] or b[1] < a[0]
    match opcode:
        case "eq":
            return False if apart else None
        case "ne":
            return True if apart else None
        case "lt":
            always, never = a[1] < b[0], a[0] >= b[1]
        case _:
            always, never = a[1] <= b[0], a[0] > b[1]
    return True if always else False if never else None
