"""The state of a thread: whether its kernels run managed, and its math functions' precision."""

from __future__ import annotations

import operator
import threading
from contextlib import AbstractContextManager
from contextvars import ContextVar
from functools import partial
from itertools import repeat
from typing import Any

from samebits.errors import ArgumentError, folding
from samebits.lang.signal_safe import block, reentrant_block
from samebits.modes import HIGH, Precision


class _Running(threading.local):
    managed = False
    """Whether this thread is inside a managed run, where every kernel call is managed too."""
    flush = False
    """Whether the kernel that runs managed flushes subnormal numbers."""


running = _Running()
managed_runs: list[None] = []
"""An item for each managed run that some thread is inside."""
flushers: list[None] = []
"""An item for each kernel that runs managed in some thread and flushes. Asking whether there is any
costs less than asking what this thread does."""


def managed_run() -> AbstractContextManager[None]:
    """Inside, calls of kernels run managed."""
    put = partial(setattr, running, "managed")
    enter = [partial(put, True), partial(managed_runs.append, None)]
    leave = [partial(put, running.managed), partial(operator.delitem, managed_runs, -1)]
    return block(enter, leave)


def flushing(flush: bool) -> AbstractContextManager[None]:
    """Inside, the managed run flushes subnormal numbers or keeps them."""
    put = partial(setattr, running, "flush")
    enter, leave = [partial(put, flush)], [partial(put, running.flush)]
    if flush:
        enter.append(partial(flushers.append, None))
        leave.append(partial(operator.delitem, flushers, -1))
    return block(enter, leave)


_precisions: ContextVar[tuple[Precision, ...]] = ContextVar("precisions", default=())
"""The precisions of the blocks that this is in, the outermost first."""


def python_precision() -> Precision:
    """The precision of math functions that are called from plain Python."""
    found = _precisions.get()
    return found[-1] if found else HIGH


def check_precision(value: object) -> Precision:
    """`value` if it is a precision; ArgumentError otherwise."""
    if isinstance(value, Precision):
        return value
    raise ArgumentError(
        f"a precision is sb.HIGH, sb.MEDIUM or sb.LOW, not {value!r:.60}",
        fix="write sb.HIGH, sb.MEDIUM or sb.LOW",
    )


@folding
def precision(value: Precision) -> AbstractContextManager[None]:
    """In a `with` block: math functions called from Python have this precision.

    It holds for this thread or asynchronous task, and for calls of `math` functions alone: a
    kernel, also one called in the block, keeps the precision that it was decorated with. Raises
    ArgumentError for anything but `sb.HIGH`, `sb.MEDIUM` and `sb.LOW`.
    """
    values = repeat((check_precision(value),))
    inner: Any = map(operator.concat, iter(_precisions.get, None), values)
    outer = map(operator.itemgetter(slice(-1)), iter(_precisions.get, None))
    # Each time another item of each, which sets what it takes from what holds then.
    return reentrant_block(map(_precisions.set, inner), map(_precisions.set, outer))
