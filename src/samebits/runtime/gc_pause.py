"""Python's garbage collector waits while a kernel is compiled.

A compilation makes a hundred thousand objects and drops them together; looking through them again
and again on the way takes a fifth of the front end's time and frees nothing.
"""

from __future__ import annotations

import gc
import operator
import os
from contextlib import AbstractContextManager
from functools import partial

from samebits.lang.signal_safe import block

_running: list[None] = []
"""An item for each compilation, on all threads."""
_held: list[None] = []
"""One where the collector was on before them."""

_END = (
    partial(operator.delitem, _running, slice(-1, None)),
    _running.__len__,
    partial(operator.not_, _held),
    _held.clear,
    gc.enable,
)


def paused() -> AbstractContextManager[None]:
    """No automatic collection inside; afterwards the collector is as it was found."""
    begin = [partial(_running.append, None)]
    if gc.isenabled():
        begin += [partial(operator.setitem, _held, slice(None), (None,)), gc.disable]
    return block(begin, _END)


def _after_fork() -> None:
    """A child has only the thread that forked, which was not inside."""
    if _held:
        gc.enable()
    _running.clear()
    _held.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
