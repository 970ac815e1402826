"""x87's control word: what it is by default, and functions that read and write it, as LLVM text.

No kernel computes there; but what it is set to is a thread's own, as every control register is.
"""

from __future__ import annotations

X87_DEFAULT = 0x037F
"""Round to nearest, 64 bits of significand, every exception masked: what the psABI starts with."""

_X87_READ = (0x243CD950, 0x9090C358)  # push eax; fnstcw [esp]; pop eax; ret: on rax in 64 bits
_X87_WRITES = {
    "i686": (0x04246CD9, 0x909090C3),  # fldcw [esp + 4]; ret
    "x86_64": (0x242CD957, 0x9090C35F),  # push rdi; fldcw [rsp]; pop rdi; ret
    "x86_64-windows": (0x242CD951, 0x9090C359),  # the same with rcx
}


def machine_code(name: str, signature: str, words: tuple[int, ...], result: str) -> str:
    """A function that is these instructions. LLVM has no intrinsic for them and, as it is built
    for Python, no assembler for the target; what stands before a function's own code is data.
    As the function is weak, nothing is concluded from the body that is never reached."""
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
