"""A state as columns: all scalars of one field, through all arrays around it, as one view.

Owns views of canonical bytes without a loop over scalars, and the names of scalars.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from samebits.bits import canonical_size
from samebits.types import FixedArrayType, MemoryType, ScalarType, StructType, VectorType

Patterns = np.ndarray[Any, np.dtype[np.unsignedinteger[Any]]]
"""Bit patterns of one width."""


@dataclass(frozen=True)
class Level:
    """An array around a scalar: its shape, and its stride in canonical bytes."""

    shape: tuple[int, ...]
    stride: int


@dataclass(frozen=True)
class Column:
    """All scalars of one field. `names` are the parts around the indices: `bodies`, `.pos.x`."""

    names: tuple[str, ...]
    type: ScalarType
    offset: int
    levels: tuple[Level, ...] = ()

    @property
    def title(self) -> str:
        """`bodies[].pos.x`."""
        return "[]".join(self.names)

    @cached_property
    def _counts(self) -> tuple[int, ...]:
        return tuple(math.prod(level.shape) for level in self.levels)

    @property
    def count(self) -> int:
        """The number of its scalars."""
        return math.prod(self._counts)

    def patterns(self, state: bytes) -> Patterns:
        """The bit patterns in canonical bytes, in the order of their indices: a 1-D array."""
        strides = [level.stride for level in self.levels]
        view = np.ndarray(self._counts, f"<u{self.type.size}", state, self.offset, strides)
        return view.reshape(-1)

    def offsets(self, flat: NDArray[np.intp]) -> NDArray[np.intp]:
        """The offsets of scalars in canonical bytes."""
        at = np.full(len(flat), self.offset, np.intp)
        for index, level in zip(self._indices(flat), self.levels, strict=True):
            at += index * level.stride
        return at

    def _indices(self, flat: Any) -> tuple[Any, ...]:
        if not self.levels:
            return ()
        return cast("tuple[Any, ...]", np.unravel_index(flat, self._counts))

    def path(self, flat: int) -> str:
        """`bodies[3].pos.x`."""
        text = self.names[0]
        places = self._indices(flat)
        for level, place, name in zip(self.levels, places, self.names[1:], strict=True):
            index = np.unravel_index(int(place), level.shape)
            text += f"[{', '.join(map(str, index))}]{name}"
        return text


@lru_cache(64)
def columns(t: MemoryType) -> tuple[Column, ...]:
    """The columns of a type, in declared order."""
    return tuple(_columns(t, ("",), 0, ()))


def _columns(
    t: MemoryType, names: tuple[str, ...], offset: int, levels: tuple[Level, ...]
) -> Iterator[Column]:
    *before, last = names
    match t:
        case ScalarType():
            yield Column(names, t, offset, levels)
        case VectorType():
            for i, component in enumerate(t.components):
                inner = (*before, f"{last}.{component}")
                yield Column(inner, t.element, offset + i * t.element.size, levels)
        case FixedArrayType():
            level = Level(t.shape, canonical_size(t.element))
            yield from _columns(t.element, (*names, ""), offset, (*levels, level))
        case StructType():
            for name, field_type in t.fields:
                inner = f"{last}.{name}" if last or before else name
                yield from _columns(field_type, (*before, inner), offset, levels)
                offset += canonical_size(field_type)
