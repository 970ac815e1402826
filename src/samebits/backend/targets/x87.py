"""The x87 control word: its default, and functions that read and write it, as LLVM text.

No kernel computes in x87; but its control word is part of a thread's environment.
"""

from __future__ import annotations

X87_DEFAULT = 0x037F
"""Round to nearest, 64 bits of significand, every exception masked: the psABI's initial state."""

_X87_READ = (0x243CD950, 0x9090C358)  # push eax; fnstcw [esp]; pop eax; ret: on rax in 64 bits
_X87_WRITES = {
    "i686": (0x04246CD9, 0x909090C3),  # fldcw [esp + 4]; ret
    "x86_64": (0x242CD957, 0x9090C35F),  # push rdi; fldcw [rsp]; pop rdi; ret
    "x86_64-windows": (0x242CD951, 0x9090C359),  # the same with rcx
}


def machine_code(name: str, signature: str, words: tuple[int, ...], result: str) -> str:
    """A function of the given machine instructions. LLVM has no intrinsic for them and, in
    llvmlite, no assembler for the target, so they are prologue data before the function's own code.
    The function is weak, so that LLVM concludes nothing from its unreachable body."""
    packed = ", ".join(f"i32 {word}" for word in words)
    types = ", ".join("i32" for _ in words)
    return (
        f"define weak hidden {signature.format(f'@{name}')} noinline optnone nounwind "
        f"prologue <{{ {types} }}> <{{ {packed} }}> {{\n  {result}\n}}\n"
    )


def x87_accessors(convention: str) -> str:
    """LLVM text of `i32 @sb_x87_read()`, whose upper half is undefined, and `void
    @sb_x87_write(i32)`, for C's convention of a row of `_X87_WRITES`."""
    write = _X87_WRITES[convention]
    return machine_code("sb_x87_read", "i32 {}()", _X87_READ, "ret i32 0") + machine_code(
        "sb_x87_write", "void {}(i32 %word)", write, "ret void"
    )
