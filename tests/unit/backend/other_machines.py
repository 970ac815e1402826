"""Run entries of a module on another row's emulator: raw slots in, status and slots out.

The program ends with an error where a call leaves the caller another rounding or other flags.
"""

from __future__ import annotations

import itertools
import shutil
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.limits import HANG_SECONDS

from samebits.backend import llvm
from samebits.backend.targets import QEMU_PACKAGE, Target
from samebits.ir.grammar import Module
from samebits.runtime.runners.link import LINUX, WASM_MEMORY

Call = tuple[int, Sequence[int]]
"""Number of the entry, and its slots: arguments, then room for results."""

MEMORY = 0x5A5A_0123_4567_89AB
"""A slot of this value becomes the address of 512 bytes, zero before the first call; bare_driver.c
has the same number."""

_HERE = Path(__file__).parent


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


def zig(arguments: Sequence[str], folder: Path) -> None:
    """Run one of the wheel's tools. None of what tests ask for needs a C library: zig would
    compile one for each target first, for longer than all that is tested with it."""
    subprocess.run(
        [sys.executable, "-m", "ziglang", *arguments],
        check=True, capture_output=True, timeout=HANG_SECONDS, cwd=folder,
    )  # fmt: skip


def link_bare(folder: Path, zig_target: str, zig_cpu: str, source: Path, code: bytes,
              *options: str) -> Path:  # fmt: skip
    """A static Linux program out of C that includes linux.h, and of object code."""
    (folder / "code.o").write_bytes(code)
    cpu = [f"-mcpu={zig_cpu}"] if zig_cpu else []
    zig(
        ["cc", "-target", zig_target, *cpu, "-std=gnu11", "-O1", "-g0", "-ffreestanding",
         "-fno-builtin", "-fno-stack-protector", "-fno-sanitize=all", *options,
         "-I", str(LINUX.parent), "-I", str(_HERE), "-c", str(source), "-o", "driver.o"],
        folder,
    )  # fmt: skip
    zig(["ld.lld", "-static", "-e", "_start", "driver.o", "code.o", "-o", "program"], folder)
    return folder / "program"


class Machine:
    """One program for one row, linked without anything else."""

    def __init__(
        self, folder: Path, target: Target, module: Module, entries: Sequence[str], opt: int
    ) -> None:
        compiled = llvm.compile_module(module, entries, target, opt)
        self.traps, self.code = compiled.traps, compiled.object_bytes
        self._emulator = [target.qemu]
        if target.qemu_cpu:
            self._emulator += ["-cpu", target.qemu_cpu]
        names = " ".join(f"ENTRY({n})" for n in range(len(entries)))
        self._program = link_bare(
            folder, target.zig, target.zig_cpu, _HERE / "bare_driver.c", compiled.object_bytes,
            f"-DENTRY_LIST={names}",
        )  # fmt: skip

    def run(self, calls: Sequence[Call], *, rounding_up: bool = False) -> list[tuple[int, ...]]:
        """Status and slots after each call; `rounding_up` is how the caller rounds."""
        sent = [struct.pack("<I", len(calls))]
        for entry, slots in calls:
            sent.append(struct.pack(f"<II{len(slots)}Q", entry, len(slots), *slots))
        result = subprocess.run(
            [*self._emulator, str(self._program), *(["up", "flags"] if rounding_up else [])],
            input=b"".join(sent), capture_output=True, timeout=HANG_SECONDS, check=True,
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
        self.traps, self.code = compiled.traps, compiled.object_bytes
        code, program = folder / "code.o", folder / "code.wasm"
        code.write_bytes(compiled.object_bytes)
        memory = folder / "memory.o"
        memory.write_bytes(llvm.compile_text(WASM_MEMORY, target))
        zig(
            ["wasm-ld", "--no-entry", "--export-all", "--allow-undefined", str(code), str(memory),
             "-o", str(program)],
            folder,
        )  # fmt: skip
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

    def run(self, calls: Sequence[Call], *, rounding_up: bool = False) -> list[tuple[int, ...]]:
        """Status and slots after each call; there is no environment to pin."""
        memory_at, slots_at = self._free, self._free + 1024
        words = [memory_at if slot == MEMORY else slot for _, slots in calls for slot in slots]
        form = f"<{len(words)}Q"
        lacking = slots_at + 8 * len(words) - self._memory.data_len(self._store)
        if lacking > 0:
            self._memory.grow(self._store, -(-lacking // 65536))
        self._memory.write(self._store, bytes(512), memory_at)
        self._memory.write(self._store, struct.pack(form, *words), slots_at)
        statuses: list[int] = []
        at = slots_at
        for entry, slots in calls:
            statuses.append(self._entries[entry](self._store, at))
            at += 8 * len(slots)
        found = iter(struct.unpack(form, self._memory.read(self._store, slots_at, at)))
        return [
            (status, *itertools.islice(found, len(slots)))
            for status, (_, slots) in zip(statuses, calls, strict=True)
        ]
