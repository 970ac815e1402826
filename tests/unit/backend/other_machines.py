"""Run entries of a module on another row's emulator: raw slots in, status and slots out.

The program ends with an error where a call leaves the caller another rounding or other flags.
"""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from samebits.backend import llvm
from samebits.backend.targets import QEMU_PACKAGE, Target
from samebits.ir.grammar import Module
from samebits.runtime.runners.link import WASM_MEMORY

Call = tuple[int, Sequence[int]]
"""Number of the entry, and its slots: arguments, then room for results."""

MEMORY = 0x5A5A_0123_4567_89AB
"""A slot of this value becomes the address of 512 bytes, zero before the first call."""

_DRIVER = """\
#include <fenv.h>
#include <stdint.h>
#include <stdio.h>
typedef int32_t entry(uint64_t *);
%(declarations)s
static entry *const entries[] = { %(names)s };
#ifdef __mips__  /* musl as zig builds it does nothing here */
#undef FE_UPWARD
#define FE_UPWARD 2
static int own_get(void) { int w; __asm__ volatile("cfc1 %%0, $31" : "=r"(w)); return w & 3; }
static int own_set(int w) { __asm__ volatile("ctc1 %%0, $31" : : "r"(w)); return 0; }
#define fegetround own_get
#define fesetround own_set
static int own_test(int wanted) { (void)wanted; int w;
                                  __asm__ volatile("cfc1 %%0, $31" : "=r"(w)); return w & 0x7C; }
static int own_clear(int which) { (void)which; return 0; }
#define fetestexcept own_test
#define feclearexcept own_clear
#endif
static uint64_t get(int bytes) {
    uint64_t v = 0;
    for (int i = 0; i < bytes; i++) v |= (uint64_t)(unsigned char)getchar() << 8 * i;
    return v;
}
static void put(uint64_t v, int bytes) {
    for (int i = 0; i < bytes; i++) putchar((int)(v >> 8 * i & 255));
}
int main(int argc, char **argv) {
    static uint64_t slots[64], memory[64];
    int rounding = argc > 1 ? FE_UPWARD : FE_TONEAREST;
    uint64_t left = get(4);
    if (argc > 2 && feraiseexcept(FE_INVALID | FE_INEXACT)) return 2;
    if (fesetround(rounding)) return 3;
    while (left--) {
        uint64_t n = get(4), count = get(4);
        for (uint64_t i = 0; i < count; i++) {
            slots[i] = get(8);
            if (slots[i] == %(memory)sull) slots[i] = (uintptr_t)memory;
        }
        if (left %% 2) feclearexcept(FE_ALL_EXCEPT);
        else if (left %% 4) feraiseexcept(FE_DIVBYZERO);
        int flags = fetestexcept(FE_ALL_EXCEPT);
        put((uint32_t)entries[n](slots), 4);
        if (fetestexcept(FE_ALL_EXCEPT) != flags) return 5;
        if (fegetround() != rounding) return 4;
        for (uint64_t i = 0; i < count; i++) put(slots[i], 8);
    }
    return 0;
}
"""


def missing(target: Target) -> str | None:
    """Why the row cannot be run here, or None."""
    if target.runner == "wasmtime":
        try:
            import wasmtime  # noqa: F401
        except ImportError:
            return "wasmtime is missing: pip install samebits[targets]"
    elif shutil.which(target.qemu) is None:
        return f"{target.qemu} is missing: apt-get install {QEMU_PACKAGE}"
    try:
        import ziglang  # noqa: F401
    except ImportError:
        return "ziglang is missing: pip install samebits[targets]"
    return None


class Machine:
    """One program for one row, linked without anything but C's library."""

    def __init__(
        self, folder: Path, target: Target, module: Module, entries: Sequence[str], opt: int
    ) -> None:
        compiled = llvm.compile_module(module, entries, target, opt)
        self.traps = compiled.traps
        self._emulator = [target.qemu]
        if target.qemu_cpu:
            self._emulator += ["-cpu", target.qemu_cpu]
        names = [f"sb_entry_{n}" for n in range(len(entries))]
        driver, code = folder / "driver.c", folder / "code.o"
        self._program = folder / "program"
        declarations = "\n".join(f"extern entry {name};" for name in names)
        fields = {"declarations": declarations, "names": ", ".join(names), "memory": MEMORY}
        driver.write_text(_DRIVER % fields)
        code.write_bytes(compiled.object_bytes)
        command = [sys.executable, "-m", "ziglang", "cc", "-target", target.zig, "-static", "-O1"]
        if target.zig_cpu:
            command.append(f"-mcpu={target.zig_cpu}")
        command += [str(driver), str(code), "-o", str(self._program)]
        subprocess.run(command, check=True, capture_output=True, timeout=300)

    def run(self, calls: Sequence[Call], *, rounding_up: bool = False) -> list[tuple[int, ...]]:
        """Status and slots after each call; `rounding_up` is how the caller rounds."""
        sent = [struct.pack("<I", len(calls))]
        for entry, slots in calls:
            sent.append(struct.pack(f"<II{len(slots)}Q", entry, len(slots), *slots))
        result = subprocess.run(
            [*self._emulator, str(self._program), *(["up", "flags"] if rounding_up else [])],
            input=b"".join(sent), capture_output=True, timeout=120, check=True,
        )  # fmt: skip
        answers: list[tuple[int, ...]] = []
        position = 0
        for _, slots in calls:
            answers.append(struct.unpack_from(f"<I{len(slots)}Q", result.stdout, position))
            position += 4 + 8 * len(slots)
        assert position == len(result.stdout)
        return answers


class WasmMachine:
    """The same in wasmtime, in this process."""

    def __init__(
        self, folder: Path, target: Target, module: Module, entries: Sequence[str], opt: int
    ) -> None:
        import wasmtime

        compiled = llvm.compile_module(module, entries, target, opt)
        self.traps = compiled.traps
        code, program = folder / "code.o", folder / "code.wasm"
        code.write_bytes(compiled.object_bytes)
        memory = folder / "memory.o"
        memory.write_bytes(llvm.compile_text(WASM_MEMORY, target))
        command = [sys.executable, "-m", "ziglang", "wasm-ld", "--no-entry", "--export-all"]
        command += ["--allow-undefined", str(code), str(memory), "-o", str(program)]
        subprocess.run(command, check=True, capture_output=True, timeout=60)
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        linked = wasmtime.Module.from_file(engine, str(program))
        unused = [
            wasmtime.Func(self._store, wanted.type, lambda *_: None)  # type: ignore[arg-type]
            for wanted in linked.imports
        ]
        exports = wasmtime.Instance(self._store, linked, unused).exports(self._store)
        self._entries = [exports[f"sb_entry_{n}"] for n in range(len(entries))]
        self._memory = exports["memory"]
        self._free = self._memory.data_len(self._store)
        self._memory.grow(self._store, 1)

    def run(self, calls: Sequence[Call], *, rounding_up: bool = False) -> list[tuple[int, ...]]:
        """Status and slots after each call; there is no environment to pin."""
        answers: list[tuple[int, ...]] = []
        slots_at, memory_at = self._free, self._free + 1024
        self._memory.write(self._store, bytes(512), memory_at)
        for entry, slots in calls:
            form = f"<{len(slots)}Q"
            here = [memory_at if slot == MEMORY else slot for slot in slots]
            self._memory.write(self._store, struct.pack(form, *here), slots_at)
            status = self._entries[entry](self._store, slots_at)
            found = self._memory.read(self._store, slots_at, slots_at + 8 * len(slots))
            answers.append((status, *struct.unpack(form, found)))
        return answers
