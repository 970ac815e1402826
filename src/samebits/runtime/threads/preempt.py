"""Preemption of long-running compiled code: on Ctrl-C, on request, and for lack of stack.

Owns the records of the threads inside compiled code, and the signal that makes them leave it or run
Python's signal handlers. `backend.emit.preemption` has the code that runs in the thread then.

The signal is SIGURG, which is ignored by default. A handler installed before is called first. On
systems without such signals (Windows) a call runs to its end: there are no records, and nothing
here calls the C library.
"""

from __future__ import annotations

import _thread
import atexit
import ctypes
import os
import sys
import threading
from functools import cache, partial
from typing import Any

from samebits.backend import records
from samebits.compiling import lock
from samebits.mutex import Mutex
from samebits.runtime.objects.host import host, host_target
from samebits.runtime.objects.loading import load, own_code
from samebits.runtime.threads.watcher import CallWatcher

_Words = ctypes.c_uint64 * records.RECORD_WORDS


def has_records() -> bool:
    """Whether the system has POSIX threads and signals, without which no call is preempted."""
    return sys.platform != "win32"


class Stopped(BaseException):
    """Raised by a call that was preempted because its thread was told to stop."""


class _Libc:
    """The C library's functions used here; calls keep the interpreter lock."""

    def __init__(self) -> None:
        library = ctypes.PyDLL(None)
        p, i, u = ctypes.c_void_p, ctypes.c_int, ctypes.c_size_t
        self.key_type: Any = ctypes.c_uint if sys.platform == "linux" else ctypes.c_ulong

        def function(name: str, result: Any, *arguments: Any) -> Any:
            found = getattr(library, name)
            found.restype, found.argtypes = result, arguments
            return found

        self.calloc = function("calloc", p, u, u)
        self.key_create = function("pthread_key_create", i, p, p)
        self.get = function("pthread_getspecific", p, self.key_type)
        self.set = function("pthread_setspecific", i, self.key_type, p)
        self.sigaction = function("sigaction", i, i, p, p)
        self.free = ctypes.cast(library.free, p).value
        self._self = function("pthread_self", p)
        self._function = function

    def stack(self) -> tuple[int, int]:
        """The lowest address and the size of this thread's stack; 0 and 0 if the system does not
        say."""
        size, address = ctypes.c_size_t(), ctypes.c_void_p()
        p, i = ctypes.c_void_p, ctypes.c_int
        if sys.platform == "darwin":
            whole = self._function("pthread_get_stacksize_np", ctypes.c_size_t, p)(self._self())
            return self._function("pthread_get_stackaddr_np", p, p)(self._self()) - whole, whole
        attributes = (ctypes.c_uint64 * 32)()  # a pthread_attr_t has 64 bytes at most
        if self._function("pthread_getattr_np", i, p, p)(self._self(), attributes):
            return 0, 0
        found = self._function("pthread_attr_getstack", i, p, p, p)(
            attributes, ctypes.byref(address), ctypes.byref(size)
        )
        self._function("pthread_attr_destroy", i, p)(attributes)
        return (0, 0) if found else (address.value or 0, size.value)


# C's `struct sigaction` in glibc, musl and macOS: the offset of its flags, SA_RESTART | SA_NODEFER.
_LAYOUTS = {
    ("linux", 64): (136, 0x5000_0000),
    ("linux", 32): (132, 0x5000_0000),
    ("darwin", 64): (12, 0x12),
}
_ODD = ("mips", "s390x", "ppc", "sparc", "alpha")
"""Machines on which Linux's C library has another layout or other flags."""
_ACTION_BYTES = 256


def _layout() -> tuple[int, int] | None:
    if sys.platform == "linux" and os.uname().machine.startswith(_ODD):
        return None
    return _LAYOUTS.get((sys.platform, ctypes.sizeof(ctypes.c_void_p) * 8))


