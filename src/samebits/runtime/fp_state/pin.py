"""The floating-point environment of the calling thread: read it, set it, pin it.

Kernels pin it themselves at each entry. This is for managed execution, diagnosis, and Python code
around kernels.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from samebits.backend.targets.x87 import X87_DEFAULT, x87_accessors
from samebits.errors import TargetError
from samebits.lang.signal_safe import SignalSafeBlock
from samebits.runtime.objects.host import host
from samebits.runtime.objects.loading import load, own_code

if TYPE_CHECKING:  # decoding is rarely needed
    from samebits.runtime.fp_state.registers import State

__all__ = ["describe", "pinned", "read", "state", "write"]

X87_START = 0x027F if sys.platform == "win32" else X87_DEFAULT
"""The x87 control word with which the system starts threads; Windows has 53 bits of significand."""

_PINNED = {"mxcsr": X87_START << 32 | 0x1F80, "fpcr": 0}

# The word of `save` and `restore`: the control register below; above bit 32 the x87 control word,
# or the register of the sticky flags where they are not in the first.
_ACCESS = {
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
define i64 @sb_fp_save() {
  %low = call i64 @sb_fp_get()
  %x87 = call i32 @sb_x87_read()
  %short = and i32 %x87, 65535
  %wide = zext i32 %short to i64
  %high = shl i64 %wide, 32
  %both = or i64 %low, %high
  ret i64 %both
}
define void @sb_fp_restore(i64 %both) {
  call void @sb_fp_set(i64 %both)
  %high = lshr i64 %both, 32
  %wanted = trunc i64 %high to i32
  %x87 = call i32 @sb_x87_read()
  %short = and i32 %x87, 65535
  %same = icmp eq i32 %short, %wanted
  br i1 %same, label %done, label %write
write:
  call void @sb_x87_write(i32 %wanted)
  br label %done
done:
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
define i64 @sb_fp_save() {
  %word = call i64 @llvm.aarch64.get.fpcr()
  %flags = call i64 @llvm.aarch64.get.fpsr()
  %high = shl i64 %flags, 32
  %both = or i64 %word, %high
  ret i64 %both
}
define void @sb_fp_restore(i64 %both) {
  %word = and i64 %both, 4294967295
  %flags = lshr i64 %both, 32
  call void @llvm.aarch64.set.fpcr(i64 %word)
  call void @llvm.aarch64.set.fpsr(i64 %flags)
  ret void
}
""",
}
_SIGNATURES: dict[str, tuple[Any, ...]] = {
    "get": ("sb_fp_get", ctypes.c_uint64),
    "set": ("sb_fp_set", None, ctypes.c_uint64),
    "save": ("sb_fp_save", ctypes.c_uint64),
    "restore": ("sb_fp_restore", None, ctypes.c_uint64),
    # `__exit__` of a `with` block: its three arguments are ignored.
    "leave": ("sb_fp_restore", None, ctypes.c_uint64, *[ctypes.py_object] * 3),
}


@cache
def register_name() -> str:
    """`mxcsr` or `fpcr`. Raises TargetError on a processor with another register."""
    here = host()
    name = here.fp_control
    if name not in _ACCESS:
        known = " and ".join(_ACCESS).upper()
        raise TargetError(
            f"the floating-point control register of {here.architecture} is not read here",
            note=f"{known} are; entries to compiled code pin the environment all the same",
        )
    return name


@cache
def _functions() -> dict[str, Any]:
    here = host()
    name = register_name()
    convention = "x86_64-windows" if sys.platform == "win32" else here.architecture
    x87 = x87_accessors(convention) if name == "mxcsr" else ""
    text = f'target triple = "{here.triple}"\n{x87}{_ACCESS[name]}'
    loaded = load(own_code(text), [symbol for symbol, *_ in _SIGNATURES.values()])
    prototype = cache(ctypes.PYFUNCTYPE)  # each call makes a class; most functions share two
    functions: dict[str, Any] = {}
    for called, (symbol, *signature) in _SIGNATURES.items():
        function = prototype(*signature)(loaded.addresses[symbol])
        # Two threads may run this: each function keeps its own code alive.
        vars(function)["loaded"] = loaded
        functions[called] = function
    return functions


def read() -> int:
    """The control register of this thread (MXCSR or FPCR)."""
    return int(_functions()["get"]())


def write(word: int) -> None:
    """Set the control register of this thread. Bits that the processor reserves must be 0."""
    _functions()["set"](word)


def state() -> State:
    """The floating-point environment of the calling thread, in words.

    Raises TargetError on a processor whose registers are not known here.
    """
    both = int(_functions()["save"]())
    word, high = both & 0xFFFF_FFFF, both >> 32
    parts = (word, high) if register_name() == "mxcsr" else (word,)
    return described(*parts)


def described(word: int, x87: int | None = None) -> State:
    """The meaning of words of this machine's registers."""
    from samebits.runtime.fp_state.registers import decode, decode_x87

    name = register_name()
    return decode(name, word, None if x87 is None else decode_x87(x87, X87_START))


def describe(word: int | None = None) -> State:
    """The meaning of `word`, or of this thread's registers now."""
    return state() if word is None else described(word)


def pinned(words: Sequence[str] = ()) -> AbstractContextManager[None]:
    """A block in which this thread rounds to nearest, flushes nothing and raises no signal.

    For the host's own code: kernels pin the environment themselves. The end of the block restores
    all of the thread's registers, whatever the block did to them. `words` of `fp_environments` are
    set besides. Raises TargetError on a processor whose registers are not known here, or for a
    word that it has no bit for.
    """
    functions, name = _functions(), register_name()
    word = _PINNED[name]
    if words:
        from samebits.backend.targets.fp_environments import environment_bits

        word |= environment_bits(name, words)
    put = functions["restore"]
    made: Any = SignalSafeBlock(
        partial(put, word), partial(functions["leave"], functions["save"]())
    )
    return made
