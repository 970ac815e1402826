"""Floating-point registers of another process's threads, and whose code they run, on Linux.

Each thread is stopped for some microseconds by ptrace and then continues; no signal is delivered to
it. Also a program, for one process: it reads the process's number and prints a JSON object. Imports
the standard library alone.
"""

from __future__ import annotations

import ctypes
import json
import os
import platform
import struct
import sys
import time
from dataclasses import dataclass
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

POINTERS = {"x86_64": ((152, "rsp"), (168, "fs_base")), "aarch64": ((248, "sp"), None)}
"""The stack pointer in `user_regs_struct` or `user_pt_regs`, and where the thread's own record is,
in which glibc keeps the function that it was started with."""
_NT_PRSTATUS = 1
_MOST_STACK = 256 << 10
"""Bytes of a stack that are looked through, the oldest."""
_RECORD = 0x900
"""Bytes of a thread's own record."""
_SYSTEM = ("libc.so", "libc-", "libpthread", "ld-", "libstdc++", "libc++", "libgcc_s", "libm.so")
"""Beginnings of the names of files that start threads for others."""

Words = dict[int, tuple[int, int | None, str | None] | str]
"""For each thread its control register, its x87 word and the file of the code that it was started
for, None if that is not known; or why they could not be read."""


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
    code: _Code | None = None
    for entry in sorted(os.listdir(f"/proc/{pid}/task"), key=int):
        read = _read(library, int(entry))
        if isinstance(read, str):
            found[int(entry)] = read
            continue
        words, pointers = read
        file = None
        if int(entry) != pid and pointers is not None:
            code = code or _Code(pid)
            file = code.started_for(*pointers)
        found[int(entry)] = (*words, file)
    return found


Pointers = tuple[int, int | None]
"""A thread's stack pointer, and where its own record is."""


def _read(library: Any, thread: int) -> tuple[tuple[int, int | None], Pointers | None] | str:
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
        words = _words(buffer.raw)
        vector.length = len(buffer)
        if library.ptrace(_GETREGSET, thread, _NT_PRSTATUS, ctypes.addressof(vector)):
            return words, None
        return words, _pointers(buffer.raw)
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


def _pointers(data: bytes) -> Pointers:
    stack, record = POINTERS[platform.machine()]
    (pointer,) = struct.unpack_from("<Q", data, stack[0])
    own = None if record is None else struct.unpack_from("<Q", data, record[0])[0]
    return pointer, own


@dataclass(frozen=True)
class _Mapping:
    start: int
    end: int
    runs: bool
    file: str


class _Code:
    """The files of code in a process, and what its threads' stacks say of them.

    A thread's oldest frame is that of the function that it was started with, so the oldest return
    address into a file that starts no threads for others names the library that it works for.
    """

    def __init__(self, pid: int) -> None:
        self._memory = f"/proc/{pid}/mem"
        self._maps: list[_Mapping] = []
        try:
            with open(f"/proc/{pid}/maps", errors="replace") as file:
                for line in file:
                    place, rights, _, _, _, *name = line.split(maxsplit=5)
                    start, _, end = place.partition("-")
                    path = name[0].strip() if name else ""
                    runs = "x" in rights and path.startswith("/")
                    self._maps.append(_Mapping(int(start, 16), int(end, 16), runs, path))
        except (OSError, ValueError):
            self._maps = []

    def started_for(self, stack: int, record: int | None) -> str | None:
        """The file of the code that a thread works for; None if its stack does not say."""
        home = next((m for m in self._maps if m.start <= stack < m.end), None)
        if home is None:
            return None
        inside = record is not None and stack < record < home.end
        end = min(home.end, record + _RECORD) if inside and record is not None else home.end
        words = self._words(max(stack, end - _MOST_STACK), end)
        for word in reversed(words):
            file = self._file(word)
            if file is not None and self._follows_a_call(word):
                return file
        own = self._words(record, end) if inside and record is not None else ()
        return next(filter(None, map(self._file, own)), None)

    def _words(self, start: int, end: int) -> tuple[int, ...]:
        start &= ~7
        data = self._bytes(start, (end - start) & ~7)
        return struct.unpack(f"<{len(data) // 8}Q", data[: len(data) & ~7])

    def _bytes(self, start: int, count: int) -> bytes:
        try:
            with open(self._memory, "rb", buffering=0) as file:
                file.seek(start)
                return file.read(count)
        except (OSError, OverflowError, ValueError):
            return b""

    def _file(self, address: int) -> str | None:
        """The file that has code at an address and is no part of the system's start of threads."""
        for mapping in self._maps:
            if mapping.runs and mapping.start <= address < mapping.end:
                name = os.path.basename(mapping.file)
                return None if name.startswith(_SYSTEM) else mapping.file
        return None

    def _follows_a_call(self, address: int) -> bool:
        """Whether the instruction before an address is a call."""
        before = self._bytes(address - 7, 7)
        if len(before) < 7:
            return False
        if platform.machine() == "aarch64":
            (word,) = struct.unpack("<I", before[3:])
            return word & 0xFC000000 == 0x94000000 or word & 0xFFFFFC1F == 0xD63F0000
        indirect = any(before[-n] == 0xFF and before[1 - n] & 0x38 == 0x10 for n in range(2, 8))
        return indirect or before[-5] == 0xE8


if __name__ == "__main__":
    target = int(sys.stdin.readline())
    print(json.dumps(read_threads(target)))
