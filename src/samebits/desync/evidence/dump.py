"""One peer's state after one frame, whole or some of its scalars, as its program dumped it.

Owns what is known of the state, and how it stands beside another. Knows nothing of files.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from samebits.bits import canonical_size
from samebits.desync.evidence.text_files import Pairs
from samebits.desync.evidence.values import Rounding, Told, told
from samebits.errors import ReportError, nearest
from samebits.types import (
    FixedArrayType,
    MatrixType,
    MemoryType,
    ScalarType,
    StructType,
    VectorType,
)

_STEP = re.compile(r"\.?([^.\[\]\s]+)|\[\s*([0-9]{1,9}(?:\s*,\s*[0-9]{1,9})*)\s*\]")


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar that a dump tells: its type, its place in the canonical state, what is told."""

    type: ScalarType
    offset: int
    told: Told


@dataclass(frozen=True, eq=False)
class Dump:
    """The scalars of a state of `size` canonical bytes after a frame, -1 being `init`; `name` is
    the file's. Without `scalars` it is `whole`."""

    name: str
    frame: int
    size: int
    scalars: tuple[Scalar, ...] = ()
    whole: bytes | None = None

    @cached_property
    def _rounding(self) -> Rounding:
        return Rounding((s.type, s.told.text) for s in self.scalars if s.told.text)

    @cached_property
    def rounded(self) -> frozenset[int]:
        """The places of scalars whose text has too few digits for bits."""
        return frozenset(
            s.offset
            for s in self.scalars
            if s.told.text and not self._rounding.is_exact(s.type, s.told)
        )

    @property
    def limits(self) -> list[str]:
        """What is not told, in sentences."""
        told = sum(s.type.size for s in self.scalars)
        found: list[str] = []
        if self.whole is None and told < self.size:
            found.append(
                f"{self.name} tells {told:,} of the {self.size:,} bytes of a state: the fields "
                "that it has are compared"
            )
        if self.rounded:
            found.append(
                f"{len(self.rounded):,} of the {len(self.scalars):,} values in {self.name} have "
                "too few digits to be bits: those that side a's may be rounded to count as the same"
            )
        return found

    @cached_property
    def state(self) -> bytes | None:
        """The canonical state, where all of it is told to the bit."""
        if self.whole is not None:
            return self.whole
        told = sum(s.type.size for s in self.scalars)
        return None if self.rounded or told < self.size else self.beside(bytes(self.size))

    def beside(self, other: bytes) -> bytes:
        """The state with what is not known as in another state: what is not told, and what may be
        the same within the rounding of its text."""
        if self.whole is not None:
            return self.whole
        made = bytearray(other)
        for s in self.scalars:
            at = slice(s.offset, s.offset + s.type.size)
            theirs = int.from_bytes(other[at], "little")
            rounded = s.offset in self.rounded
            if not (rounded and self._rounding.may_be(s.type, s.told.text, theirs)):
                made[at] = s.told.pattern.to_bytes(s.type.size, "little")
        return bytes(made)


