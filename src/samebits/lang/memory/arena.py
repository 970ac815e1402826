"""The arena of a managed run: how many bytes its local arrays of run-time sizes take.

Their memory is Python's own; what is counted here is what compiled code takes, byte for byte.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Callable
from typing import Any, cast

import numpy as np

from samebits.errors import Trap
from samebits.lang.memory.arrays import ManagedArray, element_type
from samebits.lang.values.storage import bytes_of
from samebits.value_text import array_text, filled

_MULTIPLE = 16
"""Bytes of which each array takes a multiple."""


class _Arena(threading.local):
    used = 0
    """The bytes that are in use."""


_arena = _Arena()


def used() -> int:
    """The bytes in use."""
    return _arena.used


def release(before: int) -> None:
    """Free what was made since `before` bytes were in use."""
    _arena.used = before


def carried(call: Callable[[], Any]) -> Callable[[], Any]:
    """`call` for another thread, with this one's bytes in use."""
    before = _arena.used

    def there() -> Any:
        _arena.used = before
        return call()

    return there


def allocate(limit: int, shape: Any, dtype: Any) -> ManagedArray:
    """A new array of zeros. Raises Trap "length" for a negative length, "arena" where it ends after
    the first `limit` bytes; a length of 0 counts as 1."""
    given = cast("tuple[Any, ...]", shape) if isinstance(shape, tuple) else (shape,)
    lengths = [_in_int64(operator.index(n)) for n in given]
    element = element_type(dtype)
    kind, size = "length", element.size
    for length in lengths:
        size *= max(length, 1)
    if min(lengths) >= 0:
        kind = "arena"
        if _arena.used + size <= limit:
            _arena.used += (size + _MULTIPLE - 1) // _MULTIPLE * _MULTIPLE
            memory = np.zeros(lengths, element.dtype)
            return ManagedArray(bytes_of(memory), 0, element, tuple(lengths))
    text = array_text(kind, element, element.size, len(lengths), limit)
    raise Trap(kind, said=filled(text, [*lengths, _arena.used]))


def _in_int64(n: int) -> int:
    return n - (1 << 64) if n >= 1 << 63 else n
