"""Layouts of a script's state and inputs, as samebits' types and as the prelude reads them."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator

from samebits.errors import ReportError
from samebits.foreign.layout import parse_layout
from samebits.lua.errors import LuaError
from samebits.types import (
    FLOAT16,
    FixedArrayType,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)

_LETTERS = "xyzw"
_FORMATS = {
    "bool": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i",
    "uint32": "I", "int64": "q", "uint64": "Q", "float32": "f", "float64": "d",
}  # fmt: skip


def struct_layout(text: str, name: str) -> StructType:
    """The struct that a layout tells. Raises LuaError."""
    try:
        found = parse_layout(text, name)
    except ReportError as error:
        raise LuaError(error.message, fix=error.fix) from None
    if not isinstance(found, StructType):
        raise LuaError(
            f"the layout of {name} is one of {found}", fix="name its fields: {score:f64 …}"
        )
    return found


def lua_type(t: MemoryType) -> str:
    """The type as the prelude reads it: a scalar's name, an array or a struct, as Lua's text."""
    match t:
        case ScalarType():
            if t == FLOAT16:
                raise LuaError("a script's state has no float16", fix="write f32")
            return f'"{_short(t)}"'
        case VectorType():
            fields = (f'"{_LETTERS[n]}",{lua_type(t.element)}' for n in range(t.length))
            return f'{{"struct",{",".join(fields)}}}'
        case FixedArrayType():
            made = lua_type(t.element)
            for length in reversed(t.shape):
                made = f'{{"array",{length},{made}}}'
            return made
        case StructType():
            fields = (f'"{name}",{lua_type(each)}' for name, each in t.fields)
            return f'{{"struct",{",".join(fields)}}}'
        case _:
            raise LuaError(f"a script's state has no {t}", fix="write numbers, arrays and structs")


def layout_text(t: MemoryType) -> str:
    """The layout of a type, which records tell."""
    match t:
        case ScalarType():
            return _short(t)
        case VectorType():
            return t.name
        case FixedArrayType():
            return f"{layout_text(t.element)}[{','.join(map(str, t.shape))}]"
        case StructType():
            return "{" + " ".join(f"{name}:{layout_text(each)}" for name, each in t.fields) + "}"
        case _:
            raise LuaError(f"a script's state has no {t}", fix="write numbers, arrays and structs")


def random_values(t: MemoryType, draw: random.Random) -> bytes:
    """Canonical bytes of a type: floats from −1 to 1, all else of its whole range."""
    return b"".join(_random(scalar, draw) for scalar in _scalars(t))


def _random(t: ScalarType, draw: random.Random) -> bytes:
    if t.is_float:
        return struct.pack(f"<{_FORMATS[t.name]}", draw.uniform(-1.0, 1.0))
    if t.name == "bool":
        return bytes([draw.getrandbits(1)])
    most = 53 if t.bits == 64 else t.bits
    return draw.getrandbits(most).to_bytes(t.size, "little")


def _scalars(t: MemoryType) -> Iterator[ScalarType]:
    match t:
        case ScalarType():
            yield t
        case VectorType():
            for _ in range(t.length):
                yield t.element
        case FixedArrayType():
            for _ in range(t.count):
                yield from _scalars(t.element)
        case StructType():
            for _, each in t.fields:
                yield from _scalars(each)
        case _:
            raise LuaError(f"a script's inputs have no {t}")


def _short(t: ScalarType) -> str:
    if t.name == "bool":
        return t.name
    return f"{t.name[0]}{t.bits}"
