"""Floating-point registers of another process's threads, through Linux's ptrace.

Each thread is stopped for some microseconds and then continues; no signal is delivered to it. Also
a program, for one process: it reads the process's number and prints a JSON object. Imports the
standard library alone.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import struct
import sys
import time
from typing import Any

_SEIZE, _INTERRUPT, _DETACH, _GETREGSET = 0x4206, 0x4207, 17, 0x4204
_NT_PRFPREG = 2
_ANY_THREAD = 0x4000_0000
_STOP_WITHIN = 5.0
"""Seconds, enough for busy machines. A thread that is given up stays seized and stops later, which
a waiting parent must not take for its end."""

LAYOUTS = {
    "x86_64": ("mxcsr", "<I", 24, "<H", 0),
    "aarch64": ("fpcr", "<I", 516, "", 0),
}
"""The control register in `user_fpregs_struct` or `user_fpsimd_state`: its name, format and
offset, then those of the x87 control word."""

Words = dict[int, tuple[int, int | None] | str]
"""For each thread its control register and x87 word, or why they could not be read."""


class _Vector(ctypes.Structure):
    _fields_ = (("base", ctypes.c_void_p), ("length", ctypes.c_size_t))


def unreadable() -> str | None:
    """Why other threads' registers cannot be read on this system; None if they can."""
    if not sys.platform.startswith("linux"):
        return "only Linux lets another process read them, through ptrace"
    if platform.machine() not in LAYOUTS or struct.calcsize("P") != 8:
        return f"where {platform.machine()} keeps them is not known here"
    return None


def _library() -> Any:
    library = ctypes.CDLL(None, use_errno=True)
    library.ptrace.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p)
    library.ptrace.restype = ctypes.c_long
    return library


def read_threads(pid: int) -> Words:
    """The words of every thread of another process.

    The caller must be allowed to trace it: its parent, or a process that it has permitted.
    """
    library = _library()
    found: Words = {}
    for entry in sorted(os.listdir(f"/proc/{pid}/task"), key=int):
        found[int(entry)] = _read(library, int(entry))
    return found


def _read(library: Any, thread: int) -> tuple[int, int | None] | str:
    if library.ptrace(_SEIZE, thread, None, None):
        return f"the system does not allow it: {os.strerror(ctypes.get_errno())}"
    stopped, pending = False, 0
    try:
        library.ptrace(_INTERRUPT, thread, None, None)
        until = time.monotonic() + _STOP_WITHIN
        while not stopped:
            done, status = os.waitpid(thread, _ANY_THREAD | os.WNOHANG)
            stopped = done == thread and os.WIFSTOPPED(status)
            if stopped and status >> 16 == 0:
                pending = os.WSTOPSIG(status)  # its own signal: delivered later
            if done == thread and not stopped:
                return "it ended"
            if not stopped and time.monotonic() > until:
                return "it did not stop: the kernel holds it"
            if not stopped:
                time.sleep(0.0002)
        buffer = ctypes.create_string_buffer(1024)
        vector = _Vector(ctypes.addressof(buffer), len(buffer))
        if library.ptrace(_GETREGSET, thread, _NT_PRFPREG, ctypes.addressof(vector)):
            return f"its registers could not be read: {os.strerror(ctypes.get_errno())}"
        return _words(buffer.raw)
    except ChildProcessError:
        return "it ended"
    finally:
        if stopped:
            library.ptrace(_DETACH, thread, None, pending)


def _words(data: bytes) -> tuple[int, int | None]:
    _, form, offset, x87_form, x87_offset = LAYOUTS[platform.machine()]
    (word,) = struct.unpack_from(form, data, offset)
    x87 = struct.unpack_from(x87_form, data, x87_offset)[0] if x87_form else None
    return int(word), x87


if __name__ == "__main__":
    target = int(sys.stdin.readline())
    print(json.dumps(read_threads(target)))
