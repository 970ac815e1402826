"""The parser of IR text, the inverse of `printer`; the text may be anything.

Owns the syntax. Meaning (types, scopes, signatures) is for `verify` to check afterwards.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

from samebits.errors import IRError, Span
from samebits.ir.grammar import (
    JOINS,
    MAX_LANES,
    MAX_NESTING,
    OPS,
    Attribute,
    Break,
    Continue,
    For,
    Function,
    If,
    Lanes,
    Module,
    Op,
    Region,
    Return,
    Statement,
    TableData,
    Value,
    ValueType,
    While,
)
from samebits.ir.text.lexer import Line
from samebits.ir.text.printer import HEADER
from samebits.ir.text.types import Types
from samebits.modes import DEFAULTS, MAX_RECURSION, from_text
from samebits.types import MemoryType, ScalarType

MAX_ID = 10**9
MAX_STEP = 1 << 63


def parse_module(text: str) -> Module:
    """The module that `text` describes. Raises IRError with the line and what was expected."""
    lines = text.split("\n")
    if lines[0].rstrip() != HEADER:
        Line(1, "").fail(HEADER, lines[0])
    reader = _Reader(lines[1:], 2)
    types, module = Types(), Module()
    while (line := reader.next_at(0)) is not None:
        kind = line.expect("struct", "table", "function")
        if kind == "struct":
            _struct(reader, types, line)
            continue
        if kind == "table":
            _table(reader, types, line, module)
            continue
        function = _FunctionParser(reader, types, line).function
        if function.name in module.functions:
            raise IRError(f"IR text, line {line.number}: there is a second {function.name}")
        module.functions[function.name] = function
    reader.end()
    return module


class _Reader:
    """The lines that are not blank, in order; `first` is the number of the first one. One of them
    at a time is split into words."""

    def __init__(self, lines: list[str], first: int) -> None:
        self._lines = (Line(n, line) for n, line in enumerate(lines, first) if line.strip(" "))
        self._line = next(self._lines, None)

    def next_at(self, indent: int) -> Line | None:
        """The next line, read, if it has exactly this indent."""
        line = self.peek_at(indent)
        if line is not None:
            self._line = next(self._lines, None)
        return line

    def peek_at(self, indent: int) -> Line | None:
        line = self._line
        return line if line is not None and line.indent == indent else None

    def end(self) -> None:
        line = self._line
        if line is not None:
            line.fail("another indentation", " " * line.indent + line.word)


def _struct(reader: _Reader, types: Types, line: Line) -> None:
    name, label = types.declare(line)
    line.end()
    fields: dict[str, MemoryType] = {}
    while (row := reader.next_at(2)) is not None:
        field = row.string()
        if field in fields:
            row.fail("a field of another name", field)
        row.expect(":")
        fields[field] = types.memory(row)
        row.end()
    types.define(line, name, label, fields)


def _table(reader: _Reader, types: Types, line: Line, module: Module) -> None:
    name = line.string()
    if name in module.tables:
        line.fail("a table of another name", name)
    line.expect(":")
    element = types.scalar(line)
    shape = types.lengths(line) if line.accept("[") else ()
    line.end()
    values: list[bool | int | float] = []
    while (row := reader.next_at(2)) is not None:
        values += row.listed(partial(_number, row))
        row.end()
    module.tables[name] = TableData(element, tuple(values), shape)


def _number(line: Line) -> bool | int | float:
    value = None if line.kind == "string" else _attribute(line)
    if value is None or isinstance(value, str):
        line.fail("a number, true or false")
    return value


def _attribute(line: Line) -> Attribute:
    """The next attribute; None if there is none."""
    match line.kind:
        case "string":
            return line.string()
        case "int":
            return int(line.take("int"))
        case "float":
            text = line.take("float")
            try:
                return float.fromhex(text)
            except OverflowError:
                line.fail("a binary64 value", text)
        case _:
            word = line.accept("true", "false")
            return None if word is None else word == "true"


class _FunctionParser:
    """One function, from its first line on."""

    def __init__(self, reader: _Reader, types: Types, line: Line) -> None:
        self.reader = reader
        self.types = types
        self.sources: list[tuple[str, str]] = []
        self.values: dict[int, tuple[Value, ...]] = {}
        name, head = line.string(), line.take("span")
        line.end()
        params: dict[str, ValueType] = {}
        results: list[ScalarType] = []
        slots: dict[str, ValueType] = {}
        locals_: dict[str, MemoryType] = {}
        cold, recursion = False, 0
        options: dict[str, Any] = {}
        while (row := reader.next_at(2)) is not None:
            match row.expect(
                "rare", "recursion", "option", "source", "param", "result", "slot", "local", "body"
            ):
                case "rare":
                    cold = True
                case "recursion":
                    recursion = row.integer(1, MAX_RECURSION)
                case "option":
                    self.option(row, options)
                case "source":
                    self.sources.append((row.string(), row.string()))
                case "param":
                    key = self.new_name(row, params, slots)
                    params[key] = types.value(row)
                case "result":
                    results.append(types.scalar(row))
                case "slot":
                    key = self.new_name(row, params, slots)
                    slots[key] = types.value(row)
                case "local":
                    key = self.new_name(row, locals_)
                    locals_[key] = types.memory(row)
                case _:
                    row.end()
                    break
            row.end()
        else:
            line.fail("a function with a body", name)
        span = self.span(line, head)
        body = self.region(4)
        self.function = Function(
            name, tuple(params.items()), tuple(results), slots, locals_, body, span, cold,
            replace(DEFAULTS, **options), recursion,
        )  # fmt: skip

    def option(self, row: Line, options: dict[str, Any]) -> None:
        name = row.take("word")
        text = row.accept("true", "false")
        try:
            options[name] = from_text(name, row.string() if text is None else text == "true")
        except ValueError:
            row.fail("an option of kernels", name)

    def new_name(self, line: Line, *known: dict[str, ValueType] | dict[str, MemoryType]) -> str:
        name = line.string()
        if any(name in names for names in known):
            line.fail("another name", name)
        line.expect(":")
        return name

    def span(self, line: Line, text: str) -> Span:
        source, _, place = text[1:].rpartition("!")
        start, end = place.split("-")
        first, column = start.split(":")
        last, _, end_column = end.rpartition(":")
        number = int(source or 0)
        if number >= len(self.sources):
            line.fail(f"one of the function's {len(self.sources)} sources", text)
        file, function = self.sources[number]
        return Span(file, function, int(first), int(column), int(last or first), int(end_column))

    def region(self, indent: int) -> Region:
        region: Region = []
        while (line := self.reader.peek_at(indent)) is not None:
            if line.word in ("else", "do"):
                break
            self.reader.next_at(indent)
            if indent > 2 * (MAX_NESTING + 2):
                line.fail(f"at most {MAX_NESTING} nested regions")
            region.append(self.statement(line, indent))
        return region

    def statement(self, line: Line, indent: int) -> Statement:
        if line.kind == "value":
            return self.op(line)
        match line.expect("if", "while", "for", "break", "continue", "return"):
            case "if":
                at, condition = self.id(line), self.value(line)
                span = self.last_span(line)
                return If(at, condition, self.region(indent + 2), self.orelse(indent), span)
            case "while":
                at, wanted = self.id(line), line.accept("vectorized") is not None
                span = self.last_span(line)
                head = self.region(indent + 2)
                tail = self.reader.next_at(indent) or line.fail("do after this statement")
                tail.expect("do")
                condition = self.value(tail)
                tail.end()
                body, orelse = self.region(indent + 2), self.orelse(indent)
                return While(at, head, condition, body, orelse, span, wanted)
            case "for":
                at, wanted = self.id(line), line.accept("vectorized") is not None
                slot = line.string()
                line.expect("=")
                start = self.value(line)
                line.expect(",")
                stop = self.value(line)
                line.expect(",")
                step, lanes = line.integer(-MAX_STEP, MAX_STEP), self.lanes(line)
                span = self.last_span(line)
                body, orelse = self.region(indent + 2), self.orelse(indent)
                return For(at, slot, start, stop, step, body, orelse, span, lanes, wanted)
            case "break":
                return Break(self.last_span(line))
            case "continue":
                return Continue(self.last_span(line))
            case _:
                values = self.operands(line)
                return Return(values, self.last_span(line))

    def lanes(self, line: Line) -> Lanes | None:
        if not line.accept("lanes"):
            return None
        counts = line.listed(partial(line.integer, 2, MAX_LANES))
        flush = line.accept("flush") is not None
        joined = line.listed(lambda: (line.expect(*JOINS), line.string()))
        return Lanes(tuple(counts), tuple((slot, join) for join, slot in joined), flush)

    def orelse(self, indent: int) -> Region:
        line = self.reader.peek_at(indent)
        if line is None or not line.accept("else"):
            return []
        self.reader.next_at(indent)
        line.end()
        return self.region(indent + 2)

    def op(self, line: Line) -> Op:
        text = line.take("value")[1:]
        if "." in text or int(text) in self.values:
            line.fail("a new id such as %3", "%" + text)
        at = int(text)
        line.expect("=")
        opcode = line.word
        if line.kind != "word" or opcode not in OPS:
            line.fail("an operation")
        line.take("word")
        unchecked = line.accept("!") is not None
        attr, args = _attribute(line), self.operands(line)
        types = line.listed(partial(self.types.value, line)) if line.accept(":") else []
        results = tuple(Value(at, i, t) for i, t in enumerate(types))
        self.values[at] = results
        return Op(at, opcode, args, attr, results, self.last_span(line), unchecked)

    def operands(self, line: Line) -> tuple[Value, ...]:
        return tuple(line.listed(partial(self.value, line))) if line.kind == "value" else ()

    def value(self, line: Line) -> Value:
        text = line.take("value")
        op, _, index = text[1:].partition(".")
        results = self.values.get(int(op), ())
        if int(index or 0) >= len(results):
            line.fail("a value that is defined above", text)
        return results[int(index or 0)]

    def id(self, line: Line) -> int:
        line.expect("#")
        return line.integer(0, MAX_ID)

    def last_span(self, line: Line) -> Span:
        span = self.span(line, line.take("span"))
        line.end()
        return span
