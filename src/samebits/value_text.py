"""The text of typed values, and texts with places for them: traps, assertions, printed lines.

A text holds each place as `{type}`, `{type!r}` or `{type:spec}`, in the order of the values, and
braces of its own doubled, as Python's format strings do. Values come as Python's own numbers, or as
the 64-bit words that compiled code leaves. Every execution fills them in here, so that all give the
same text.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from string import Formatter
from typing import Any

import numpy as np

from samebits.bits import bits_to_float
from samebits.decimals import shortest
from samebits.errors import Trap
from samebits.types import SCALARS, FixedPointType, Kind, MatrixType, ScalarType, VectorType

Place = tuple[str, ScalarType | None, str, str]
"""The text before a place, the type there, its conversion and its format; no type at the end."""

_INTEGER_FORMAT = re.compile(r"[-+ ]?0?\d{0,2}[dxXbo]?")
_FLOAT_FORMAT = re.compile(r"[-+ ]?0?\d{0,2}(\.\d{1,2})?[eEfFgG%]")

_FORMATS = {
    Kind.SIGNED: _INTEGER_FORMAT, Kind.UNSIGNED: _INTEGER_FORMAT, Kind.FLOAT: _FLOAT_FORMAT,
}  # fmt: skip

_TRAPS = {
    ("index", "index"): "index {a} is out of range for an array of {b}",
    ("index", "axis"): "index {a} is out of range for axis {more} of length {b}",
    ("index", "bound"): "index out of range: {more}: it is {a}, and the length {b}",
    ("overflow", "add"): "integer overflow: {a} + {b}",
    ("overflow", "sub"): "integer overflow: {a} - {b}",
    ("overflow", "mul"): "integer overflow: {a} * {b}",
    ("overflow", "neg"): "integer overflow: -({a})",
    ("overflow", "abs"): "integer overflow: abs({a})",
    ("overflow", "floordiv"): "integer overflow: {a} // {b}",
    ("overflow", "div"): "integer overflow: {a} / {b}, of an int beyond 2**53",
    ("overflow", "shl"): "integer overflow: {a} << {b}",
    ("overflow", "narrow"): "integer overflow: {a} does not fit {more}",
    ("shift", "shl"): "negative shift count: {a} << {b}",
    ("shift", "shr"): "negative shift count: {a} >> {b}",
    ("zero", "div"): "division by zero: {a} / {b}",
    ("zero", "floordiv"): "division by zero: {a} // {b}",
    ("zero", "mod"): "division by zero: {a} % {b}",
}
"""What a trap says of its operands `a` and `b`, by kind and operation; `more` is an axis,
a type or a message."""


def said(kind: str, operation: str, a: Any, b: Any = "", more: object = "") -> str:
    """What a trap says of the operands of `operation`, Python's own numbers."""
    return _TRAPS[kind, operation].format(a=a, b=b, more=more)


def trapped(kind: str, operation: str, a: Any, b: Any = "", more: object = "") -> Trap:
    """The trap that says what `said` does."""
    return Trap(kind, said=said(kind, operation, a, b, more))


def said_text(kind: str, operation: str, *types: ScalarType, more: object = "") -> str | None:
    """`said` as a text with places for operands of these types; None where a trap says nothing."""
    text = _TRAPS.get((kind, operation))
    places = [f"{{{t}}}" for t in types]
    return text and text.format(a=places[0], b=places[-1], more=more)


def from_end_text(constant: int, axis: int | None = None) -> str:
    """What the trap "index" says of a negative constant, with a place for the length from whose end
    it counts."""
    operation = "index" if axis is None else "axis"
    return said("index", operation, constant, "{int}", axis)


def bound_from_end_text(constant: int, words: str) -> str:
    """What the trap "index" says of a slice's bound that is a negative constant, with a place for
    the length."""
    return said("index", "bound", constant, "{int}", escaped(words))


def array_text(kind: str, element: object, size: int, ndim: int, limit: int) -> str:
    """What the traps "length" and "arena" say of an array of run-time lengths, with places for
    these, and for the bytes of the arena in use."""
    array = f"{' x '.join(['{int}'] * ndim)} {element}"
    if kind == "length":
        return f"negative length of an array: {array}"
    plural = "s" * (size > 1)
    return (
        f"the arena has no room for an array of {array}, {size:,} byte{plural} each: "
        f"{{int}} of its {limit:,} bytes, which `arena=` sets, are in use"
    )


def fits_format(t: ScalarType, spec: str) -> bool:
    """Whether values of `t` have the format: `[-+ ][0][width][dxXbo]` of integers,
    `[-+ ][0][width][.digits][eEfFgG%]` of floats, none of others."""
    form = _FORMATS.get(t.kind)
    return not spec or (form is not None and form.fullmatch(spec) is not None)


