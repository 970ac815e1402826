"""Floating-point control registers as LLVM text: rounding, flushing and traps, one row each.

Owns how an entry pins the floating-point environment around a call: to the default one, or to
another for a diagnosis. Registers are accessed by intrinsics with side effects, or by functions
that are opaque to LLVM, so that it does not move the call out from between them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from samebits.backend.targets.fp_environments import environment_bits
from samebits.backend.targets.x87 import X87_DEFAULT, machine_code, x87_accessors


class ControlRegister(NamedTuple):
    """The read and write of a control register: LLVM expressions, `{}` for the value written.

    `control` are the bits that change how an operation rounds, flushes or traps; all 0 means
    nearest, no flushing, no traps. `keep` are the bits that pinning preserves, `restorable` those
    that may be written back. `definitions` are functions that `read` and `write` call.
    """

    type: str
    read: str
    write: str
    control: int
    keep: int = 0
    restorable: int = -1
    definitions: str = ""


def _accessors(t: str, read: tuple[int, ...], write: tuple[int, ...]) -> str:
    return machine_code("sb_fp_control_read", f"{t} {{}}()", read, f"ret {t} 0") + machine_code(
        "sb_fp_control_write", f"void {{}}({t} %word)", write, "ret void"
    )


_ALL = 0xFFFF_FFFF
_MIPS_CONTROL = 1 << 24 | 1 << 22 | 1 << 21 | 0xF80 | 0x3
_MIPS_CAUSE = 0x3F << 12
_RISCV_RETURN = 0x00008067
_MIPS_RETURN = (0x03E00008, 0x00000000)  # and its delay slot

REGISTERS = {
    # AHP, DN, FZ, RMode, Stride, Len, and the trap enables; the rest are flags.
    "fpscr-arm": ControlRegister(
        "i32", "call i32 @llvm.arm.get.fpscr()", "call void @llvm.arm.set.fpscr(i32 {})",
        0x07F7_9F00,
    ),
    "fcsr-riscv": ControlRegister(
        "i64", "call i64 @sb_fp_control_read()", "call void @sb_fp_control_write(i64 {})", 0xE0,
        # csrrs a0, fcsr, zero; csrrw zero, fcsr, a0
        definitions=_accessors("i64", (0x00302573, _RISCV_RETURN), (0x00351073, _RISCV_RETURN)),
    ),
    # VE OE UE ZE XE, NI and RN; the upper half rounds decimals.
    "fpscr-ppc": ControlRegister(
        "double", "call double @llvm.ppc.readflm()", "call double @llvm.ppc.setflm(double {})",
        0xFF, keep=-1 << 32,
    ),
    "fpc": ControlRegister(
        "i32", "call i32 @llvm.s390.efpc()", "call void @llvm.s390.sfpc(i32 {})", 0xFC00_0007
    ),
    "fcsr-loongarch": ControlRegister(
        "i32", "call i32 @llvm.loongarch.movfcsr2gr(i32 0)",
        "call void @llvm.loongarch.movgr2fcsr(i32 0, i32 {})", 0x31F,
        restorable=_ALL & ~(0x1F << 24),
    ),
    # FS, FO, FN, enables and RM. A cause bit written beside its enable raises at once.
    "fcsr-mips": ControlRegister(
        "i32", "call i32 @sb_fp_control_read()", "call void @sb_fp_control_write(i32 {})",
        _MIPS_CONTROL, keep=_ALL & ~_MIPS_CONTROL & ~_MIPS_CAUSE, restorable=_ALL & ~_MIPS_CAUSE,
        # cfc1 $2, $31; ctc1 $4, $31
        definitions=_accessors(
            "i32", (0x4442F800, *_MIPS_RETURN), (0x44C4F800, *_MIPS_RETURN)
        ),
    ),
}  # fmt: skip
"""Arm ARM, FPSCR; RISC-V unprivileged ISA, fcsr; Power ISA 2.07, FPSCR; z/Architecture, FPC;
LoongArch reference manual, FCSR0; MIPS64 architecture vol. III, FCSR."""

MXCSR_DEFAULT = 0x1F80
"""Round to nearest, no flushing, every exception masked, no sticky flag."""

_X87_CONTROL = 0x0F3F
"""RC, PC and the masks of a control word."""

# The six sticky flags do not change how operations round: only the rest is compared. The caller's
# word, flags included, is restored.
_INTRINSICS = {
    "mxcsr": """\
  %word = alloca i32
  %pinned = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %word)
  %found = load i32, ptr %word
  %control = and i32 %found, -64
  %odd = icmp ne i32 %control, {word}
  br i1 %odd, label %pin, label %run, !prof !0
