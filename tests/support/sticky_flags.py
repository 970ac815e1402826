"""The sticky floating-point flags of this thread before and after a call, each in a fork."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

needs_flags = pytest.mark.skipif(
    sys.platform == "win32" or not hasattr(ctypes.pythonapi, "fetestexcept"),
    reason="the flags are read by the process's C library",
)

FLAGS = 0x1F if sys.platform != "win32" and os.uname().machine == "aarch64" else 0x3F
"""All of C's exceptions, as their bits in `fenv.h`, and on x86 that of subnormal operands."""
_library: Any = ctypes.pythonapi


def flags_after(call: Callable[[], object], flags: int) -> str:
    """The flags after each of three calls, before which these and no others were raised."""
    found: list[str] = []
    for _ in range(3):
        _library.feclearexcept(FLAGS)
        if flags:
            _library.feraiseexcept(flags)
        kept = call()
        found.append(hex(_library.fetestexcept(FLAGS)))
        del kept
    return "".join(found)


def answer_and_flags(call: Callable[[], Any], flags: int = 0) -> tuple[Any, int]:
    """What a call returns that begins with these flags and no others raised, and those after it."""
    _library.feclearexcept(FLAGS)
    if flags:
        _library.feraiseexcept(flags)
    found = call()
    return found, _library.fetestexcept(FLAGS)


def in_fork(function: Callable[[], str]) -> str:
    """What it returns in a child, or the error that it ends with."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            text = function()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(writer, text.encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as told:
        answer = told.read().decode()
    os.waitpid(child, 0)
    return answer