class DumpBuilder:
    """The scalars of one frame's state of type `t`, put together from a file. What does not fit is
    a ReportError that begins with the file's name."""

    def __init__(self, t: StructType, name: str, frame: int) -> None:
        self._type, self._name, self.frame = t, name, frame
        self._size = canonical_size(t)
        self._taken: NDArray[np.bool_] = np.zeros(self._size, np.bool_)
        self._scalars: list[Scalar] = []

    def dump(self) -> Dump:
        """All that was put."""
        if not self._scalars:
            raise ReportError(
                f"{self._name} has no field of the state of frame {self.frame:,}",
                fix=f"dump fields of {self._type}, such as {self._type.fields[0][0]}",
            )
        return Dump(self._name, self.frame, self._size, tuple(self._scalars))

    def put_path(self, place: str, path: str, value: Any) -> None:
        """The value at a path such as `bodies[3].pos.x`; `place` is where it stands in the file."""
        t: MemoryType = self._type
        offset, at = 0, 0
        while at < len(path):
            step = _STEP.match(path, at)
            if step is None:
                raise self._wrong(place, f"has {path[:60]!a}, which is no path",
                                  "write one such as bodies[3].pos.x")  # fmt: skip
            at = step.end()
            for key in [step[1]] if step[1] else [int(n) for n in step[2].split(",")]:
                t, inside = self._part(place, path[:at], t, key)
                offset += inside
        self._put(place, path, t, offset, value)

    def put(self, place: str, value: Any) -> None:
        """The values of the whole state, or of some of its fields, nested by names and indices."""
        self._put(place, "", self._type, 0, value)

    def _put(self, place: str, path: str, t: MemoryType, offset: int, value: Any) -> None:
        parts = _listed(t)
        if isinstance(value, Pairs) and isinstance(t, StructType | VectorType):
            for name, part in value:
                inner = f"{path}.{name}" if path else name
                if "." in name or "[" in name:
                    self.put_path(place, inner, part)
                else:
                    type_, inside = self._part(place, inner, t, name)
                    self._put(place, inner, type_, offset + inside, part)
        elif _is_list(value) and isinstance(t, VectorType | FixedArrayType):
            items = cast("list[Any]", value)
            if len(items) == _count(t) and not any(_is_list(item) for item in items):
                parts = _flat(t)
            if len(items) != len(parts):
                raise self._wrong(place, f"has {len(items):,} elements for {path or 'the state'}, "
                                  f"which is {t}", f"write {len(parts):,}")  # fmt: skip
            for k, (item, (type_, inside)) in enumerate(zip(items, parts, strict=True)):
                self._put(place, f"{path}[{k}]", type_, offset + inside, item)
        elif isinstance(t, ScalarType) and not isinstance(value, list):
            self._put_scalar(place, path, t, offset, value)
        else:
            raise self._wrong(
                place,
                f"has {_kind(value)} for {path[:60] or 'the state'}, which is {t}",
                "nest it as the state is, or name its scalars: bodies[3].pos.x",
            )

    def _put_scalar(self, place: str, path: str, t: ScalarType, offset: int, value: Any) -> None:
        if self._taken[offset]:
            raise self._wrong(place, f"has {path[:60]} again", "dump each field once a frame")
        try:
            found = told(t, value)
        except ValueError as error:
            what, fix = error.args
            raise self._wrong(place, f"has {path[:60]}, which {what}", fix) from None
        self._taken[offset : offset + t.size] = True
        self._scalars.append(Scalar(t, offset, found))

    def _part(self, place: str, path: str, t: MemoryType, key: str | int) -> tuple[MemoryType, int]:
        """The field, component or element of that name or index, and its offset."""
        parts = _listed(t)
        if isinstance(key, int) and key < len(parts):
            return parts[key]
        names = _names(t)
        if key in names:
            return parts[names.index(key)]
        near = nearest(str(key), names)
        raise self._wrong(
            place,
            f"has {path[:60]!a}, and the state has no such field",
            f"did you mean {near}?" if near else f"it has {', '.join(names[:8]) or 'none there'}",
        )

    def _wrong(self, place: str, what: str, fix: str) -> ReportError:
        return ReportError(f"{self._name}: {place} {what}", fix=fix)


Part = tuple[MemoryType, int]


def _listed(t: MemoryType) -> list[Part]:
    """The parts of a type, each with its canonical offset: fields, columns, components, elements
    along the first axis."""
    match t:
        case StructType():
            types = [field for _, field in t.fields]
        case MatrixType():
            types = [t.column] * t.columns
        case VectorType():
            types = [t.element] * t.length
        case FixedArrayType():
            rest = t.shape[1:]
            types = [FixedArrayType(t.element, rest) if rest else t.element] * t.shape[0]
        case _:
            return []
    sizes = [canonical_size(each) for each in types]
    return list(zip(types, accumulate(sizes, initial=0), strict=False))


def _flat(t: VectorType | FixedArrayType) -> list[Part]:
    """The elements of all axes."""
    size, count = canonical_size(t.element), _count(t)
    return [(t.element, k * size) for k in range(count)]


def _count(t: MemoryType) -> int:
    return (
        t.count if isinstance(t, FixedArrayType) else t.length if isinstance(t, VectorType) else 0
    )


def _names(t: MemoryType) -> list[str]:
    match t:
        case StructType():
            return [name for name, _ in t.fields]
        case MatrixType():
            return [f"c{j}" for j in range(t.columns)]
        case VectorType():
            return list(t.components)
        case _:
            return []


def _is_list(value: Any) -> bool:
    return isinstance(value, list) and not isinstance(value, Pairs)


def _kind(value: Any) -> str:
    if isinstance(value, Pairs):
        return "an object"
    return "a list" if isinstance(value, list) else f"{ascii(value)[:40]}"