class _Preemption:
    """The process's state: shared words, the main thread's record, and the watcher."""

    def __init__(self) -> None:
        self.libc = _Libc()
        key = self.libc.key_type()
        if self.libc.key_create(ctypes.byref(key), self.libc.free):
            raise MemoryError
        self.key = key.value
        self.words: Any = (ctypes.c_uint64 * records.WORDS)()
        if isinstance(key, ctypes.c_uint):
            ctypes.c_uint.from_buffer(self.words, 8 * records.KEY).value = self.key
        else:
            self.words[records.KEY] = self.key
        self._enter = ctypes.CFUNCTYPE(ctypes.c_void_p)(self.enter)
        self.words[records.ENTER] = address_of(self._enter)
        self.words[records.RELEASE] = address_of(ctypes.pythonapi.PyThread_release_lock)
        self.changing = Mutex()
        self.main: Any = None
        self.main_ident = 0
        self.watcher: CallWatcher | None = None

    def record(self) -> int:
        """The address of this thread's record, made at the first call."""
        found = self.libc.get(self.key)
        if found:
            return int(found)
        address = self.libc.calloc(records.RECORD_WORDS, 8)
        if not address:
            raise MemoryError
        words = _Words.from_address(address)
        words[records.LOWEST], _ = self.libc.stack()
        self.libc.set(self.key, address)
        return int(address)

    def enter(self) -> int:
        """Make the record of a thread that calls compiled code for the first time."""
        address = self.record()
        if threading.main_thread().ident == _thread.get_ident():
            self.take_main(address)
        return address

    def take_main(self, address: int) -> None:
        """Make this thread the main one, which runs Python's signal handlers."""
        with self.changing:
            self.main, self.main_ident = _Words.from_address(address), _thread.get_ident()
            self.main[records.MAIN] = 1
            if self.watcher is None and _layout() is not None:
                ident = self.main_ident
                self.watcher = CallWatcher(self.main, lambda: _interrupt(ident))
                self.watcher.start()

    def pause(self) -> None:
        """Stop the watcher, before a fork or the process's end."""
        if self.watcher is not None:
            self.watcher.end()

    def resume(self) -> None:
        """Start the watcher again."""
        if self.watcher is not None:
            self.watcher.start()

    def forget(self) -> None:
        """Reset in the child of a fork, whose one thread is the main one."""
        self.changing = Mutex()
        if self.main is not None:
            self.main, self.watcher = None, None
            self.take_main(self.record())


def address_of(function: Any) -> int:
    """The address of a C function."""
    return ctypes.cast(function, ctypes.c_void_p).value or 0


@cache
def _guards() -> tuple[int, int]:
    """The addresses of the functions through which entries call their bodies."""
    library = ctypes.CDLL(None)
    bits = [8 * ctypes.sizeof(t) for t in (ctypes.c_void_p, _preemption().libc.key_type)]
    imports = {name: address_of(library[name]) for name in records.IMPORTS}
    names = records.GUARDED_NAME, records.MEASURED_NAME
    loaded = load(own_code(partial(_guards_text, *bits), f"guards {bits}"), names, imports)
    # Never unloaded: a thread may be inside until the process has ended.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(loaded))
    guarded, measured = (loaded.addresses[name] for name in names)
    return guarded, measured


def _guards_text(*bits: int) -> str:
    with lock():
        from samebits.backend.emit.guards import guards_text

    return guards_text(host().triple, *bits)


class _State:
    preemption: _Preemption | None = None
    making = Mutex()


def _preemption() -> _Preemption:
    if _State.preemption is None:
        with _State.making:
            if _State.preemption is None:
                _State.preemption = _Preemption()
                atexit.register(_State.preemption.pause)
                if hasattr(os, "register_at_fork"):
                    os.register_at_fork(
                        before=_State.preemption.pause,
                        after_in_parent=_State.preemption.resume,
                        after_in_child=_after_fork,
                    )
    return _State.preemption


def _after_fork() -> None:
    _State.making = Mutex()
    _handler.cache_clear()
    if _State.preemption is not None:
        _State.preemption.forget()


def stack() -> tuple[int, int]:
    """The lowest address and the size of this thread's stack; 0 and 0 if the system does not
    say."""
    if not has_records():
        return 0, 0
    return (_State.preemption.libc if _State.preemption is not None else _Libc()).stack()


