"""`sb.trace`, and what `print` and it take in a kernel."""

from __future__ import annotations

import ast
from typing import Any

from samebits.bits import float_to_bits
from samebits.errors import ArgumentError, folding
from samebits.lang.memory.structs import Struct
from samebits.lang.values.scalars import RAW_OF, type_of_scalar
from samebits.lang.values.vectors import Vector, components
from samebits.printed import keep
from samebits.types import Kind, ScalarType
from samebits.value_text import number_of

SEPARATORS = (
    "print() in a kernel takes values, and constant texts as `sep` and `end`",
    "its lines come out when the call from Python ends",
    'write print(a, b, sep=", ", end="\\n"), each text in quotes',
)
"""The refusal of other arguments of `print`: message, note and fix."""
NAMED = (
    "sb.trace() takes a name in quotes and a value",
    'write sb.trace("x", x)',
)
IN_JOBS = (
    "a job does not print or trace",
    "its iterations run on several threads, in no order",
    "write what it found to an array, and print that after complete()",
)
"""The refusal in a job: message, note and fix."""
_DEFAULTS = {"sep": " ", "end": "\n"}


def separators(node: ast.Call) -> tuple[str, str]:
    """What a call of `print` puts between values and at the end. ValueError unless all are written
    out, and the values one by one."""
    found = dict(_DEFAULTS)
    for keyword in node.keywords:
        match keyword:
            case ast.keyword(arg=str(name), value=ast.Constant(value=str(text))) if name in found:
                found[name] = text
            case ast.keyword(arg=str(name), value=ast.Constant(value=None)) if name in found:
                pass
            case _:
                raise ValueError(keyword.arg)
    if any(isinstance(argument, ast.Starred) for argument in node.args):
        raise ValueError("*")
    return found["sep"], found["end"]


@folding
def trace(name: str, value: Any, /) -> None:
    """Keep `value` under `name`, where somebody reads records (`sb.tracing`); else nothing happens.

    In a kernel the name is a text in quotes. The value is a number, a bool, a vector, a matrix or a
    struct of these; a record has it as Python's own numbers, in order, and where the call stands.
    It changes no result, and costs a few nanoseconds where nobody reads. Raises ArgumentError for a
    value of another kind.
    """
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance] - users
        raise ArgumentError(NAMED[0], fix=NAMED[1])
    keep(name, numbers_of(value), None)


def numbers_of(value: Any) -> list[Any]:
    """A value as Python's own numbers. Raises ArgumentError."""
    if isinstance(value, Vector):
        return [number for item in components(value) for number in numbers_of(item)]
    if isinstance(value, Struct):
        names = value.__sb_type__.field_types
        return [number for name in names for number in numbers_of(getattr(value, name))]
    t = type_of_scalar(value)
    return [number_of(stored(value, t), t)]


def stored(value: Any, t: ScalarType) -> Any:
    """A scalar as texts take it: Python's own number, or the integer that stores it."""
    return float_to_bits(float(value), t.bits) if t.kind is Kind.HALF else RAW_OF[t](value)
