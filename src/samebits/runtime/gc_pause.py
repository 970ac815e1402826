"""A pause of Python's garbage collector while a kernel is compiled or loaded.

A compilation makes a hundred thousand objects and drops them together; collections meanwhile take a
fifth of the front end's time and free nothing. What the first call of a process imports stays.
"""

from __future__ import annotations

import gc
import operator
import os
from contextlib import AbstractContextManager
from functools import partial

from samebits.lang.signal_safe import block

_running: list[None] = []
"""An item for each running compilation, on all threads."""
_held: list[None] = []
"""An item if the collector was on before them."""

_END = (
    partial(operator.delitem, _running, slice(-1, None)),
    _running.__len__,
    partial(operator.not_, _held),
    _held.clear,
    gc.enable,
)


_FROZEN_BY_PROGRAMS = 1_000
"""The least that a program freezes, since all modules' objects are among it; CPython 3.12 begins
with some hundred of its own."""


def paused() -> AbstractContextManager[None]:
    """A block without automatic collection; its end restores the collector's state."""
    begin = [partial(_running.append, None)]
    if gc.isenabled():
        begin += [partial(operator.setitem, _held, slice(None), (None,)), gc.disable]
    return block(begin, _END)


def settle() -> None:
    """Put all objects among the collector's oldest, without looking at any: what modules and a
    cached kernel have made stays, and a collection of the young ones would go through it twice."""
    if gc.get_freeze_count() < _FROZEN_BY_PROGRAMS:  # what a program has frozen stays so
        with block([gc.freeze], [gc.unfreeze]):
            pass


def _after_fork() -> None:
    """Reset in the child of a fork, whose one thread was not compiling."""
    if _held:
        gc.enable()
    _running.clear()
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