def shown(value: Any, t: ScalarType, conversion: str = "", spec: str = "") -> str:
    """A value of `t` as text: the shortest that tells it from every other value of its type, or as
    `spec` says; with conversion "r" as Python's repr of the typed value. The value of a
    fixed-point number or a half is the integer that stores it."""
    if spec:
        return format(float(value) if t.is_float else int(value), spec)
    if t.kind is Kind.BOOL:
        return str(bool(value))
    if t.is_float:
        text = repr(float(value)) if t.bits == 64 else str(np.float32(value))
    elif isinstance(t, FixedPointType):
        text = shortest(int(value), t.fraction)
        return f"{t}('{text}')" if conversion == "r" else text
    elif t.kind is Kind.HALF:
        text = str(np.uint16(value).view(np.float16))
    else:
        text = str(int(value))
    return f"{t}({text})" if conversion == "r" and not t.weak else text


class ValueFormatError(ValueError):
    """A format of an f-string that values of the type do not have."""


def format_of(part: ast.FormattedValue) -> tuple[str, str]:
    """The conversion, "" or "r", and the format of a place in an f-string. Raises
    ValueFormatError."""
    if part.conversion not in (-1, ord("s"), ord("r")):
        raise ValueFormatError(f"the conversion !{chr(part.conversion)} is not in the language")
    spec = ""
    if isinstance(part.format_spec, ast.JoinedStr):
        for piece in part.format_spec.values:
            if not isinstance(piece, ast.Constant):
                raise ValueFormatError("a format is written out: it has no places of its own")
            spec += str(piece.value)
    return "r" if part.conversion == ord("r") else "", spec


def place(t: ScalarType, conversion: str = "", spec: str = "") -> str:
    """The place of a value of type `t` in a text. Raises ValueFormatError."""
    if not fits_format(t, spec) or (spec and conversion):
        raise ValueFormatError(f"{t} has no format `{'!r' * bool(conversion)}:{spec}`")
    return f"{{{t}{'!r' * bool(conversion)}{':' * bool(spec)}{spec}}}"


def vector_place(t: VectorType, conversion: str = "", spec: str = "") -> str:
    """The places of a vector's components, with its type's name; of a matrix those of its columns.
    Raises ValueFormatError."""
    if isinstance(t, MatrixType):
        return f"{t}({', '.join([vector_place(t.column, conversion, spec)] * t.columns)})"
    # A component of a vector's repr has no type of its own.
    return f"{t}({', '.join([place(t.element, '', spec)] * t.length)})"


def escaped(text: str) -> str:
    """A text as a part of one with places."""
    return text.replace("{", "{{").replace("}", "}}")


def outline(text: str) -> str:
    """A text with places as it reads without values."""
    return "".join(before + "…" * (t is not None) for before, t, _, _ in places(text))


@cache
def places(text: str) -> tuple[Place, ...]:
    """The pieces of a text with places. Raises ValueError or KeyError if it is none."""
    return tuple(
        (before, None if name is None else SCALARS[name], conversion or "", spec or "")
        for before, name, spec, conversion in Formatter().parse(text)
    )


def first_text(text: str) -> str:
    """What stands before the first place of a text with places."""
    befores: list[str] = []
    for before, t, _, _ in places(text):
        befores.append(before)
        if t is not None:
            break
    return "".join(befores)


def types_in(text: str) -> list[ScalarType]:
    """The types of the values that a text has places for."""
    return [t for _, t, _, _ in places(text) if t is not None]


def filled(text: str, values: Sequence[Any]) -> str:
    """A text with Python's own numbers in its places."""
    return "".join(_pieces(text, iter(values)))


def _pieces(text: str, values: Iterator[Any]) -> Iterator[str]:
    for before, t, conversion, spec in places(text):
        yield before
        if t is not None:
            yield shown(next(values), t, conversion, spec)


def filled_from_words(text: str, words: Sequence[int]) -> str:
    """A text with the values that are the low bits of 64-bit words."""
    return filled(text, [of_word(w, t) for w, t in zip(words, types_in(text), strict=False)])


def number_of(value: Any, t: ScalarType) -> Any:
    """A value of type `t` as Python's own number, exactly, from the integer that stores it if it is
    a fixed-point number or a half."""
    if isinstance(t, FixedPointType):
        return Fraction(int(value), 1 << t.fraction)
    if t.kind is Kind.HALF:
        return bits_to_float(int(value), t.bits)
    return value


def of_word(word: int, t: ScalarType) -> Any:
    """The value of type `t` in the low bits of a 64-bit word, signed or not."""
    pattern = word & ((1 << t.bits) - 1)
    if t.is_float:
        return bits_to_float(pattern, t.bits)
    if t.kind is Kind.BOOL:
        return bool(pattern)
    return pattern - (1 << t.bits) if t.is_signed and pattern >> (t.bits - 1) else pattern
