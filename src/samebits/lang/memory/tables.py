"""Constant tables: numbers fixed when the kernel is compiled, indexed at run time."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError, folding
from samebits.lang.memory.arrays import ManagedArray
from samebits.lang.values.scalars import RAW_OF, SCALAR_CLASSES, TYPE_OF, kind_of
from samebits.types import BOOL, FLOAT64, MOST_DIMENSIONS, FixedPointType, ScalarType


class Table(ManagedArray):
    """An immutable array of scalars, of one to four dimensions, that kernels may capture."""

    __eq__ = object.__eq__  # type: ignore[assignment]
    __hash__ = object.__hash__
    element: ScalarType

    def __init__(self, values: Sequence[Any] | np.ndarray[Any, Any], scalar: type) -> None:
        is_bool = scalar is bool or scalar is np.bool_
        element = BOOL if is_bool else getattr(scalar, "__sb_type__", None)
        if not isinstance(element, ScalarType):
            raise ArgumentError(
                f"sb.table needs a scalar type, not {scalar!r}",
                fix="write sb.table(values, sb.float32)",
            )
        shape, given = _flattened(values)
        held = np.array(_raw(given, element), element.storage.dtype).tobytes()
        raw = np.frombuffer(held, element.storage.dtype)  # which nobody makes writable again
        self.raw: np.ndarray[Any, Any] = raw.reshape(shape)
        """The values as IR has them: steps of fixed-point numbers, bits of halves."""
        self.data: np.ndarray[Any, Any] = self.raw.view(element.dtype)
        little = self.data.astype(element.dtype.newbyteorder("<")).tobytes()
        digest = hashlib.blake2b(little, digest_size=8).hexdigest()
        self.identity = f"{'x'.join([str(element), *map(str, shape)])}.{digest}"
        super().__init__(memoryview(held), 0, element, shape)


_ROWS: tuple[Any, ...] = (list, tuple, np.ndarray)


def _flattened(values: Iterable[Any]) -> tuple[tuple[int, ...], list[Any]]:
    """The shape of nested sequences, and what is in them row by row. Raises ArgumentError."""
    given = list(values)
    shape = [len(given)]
    while given and isinstance(given[0], _ROWS):
        if len(shape) == MOST_DIMENSIONS:
            raise ArgumentError("a table has one to four dimensions", fix="flatten it")
        lengths = {len(row) if isinstance(row, _ROWS) else -1 for row in given}
        if len(lengths) > 1:
            raise ArgumentError(
                "the rows of a table have one length", fix="fill the short ones, with 0 for example"
            )
        shape.append(lengths.pop())
        given = [item for row in given for item in row]
    if not given:
        raise ArgumentError("sb.table needs at least one value", fix="give the values")
    return tuple(shape), given


def _raw(values: Iterable[Any], t: ScalarType) -> list[Any]:
    """The numbers as they are in memory, each converted as the scalar class does."""
    given = list(values)
    kinds = set(map(type, given))
    if t is FLOAT64 and kinds == {float} and not any(map(math.isnan, given)):
        return given
    if t.is_int and kinds == {int} and t.minimum <= min(given) and max(given) <= t.maximum:
        return given
    if t.is_int:
        return [_whole(i, v, t) for i, v in enumerate(given)]
    return [RAW_OF[t](SCALAR_CLASSES[t](v)) for v in given]


def _whole(i: int, value: Any, t: ScalarType) -> Any:
    """A number of an integer table. Raises ArgumentError where the type doesn't hold it."""
    source = TYPE_OF.get(kind_of(value))
    if source is not None and source.is_int and not t.minimum <= int(value) <= t.maximum:
        found = f"beyond {t} ({t.minimum:,} to {t.maximum:,})"
    else:
        raw = RAW_OF[t](SCALAR_CLASSES[t](value))
        assert source is not None  # the class has taken it
        if isinstance(source, FixedPointType):
            same = RAW_OF[source](value) == int(raw) << source.fraction
        else:
            same = raw == (float(value) if source.is_ieee else int(value))
        if same:
            return raw
        found = f"not a whole number of {t}"
    shown: Any = cast("Any", value.item()) if isinstance(value, np.generic) else value
    raise ArgumentError(
        f"number {i} of a table of {t} is {shown}, {found}",
        note="a table keeps each number as it is given",
        fix=f"give a type that has it, or convert it: {t}(...) truncates floats and wraps "
        "typed integers",
    )


@folding
def table(values: Sequence[Any] | np.ndarray[Any, Any], scalar: type) -> Table:
    """Freeze `values` as a constant table of `scalar` (a samebits scalar class), for kernels.

    Sequences inside one another give up to four dimensions. Indexed with `t[i]`, `t[i, j]` and so
    on; an index outside 0..length-1 traps. Floats are rounded to a float type; a table of integers
    takes the numbers that its type has, whole floats among them. Raises ArgumentError.
    """
    return Table(values, scalar)
