"""A type in memory as a Protobuf message: its description, and the bytes of many at once.

Every field is written, and with a width of its own: whole numbers as `fixed32` and its like, arrays
of a length that the type has. So all messages of a type have one layout, into which NumPy copies
the canonical bytes of many states, field by field. Floats keep their bits; a fixed-point number is
the float64 next to it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2
from numpy.typing import NDArray

from samebits.bits import canonical_size
from samebits.types import (
    FixedArrayType,
    FixedPointType,
    Kind,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)

PACKAGE = "samebits"
_Field = descriptor_pb2.FieldDescriptorProto
_VARINT, _FIXED64, _LENGTH, _FIXED32 = 0, 1, 2, 5
_FIXED_KINDS: dict[int, tuple[int, str]] = {
    _Field.TYPE_BOOL: (_VARINT, "?"),
    _Field.TYPE_FLOAT: (_FIXED32, "<f4"),
    _Field.TYPE_DOUBLE: (_FIXED64, "<f8"),
    _Field.TYPE_SFIXED32: (_FIXED32, "<i4"),
    _Field.TYPE_FIXED32: (_FIXED32, "<u4"),
    _Field.TYPE_SFIXED64: (_FIXED64, "<i8"),
    _Field.TYPE_FIXED64: (_FIXED64, "<u8"),
}
"""Wire type and NumPy's type of the Protobuf types that are used."""
_RESERVED = range(19_000, 20_000)
"""Numbers that no field may have."""


@dataclass(frozen=True)
class Level:
    """An array around a scalar: its length, and the strides in canonical bytes and in a message."""

    count: int
    stride: int
    step: int


@dataclass(frozen=True)
class Placement:
    """Where a scalar, or one in each element of arrays, lies in canonical bytes and a message."""

    type: ScalarType
    offset: int
    at: int
    dtype: str
    levels: tuple[Level, ...]


@dataclass(frozen=True)
class Layout:
    """A message: its bytes but for the numbers, and where these belong."""

    template: bytes
    placements: tuple[Placement, ...]

    def moved(self, offset: int, at: int, level: Level | None = None) -> Iterator[Placement]:
        """The placements in a message that begins at `offset` and `at` of another."""
        more = () if level is None else (level,)
        for p in self.placements:
            yield Placement(p.type, p.offset + offset, p.at + at, p.dtype, (*more, *p.levels))


class Messages:
    """The messages of some types, in one file of descriptions; each `add` has a name of its own."""

    def __init__(self) -> None:
        self._file = descriptor_pb2.FileDescriptorProto(
            name="samebits.proto", package=PACKAGE, syntax="proto3"
        )
        self._layouts: dict[MemoryType, tuple[str, Layout]] = {}
        self._names: set[str] = set()

    def add(self, t: StructType) -> tuple[str, Layout]:
        """The full name of a struct's message, and its layout."""
        name, layout = self._message(t)
        return f"{PACKAGE}.{name}", layout

    def described(self) -> bytes:
        """The `FileDescriptorSet` of all that was added."""
        return descriptor_pb2.FileDescriptorSet(file=[self._file]).SerializeToString()

    def _message(self, t: StructType | VectorType) -> tuple[str, Layout]:
        if t in self._layouts:
            return self._layouts[t]
        name = self._free_name(t.name)
        about = descriptor_pb2.DescriptorProto(name=name)
        if isinstance(t, StructType):
            fields = list(t.fields)
        else:
            fields = [(component, t.element) for component in t.components]
        names = field_names([given for given, _ in fields])
        template, placements, offset = bytearray(), list[Placement](), 0
        for k, ((_, inner), field_name) in enumerate(zip(fields, names, strict=True)):
            number = k + 1 if k + 1 < _RESERVED.start else k + 1 + len(_RESERVED)
            layout = self._field(about.field.add(name=field_name, number=number), inner)
            placements += layout.moved(offset, len(template))
            template += layout.template
            offset += canonical_size(inner)
        self._file.message_type.add().CopyFrom(about)
        made = name, Layout(bytes(template), tuple(placements))
        self._layouts[t] = made
        return made

    def _field(self, about: _Field, t: MemoryType) -> Layout:
        """Describe a field; its bytes, key included."""
        count, dims = 1, t
        while isinstance(dims, FixedArrayType):
            count, dims = count * math.prod(dims.shape), dims.element
        is_array = isinstance(t, FixedArrayType)
        about.label = _Field.LABEL_REPEATED if is_array else _Field.LABEL_OPTIONAL
        size = canonical_size(dims)
        if isinstance(dims, ScalarType):
            kind: Any = protobuf_type(dims)
            about.type = kind
            wire, dtype = _FIXED_KINDS[kind]
            width = np.dtype(dtype).itemsize
            if not is_array:
                head = varint(about.number << 3 | wire)
                place = Placement(dims, 0, len(head), dtype, ())
                return Layout(head + bytes(width), (place,))
            head = varint(about.number << 3 | _LENGTH) + varint(count * width)
            place = Placement(dims, 0, len(head), dtype, (Level(count, size, width),))
            return Layout(head + bytes(count * width), (place,))
        assert isinstance(dims, StructType | VectorType)
        about.type = _Field.TYPE_MESSAGE
        name, inner = self._message(dims)
        about.type_name = f".{PACKAGE}.{name}"
        head = varint(about.number << 3 | _LENGTH) + varint(len(inner.template))
        one = head + inner.template
        level = Level(count, size, len(one)) if is_array else None
        return Layout(one * count, tuple(inner.moved(0, len(head), level)))

    def _free_name(self, given: str) -> str:
        """A message's name that is free, like that of a struct, or of a container."""
        name = _free(_plain(given.replace("[", "_of_").replace("]", "")), self._names)
        self._names.add(name)
        return name


