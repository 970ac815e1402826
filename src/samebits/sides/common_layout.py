"""The part of a state that two versions of a source share, though their layouts differ.

Owns which fields correspond: those of one name and type, and those that alone changed their name.
Of arrays of different lengths the elements that both have are shared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from samebits.bits import canonical_size, xxh64
from samebits.types import FixedArrayType, MemoryType, StructType


@dataclass(frozen=True, eq=False)
class CommonLayout:
    """The shared fields as a struct `type`, under the first version's names.

    `aliases` are the second version's names by path, where they are others; `missing` the paths of
    what only one version has, or has in another type.
    """

    type: StructType
    aliases: Mapping[str, str]
    missing: tuple[str, ...]

    def of(self, own: StructType) -> LayoutPart:
        """The shared part of a version's state, or of one between both. KeyError where it lacks a
        field."""
        return LayoutPart(self._places(self.type, own, "state"))

    def _places(self, common: MemoryType, own: MemoryType, path: str) -> NDArray[np.intp]:
        """Of each byte of the shared canonical state, where it lies in the version's own."""
        match common, own:
            case StructType(), StructType():
                starts, at = dict[str, int](), 0
                for name, t in own.fields:
                    starts[name] = at
                    at += canonical_size(t)
                parts = [np.zeros(0, np.intp)]
                for name, t in common.fields:
                    inside = f"{path}.{name}"
                    there = name if name in starts else self.aliases[inside]
                    parts.append(starts[there] + self._places(t, own.field_types[there], inside))
                return np.concatenate(parts)
            case FixedArrayType(), FixedArrayType():
                element = self._places(common.element, own.element, f"{path}[]")
                flat = np.ravel_multi_index(tuple(np.indices(common.shape)), own.shape).ravel()
                size = canonical_size(own.element)
                return (flat[:, np.newaxis] * size + element[np.newaxis]).ravel()
            case _:
                return np.arange(canonical_size(common))


@dataclass(frozen=True, eq=False)
class LayoutPart:
    """The shared part of one version's canonical state, by the `places` of its bytes there."""

    places: NDArray[np.intp]

    def taken(self, state: bytes) -> bytes:
        """The shared part of a state."""
        return np.frombuffer(state, np.uint8)[self.places].tobytes()

    def hash(self, state: bytes) -> int:
        """XXH64 of it."""
        return xxh64(self.taken(state))

    def put(self, state: bytes, part: bytes) -> bytes:
        """A state with another shared part."""
        made = np.frombuffer(state, np.uint8).copy()
        made[self.places] = np.frombuffer(part, np.uint8)
        return made.tobytes()


def common_layout(a: StructType, b: StructType) -> CommonLayout | None:
    """What the states of two versions share; None where their layouts are the same."""
    found = _Common()
    common = found.of(a, b, "state")
    if not found.missing and not found.aliases:
        return None
    fields = common if isinstance(common, StructType) else StructType(a.name, ())
    return CommonLayout(fields, found.aliases, tuple(found.missing))


class _Common:
    def __init__(self) -> None:
        self.aliases: dict[str, str] = {}
        self.missing: list[str] = []

    def of(self, a: MemoryType, b: MemoryType, path: str) -> MemoryType | None:
        """The shared type of what lies at a path in both; None where nothing is shared."""
        match a, b:
            case StructType(), StructType():
                return self._struct(a, b, path)
            case FixedArrayType(), FixedArrayType() if len(a.shape) == len(b.shape):
                element = self.of(a.element, b.element, f"{path}[]")
                if element is None:
                    return None
                shape = tuple(map(min, a.shape, b.shape))
                if a.shape != b.shape:
                    self.missing.append(f"{path}[], {_lengths(a)} in a and {_lengths(b)} in b")
                return FixedArrayType(element, shape)
            case _:
                if _named(a) == _named(b):
                    return a
                self.missing.append(f"{path}, {a} in a and {b} in b")
                return None

    def _struct(self, a: StructType, b: StructType, path: str) -> StructType | None:
        names = dict(self._names(a, b))
        fields: list[tuple[str, MemoryType]] = []
        for name, t in a.fields:
            inside, there = f"{path}.{name}", names.get(name)
            if there is None:
                self.missing.append(f"{inside}, which only a has")
                continue
            if there != name:
                self.aliases[inside] = there
            shared = self.of(t, b.field_types[there], inside)
            if shared is not None:
                fields.append((name, shared))
        left = b.field_types.keys() - {*names.values()}
        self.missing += [f"{path}.{name}, which only b has" for name, _ in b.fields if name in left]
        order = [name for name, _ in b.fields if name not in left]
        if [names[name] for name, _ in a.fields if name in names] != order:
            self.missing.append(f"the order of the fields of {path}")
        return StructType(a.name, tuple(fields)) if fields else None

    def _names(self, a: StructType, b: StructType) -> Iterator[tuple[str, str]]:
        """Corresponding names. A field has another one where the next that b alone has is of its
        type, and as many are left on both sides."""
        gone = [name for name, _ in a.fields if name not in b.field_types]
        come = [name for name, _ in b.fields if name not in a.field_types]
        yield from ((name, name) for name, _ in a.fields if name in b.field_types)
        pairs = list(zip(gone, come, strict=False))
        if len(gone) == len(come) and all(
            _named(a.field_types[x]) == _named(b.field_types[y]) for x, y in pairs
        ):
            yield from pairs


def _named(t: MemoryType) -> str:
    """A type by what it is: those of two versions are not the same objects."""
    match t:
        case StructType():
            return f"{{{', '.join(f'{name}: {_named(each)}' for name, each in t.fields)}}}"
        case FixedArrayType():
            return f"{_named(t.element)}{list(t.shape)}"
        case _:
            return str(t)


def _lengths(t: FixedArrayType) -> str:
    return " x ".join(map(str, t.shape))
