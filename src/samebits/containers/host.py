"""Python's own calls of containers, beside the kernels: filling, comparing, showing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

import numpy as np

from samebits.errors import ArgumentError, Trap


def fill_list(items: Any, values: Iterable[Any]) -> None:
    """Put values into an empty list, or heap data, in order. Raises ArgumentError where they do not
    fit."""
    given = list(values)
    capacity = len(items.data)
    if len(given) > capacity:
        raise ArgumentError(
            f"{items.__sb_type__} holds {capacity:,} items; got {len(given):,}",
            fix="give it a greater capacity",
        )
    data = items.data
    for k, value in enumerate(given):
        data[k] = value
    items.size = len(given)


def list_equal(items: Any, other: Any) -> Any:
    """`==` in Python: of two lists, or of a list and a sequence whose items it could hold."""
    if not isinstance(other, type(items)):
        if not isinstance(other, Sequence) and not hasattr(other, "__sb_elements__"):
            return NotImplemented
        try:
            other = type(items)(cast("Sequence[Any]", other))
        except (ArgumentError, Trap):
            return False
    return type(items).__eq__.as_kernel(items, other)


def shown(items: Iterable[Any]) -> str:
    """Items as a container's repr has them: numbers as Python writes them, the rest by repr."""
    return ", ".join(
        str(item) if isinstance(item, np.generic | int | float) else repr(item) for item in items
    )
