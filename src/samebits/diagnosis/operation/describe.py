"""The differing operation as a finding: names, values and bits, calls and iterations, for people.

Owns the wording of values; what differs is `first_difference`'s.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Literal

from samebits.bits import ulp_distance
from samebits.diagnosis.frame.state_diff import datum
from samebits.diagnosis.operation.first_difference import OperationDifference
from samebits.diagnosis.report.findings import Datum, OperationFact
from samebits.diagnosis.report.findings import Place as Source
from samebits.errors import Span
from samebits.frame_trace.instances import Instance
from samebits.ir.grammar import Function, Module, Op, Value, walk
from samebits.ir.refs import OpRef, has, shown_type, statement_at, what
from samebits.ir.rewrite import numbered
from samebits.source_lines import line_of
from samebits.types import RefType, VectorType


def operation_fact(
    modules: Sequence[Module], difference: OperationDifference, validation: str
) -> OperationFact:
    """The facts of a difference found in traces of both sides' kernels, side a's first. What one
    version of the source has added is in its own alone.

    Values are of the operation itself alone: where a side came to another one, it computed none.
    """
    seen = difference.a or difference.b
    op, place, span = difference.op, difference.place, difference.span
    known = [place is not None and has(module, place) for module in modules]
    kernels = next((m for m, has_it in zip(modules, known, strict=True) if has_it), modules[0])
    statement = op if place is None else statement_at(kernels, place)
    difference = replace(difference, a=_of(difference, "a"), b=_of(difference, "b"))
    which = _differing(difference)
    a = _result(difference.a, op, which)
    b = _result(difference.b, op, which)
    return OperationFact(
        kind=difference.kind,
        opcode="state" if statement is None else what(statement),
        place=Source.of(span),
        calls=() if seen is None else tuple(Source.of(span) for span in _path(seen, place)),
        iterations=() if seen is None else seen.counters,
        operands=_operands(kernels, difference),
        a=a,
        b=b,
        ulps=_apart(op, difference, which),
        validation=validation,
        only="" if all(known) or not any(known) else "ab"[known.index(True)],
        line_too=not all(known) and any(known) and not _has_line(modules[known.index(False)], span),
    )


def _has_line(module: Module, span: Span) -> bool:
    """Whether a version has a line of the same text, or the same line where texts are not known."""
    text = line_of(span.file, span.line).strip()
    spans = {
        (s.span.file, s.span.line) for f in module.functions.values() for s in numbered(f.body)
    }
    return (span.file, span.line) in spans or any(
        text and line_of(*at).strip() == text for at in spans
    )


def _path(seen: Instance, place: OpRef | None) -> Iterator[Span]:
    """The calls down to the place, which may be one of them."""
    return (span for _, span in takewhile(lambda call: call[0] != place, seen.path))


def _of(difference: OperationDifference, side: Literal["a", "b"]) -> Instance | None:
    """What a side computed at the place itself."""
    seen: Instance | None = getattr(difference, side)
    return seen if seen is None or seen.place == difference.place else None


def _operands(kernels: Module, difference: OperationDifference) -> tuple[Datum, ...]:
    seen, op, place = difference.a or difference.b, difference.op, difference.place
    if seen is None or op is None or place is None:
        return ()
    names = ValueNames(kernels.functions[place.function])
    values = seen.values or seen.operands
    return tuple(
        datum(t, bits, names.of(value))
        for value, bits in zip(op.args, values, strict=False)
        if bits is not None and (t := shown_type(op, value)) is not None
    )


def _differing(difference: OperationDifference) -> int:
    """Which of the operation's results is the first that differs; the first, if none can be told
    to."""
    a, b = difference.a, difference.b
    pairs = () if a is None or b is None else zip(a.results, b.results, strict=False)
    return next((k for k, (x, y) in enumerate(pairs) if x != y), 0)


def _result(instance: Instance | None, op: Op | None, which: int) -> Datum | None:
    if instance is None or op is None:
        return None
    if which >= min(len(instance.results), len(op.results)):
        return None
    t, bits = shown_type(op, op.results[which]), instance.results[which]
    return None if bits is None or t is None else datum(t, bits)


def _apart(op: Op | None, difference: OperationDifference, which: int) -> int | None:
    a, b = difference.a, difference.b
    if op is None or a is None or b is None:
        return None
    if which >= min(len(a.results), len(b.results), len(op.results)):
        return None
    t, x, y = shown_type(op, op.results[which]), a.results[which], b.results[which]
    if t is None or not t.is_ieee or x is None or y is None:
        return None
    return ulp_distance(x, y, t.bits)


_THROUGH = frozenset({"convert", "narrow", "row", "slice", "view"})
"""Operations whose result goes by their operand's name."""


_INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "shl": "<<", "shr": ">>"}
_LONGEST = 60


class ValueNames:
    """The names of one function's values, or the expressions that make them."""

    def __init__(self, function: Function) -> None:
        self._made = {s.id: s for s in walk(function.body) if isinstance(s, Op)}

    def of(self, value: Value) -> str:
        """`body.vel.x`, `items[k]`, `2.0`, `(a * b)`; empty for what is too long or has no name."""
        op = self._made.get(value.op)
        name = "" if op is None else self._of(op)
        return name if len(name) <= _LONGEST else ""

    def _of(self, op: Op) -> str:
        match op.opcode:
            case "get" | "local" | "table":
                return str(op.attr).rpartition("$")[2]
            case "const":
                return repr(op.attr)
            case "load":
                return self.of(op.args[0])
            case "field":
                return self._after(op, f".{op.attr}")
            case "component":
                assert isinstance(op.attr, int)
                memory = op.args[0].type
                assert isinstance(memory, RefType)
                assert isinstance(memory.target, VectorType)
                return self._after(op, f".{memory.target.components[op.attr]}")
            case "element":
                indices = [self.of(index) or "…" for index in op.args[1:]]
                return self._after(op, f"[{', '.join(indices)}]")
            case "neg":
                return f"-{inner}" if (inner := self.of(op.args[0])) else ""
            case opcode if opcode in _INFIX:
                left, right = (self.of(arg) for arg in op.args)
                return f"({left} {_INFIX[opcode]} {right})" if left and right else ""
            case opcode if opcode in _THROUGH:
                return self.of(op.args[0])
            case _:
                return ""

    def _after(self, op: Op, end: str) -> str:
        start = self.of(op.args[0])
        return start + end if start else ""
