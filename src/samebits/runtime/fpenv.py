"""The floating-point control register of the calling thread: read it, set it, pin it.

Kernels pin it themselves at each entry. This serves the managed run, diagnosis and tests.
"""

from __future__ import annotations

import ctypes
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from samebits.backend import llvm
from samebits.errors import TargetError

_READ_WRITE = {
    "mxcsr": """\
define i64 @sb_fp_get() {
  %place = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %place)
  %word = load i32, ptr %place
  %wide = zext i32 %word to i64
  ret i64 %wide
}
define void @sb_fp_set(i64 %word) {
  %place = alloca i32
  %low = trunc i64 %word to i32
  store i32 %low, ptr %place
  call void @llvm.x86.sse.ldmxcsr(ptr %place)
  ret void
}
""",
    "fpcr": """\
define i64 @sb_fp_get() {
  %word = call i64 @llvm.aarch64.get.fpcr()
  ret i64 %word
}
define void @sb_fp_set(i64 %word) {
  call void @llvm.aarch64.set.fpcr(i64 %word)
  ret void
}
""",
}


@dataclass(frozen=True, slots=True)
class Register:
    """What the bits of a control register mean. Rounding codes are in the register's order."""

    default: int
    sticky: int
    rounding_shift: int
    roundings: tuple[str, str, str, str]
    flush_results: int
    flush_operands: int
    trap_masks: int
    traps_when: bool


REGISTERS = {
    "mxcsr": Register(
        0x1F80, 0x3F, 13, ("nearest", "down", "up", "zero"), 0x8000, 0x0040, 0x1F80, False
    ),
    "fpcr": Register(0, 0, 22, ("nearest", "up", "down", "zero"), 1 << 24, 1 << 24, 0x9F00, True),
}
"""Intel SDM vol. 1, 10.2.3 (MXCSR); Arm ARM, FPCR (flushing is one bit, traps are enables)."""


@dataclass(frozen=True, slots=True)
class Environment:
    """A thread's control register, in words. `pinned` says that strict results need no change."""

    register: str
    word: int
    rounding: str
    flushes_results: bool
    flushes_operands: bool
    raises_exceptions: bool
    pinned: bool


@cache
def _register_name() -> str:
    name = llvm.host_target().fp_control
    if name not in REGISTERS:
        raise TargetError("this machine has no floating-point control register that can be read")
    return name


@cache
def _functions() -> tuple[Any, Any, Any]:
    target = llvm.host_target()
    text = f'target triple = "{target.triple}"\n{_READ_WRITE[_register_name()]}'
    loaded = llvm.load(llvm.compile_text(text, target, 0), ["sb_fp_get", "sb_fp_set"])
    get = ctypes.PYFUNCTYPE(ctypes.c_uint64)(loaded.addresses["sb_fp_get"])
    put = ctypes.PYFUNCTYPE(None, ctypes.c_uint64)(loaded.addresses["sb_fp_set"])
    for function in (get, put):
        vars(function)["loaded"] = loaded  # two threads may be here: each copy keeps its own code
    return get, put, loaded


def read() -> int:
    """The control register of this thread (MXCSR or FPCR)."""
    return int(_functions()[0]())


def write(word: int) -> None:
    """Set the control register of this thread. Bits that the processor reserves must be 0."""
    _functions()[1](word)


def describe(word: int | None = None) -> Environment:
    """The meaning of `word`, or of this thread's register now."""
    name = _register_name()
    row = REGISTERS[name]
    value = read() if word is None else word
    masks = value & row.trap_masks
    return Environment(
        name,
        value,
        row.roundings[value >> row.rounding_shift & 3],
        bool(value & row.flush_results),
        bool(value & row.flush_operands),
        bool(masks) if row.traps_when else masks != row.trap_masks,
        value & ~row.sticky == row.default,
    )


@contextmanager
def pinned() -> Generator[None]:
    """Round to nearest, nothing flushed, no exception raised; the thread's own state after."""
    get, put, _ = _functions()
    before = get()
    put(REGISTERS[_register_name()].default)
    try:
        yield
    finally:
        put(before)
