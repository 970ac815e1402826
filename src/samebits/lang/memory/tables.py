"""Constant tables: numbers fixed when the kernel is compiled, indexed at run time."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, SupportsIndex

import numpy as np

from samebits.errors import ArgumentError
from samebits.lang.values.scalars import MAKERS, RAW_OF, SCALAR_CLASSES
from samebits.lang.values.weak import FromEnd, Int
from samebits.types import FLOAT64, ScalarType
from samebits.value_text import trapped


class Table:
    """An immutable 1-D array of scalars that kernels may capture."""

    def __init__(self, values: Sequence[Any] | np.ndarray[Any, Any], scalar: type) -> None:
        element = getattr(scalar, "__sb_type__", None)
        if not isinstance(element, ScalarType):
            raise ArgumentError(
                f"sb.table needs a scalar type, not {scalar!r}",
                fix="write sb.table(values, sb.float32)",
            )
        self.element = element
        self.raw: np.ndarray[Any, Any] = np.array(_raw(values, element), element.storage.dtype)
        """The values as IR has them: steps of fixed-point numbers, bits of halves."""
        self.data: np.ndarray[Any, Any] = self.raw.view(element.dtype)
        if not len(self.data):
            raise ArgumentError("sb.table needs at least one value", fix="give the values")
        self.raw.setflags(write=False)
        self.data.setflags(write=False)
        little = self.data.astype(element.dtype.newbyteorder("<")).tobytes()
        digest = hashlib.blake2b(little, digest_size=8).hexdigest()
        self.identity = f"{element}x{len(self.data)}.{digest}"

    def __len__(self) -> int:
        return len(self.data)

    @property
    def shape(self) -> tuple[Int]:
        """The length, as an array has it."""
        return (Int(len(self.data)),)

    def __iter__(self) -> Iterator[Any]:
        return map(MAKERS[self.element], self.raw.tolist())

    def __getitem__(self, index: SupportsIndex) -> Any:
        i = index.of(len(self)) if type(index) is FromEnd else index.__index__()
        if not 0 <= i < len(self.data):
            raise trapped("index", "index", i, len(self.data))
        return MAKERS[self.element](self.raw[i].item())


def _raw(values: Iterable[Any], t: ScalarType) -> list[Any]:
    """The numbers as they are in memory, each converted as the scalar class does."""
    given = list(values)
    kinds = set(map(type, given))
    if t is FLOAT64 and kinds == {float} and not any(map(math.isnan, given)):
        return given
    if t.is_int and kinds == {int} and t.minimum <= min(given) and max(given) <= t.maximum:
        return given
    return [RAW_OF[t](SCALAR_CLASSES[t](v)) for v in given]


def table(values: Sequence[Any] | np.ndarray[Any, Any], scalar: type) -> Table:
    """Freeze `values` as a constant table of `scalar` (a samebits scalar class), for kernels.

    Indexed with `t[i]`; an index outside 0..len-1 traps.
    """
    return Table(values, scalar)
