"""Python's own calls of containers, beside the kernels: filling, comparing, showing."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError, Trap
from samebits.lang.signal_safe import keeps_flags
from samebits.lang.values.environment import in_default_environment


@keeps_flags
@in_default_environment
def fill_list(items: Any, values: Iterable[Any]) -> None:
    """Put values into an empty list, or heap data, in order. Raises ArgumentError where they do not
    fit."""
    given = list(values)
    capacity = len(items.data)
    if len(given) > capacity:
        raise too_many(items, capacity, len(given))
    data = items.data
    for k, value in enumerate(given):
        data[k] = value
    items.size = len(given)


@keeps_flags
@in_default_environment
def add_to_list(items: Any, values: Iterable[Any]) -> None:
    """Add values to a list, in order. Raises ArgumentError where they do not fit."""
    given = list(values)
    capacity, size = len(items.data), len(items)
    if size + len(given) > capacity:
        raise too_many(items, capacity, size + len(given))
    checked = type(items)(given)
    for k in range(len(given)):
        items.data[size + k] = checked.data[k]
    items.size = size + len(given)


@keeps_flags
def fill_by(items: Any, capacity: int, values: Iterable[Any], add: Callable[[Any], Any]) -> None:
    """Put values into an empty container by its own method. Raises ArgumentError where they do not
    fit."""
    given = list(values)
    if len(given) > capacity:
        raise too_many(items, capacity, len(given))
    for value in given:
        add(value)


@keeps_flags
def fill_set(items: Any, capacity: int, numbers: Iterable[int]) -> None:
    """Put numbers into an empty set. Raises ArgumentError where one is beyond it."""
    words = items.words.memory
    for given in numbers:
        number = operator.index(given)
        if not 0 <= number < capacity:
            raise ArgumentError(
                f"{items.__sb_type__} has numbers from 0 to {capacity - 1}; got {number}",
                fix="make it greater",
            )
        words[number // 64] |= np.uint64(1 << number % 64)
    items.size = sum(int(word).bit_count() for word in words)


def too_many(items: Any, capacity: int, count: int) -> ArgumentError:
    return ArgumentError(
        f"{items.__sb_type__} holds {capacity:,} items; got {count:,}",
        fix="give it a greater capacity",
    )


@keeps_flags
@in_default_environment
def compared(items: Any, other: Any, kind: Any = Sequence) -> Any:
    """`==` in Python: of two containers of one type, or of one and what Python has of the kind,
    whose items it could hold."""
    cls = cast("Any", type(items))
    if not isinstance(other, cls):
        if not isinstance(other, kind):
            return NotImplemented
        try:
            other = cls(other)
        except (ArgumentError, Trap, TypeError):
            return False
    return cls.__eq__.as_kernel(items, other)


@keeps_flags
def shown(items: Iterable[Any]) -> str:
    """Items as a container's repr has them: numbers as Python writes them, the rest by repr."""
    return ", ".join(
        f"{item}" if isinstance(item, np.generic | int | float) else repr(item) for item in items
    )
