"""The stack and the environment of the library's own threads, whatever a program sets for its own.

A compilation that finds little stack left in its thread runs in such a thread, which is waited for.
"""

from __future__ import annotations

import _thread
import ctypes
import operator
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import copy_context
from functools import partial
from typing import Any

from samebits import compiling
from samebits.lang.signal_safe import block, default_environment
from samebits.mutex import Mutex
from samebits.runtime.threads.caller import caller

STACK_BYTES = 8 << 20
"""The stack of a main thread on Linux and macOS: what runs there runs in a job too. It is address
space, and takes memory only where it is used."""

ROOM = 1 << 20
"""Fewest bytes of stack left with which a thread compiles code itself. LLVM was seen to take 64
KiB, for ten thousand operations and for hundreds of nested calls; CPython's own parser and compiler
take up to 1 MiB, for the deepest nesting that they accept."""

LOCK = Mutex()
"""Held around an `own_stack` block: the size is the process's, and each block restores it."""


def own_stack() -> AbstractContextManager[None]:
    """A block in which new threads get `STACK_BYTES`; `LOCK` must be held."""
    size = _thread.stack_size
    return block([partial(size, STACK_BYTES)], [partial(size, size())])


def own_environment() -> AbstractContextManager[Any]:
    """A block in which new threads get C's default floating-point environment, whatever the calling
    thread's is, which they would inherit. Kernels pin it at each entry; this is for those who look
    at a process's threads."""
    return default_environment() or nullcontext()


class _Here(threading.local):
    """The known facts of this thread."""

    stack: tuple[int, int] | None = None
    """The stack's lowest address and its size in bytes."""


_here = _Here()


def has_room() -> bool:
    """Whether this thread is known to have enough stack left to compile code."""
    if caller.frame is not None:
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
    """An address near this thread's stack pointer; 0 if it cannot be determined.

    Linux's C libraries pass a callback of `dl_iterate_phdr` a pointer to the stack. The callback is
    a C function: in a Python one a signal handler could raise, and the exception would be lost.
    """
    if not sys.platform.startswith("linux"):
        return 0
    found: list[int] = []
    callback = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(found.append)
    ctypes.pythonapi.dl_iterate_phdr(callback, None)
    return found[0] if found else 0


class _Gate:
    """A gate at which a thread waits, without running signal handlers, until another opens it."""

    _free: Callable[[], Any] = int  # does nothing until there is a lock

    def __init__(self) -> None:
        api, pointer = ctypes.pythonapi, ctypes.c_void_p
        waiting = ctypes.CDLL(None, handle=api._handle)  # releases the interpreter lock
        api.PyThread_allocate_lock.restype = pointer
        self._lock = pointer(api.PyThread_allocate_lock())
        if not self._lock:
            raise MemoryError
        self._free = partial(api.PyThread_free_lock, self._lock)
        api.PyThread_acquire_lock(self._lock, 0)
        self.open: Callable[[], Any] = partial(api.PyThread_release_lock, self._lock)
        self.wait: Callable[[], Any] = partial(waiting.PyThread_acquire_lock, self._lock, 1)

    def __del__(self) -> None:
        # The last owner frees it: the waiting thread may continue before the other leaves `open`.
        self._free()


def with_room(call: Callable[[], Any]) -> Any:
    """Call `call` in this thread, or, if its stack has little room, in another one; returns what it
    returns, raises what it raises."""
    return call() if has_room() else in_new_thread(call)


def in_new_thread(call: Callable[[], Any]) -> Any:
    """Call `call` in another thread, whose stack has room, in this one's context; returns what it
    returns, raises what it raises. Signal handlers run after its end."""
    gate, results, errors = _Gate(), list[Any](), list[BaseException]()
    given: list[Any] = [call, copy_context(), sys._getframe(1)]  # pyright: ignore
    started = list[int]()
    lent = compiling.lock().is_own()

    def work() -> None:
        # The thread holds no reference to its arguments once it is no longer waited for.
        call, context, caller.frame = given
        given.clear()
        try:
            compiling.lend_lock(lent)
            results.append(context.run(call))
        except BaseException as error:
            errors.append(error)
        finally:
            call = context = caller.frame = None
            compiling.lend_lock(False)
            gate.open()

    with (
        block((), [partial(operator.not_, started), gate.wait]),
        suppress(RuntimeError),  # no more threads: this one tries
        compiling.LOCK,  # no fork meanwhile
        LOCK,
        own_stack(),
    ):
        # One call starts and records the thread: no handler runs in between.
        started.extend(map(_thread.start_new_thread, (work,), ((),)))
    if not started:
        return call()
    try:
        if errors:
            raise errors[0]
        return results.pop()
    finally:
        errors.clear()  # whose traceback has this frame
