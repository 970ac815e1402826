"""Layouts of memory as texts: `{pos:float3 live:bool _:3}[64]` is a type of samebits.

Owns the grammar, which `recorders/` share. Offsets, padding and sizes on the recording machine are
passed over: canonical bytes have none.
"""

from __future__ import annotations

import re

from samebits.errors import ReportError
from samebits.foreign.format import MAX_DEPTH, MAX_STATE, MAX_TYPES
from samebits.types import (
    BOOL,
    FLOAT16,
    FLOAT32,
    FLOAT64,
    INT8,
    INT16,
    INT32,
    INT64,
    MOST_DIMENSIONS,
    UINT8,
    UINT16,
    UINT32,
    UINT64,
    VECTORS,
    FixedArrayType,
    MemoryType,
    StructType,
)

SCALAR_NAMES = {
    "bool": BOOL,
    "i8": INT8, "u8": UINT8, "i16": INT16, "u16": UINT16, "i32": INT32, "u32": UINT32,
    "i64": INT64, "u64": UINT64, "f16": FLOAT16, "f32": FLOAT32, "f64": FLOAT64,
    "int": INT32, "uint": UINT32, "long": INT64, "ulong": UINT64, "size": UINT64,
}  # fmt: skip
"""The numbers of a layout. The last five have the recording compiler's size in memory, and these
in the canonical form."""
VECTOR_NAMES = {
    f"{base}{n}": VECTORS[f"{base}{n}"]
    for base in ("float", "double", "int", "uint")
    for n in (2, 3, 4)
}
_TYPES: dict[str, MemoryType] = {**SCALAR_NAMES, **VECTOR_NAMES}
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_NUMBER = re.compile(r"[0-9]{1,9}")
_BLANKS = re.compile(r"[ ,\n\t]*")
_LENGTHS = re.compile(r"\[ *([0-9]{1,9}(?: *, *[0-9]{1,9}){0,15}) *\]")
_SHOWN = 30


def parse_layout(text: str, name: str) -> MemoryType:
    """The type of a layout; its structs are called `name`, or as the field that they are.

    Raises ReportError: what is wrong, and at which text.
    """
    return _Parser(text, name).whole()


class _Parser:
    """One text, and how far it was read."""

    def __init__(self, text: str, name: str) -> None:
        self._text, self._name = text, name
        self._at = 0
        self._types = 0

    def whole(self) -> MemoryType:
        found, _ = self._type(self._name, 0)
        self._match(_BLANKS)
        if self._at < len(self._text):
            raise self._wrong("does not end with its type")
        return found

    def _type(self, name: str, depth: int) -> tuple[MemoryType, int]:
        """A type and its canonical size."""
        self._types += 1
        if depth > MAX_DEPTH:
            raise self._wrong(f"nests structs more than {MAX_DEPTH} deep")
        if self._types > MAX_TYPES:
            raise self._wrong(f"has more than {MAX_TYPES:,} types")
        self._match(_BLANKS)
        if self._is("{"):
            element, size = self._struct(name, depth)
        else:
            at = self._at
            word = self._match(_WORD)
            if word not in _TYPES:
                self._at = at
                raise self._wrong("has no type that there is")
            element = _TYPES[word]
            size = element.size
        shape: list[int] = []
        while self._is("["):
            shape += self._lengths()
        if len(shape) > MOST_DIMENSIONS:
            raise self._wrong(f"has an array of more than {MOST_DIMENSIONS} dimensions")
        for length in shape:
            size = self._bounded(size * length)
        return (FixedArrayType(element, tuple(shape)) if shape else element), size

    def _lengths(self) -> list[int]:
        """Those of `[3, 4]`."""
        found = _LENGTHS.match(self._text, self._at)
        lengths = [int(each) for each in found[1].split(",")] if found else [0]
        if found is None or not all(lengths):
            raise self._wrong("has an array without a number of elements")
        self._at = found.end()
        return lengths

    def _struct(self, name: str, depth: int) -> tuple[StructType, int]:
        fields: dict[str, MemoryType] = {}
        total = 0
        self._at += 1
        while self._match(_BLANKS) is not None and not self._is("}"):
            if self._is("@"):
                self._at += 1
                self._number()
                self._match(_BLANKS)
            field = self._match(_WORD)
            if field is None or not self._is(":"):
                raise self._wrong("has no field as name:type")
            self._at += 1
            if field == "_":
                self._number()
                continue
            if field in fields:
                raise self._wrong(f"has the field {field:.40} twice, the second")
            fields[field], size = self._type(field, depth + 1)
            total = self._bounded(total + size)
        self._at += 1
        if not fields:
            raise self._wrong("has a struct without fields")
        return StructType(name, tuple(fields.items())), total

    def _is(self, sign: str) -> bool:
        return self._text.startswith(sign, self._at)

    def _match(self, pattern: re.Pattern[str]) -> str | None:
        found = pattern.match(self._text, self._at)
        if found is None:
            return None
        self._at = found.end()
        return found[0]

    def _number(self) -> int:
        found = self._match(_NUMBER)
        if found is None:
            raise self._wrong("lacks a number")
        return int(found)

    def _bounded(self, size: int) -> int:
        if size > MAX_STATE:
            raise self._wrong(f"has more than {MAX_STATE:,} bytes")
        return size

    def _wrong(self, what: str) -> ReportError:
        rest = self._text[self._at : self._at + _SHOWN]
        return ReportError(
            f"the layout of {self._name:.40} {what}, at {rest!a}",
            fix="write a type as samebits.h describes it, such as {pos:float3 live:bool _:3}[64]",
        )
