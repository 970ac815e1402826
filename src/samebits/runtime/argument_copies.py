"""Copies of a call's arguments that overlap each other exactly as the arguments do."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from samebits.lang.memory.structs import Struct

_ALIGNMENT = 64


@dataclass
class _Extent:
    """A range of addresses, `high` exclusive, and the arguments in it."""

    low: int
    high: int
    positions: list[int]


def own_copies(args: Sequence[Any]) -> list[Any]:
    """Copies of `args`: arrays and structs get memory of their own.

    Arguments that overlap do so in the copies as well, byte for byte.
    """
    result = [_single(value) for value in args]
    for stretch in _extents(args):
        if len(stretch.positions) < 2:
            continue
        size = stretch.high - stretch.low
        memory = np.zeros(size + _ALIGNMENT, np.uint8)
        first = (stretch.low - memory.ctypes.data) % _ALIGNMENT
        memory[first : first + size] = np.frombuffer(ctypes.string_at(stretch.low, size), np.uint8)
        for position in stretch.positions:
            value = args[position]
            array = _memory(value)
            assert array is not None
            at = first + array.ctypes.data - stretch.low
            view: Any = np.ndarray(array.shape, array.dtype, memory, at, array.strides)
            view.flags.writeable = array.flags.writeable
            own = type(value).from_memory(view.reshape(1)) if isinstance(value, Struct) else view
            result[position] = own
    return result


def _single(value: Any) -> Any:
    if isinstance(value, Struct):
        return value.copy()
    if isinstance(value, np.ndarray):
        return cast("np.ndarray[Any, Any]", value).copy()
    return copy.copy(value)


def _memory(value: Any) -> np.ndarray[Any, Any] | None:
    if isinstance(value, Struct):
        return value.memory
    return cast("np.ndarray[Any, Any]", value) if isinstance(value, np.ndarray) else None


def _extents(args: Sequence[Any]) -> list[_Extent]:
    """The ranges of addresses of the arguments; overlapping arguments share one."""
    spans: list[tuple[int, int, int]] = []
    for position, value in enumerate(args):
        array = _memory(value)
        if array is not None and array.size:
            spans.append((*np.lib.array_utils.byte_bounds(array), position))
    found: list[_Extent] = []
    for low, high, position in sorted(spans):
        if found and low < found[-1].high:
            found[-1].high = max(high, found[-1].high)
            found[-1].positions.append(position)
        else:
            found.append(_Extent(low, high, [position]))
    return found
