"""The language's types in C: names, struct declarations, pointers to elements."""

from __future__ import annotations

import re
from collections.abc import Iterable

from samebits.types import (
    ArrayType,
    FixedArrayType,
    Kind,
    MemoryType,
    RefType,
    ScalarType,
    StructType,
    VectorType,
)

Typed = ScalarType | ArrayType | RefType


def word(name: str) -> str:
    """A name as one word of C."""
    return re.sub(r"\W+", "_", name).strip("_")


def scalar(t: ScalarType) -> str:
    """A scalar's type in C."""
    s = t.storage
    if s.kind is Kind.BOOL:
        return "bool"
    if s.is_float:
        return "float" if s.bits == 32 else "double"
    return f"{'' if s.is_signed else 'u'}int{s.bits}_t"


def short(t: ScalarType) -> str:
    """A scalar's type as part of a name: i32, u8, f64, bool."""
    s = t.storage
    if s.kind is Kind.BOOL:
        return "bool"
    return f"{'f' if s.is_float else 'i' if s.is_signed else 'u'}{s.bits}"


def base(t: MemoryType) -> str:
    """What a pointer to `t` points to: a scalar or a struct."""
    match t:
        case ScalarType():
            return scalar(t)
        case VectorType():
            return scalar(t.element)
        case FixedArrayType():
            return base(t.element)
        case StructType():
            return f"struct {word(t.name)}"


def width(t: MemoryType) -> int:
    """How many of its `base` a value is."""
    match t:
        case VectorType():
            return t.length
        case FixedArrayType():
            return t.count * width(t.element)
        case _:
            return 1


def is_flat(t: MemoryType) -> bool:
    """Whether a field of the type is an array in C."""
    return isinstance(t, VectorType | FixedArrayType)


def view(t: ArrayType) -> str:
    """The struct of an array's address and lengths."""
    return f"struct view_{word(base(t.element))}_{t.ndim}"


def typed(t: Typed) -> str:
    """The type of a parameter or a variable."""
    match t:
        case ScalarType():
            return scalar(t)
        case ArrayType():
            return view(t)
        case RefType():
            return f"{base(t.target)} *"


def declarations(types: Iterable[Typed | MemoryType]) -> list[str]:
    """Structs of C for all types, each before those that have it."""
    done: dict[str, str] = {}

    def add(t: Typed | MemoryType) -> None:
        match t:
            case StructType():
                for _, field in t.fields:
                    add(field)
                if base(t) not in done:
                    done[base(t)] = _struct(t)
            case FixedArrayType():
                add(t.element)
            case RefType():
                add(t.target)
            case ArrayType():
                add(t.element)
                lengths = ", ".join(f"n{i}" for i in range(t.ndim))
                done[view(t)] = f"{view(t)} {{ {base(t.element)} *p; int64_t {lengths}; }};"
            case _:
                pass

    for t in types:
        add(t)
    return list(done.values())


def _struct(t: StructType) -> str:
    fields: list[str] = []
    for name, field in t.fields:
        count = f"[{width(field)}]" if is_flat(field) else ""
        align = f"_Alignas({field.align}) " if field.align > 4 else ""
        fields.append(f"    {align}{base(field)} {word(name)}_{count};")
    return f"struct {word(t.name)} {{\n" + "\n".join(fields) + "\n};"
