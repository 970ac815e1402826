"""The printer of IR text, whose form the package describes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import partial
from weakref import ref

from samebits.errors import IRError, Span
from samebits.ir.grammar import (
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
    walk,
)
from samebits.ir.once import Lately, Once
from samebits.modes import changed_options, to_text
from samebits.types import (
    COMPOSITES,
    SCALARS,
    ArrayType,
    FixedArrayType,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

TABLE_COLUMNS = 8
HEADER = "samebits ir 1"
RESERVED = {*SCALARS, *COMPOSITES, "Array", "ReadOnly", "ref", "inf", "nan"}
"""Words that begin a type or are numbers, so that a struct of such a name is quoted."""
VECTORIZED = "vectorized "
_BARE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)


def print_module(module: Module) -> str:
    """The text of a legal module; `parse_module` gives an equal one back."""
    labels = _labels(module)
    blocks = [[HEADER]]
    blocks.extend(_struct(t, labels) for t in labels)
    blocks.extend(_table(name, data) for name, data in module.tables.items())
    blocks.extend(_function(function, labels) for function in module.functions.values())
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def text_of(module: Module) -> str:
    """As `print_module`, of a module that does not change any more: made once for the targets and
    levels that it is compiled for in turn."""
    return _WHOLE.of(module, partial(print_module, module))


def quoted(text: str) -> str:
    """A JSON string in ASCII."""
    return json.dumps(text)


def attribute_text(attr: Attribute) -> str:
    """An attribute other than None; floats are exact and every NaN is `nan`."""
    if isinstance(attr, bool):
        return "true" if attr else "false"
    if isinstance(attr, float):
        return re.sub(r"\.?0*p", "p", attr.hex()) if attr - attr == 0 else str(attr)
    return quoted(attr) if isinstance(attr, str) else str(attr)


def _labels(module: Module) -> dict[StructType, str]:
    """A name for each struct that the module mentions, in an order in which inner ones come
    first."""
    labels: dict[StructType, str] = {}
    count: dict[str, int] = {}

    def visit(t: ValueType | MemoryType) -> None:
        match t:
            case StructType() if t not in labels:
                for _, field in t.fields:
                    visit(field)
                n = count[t.name] = count.get(t.name, 0) + 1
                plain = _BARE.fullmatch(t.name) and t.name not in RESERVED
                labels[t] = (t.name if plain else quoted(t.name)) + (f"#{n}" if n > 1 else "")
            case FixedArrayType() | ArrayType():
                visit(t.element)
            case RefType():
                visit(t.target)
            case _:
                pass

    for function in module.functions.values():
        for t in _mentioned(function):
            visit(t)
    return labels


_TYPES: Once[tuple[ValueType | MemoryType, ...]] = Once()
_TEXTS: Once[list[str]] = Once()
_WHOLE: Lately[str] = Lately()


def _function(function: Function, labels: dict[StructType, str]) -> list[str]:
    made = _Printer(function, labels)
    structs = any(_has_struct(t) for t in _mentioned(function))
    return made.function() if structs else _TEXTS.of(function, made.function)


def _has_struct(t: ValueType | MemoryType) -> bool:
    match t:
        case StructType():
            return True
        case FixedArrayType() | ArrayType():
            return _has_struct(t.element)
        case RefType():
            return _has_struct(t.target)
        case _:
            return False


def _mentioned(function: Function) -> tuple[ValueType | MemoryType, ...]:
    return _TYPES.of(function, lambda: tuple(dict.fromkeys(_types(function))))


def _types(function: Function) -> Iterator[ValueType | MemoryType]:
    yield from (t for _, t in function.params)
    yield from function.slots.values()
    yield from function.locals.values()
    for statement in walk(function.body):
        if isinstance(statement, Op):
            yield from (value.type for value in statement.results)


def _type(t: ValueType | MemoryType, labels: dict[StructType, str]) -> str:
    match t:
        case ScalarType() | VectorType():
            if (SCALARS.get(t.name) or COMPOSITES.get(t.name)) != t:
                raise IRError(f"{t} is not a type of the language")
            return t.name
        case StructType():
            return labels[t]
        case FixedArrayType():
            return f"{_type(t.element, labels)}[{', '.join(map(str, t.shape))}]"
        case RefType():
            return f"ref<{_type(t.target, labels)}>"
        case ArrayType():
            head = "ReadOnly" if t.readonly else "Array"
            return f"{head}[{_type(t.element, labels)}{f', {t.ndim}' if t.ndim > 1 else ''}]"


def _struct(t: StructType, labels: dict[StructType, str]) -> list[str]:
    fields = [f"  {quoted(name)}: {_type(field, labels)}" for name, field in t.fields]
    return [f"struct {labels[t]}", *fields]


def _table(name: str, data: TableData) -> list[str]:
    found = _ROWS.get(id(data))
    rows = None if found is None or found[0]() is not data else found[1]
    if rows is None:
        values = [attribute_text(value) for value in data.values]
        rows = [
            "  " + ", ".join(values[i : i + TABLE_COLUMNS])
            for i in range(0, len(values), TABLE_COLUMNS)
        ]
        number = id(data)
        _ROWS[number] = ref(data, lambda _: _ROWS.pop(number, None)), rows
    t = data.type if data.shape else data.element
    return [f"table {quoted(name)}: {_type(t, {})}", *rows]


_ROWS: dict[int, tuple[ref[TableData], list[str]]] = {}
"""The values of tables that are alive, by identity: equal ones may differ in signs of zeros."""


class _Printer:
    """The lines of one function."""

    def __init__(self, function: Function, labels: dict[StructType, str]) -> None:
        self.it = function
        self.labels = labels
        self.sources: dict[tuple[str, str], int] = {}
        self.lines: list[str] = []

    def function(self) -> list[str]:
        it = self.it
        head = f"function {quoted(it.name)} {self.span(it.span)}"
        self.region(it.body, "    ")
        return [
            head,
            *(["  rare"] * it.cold),  # digests of what is proven have this word in them
            *([f"  recursion {it.recursion}"] * (it.recursion > 0)),
            *(
                f"  option {name} {attribute_text(to_text(value))}"
                for name, value in changed_options(it.options).items()
            ),
            *(f"  source {quoted(file)} {quoted(name)}" for file, name in self.sources),
            *(f"  param {quoted(name)}: {self.type(t)}" for name, t in it.params),
            *(f"  result {self.type(t)}" for t in it.results),
            *(f"  slot {quoted(name)}: {self.type(t)}" for name, t in it.slots.items()),
            *(f"  local {quoted(name)}: {self.type(t)}" for name, t in it.locals.items()),
            "  body",
            *self.lines,
        ]

    def type(self, t: ValueType | MemoryType) -> str:
        return _type(t, self.labels)

    def span(self, s: Span) -> str:
        source = self.sources.setdefault((s.file, s.function), len(self.sources))
        end = f"{s.end_line}:" if s.end_line != s.line else ""
        where = f"{source}!" if source else ""
        return f"@{where}{s.line}:{s.column}-{end}{s.end_column}"

    def region(self, region: Region, indent: str) -> None:
        for statement in region:
            self.statement(statement, indent)

    def statement(self, statement: Statement, indent: str) -> None:
        inner, span = indent + "  ", self.span(statement.span)
        match statement:
            case Op():
                self.lines.append(f"{indent}{self.op(statement)} {span}")
            case If():
                self.lines.append(f"{indent}if#{statement.id} {_value(statement.condition)} {span}")
                self.region(statement.then, inner)
                self.orelse(statement.orelse, indent)
            case While():
                wanted = VECTORIZED if statement.vectorized else ""
                self.lines.append(f"{indent}while#{statement.id} {wanted}{span}")
                self.region(statement.head, inner)
                self.lines.append(f"{indent}do {_value(statement.condition)}")
                self.region(statement.body, inner)
                self.orelse(statement.orelse, indent)
            case For():
                counted = f"{_value(statement.start)}, {_value(statement.stop)}, {statement.step}"
                wanted = VECTORIZED if statement.vectorized else ""
                head = f"for#{statement.id} {wanted}{quoted(statement.slot)} = {counted}"
                head += _lanes(statement.lanes)
                self.lines.append(f"{indent}{head} {span}")
                self.region(statement.body, inner)
                self.orelse(statement.orelse, indent)
            case Break():
                self.lines.append(f"{indent}break {span}")
            case Continue():
                self.lines.append(f"{indent}continue {span}")
            case Return():
                values = ", ".join(map(_value, statement.values))
                self.lines.append(f"{indent}return {values + ' ' if values else ''}{span}")

    def orelse(self, region: Region, indent: str) -> None:
        if region:
            self.lines.append(f"{indent}else")
            self.region(region, indent + "  ")

    def op(self, op: Op) -> str:
        parts = [f"%{op.id} = {op.opcode}{'!' if op.unchecked else ''}"]
        if op.attr is not None:
            parts.append(attribute_text(op.attr))
        if op.args:
            parts.append(", ".join(map(_value, op.args)))
        types = ", ".join(self.type(value.type) for value in op.results)
        return " ".join(parts) + (f": {types}" if types else "")


def _lanes(lanes: Lanes | None) -> str:
    if lanes is None:
        return ""
    slots = ", ".join(f"{join} {quoted(slot)}" for slot, join in lanes.slots)
    counts = ", ".join(map(str, lanes.counts))
    return f" lanes {counts} {'flush ' * lanes.flush}{slots}"


def _value(value: Value) -> str:
    return f"%{value.op}.{value.index}" if value.index else f"%{value.op}"
