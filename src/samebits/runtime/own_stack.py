"""How much stack the library's own threads have: never what a program has chosen for its own."""

from __future__ import annotations

import _thread
from contextlib import AbstractContextManager
from functools import partial

from samebits.lang.uncut import block
from samebits.mutex import Mutex

STACK_BYTES = 8 << 20
"""What a main thread has on Linux and macOS: what runs there runs in a job, too. It is address
space, which takes memory where it is used."""

LOCK = Mutex()
"""Held around the block: the size is the process's, and each block puts back what it found."""


def own_stack() -> AbstractContextManager[None]:
    """A block in which threads are started with a stack of this size, with `LOCK` held."""
    size = _thread.stack_size
    return block([partial(size, STACK_BYTES)], [partial(size, size())])
