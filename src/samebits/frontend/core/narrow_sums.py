"""Warnings of sums and products in 8 or 16 bits that become wider where they stand.

By then they have wrapped, where C, whose arithmetic is in int, has the whole number. Knows the IR
of one function, as the front end made it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from samebits.errors import SamebitsWarning, Span
from samebits.frontend.core.filled import Filling, filled
from samebits.frontend.core.reach import EXACT, Reaches
from samebits.frontend.core.source import Source
from samebits.frontend.core.widened import widened
from samebits.ir.grammar import Function, Op, Value, walk
from samebits.types import INT, INT32, ScalarType

NARROWEST = 32
"""The bits of the narrowest integers that sums are seldom meant to wrap in."""
NAMES = {"add": "sum", "sub": "difference", "mul": "product", "shl": "shift"}
"""What is told of, by its opcode."""
_COMPARED = ("lt", "le", "gt", "ge", "eq", "ne", "min", "max")
_USES = ("convert", "shr", "floordiv", "abs", *_COMPARED)
"""The operations that may come too late."""
Doubt = tuple[SamebitsWarning, Span]
"""A warning, and its place."""


@dataclass(slots=True)
class NarrowSums:
    """The operations of one function on integers of 8 and 16 bits, and the differences of unsigned
    ones, as they are written."""

    written: dict[Value, ast.AST] = field(default_factory=dict[Value, ast.AST])
    meant: set[Value] = field(default_factory=set[Value])
    """Those that may wrap: converted to their own type, or an index."""

    def note(self, value: Value, node: ast.AST, sign: str, t: ScalarType) -> None:
        """An operation at `node` that gives `value` of type `t`."""
        if t.is_int and (t.bits < NARROWEST or (sign == "-" and not t.is_signed)):
            self.written[value] = node


def doubts(sums: NarrowSums, function: Function, source: Source) -> Iterator[Doubt]:
    """A warning for each narrow operation of `function` that may wrap and becomes wider or is
    compared, or whose sum is divided, and for each difference whose magnitude is taken too late."""
    if not sums.written:
        return
    uses = [
        (op, value)
        for op in walk(function.body)
        if isinstance(op, Op) and op.opcode in _USES
        for value in (op.args if op.opcode in _COMPARED else op.args[:1])
        if value in sums.written
    ]
    reach = Reaches(function) if uses else None
    seen = set(sums.meant)
    for op, value in uses:
        made = None if reach is None else reach.makers.get(value.op)
        if reach is None or made is None or value in seen:
            continue
        if _is_late(op, made, reach):
            seen.add(value)
            yield _doubt(op, made, sums.written[value], source)


def _is_late(op: Op, made: Op, reach: Reaches) -> bool:
    """Whether `op` does with the result of `made`, which may have wrapped, what is meant of the
    whole number."""
    t, into = made.result.type, op.results[0].type if op.results else None
    assert isinstance(t, ScalarType)
    is_narrow = t.bits < NARROWEST
    match op.opcode:
        case "convert" if isinstance(into, ScalarType):
            told = is_narrow and into.bits > t.bits and made.opcode in NAMES
        case opcode if opcode in _COMPARED:
            told = is_narrow and made.opcode in NAMES
        case "shr" | "floordiv":
            told = is_narrow and made.opcode == "add" and reach.of(op.args[1])[0] > 0
        case _:
            told = op.opcode == "abs" and made.opcode == "sub"
    return told and _may_wrap(made, reach)


def _may_wrap(made: Op, reach: Reaches) -> bool:
    """Whether it may leave its type: a sum or difference of two variables, a product, a shift."""
    t = made.result.type
    assert isinstance(t, ScalarType)
    a, b = (reach.of(value) for value in made.args)
    if made.opcode in ("add", "sub") and (a[0] == a[1] or b[0] == b[1]):
        return False
    low, high = EXACT[made.opcode](a, b)
    return low < t.minimum or high > t.maximum


def _doubt(op: Op, made: Op, node: ast.AST, source: Source) -> Doubt:
    t, into = made.result.type, op.result.type
    assert isinstance(t, ScalarType)
    assert isinstance(into, ScalarType)
    to, then = INT32, "is compared" if op.opcode in _COMPARED else "is divided"
    if op.opcode == "convert":
        then = f"becomes {'int' if into is INT else into}"
        to = into if into.is_int else INT32
    elif op.opcode == "abs":
        then = "loses its sign"
    fix = None
    if isinstance(node, ast.BinOp):
        parts: dict[str, Filling] = {"x": node, "t": str(t)}
        at: ast.AST = node
        if op.opcode == "abs":
            at = _call_of(node, source) or node
            parts |= {"a": node.left, "b": node.right}
            written = "`max({a}, {b}) - min({a}, {b})` for `abs({x})`"
        else:
            parts["w"] = widened(node, "int" if to is INT else str(to))
            written = "`{w}`"
        text = f"write {written}, or `{{t}}({{x}})` where it is to wrap"
        fix = filled(text, parts, at=at, within=source.node)
    message = f"this {NAMES[made.opcode]} of {t} wraps at {t.bits} bits before it {then}"
    return SamebitsWarning(message, span=made.span, fix=fix), made.span


def _call_of(argument: ast.expr, source: Source) -> ast.Call | None:
    """The call that has one argument, which this is."""
    calls = (node for node in ast.walk(source.node) if isinstance(node, ast.Call))
    return next((call for call in calls if call.args == [argument]), None)