def packed(layout: Layout, states: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The messages of `states`, canonical bytes of shape (n, size): bytes of shape (n, length)."""
    n = len(states)
    out = np.empty((n, len(layout.template)), np.uint8)
    out[:] = np.frombuffer(layout.template, np.uint8)
    for p in layout.placements:
        counts = tuple(level.count for level in p.levels)
        steps = (out.strides[0], *(level.step for level in p.levels))
        strides = (states.strides[0], *(level.stride for level in p.levels))
        shape = (n, *counts)
        into = np.ndarray(shape, p.dtype, out.data, p.at, steps)
        source = p.type.dtype.newbyteorder("<")
        found = np.ndarray(shape, source, states.data, p.offset, strides)
        into[...] = found if not isinstance(p.type, FixedPointType) else _value(p.type, found)
    return out


def protobuf_type(t: ScalarType) -> int:
    """Protobuf's type that holds every value of a scalar with as many bits to each."""
    wide = t.size == 8
    match t.kind:
        case Kind.BOOL:
            return _Field.TYPE_BOOL
        case Kind.FLOAT | Kind.HALF:
            return _Field.TYPE_DOUBLE if wide else _Field.TYPE_FLOAT
        case Kind.FIXED:
            return _Field.TYPE_DOUBLE
        case Kind.SIGNED:
            return _Field.TYPE_SFIXED64 if wide else _Field.TYPE_SFIXED32
        case Kind.UNSIGNED:
            return _Field.TYPE_FIXED64 if wide else _Field.TYPE_FIXED32


def field_names(given: list[str]) -> list[str]:
    """Fields' names as Protobuf allows them: ASCII, and no two alike, in JSON's spelling too."""
    found: list[str] = []
    taken: set[str] = set()
    for name in given:
        name = _free(_plain(name), taken, json_name)
        taken.add(json_name(name))
        found.append(name)
    return found


def json_name(name: str) -> str:
    """What a field is called in JSON, in small letters, as which readers may confuse two."""
    return name.replace("_", "").lower()


def varint(number: int) -> bytes:
    """Protobuf's bytes of a whole number of at least 0: seven bits each, the lowest first."""
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _plain(name: str) -> str:
    text = name.encode("ascii", "backslashreplace").decode()
    text = re.sub(r"\W+", "_", text, flags=re.ASCII).strip("_") if not text.isidentifier() else text
    return text if text[:1].isalpha() or text[:1] == "_" else f"x{text}"


def _free(name: str, taken: set[str], key: Any = str) -> str:
    found, k = name, 2
    while key(found) in taken:
        found, k = f"{name}_{k}", k + 1
    return found


def _value(t: FixedPointType, found: NDArray[Any]) -> NDArray[np.float64]:
    return np.ldexp(found.astype(np.float64), -t.fraction)
