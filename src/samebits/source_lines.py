"""The lines of source files as they were when kernels were compiled from them.

A file may be edited while the process runs, and whatever prints a traceback makes Python's own
`linecache` read it again: messages about a kernel show the text that was compiled.
"""

from __future__ import annotations

import ast
import linecache
import operator
import re
from collections.abc import Callable, Sequence

import numpy as np

_LONGEST, _DEEPEST = 200, 4
_ARITHMETIC: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: lambda a, b: a / b,
}
_read: dict[str, Sequence[str]] = {}
"""Lines by file, as of the last kernel that was made from each."""


def remember_lines(file: str, lines: Sequence[str]) -> None:
    """Store the lines of a kernel's file; does nothing if it could not be read."""
    if lines:
        _read[file] = lines


def line_of(file: str, number: int) -> str:
    """Line `number`, from 1, with its line end; empty if there is none."""
    lines = _read.get(file)
    if lines is None:
        return linecache.getline(file, number)
    return lines[number - 1] if 0 < number <= len(lines) else ""


def written_number(
    file: str, line: int, columns: tuple[int, int], value: float, *, exact: bool = False
) -> str | None:
    """The digits of a float32 number as its source has them, in float64: of a literal there, or of
    what is computed of literals and of the file's own constants. None where that is not seen, or
    says what `value` itself says, or is it, unless `exact` numbers are asked for too."""
    number = _number(line_of(file, line)[columns[0] : columns[1]], file, _DEEPEST)
    if number is None:
        return None
    with np.errstate(over="ignore"):
        is_it = float(np.float32(number)) == value
    is_short = number == float(str(np.float32(value))) or (number == value and not exact)
    return repr(number) if is_it and not is_short else None


def _number(text: str, file: str, depth: int) -> float | None:
    """The value of an expression of numbers, as Python computes it; None where it is none."""
    if len(text) > _LONGEST or not depth:
        return None
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, file, depth - 1)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _value(node: ast.expr, file: str, depth: int) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return float(number)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            number = _value(operand, file, depth)
            return None if number is None else -number
        case ast.BinOp(op=op, left=left, right=right) if type(op) in _ARITHMETIC:
            a, b = _value(left, file, depth), _value(right, file, depth)
            return None if a is None or b is None else _ARITHMETIC[type(op)](a, b)
        case ast.Name(id=name):
            given = re.compile(rf"{name}\s*(?::[^=]*)?=([^=#]*)")
            lines = map(given.match, _read.get(file, ()))
            found = next(filter(None, lines), None)
            return None if found is None else _number(found[1], file, depth)
        case _:
            return None
