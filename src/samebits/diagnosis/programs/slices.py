"""Expressions from traces: where an operand comes from is the last operation that gave its bits.

Owns this reading of a trace, which goes through memory, calls and inlining alike. It is evidence:
whether an expression explains anything, `explain` says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from samebits.bits import INFINITY
from samebits.foreign.probes.instrument import Site, plain_name
from samebits.foreign.probes.trace import Trace
from samebits.fpmodel.parse import FUNCTIONS, OPERATIONS

FORMATS = {"half": "float16", "float": "float32", "double": "float64"}
_SIGNS = {"fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/"}
_NAMED = {"fabs": "abs", "minnum": "fmin", "maxnum": "fmax"}
_MOST = 7
"""Operations of an expression, of which `explain` takes 8."""
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Slice:
    """An expression, its format, and rows of operands with side a's result."""

    text: str
    form: str
    operands: Mapping[str, int]
    rows: tuple[int, ...]
    """The records of its operations, the last one first."""


def slices_of(trace: Trace, row: int) -> list[Slice]:
    """The expressions of a record's value, the least first, each a part of the next."""
    found: list[Slice] = []
    for depth in range(1, _DEEPEST + 1):
        made = _Slicer(trace, depth).slice(row)
        if made is not None and (not found or made.text != found[-1].text):
            found.append(made)
    return found


def value_row(trace: Trace, row: int) -> int:
    """The operation that gave the value of a store, a choice or a call of the program's own: its
    row, or `row` itself where none is seen."""
    if _operation(trace.site(row)):
        return row
    return _source(trace, row, trace.result(row), trace.site(row).type) or row


def _operation(site: Site) -> str:
    """How a site's operation is written, empty where `explain` has no such operation."""
    if site.type not in FORMATS or any(type != site.type for type in site.operands):
        return ""
    name = plain_name(site.opcode)
    if name in _SIGNS or name in ("fneg", "fmuladd"):
        return name
    name = _NAMED.get(name, name)
    return name if OPERATIONS.get(name, FUNCTIONS.get(name)) == len(site.operands) else ""


def _source(trace: Trace, row: int, bits: int, type: str) -> int | None:
    """The last operation before a row whose result has these bits."""
    for at in np.flatnonzero(trace.rows[:row, 4] == np.uint64(bits))[::-1][:64]:
        site = trace.site(int(at))
        if site.type == type and _operation(site):
            return int(at)
    return None


def _is_plain(bits: int, type: str) -> bool:
    """Whether a number is one that many operations give: 0, and powers of two."""
    width = {"half": 16, "float": 32, "double": 64}[type]
    mantissa = {16: 10, 32: 23, 64: 52}[width]
    magnitude = bits & ~(1 << (width - 1))
    return magnitude >= INFINITY[width] or not magnitude & ((1 << mantissa) - 1)


class _Slicer:
    """One expression, as deep as is asked for."""

    def __init__(self, trace: Trace, depth: int) -> None:
        self._trace, self._depth = trace, depth
        self._names: dict[int, str] = {}
        self._count = 0
        self._rows: list[int] = []

    def slice(self, row: int) -> Slice | None:
        site = self._trace.site(row)
        if not _operation(site):
            return None
        text = self._written(row, self._depth)
        operands = {name: bits for bits, name in self._names.items()}
        return Slice(text, FORMATS[site.type], operands, tuple(self._rows))

    def _written(self, row: int, depth: int) -> str:
        site = self._trace.site(row)
        operation = _operation(site)
        self._count += 1
        self._rows.append(row)
        pairs = zip(self._trace.operands(row), site.literals, strict=True)
        parts = [
            self._operand(row, bits, site.type, 0 if literal else depth - 1)
            for bits, literal in pairs
        ]
        match operation, parts:
            case "fneg", [x]:
                return f"(-{x})"
            case "fmuladd", [a, b, c]:
                self._count += 1
                return f"({a} * {b} + {c})"
            case _ if operation in _SIGNS:
                return f"({parts[0]} {_SIGNS[operation]} {parts[1]})"
            case _:
                return f"{operation}({', '.join(parts)})"

    def _operand(self, row: int, bits: int, type: str, depth: int) -> str:
        if depth > 0 and self._count < _MOST and not _is_plain(bits, type):
            source = _source(self._trace, row, bits, type)
            if source is not None:
                return self._written(source, depth)
        return self._names.setdefault(bits, _letter(len(self._names)))


def _letter(number: int) -> str:
    return "abcdefghijklmnop"[number]
