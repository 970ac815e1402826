"""Signal-safe blocks: `with` blocks whose entry and exit no signal's handler can interrupt.

CPython runs signal handlers where a Python function begins, after calls, and where loops jump back;
what they raise can come between a change and the `try` that would undo it, or before the first line
of an `__exit__`. Here each end of a block is one C call, in which no bytecode runs. Handlers can
still run right after the first, which from Python 3.14 on is before the block begins: so an
`__enter__` makes that call, and undoes it if they raise.
"""

from __future__ import annotations

import ctypes
import operator
import os
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import cache, partial, wraps
from typing import Any, ParamSpec, TypeVar

from samebits.errors import fold, mark_wrapper
from samebits.importing import ENVIRONMENT_BYTES, default_of

_P = ParamSpec("_P")
_R = TypeVar("_R")

Step = Callable[[], Any]
"""A callable written in C: one in Python could be interrupted. A true result skips later steps."""

_object = ctypes.py_object
_called: Any = ctypes.PYFUNCTYPE(None, *[_object] * 5)(("PyObject_CallObject", ctypes.pythonapi))
"""Calls an object with a tuple of arguments, and takes what `with` gives besides; returns None."""


def _leave(made: Any, *error: Any) -> None:
    made.__exit__(*error)


class _ForStacks(type):
    """`contextlib.ExitStack` asks the class, where `with` asks the block."""

    __exit__ = property(lambda _: _leave)


class SignalSafeBlock(metaclass=_ForStacks):
    """A block of two callables of C's; the one at its end is given the exception, as `with` does.

    It may be entered as often as they can be called."""

    __slots__ = ("__exit__", "_enter")

    def __init__(self, enter: Callable[[], Any], leave: Callable[..., Any]) -> None:
        self._enter = enter
        self.__exit__ = leave

    def __enter__(self) -> None:
        try:
            self._enter()
        except BaseException:
            self.__exit__(None, None, None)
            raise


@cache
def _environment_functions() -> tuple[Any, Any, Any] | None:
    """C's functions that put and get this thread's floating-point environment, and the first one as
    the end of a block, whose three arguments more a C function ignores; None where the C library of
    the process has none."""
    library: Any = ctypes.pythonapi
    if sys.platform == "win32" or not hasattr(library, "fesetenv"):
        return None
    put, get = library.fesetenv, library.fegetenv
    address: Any = ctypes.cast(put, ctypes.c_void_p).value
    return put, get, ctypes.PYFUNCTYPE(None, ctypes.c_void_p, *[_object] * 3)(address)


def default_environment() -> AbstractContextManager[None] | None:
    """A block in C's default floating-point environment; its end restores all of this thread's own,
    whatever the block did to it. None where the C library of the process has no such functions: the
    runtime's `pinned` is the same by code of its own, which takes longer to load."""
    functions = _environment_functions()
    if functions is None:
        return None
    put, get, leave = functions
    before = ctypes.create_string_buffer(ENVIRONMENT_BYTES)
    get(before)
    enter = partial(put, default_of(ctypes.pythonapi))
    made: Any = SignalSafeBlock(enter, partial(leave, before))
    return made


def own_environment() -> AbstractContextManager[None]:
    """A block that leaves this thread's floating-point environment as it was before, sticky flags
    included; nothing where the C library of the process has no functions for that."""
    functions = _environment_functions()
    if functions is None:
        return nullcontext()
    _, get, leave = functions
    before = ctypes.create_string_buffer(ENVIRONMENT_BYTES)
    get(before)
    made: Any = SignalSafeBlock(int, partial(leave, before))
    return made


_kept: list[tuple[Step, Step]] = []
"""Callables that keep this thread's environment and put it back, of memory that nobody uses: to
make that takes longer than both."""


def _new_kept() -> tuple[Step, Step]:
    functions = _environment_functions()
    if functions is None:
        return int, int
    put, get, _ = functions
    before = ctypes.create_string_buffer(ENVIRONMENT_BYTES)
    return partial(get, ctypes.byref(before)), partial(put, ctypes.byref(before))


def keeps_flags(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """`function`, after which the sticky flags are the caller's. Its errors have tracebacks that
    begin at the caller's line, as those of `folding`."""

    @wraps(function)
    def call(*args: _P.args, **kwargs: _P.kwargs) -> _R:
        try:
            kept = _kept.pop()
        except IndexError:
            kept = _new_kept()
        keep, put_back = kept
        keep()
        # Handlers run after calls alone: none comes between one and what follows it here.
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            put_back()
            fold(error)
            raise
        put_back()
        _kept.append(kept)
        return result

    mark_wrapper(call)
    return call


def block(enter: Sequence[Step], leave: Sequence[Step]) -> AbstractContextManager[None]:
    """A block that does these steps at its ends; it can be entered once."""
    first, last = (map(operator.call, steps) for steps in (enter, leave))
    made: Any = SignalSafeBlock(partial(any, first), partial(_called, any, (last,)))
    return made


def without_warnings(category: type[Warning] = Warning) -> AbstractContextManager[None]:
    """A block in which the process shows no warning of a category. What others change of its
    filters meanwhile stays."""
    row = ("ignore", None, category, None, 0)
    filters: Any = warnings.filters
    return block([partial(filters.insert, 0, row)], [partial(filters.remove, row)])


def closing_descriptors(descriptors: list[int]) -> AbstractContextManager[None]:
    """A block that closes file descriptors at its end, those added inside included."""
    made: Any = SignalSafeBlock(int, partial(_called, any, (map(os.close, descriptors),)))
    return made


def open_descriptor(
    descriptors: list[int], path: str, *given: int, dir_fd: int | None = None
) -> int:
    """The descriptor that `os.open` returns, added to `descriptors` in the same call."""
    descriptors.extend(map(operator.call, (partial(os.open, path, *given, dir_fd=dir_fd),)))
    return descriptors[-1]


def reentrant_block(enter: Iterator[Any], leave: Iterator[Any]) -> AbstractContextManager[None]:
    """A block that takes the next item of an endless C iterator at either end; it can be entered
    any number of times, also inside itself."""
    # A result of `_called` is never let go of: there is one True and one False.
    made: Any = SignalSafeBlock(
        partial(next, enter), partial(_called, next, (map(operator.not_, leave),))
    )
    return made
