"""The floating-point environment of every thread of this process.

The calling thread reads its own registers. A helper process reads the others', so that none of them
runs any code for it.
"""

from __future__ import annotations

import ctypes
import json
import os
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from samebits.runtime.fp_state import pin as fpenv
from samebits.runtime.fp_state import ptrace
from samebits.runtime.fp_state.registers import State

_PR_SET_PTRACER = 0x59616D61
_LIMIT_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class ThreadState:
    """A thread: the system's number and name, whether Python started it, and its environment.

    `state` is None if it cannot be read, and `reason` then says why. `library` is the file of the
    code that a thread not of Python was started for; None where its stack does not say.
    """

    number: int
    name: str
    is_python: bool
    state: State | None
    reason: str | None = None
    library: str | None = None


def threads() -> list[ThreadState]:
    """Every thread of this process, the calling one first, those of C libraries included.

    Other threads than the calling one can be read on Linux, if the system lets a child process
    trace this one. That takes about 50 ms, and each thread stops for some microseconds. Raises
    TargetError on a processor whose registers are not known here.
    """
    own = threading.get_native_id()
    python = {t.native_id: t.name for t in threading.enumerate() if t.native_id is not None}
    result = [ThreadState(own, python.get(own, ""), True, fpenv.state())]
    words = _others(set(python))
    for number, found in words.items():
        if number == own:
            continue
        name = python.get(number) or system_name(number)
        result.append(thread_state(number, name, number in python, found))
    return result


def thread_state(
    number: int, name: str, is_python: bool, found: tuple[int, int | None, str | None] | str
) -> ThreadState:
    """The state of a thread from what `ptrace.read_threads` found."""
    if isinstance(found, str):
        return ThreadState(number, name, is_python, None, found)
    word, x87, library = found
    file = None if is_python else library
    return ThreadState(number, name, is_python, fpenv.described(word, x87), None, file)


def system_name(number: int, process: str | int = "self") -> str:
    """The system's name of a thread; empty if it has none."""
    try:
        return Path(f"/proc/{process}/task/{number}/comm").read_text(errors="replace").strip()
    except OSError:
        return ""


def _others(python: set[int]) -> ptrace.Words:
    """The words of this process's other threads, or why they cannot be read."""
    reason = ptrace.unreadable()
    if reason is not None:
        return dict.fromkeys(python, reason)
    if threading.active_count() == 1 and len(list(Path("/proc/self/task").iterdir())) == 1:
        return {}
    library: Any = ctypes.CDLL(None)
    helper = subprocess.Popen(
        [sys.executable, "-I", "-S", ptrace.__file__],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    with helper:
        library.prctl(_PR_SET_PTRACER, ctypes.c_ulong(helper.pid), 0, 0, 0)
        try:
            output, errors = helper.communicate(f"{os.getpid()}\n", timeout=_LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            helper.kill()
            helper.communicate()
            return dict.fromkeys(python, f"no answer within {_LIMIT_SECONDS:g} s")
        finally:
            library.prctl(_PR_SET_PTRACER, 0, 0, 0, 0)
    if helper.returncode:
        return dict.fromkeys(python, (errors.strip().splitlines() or ["the helper failed"])[-1])
    rows = json.loads(output)
    return {int(k): v if isinstance(v, str) else (v[0], v[1], v[2]) for k, v in rows.items()}
