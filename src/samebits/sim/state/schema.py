"""Memory types as JSON and back, so that a replay describes the layout of its inputs and states.

Reading validates everything: names, counts, nesting and total size are bounded.
"""

from __future__ import annotations

import re
from typing import Any, cast

from samebits.errors import ReplayError
from samebits.types import (
    COMPOSITES,
    FIXED_POINT,
    FLOAT16,
    MOST_DIMENSIONS,
    STRONG_SCALARS,
    FixedArrayType,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)

MAX_DEPTH = 32
"""Deepest nesting of types."""
MAX_FIELDS = 4096
"""Most fields of one struct."""
_STRUCT = re.compile(r"[^\W\d]\w*(\[\w[\w.\[\], ]*\])?")

_NAMED: dict[str, ScalarType | VectorType] = {
    **{t.name: t for t in STRONG_SCALARS},
    FLOAT16.name: FLOAT16,
    **FIXED_POINT,
    **COMPOSITES,
}


def to_json(t: MemoryType) -> Any:
    """A name, `{"array": element, "shape": [...]}` or `{"struct": name, "fields": [[name, type]]}`.

    Fields keep their order; there are no offsets, which follow from the types.
    """
    match t:
        case ScalarType() | VectorType():
            return t.name
        case FixedArrayType():
            return {"array": to_json(t.element), "shape": list(t.shape)}
        case StructType():
            fields = [[name, to_json(field_type)] for name, field_type in t.fields]
            return {"struct": t.name, "fields": fields}


def from_json(value: Any, limit: int) -> MemoryType:
    """The type that `to_json` wrote; ReplayError unless it is one of at most `limit` bytes."""
    return _read(value, limit, 0)[0]


def _read(value: Any, limit: int, depth: int) -> tuple[MemoryType, int]:
    """The type and its canonical size."""
    if depth > MAX_DEPTH:
        raise ReplayError(f"the schema nests more than {MAX_DEPTH} types")
    if isinstance(value, str) and value in _NAMED:
        return _NAMED[value], _NAMED[value].size
    parts = _dict(value)
    if parts:
        if parts.keys() == {"array", "shape"}:
            return _array(parts, limit, depth)
        if parts.keys() == {"struct", "fields"}:
            return _struct(parts, limit, depth)
    raise ReplayError(f"the schema has {_shown(value)}, which is not a type")


def _array(parts: dict[str, Any], limit: int, depth: int) -> tuple[MemoryType, int]:
    element, size = _read(parts["array"], limit, depth + 1)
    shape = _list(parts["shape"])
    if not 1 <= len(shape) <= MOST_DIMENSIONS:
        raise ReplayError(f"the schema has an array of shape {_shown(parts['shape'])}")
    for length in shape:
        if type(length) is not int or not 1 <= length <= limit:
            raise ReplayError(f"the schema has an array of length {ascii(length)[:60]}")
        size = _bounded(size * length, limit)
    return FixedArrayType(element, tuple(shape)), size


def _struct(parts: dict[str, Any], limit: int, depth: int) -> tuple[MemoryType, int]:
    fields: dict[str, MemoryType] = {}
    total = 0
    given = _list(parts["fields"])
    if not 1 <= len(given) <= MAX_FIELDS:
        raise ReplayError(f"the schema has a struct without 1 to {MAX_FIELDS} fields")
    for item in given:
        pair = _list(item)
        if len(pair) != 2 or not _is_name(pair[0]) or pair[0] in fields:
            raise ReplayError(f"the schema has {_shown(item)}, which is not a new field")
        fields[pair[0]], size = _read(pair[1], limit, depth + 1)
        total = _bounded(total + size, limit)
    if not _is_name_of_struct(parts["struct"]):
        raise ReplayError(f"the schema has a struct named {ascii(parts['struct'])[:60]}")
    return StructType(parts["struct"], tuple(fields.items())), total


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _dict(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _shown(value: object) -> str:
    return ascii(value)[:60]


def _is_name(value: Any) -> bool:
    return isinstance(value, str) and value.isidentifier() and len(value) <= 200


def _is_name_of_struct(value: Any) -> bool:
    """A name, or that of a container, such as `Map[int2, int32, 64]`."""
    return isinstance(value, str) and len(value) <= 200 and bool(_STRUCT.fullmatch(value))


def _bounded(size: int, limit: int) -> int:
    if size > limit:
        raise ReplayError(f"the schema has a type of more than {limit} bytes")
    return size
