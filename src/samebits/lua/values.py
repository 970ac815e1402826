"""Values between Python and Lua as bytes, which `prelude/7_values.lua` reads and writes.

Numbers cross as their bits: lupa itself takes a whole number of LuaJIT for an int, −0.0 too.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import cast

from samebits.lua.errors import LuaError

Value = None | bool | int | float | str | bytes | dict["Key", "Value"] | list["Value"]
Key = int | float | str | bytes | bool
"""What scripts and hosts give each other. Texts that are no UTF-8 are bytes."""

_MOST_DEPTH = 64
_INT64 = range(-(1 << 63), 1 << 63)


def packed(values: Sequence[object]) -> bytes:
    """Values for Lua: numbers, texts, booleans, None, and lists and dicts of them.

    A sequence is a table from 1 on. Raises LuaError for another type or an int beyond int64.
    """
    parts: list[bytes] = []
    for value in values:
        _pack(value, parts, 0)
    return b"".join(parts)


def _pack(value: object, parts: list[bytes], depth: int) -> None:
    if depth > _MOST_DEPTH:
        raise LuaError("a value for Lua is nested too deeply, or holds itself")
    if hasattr(value, "item") and not isinstance(value, bytes):  # a NumPy scalar
        value = cast("float", value.item())  # type: ignore[attr-defined]
    match value:
        case None:
            parts.append(b"z")
        case bool():
            parts.append(b"t" if value else b"f")
        case int():
            if value not in _INT64:
                raise LuaError(f"{value} is beyond Lua's integers", fix="give it as a float")
            parts.append(b"i" + struct.pack("<q", value))
        case float():
            parts.append(b"d" + struct.pack("<d", value if value == value else float("nan")))
        case str() | bytes():
            data = value.encode() if isinstance(value, str) else value
            parts.append(b"s" + struct.pack("<I", len(data)) + data)
        case Mapping() | list() | tuple():
            rows = _rows(cast("Mapping[object, object] | Sequence[object]", value))
            parts.append(b"{" + struct.pack("<I", len(rows)))
            for key, item in rows:
                if not isinstance(key, bool | int | float | str | bytes) or key != key:
                    raise LuaError(f"{type(key).__name__} can be no key in Lua")
                _pack(key, parts, depth + 1)
                _pack(item, parts, depth + 1)
        case _:
            raise LuaError(
                f"a {type(value).__name__} cannot be given to Lua",
                fix="give numbers, texts, booleans, None, and lists and dicts of these",
            )


def _rows(value: Mapping[object, object] | Sequence[object]) -> list[tuple[object, object]]:
    if isinstance(value, Mapping):
        return list(value.items())
    return list(enumerate(value, 1))


def unpacked(data: bytes, count: int = 1) -> list[Value]:
    """`count` values of Lua. A table whose keys are 1 to n is a list, an empty one too."""
    found: list[Value] = []
    at = 0
    for _ in range(count):
        value, at = _unpack(data, at)
        found.append(value)
    return found


def _unpack(data: bytes, at: int) -> tuple[Value, int]:
    tag, at = data[at : at + 1], at + 1
    match tag:
        case b"z":
            return None, at
        case b"t" | b"f":
            return tag == b"t", at
        case b"i":
            return struct.unpack_from("<q", data, at)[0], at + 8
        case b"d":
            return struct.unpack_from("<d", data, at)[0], at + 8
        case b"s":
            (size,) = struct.unpack_from("<I", data, at)
            text = data[at + 4 : at + 4 + size]
            try:
                return text.decode(), at + 4 + size
            except UnicodeDecodeError:
                return text, at + 4 + size
        case _:
            return _table(data, at)


def _table(data: bytes, at: int) -> tuple[Value, int]:
    (count,) = struct.unpack_from("<I", data, at)
    at += 4
    rows: dict[Key, Value] = {}
    for _ in range(count):
        key, at = _unpack(data, at)
        rows[cast("Key", key)], at = _unpack(data, at)
    if list(rows) == list(range(1, count + 1)):
        return list(rows.values()), at
    return rows, at
