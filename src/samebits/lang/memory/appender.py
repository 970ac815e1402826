"""`Appender`: a list that the indices of a parallel job append to, in the order of the indices.

Each index appends to a row of its own while the job runs; afterwards the rows are put one after
another. So the order never depends on who ran what. Knows nothing of jobs.
"""

from __future__ import annotations

import operator
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError, CompileError, folding
from samebits.lang.annotations import AppenderAnnotation, field_type, number
from samebits.lang.executions import executions
from samebits.types import FixedArrayType, MemoryType

_MOST = 1 << 48
_MOST_EACH = 1 << 16


class Appender:
    """A list of at most `capacity` elements: `sb.Appender(float3, capacity=1000)`.

    A job's field is annotated `sb.Appender[float3]`, where each index appends at most one element,
    or `sb.Appender[float3, k]` for at most `k`, 1 to 65,536; `execute` writes
    `self.field.append(value)`. `len()` is how many elements there are. Raises CompileError for an
    element that can't lie in an array, ArgumentError for a capacity that is no whole number, and
    wherever it is read or cleared while a scheduled job appends to it.
    """

    __slots__ = ("count", "element", "memory")

    @folding
    def __init__(self, element: Any, capacity: int) -> None:
        try:
            most = operator.index(capacity)
        except TypeError:
            most = -1
        if isinstance(capacity, bool) or not 0 <= most <= _MOST:
            raise ArgumentError(
                f"the capacity of an Appender is a number of elements, not {capacity!r:.60}",
                fix="write sb.Appender(float32, capacity=1000)",
            )
        self.element = _element(element)
        self.memory: np.ndarray[Any, Any] = np.zeros(most, self.element.dtype)
        """The elements, and room for more after them; the array is never replaced."""
        self.count = 0
        """The number of elements, without what scheduled jobs append."""

    def __class_getitem__(cls, item: Any) -> AppenderAnnotation:
        element, size = cast("tuple[Any, ...]", item) if isinstance(item, tuple) else (item, 1)
        most = number(size)
        if type(most) is not int or not 1 <= most <= _MOST_EACH:
            raise CompileError(
                f"an index appends 1 to {_MOST_EACH:,} elements, not {most!r:.60}",
                fix="write sb.Appender[float32, 4]",
            )
        return AppenderAnnotation(element, most)

    def __len__(self) -> int:
        executions.check_appender_use("len", self, False)
        return self.count

    @property
    def array(self) -> np.ndarray[Any, Any]:
        """A view of the present elements."""
        executions.check_appender_use("array", self, False)
        return self.memory[: self.count]

    def clear(self) -> None:
        """Remove all elements; the memory stays."""
        executions.check_appender_use("clear", self, True)
        self.count = 0

    def extend(self, rows: np.ndarray[Any, Any], counts: np.ndarray[Any, Any], at: int) -> None:
        """Put the first `counts[i]` elements of each row, in order, behind the first `at` elements.

        Raises ArgumentError, and appends nothing, where there is no room for all.
        """
        lengths: Any = counts
        found = rows[np.arange(rows.shape[1]) < lengths[:, np.newaxis]]
        count = at + len(found)
        if count > len(self.memory):
            raise ArgumentError(
                f"the appender is full: {count:,} elements in all, and its capacity is "
                f"{len(self.memory):,}",
                fix="make it with a larger capacity",
            )
        self.memory[at:count] = found
        self.count = count

    def __repr__(self) -> str:
        return f"<Appender of {self.count} {self.element}>"


def _element(annotation: Any) -> MemoryType:
    t = field_type(annotation, "an appender's element")
    if isinstance(t, FixedArrayType):
        raise CompileError(
            "an appender's element cannot be a fixed array", fix="put it in a struct"
        )
    return t
