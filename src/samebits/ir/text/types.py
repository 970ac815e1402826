"""The types of IR text: structs as declared, and the types that mention them.

Owns the bounds that keep hostile text from building types of runaway depth, size or repetition.
"""

from __future__ import annotations

import math
from typing import NoReturn

from samebits.ir.grammar import ValueType
from samebits.ir.text.lexer import Line
from samebits.ir.text.printer import RESERVED, quoted
from samebits.types import (
    COMPOSITES,
    MOST_DIMENSIONS,
    SCALARS,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

MAX_SIZE = 1 << 40
MAX_DEPTH = 32
MAX_NODES = 1 << 16
"""Bounds on one type: bytes, levels, and nodes with a struct's counted wherever it is used."""


class Types:
    """The structs that the text has declared so far."""

    def __init__(self) -> None:
        self._structs: dict[str, StructType] = {}
        self._bulk: dict[int, tuple[MemoryType, int, int]] = {}
        self._known: dict[object, MemoryType] = {}
        """Every type that was made, by its name and what it is made of: equal ones are one object,
        so that to compare two never means to go through them."""

    def declare(self, line: Line) -> tuple[str, str]:
        """Label and name in a struct's first line, which is read from its label on."""
        name, label = self._label(line)
        if label in self._structs:
            line.fail("a struct that is not declared yet", label)
        return name, label

    def define(self, line: Line, name: str, label: str, fields: dict[str, MemoryType]) -> None:
        """Add the struct; `line` is where an error about it points."""
        parts = tuple((field, id(t)) for field, t in fields.items())
        t = self._known.setdefault((name, parts), StructType(name, tuple(fields.items())))
        assert isinstance(t, StructType)
        bulk = [self._measure(field) for field in fields.values()]
        nodes, depth = sum(n for n, _ in bulk), max((d for _, d in bulk), default=0)
        self._admit(line, t, nodes + 1, depth + 1)
        self._structs[label] = t

    def value(self, line: Line) -> ValueType:
        """A type that a slot can have."""
        if line.accept("ref"):
            line.expect("<")
            target = self.memory(line)
            line.expect(">")
            return RefType(target)
        head = line.accept("Array", "ReadOnly")
        if head:
            line.expect("[")
            element = self.memory(line)
            ndim = line.integer(2, MOST_DIMENSIONS) if line.accept(",") else 1
            line.expect("]")
            return ArrayType(element, ndim, head == "ReadOnly")
        return self.scalar(line)

    def scalar(self, line: Line) -> ScalarType:
        if line.kind != "word" or line.word not in SCALARS:
            line.fail("a type")
        return SCALARS[line.take("word")]

    def memory(self, line: Line) -> MemoryType:
        """A type that can lie in memory."""
        t = self._plain(line)
        while line.accept("["):
            shape = self.lengths(line)
            nodes, depth = self._measure(t)
            if t.size * math.prod(shape) > MAX_SIZE:
                self._too_big(line)
            made = FixedArrayType(t, shape)
            known = self._known.setdefault((id(t), made.shape), made)
            assert isinstance(known, FixedArrayType)
            t = known
            self._admit(line, t, nodes + 1, depth + 1)
        return t

    def lengths(self, line: Line) -> tuple[int, ...]:
        """The lengths of a shape whose bracket is open."""
        shape = [line.integer(0, MAX_SIZE)]
        while len(shape) < MOST_DIMENSIONS and line.accept(","):
            shape.append(line.integer(0, MAX_SIZE))
        line.expect("]")
        return tuple(shape)

    def _plain(self, line: Line) -> MemoryType:
        if line.kind == "word" and line.word in COMPOSITES:
            return COMPOSITES[line.take("word")]
        if line.kind == "word" and line.word in RESERVED:
            return self.scalar(line)
        if line.kind not in ("word", "string"):
            line.fail("a type")
        _, label = self._label(line)
        if label not in self._structs:
            line.fail("a struct that is declared above", label)
        return self._structs[label]

    def _label(self, line: Line) -> tuple[str, str]:
        kind = line.kind
        name = line.string() if kind == "string" else line.take("word")
        if kind == "word" and name in RESERVED:
            line.fail("a struct's name, in quotes where it is a word of the language", name)
        number = line.integer(2, 1 << 20) if line.accept("#") else 1
        return name, f"{quoted(name)}#{number}"

    def _measure(self, t: MemoryType) -> tuple[int, int]:
        """Nodes and depth of a type made here."""
        return (1, 1) if isinstance(t, ScalarType | VectorType) else self._bulk[id(t)][1:]

    def _admit(self, line: Line, t: FixedArrayType | StructType, nodes: int, depth: int) -> None:
        if nodes > MAX_NODES or depth > MAX_DEPTH or t.size > MAX_SIZE:
            self._too_big(line)
        self._bulk[id(t)] = (t, nodes, depth)  # holding t keeps its id from being used again

    def _too_big(self, line: Line) -> NoReturn:
        line.fail(f"a type of at most {MAX_SIZE} bytes, {MAX_DEPTH} levels, {MAX_NODES} nodes")
