"""How much stack the library's own threads have: never what a program has chosen for its own.

What compiles, and finds little left of its thread's stack, is done by such a thread, which is
waited for.
"""

from __future__ import annotations

import _thread
import ctypes
import operator
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from contextvars import copy_context
from functools import partial
from typing import Any

from samebits import compiling
from samebits.lang.signal_safe import block
from samebits.mutex import Mutex
from samebits.runtime.threads.asking import asking

STACK_BYTES = 8 << 20
"""What a main thread has on Linux and macOS: what runs there runs in a job, too. It is address
space, which takes memory where it is used."""

ROOM = 1 << 20
"""Bytes of stack with which code is made where it is asked for. LLVM was seen to take 64 KiB, for
ten thousand operations and for hundreds of calls inside one another; CPython's own parser and
compiler take up to 1 MiB, for the deepest nesting that they let through."""

LOCK = Mutex()
"""Held around the block: the size is the process's, and each block puts back what it found."""


def own_stack() -> AbstractContextManager[None]:
    """A block in which threads are started with a stack of this size, with `LOCK` held."""
    size = _thread.stack_size
    return block([partial(size, STACK_BYTES)], [partial(size, size())])


class _Here(threading.local):
    """What is known of a thread."""

    stack: tuple[int, int] | None = None
    """Its lowest address, and how many bytes it has."""


_here = _Here()


def has_room() -> bool:
    """Whether this thread is known to have as much left of its stack as making code takes."""
    if asking.frame is not None:
        return True
    if _here.stack is None:
        _here.stack = _stack()
    lowest, size = _here.stack
    if size < ROOM:
        return False
    position = _position()
    return position - lowest >= ROOM if lowest <= position < lowest + size else True


def _stack() -> tuple[int, int]:
    if sys.platform == "win32":
        low, high = ctypes.c_size_t(), ctypes.c_size_t()
        ctypes.windll.kernel32.GetCurrentThreadStackLimits(ctypes.byref(low), ctypes.byref(high))
        return low.value, high.value - low.value
    with compiling.lock():
        from samebits.runtime.threads import preempt

    return preempt.stack()


def _position() -> int:
    """About how far down its stack this thread is; 0 where that can't be told.

    Linux's C libraries hand a callback of `dl_iterate_phdr` what lies on the stack. It is one of
    C's: in a function of Python's a signal's handler could raise, and nobody would hear of it.
    """
    if not sys.platform.startswith("linux"):
        return 0
    found: list[int] = []
    callback = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(found.append)
    ctypes.pythonapi.dl_iterate_phdr(callback, None)
    return found[0] if found else 0


class _Gate:
    """What a thread waits at, with no signal's handler run meanwhile, until another opens it."""

    _free: Callable[[], Any] = int  # nothing, until there is something

    def __init__(self) -> None:
        api, pointer = ctypes.pythonapi, ctypes.c_void_p
        waiting = ctypes.CDLL(None, handle=api._handle)  # lets go of the interpreter
        api.PyThread_allocate_lock.restype = pointer
        self._lock = pointer(api.PyThread_allocate_lock())
        if not self._lock:
            raise MemoryError
        self._free = partial(api.PyThread_free_lock, self._lock)
        api.PyThread_acquire_lock(self._lock, 0)
        self.open: Callable[[], Any] = partial(api.PyThread_release_lock, self._lock)
        self.wait: Callable[[], Any] = partial(waiting.PyThread_acquire_lock, self._lock, 1)

    def __del__(self) -> None:
        # The last that has it frees it: whoever waits may be on before the other is out of `open`.
        self._free()


def with_room(call: Callable[[], Any]) -> Any:
    """What `call` returns, or raises: done by this thread, or, where its stack has little room, by
    one that has."""
    return call() if has_room() else apart(call)


def apart(call: Callable[[], Any]) -> Any:
    """What `call` returns, or raises: done by another thread, whose stack has room, in this one's
    context. A signal's handlers run when it has ended."""
    gate, results, errors = _Gate(), list[Any](), list[BaseException]()
    given: list[Any] = [call, copy_context(), sys._getframe(1)]  # pyright: ignore
    started = list[int]()
    lent = compiling.lock().is_own()

    def work() -> None:
        # Nothing of what this is given is held by the thread when it no longer is waited for.
        call, context, asking.frame = given
        given.clear()
        try:
            compiling.lend_lock(lent)
            results.append(context.run(call))
        except BaseException as error:
            errors.append(error)
        finally:
            call = context = asking.frame = None
            compiling.lend_lock(False)
            gate.open()

    with (
        block((), [partial(operator.not_, started), gate.wait]),
        suppress(RuntimeError),  # no more threads here: this one does it, as well as it can
        compiling.LOCK,  # a fork finds nothing of this
        LOCK,
        own_stack(),
    ):
        # That there is one is noted in the call that starts it: no handler runs in between.
        started.extend(map(_thread.start_new_thread, (work,), ((),)))
    if not started:
        return call()
    try:
        if errors:
            raise errors[0]
        return results.pop()
    finally:
        errors.clear()  # whose traceback has this frame