def words_address() -> int:
    """The address for a module's variable `GUARD`, valid for the whole process; 0 if there are no
    records: bodies are then called unguarded."""
    if not has_records():
        return 0
    preemption = _preemption()
    preemption.words[records.GUARDED : records.MEASURED + 1] = _guards()
    if preemption.main is None and threading.main_thread().ident == _thread.get_ident():
        preemption.take_main(preemption.record())
    return ctypes.addressof(preemption.words)


def is_inside() -> bool:
    """Whether the main thread is inside a call that can be preempted."""
    main = None if _State.preemption is None else _State.preemption.main
    return main is not None and bool(main[records.JUMP_BUFFER])


def calls() -> int:
    """The number of such calls that the main thread has made."""
    main = None if _State.preemption is None else _State.preemption.main
    return 0 if main is None else int(main[records.CALLS])


spares: list[int] = []
"""Addresses of records that threads without one of their own share."""


def raised() -> BaseException:
    """The exception that preempted this thread's last call."""
    for address in filter(None, (record(), *spares)):
        words = _Words.from_address(address)
        kind, value, trace = words[records.KIND : records.TRACE + 1]
        if value:
            break
    else:
        return Stopped()
    words[records.KIND : records.TRACE + 1] = 0, 0, 0
    error: BaseException = ctypes.cast(value, ctypes.py_object).value
    if trace:
        error = error.with_traceback(ctypes.cast(trace, ctypes.py_object).value)
    for reference in (kind, value, trace):
        if reference:
            ctypes.pythonapi.Py_DecRef(ctypes.c_void_p(reference))
    return error


# Signalling a thread ----------------------------------------------------------------------------


class _Handler:
    """The signal handler, compiled at first use."""

    def __init__(self) -> None:
        from samebits.backend.emit.preemption import signal_handler_text

        target = host_target()
        code = own_code(signal_handler_text(target))
        loaded = load(code, (records.SIGNAL_HANDLER, records.HANDLER_WORDS))
        # Never unloaded: the system may call it until the process has ended.
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(loaded))
        at = loaded.addresses
        self.address = at[records.SIGNAL_HANDLER]
        self._words: Any = (ctypes.c_uint64 * 2).from_address(at[records.HANDLER_WORDS])
        ctypes.memmove(ctypes.addressof(self._words), ctypes.addressof(_preemption().words), 8)
        layout = _layout()
        assert layout is not None
        self._flags_at, self._flags = layout

    def install(self) -> None:
        """Install the handler, in front of one that may have been set since."""
        import signal

        sigaction = _preemption().libc.sigaction
        found = (ctypes.c_char * _ACTION_BYTES)()
        sigaction(signal.SIGURG, None, found)
        before = ctypes.c_void_p.from_buffer(found).value or 0
        if before == self.address:
            return
        self._words[records.BEFORE] = before
        action = (ctypes.c_char * _ACTION_BYTES)()
        ctypes.c_void_p.from_buffer(action).value = self.address
        ctypes.c_uint32.from_buffer(action, self._flags_at).value = self._flags
        sigaction(signal.SIGURG, action, None)


@cache
def _handler() -> _Handler:
    return _Handler()


def _interrupt(ident: int) -> None:
    """Run the handler in a live thread."""
    import signal

    _handler().install()
    signal.pthread_kill(ident, signal.SIGURG)


def record() -> int:
    """The address of this thread's record, for `stop`, valid while the thread lives; 0 if there are
    no records."""
    return _preemption().record() if has_records() else 0


def stop(ident: int, record: int) -> bool:
    """Make a live thread leave its current call, which raises `Stopped` then; returns whether it is
    in one. `record` is the thread's own."""
    if not record or _layout() is None:
        return False
    words = _Words.from_address(record)
    if words[records.JUMP_BUFFER]:
        words[records.STOP] = 1
        _interrupt(ident)
        return True
    if words[records.WAITS]:
        words[records.STOP] = 1
        return True
    return False