pin:
  store i32 {word}, ptr %pinned
  call void @llvm.x86.sse.ldmxcsr(ptr %pinned)
  br label %run
run:
  %status = call i32 {body}(ptr %args)
  call void @llvm.x86.sse.ldmxcsr(ptr %word)
  ret i32 %status
""",
    # No kernel has x87 arithmetic, as the audit of assembly checks; but C code that an entry may
    # call expects the state that its ABI defines.
    "mxcsr-x87": f"""\
  %word = alloca i32
  %pinned = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %word)
  %x87 = call i32 @sb_x87_read()
  %found = load i32, ptr %word
  %control = and i32 %found, -64
  %odd.sse = icmp ne i32 %control, {{word}}
  %x87.control = and i32 %x87, {_X87_CONTROL}
  %odd.x87 = icmp ne i32 %x87.control, {X87_DEFAULT & _X87_CONTROL}
  %odd = or i1 %odd.sse, %odd.x87
  br i1 %odd, label %pin, label %run, !prof !0
pin:
  store i32 {{word}}, ptr %pinned
  call void @llvm.x86.sse.ldmxcsr(ptr %pinned)
  call void @sb_x87_write(i32 {X87_DEFAULT})
  br label %run
run:
  %status = call i32 {{body}}(ptr %args)
  call void @llvm.x86.sse.ldmxcsr(ptr %word)
  br i1 %odd.x87, label %back, label %done, !prof !0
back:
  call void @sb_x87_write(i32 %x87)
  br label %done
done:
  ret i32 %status
""",
    # The sticky flags have a register of their own.
    "fpcr": """\
  %found = call i64 @llvm.aarch64.get.fpcr()
  %flags = call i64 @llvm.aarch64.get.fpsr()
  %odd = icmp ne i64 %found, {word}
  br i1 %odd, label %pin, label %run, !prof !0
pin:
  call void @llvm.aarch64.set.fpcr(i64 {word})
  %pinned = call i32 {body}(ptr %args)
  call void @llvm.aarch64.set.fpcr(i64 %found)
  call void @llvm.aarch64.set.fpsr(i64 %flags)
  ret i32 %pinned
run:
  %status = call i32 {body}(ptr %args)
  call void @llvm.aarch64.set.fpsr(i64 %flags)
  ret i32 %status
""",
}


_DEFAULTS = {"mxcsr": MXCSR_DEFAULT, "mxcsr-x87": MXCSR_DEFAULT}


def _checked(register: ControlRegister, bits: int) -> str:
    """Lines that read the word, pin it if it is not the default, call, and restore it with its
    flags."""
    t = "i64" if register.type == "double" else register.type

    def write(name: str) -> str:
        result = "" if "call void" in register.write else f"%{name}.old = "
        held = f"  %{name}.held = bitcast {t} %{name} to {register.type}\n"
        return f"{held}  {result}{register.write.format(f'%{name}.held')}\n"

    pinned = f"%pinned = and {t} %found, {register.keep}"
    if bits:
        pinned = f"%kept = and {t} %found, {register.keep}\n  %pinned = or {t} %kept, {bits}"
    return f"""\
  %read = {register.read}
  %found = bitcast {register.type} %read to {t}
  %control = and {t} %found, {register.control}
  %odd = icmp ne {t} %control, {bits}
  br i1 %odd, label %pin, label %run, !prof !0
pin:
  {pinned}
{write("pinned")}  br label %run
run:
  %status = call i32 {{body}}(ptr %args)
  %back = and {t} %found, {register.restorable}
{write("back")}  ret i32 %status
"""


def definitions(fp_control: str | None) -> str:
    """LLVM text of the functions that `pinned_call` calls; once in a module."""
    if fp_control == "mxcsr-x87":
        return x87_accessors("i686")
    register = REGISTERS.get(fp_control or "")
    return "" if register is None else register.definitions


def pinned_call(fp_control: str | None, body: str, environment: Sequence[str] = ()) -> str:
    """LLVM text that ends a function `i32 (ptr %args)` with a call of `body` in a pinned
    environment, and restores the caller's. `environment` are words of `fp_environments`; without
    any, it is the default one. Raises KeyError for an unknown register, TargetError for a word that
    it lacks."""
    bits = environment_bits(fp_control, environment)
    if fp_control is None:
        return f"  %status = call i32 {body}(ptr %args)\n  ret i32 %status\n"
    text = _INTRINSICS.get(fp_control)
    if text is None:
        return _checked(REGISTERS[fp_control], bits).format(body=body)
    return text.format(body=body, word=_DEFAULTS.get(fp_control, 0) | bits)
