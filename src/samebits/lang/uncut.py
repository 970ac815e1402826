"""Blocks that change what a thread or the process has, and that no signal's handler cuts short.

CPython has signals' handlers run where a function of Python's begins, behind calls, and where loops
go round; what they raise may so come between a change and the `try` that would undo it, or before
the first line of an `__exit__`. Here both ends of a block are one call of C's each, in which no
bytecode runs, and the interpreter looks for no signal between it and the block.
"""

from __future__ import annotations

import ctypes
import operator
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

Step = Callable[[], Any]
"""A callable of C's: one in Python could be interrupted. Where it returns what is true, the steps
behind it are not done."""

_object = ctypes.py_object
_called: Any = ctypes.PYFUNCTYPE(None, *[_object] * 5)(("PyObject_CallObject", ctypes.pythonapi))
"""Calls an object with a tuple of arguments, and takes what `with` gives besides; returns None."""


def _enter(made: Any) -> None:
    made.__enter__()


def _leave(made: Any, *error: Any) -> None:
    made.__exit__(*error)


class _ForStacks(type):
    """`contextlib.ExitStack` asks the class, where `with` asks the block."""

    __enter__ = property(lambda _: _enter)
    __exit__ = property(lambda _: _leave)


class Ends(metaclass=_ForStacks):
    """A block of two callables of C's; the one at its end is given the exception, as `with` does.

    Enter it once."""

    __slots__ = ("__enter__", "__exit__")

    def __init__(self, enter: Callable[..., Any], leave: Callable[..., Any]) -> None:
        self.__enter__ = enter
        self.__exit__ = leave


def block(enter: Sequence[Step], leave: Sequence[Step]) -> AbstractContextManager[None]:
    """A block at whose ends these steps are done; to be entered once."""
    first, last = (map(operator.call, steps) for steps in (enter, leave))
    made: Any = Ends(partial(any, first), partial(_called, any, (last,)))
    return made
