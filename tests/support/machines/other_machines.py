"""Entries of a module run on another row's emulator: raw slots in, status and slots out.

The program ends with an error where a call leaves the caller another rounding or other flags.
`HostMachine` runs the rows of this processor in the same way.
"""

from __future__ import annotations

import ctypes
import shutil
import struct
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from samebits.backend.llvm import engine as llvm
from samebits.backend.llvm.compile import compile_module
from samebits.backend.objects import CompiledObject
from samebits.backend.targets.table import QEMU_PACKAGE, TARGETS, Target
from samebits.ir.grammar import Module
from samebits.runtime.emulation.link import LINUX, WASM_MEMORY
from samebits.runtime.zig import zig_command
from tests.support.limits import HANG_SECONDS

HERE = [level.target for level in llvm.available_targets() if level.reason is None]
"""The rows that run natively."""
EMULATED = [
    row for row in TARGETS.values()
    if row.runner and row.architecture not in {target.architecture for target in HERE}
]  # fmt: skip
"""The rows that an emulator runs: not other levels of this processor."""

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
        [*zig_command(), *arguments],
        check=True, capture_output=True, timeout=HANG_SECONDS, cwd=folder,
    )  # fmt: skip


def link_bare(folder: Path, zig_target: str, zig_cpu: str, source: Path, code: bytes,
              *options: str) -> Path:  # fmt: skip
    """A static Linux program out of C that includes linux.h, and of object code."""
    (folder / "code.o").write_bytes(code)
    (folder / "driver.o").write_bytes(_bare(zig_target, zig_cpu, source.read_text(), options))
    zig(["ld.lld", "-static", "-e", "_start", "driver.o", "code.o", "-o", "program"], folder)
    return folder / "program"


@lru_cache(maxsize=256)
def _bare(zig_target: str, zig_cpu: str, text: str, options: tuple[str, ...]) -> bytes:
    """The object of a C file: most programs of a target have the same."""
    cpu = [f"-mcpu={zig_cpu}"] if zig_cpu else []
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "driver.c").write_text(text)
        zig(
            ["cc", "-target", zig_target, *cpu, "-std=gnu11", "-O1", "-g0", "-ffreestanding",
             "-fno-builtin", "-fno-stack-protector", "-fno-sanitize=all", *options,
             "-I", str(LINUX.parent), "-I", str(_HERE), "-c", "driver.c", "-o", "driver.o"],
            folder,
        )  # fmt: skip
        return (folder / "driver.o").read_bytes()


_WASM_DRIVER = """\
target triple = "wasm32-unknown-unknown"
{declarations}
@entries = internal constant [{count} x ptr] [{entries}]

define void @run_calls(ptr %first, ptr %end) {{
enter:
  %none = icmp eq ptr %first, %end
  br i1 %none, label %done, label %call
call:
  %at = phi ptr [ %first, %enter ], [ %next, %call ]
  %entry = load i32, ptr %at
  %size.at = getelementptr i8, ptr %at, i32 4
  %size = load i32, ptr %size.at
  %slots = getelementptr i8, ptr %at, i32 8
  %place = getelementptr ptr, ptr @entries, i32 %entry
  %function = load ptr, ptr %place
  %status = call i32 %function(ptr %slots)
  store i32 %status, ptr %at
  %next = getelementptr i8, ptr %slots, i32 %size
  %more = icmp ne ptr %next, %end
  br i1 %more, label %call, label %done
done:
  ret void
}}
"""
"""Calls in a row: the entry's number, the bytes of its slots, and these. The status replaces the
number. Hundreds of thousands of calls from Python would take longer than all else."""


class Machine:
    """One program for one row, linked without anything else."""

    def __init__(
        self, folder: Path, target: Target, module: Module, entries: Sequence[str], opt: int,
        compiled: CompiledObject | None = None,
    ) -> None:  # fmt: skip
        """`compiled` is what the compiler made of all this, where it has."""
        compiled = compiled or compile_module(module, entries, target, opt)
        self.traps = compiled.traps
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
        forms = {n: struct.Struct(f"<II{n}Q").pack for n in {len(slots) for _, slots in calls}}
        sent += [forms[len(slots)](entry, len(slots), *slots) for entry, slots in calls]
        result = subprocess.run(
            [*self._emulator, str(self._program), *(["up", "flags"] if rounding_up else [])],
            input=b"".join(sent), capture_output=True, timeout=HANG_SECONDS, check=True,
        )  # fmt: skip
        return answers_in(result.stdout, calls, "<I")


@lru_cache(maxsize=64)
def _wasm(text: str, target: Target) -> bytes:
    """The object of LLVM text that most modules of a target have."""
    return llvm.compile_text(text, target)


class WasmMachine:
    """The same in wasmtime, in this process."""

    def __init__(
        self, folder: Path, target: Target, module: Module, entries: Sequence[str], opt: int,
        compiled: CompiledObject | None = None,
    ) -> None:  # fmt: skip
        import wasmtime

        compiled = compiled or compile_module(module, entries, target, opt)
        self.traps = compiled.traps
        objects = {
            "code": compiled.object_bytes,
            "memory": _wasm(WASM_MEMORY, target),
            "driver": _wasm(_driver(len(entries)), target),
        }
        for name, code in objects.items():
            (folder / f"{name}.o").write_bytes(code)
        program = folder / "code.wasm"
        zig(
            ["wasm-ld", "--no-entry", "--export-all", "--allow-undefined",
             *(f"{name}.o" for name in objects), "-o", str(program)],
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
        self._run_calls = exports["run_calls"]
        self._memory = exports["memory"]
        self._free = self._memory.data_len(self._store)

    def run(self, calls: Sequence[Call], *, rounding_up: bool = False) -> list[tuple[int, ...]]:
        """Status and slots after each call; there is no environment to pin."""
        memory_at, first = self._free, self._free + 1024
        sent: list[bytes] = []
        forms = {n: struct.Struct(f"<II{n}Q").pack for n in {len(slots) for _, slots in calls}}
        for entry, slots in calls:
            words = [memory_at if slot == MEMORY else slot for slot in slots]
            sent.append(forms[len(words)](entry, 8 * len(words), *words))
        data = b"".join(sent)
        end = first + len(data)
        lacking = end - self._memory.data_len(self._store)
        if lacking > 0:
            self._memory.grow(self._store, -(-lacking // 65536))
        self._memory.write(self._store, bytes(512), memory_at)
        self._memory.write(self._store, data, first)
        self._run_calls(self._store, first, end)
        return answers_in(self._memory.read(self._store, first, end), calls, "<I4x")


class HostMachine:
    """The same on this processor, in this process."""

    def __init__(self, compiled: CompiledObject, count: int) -> None:
        self.traps = compiled.traps
        symbols = [f"sb_entry_{n}" for n in range(count)]
        self._loaded = llvm.load(compiled.object_bytes, symbols)
        entry = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)
        self._entries = [entry(self._loaded.addresses[symbol]) for symbol in symbols]

    def run(self, calls: Sequence[Call], *, rounding_up: bool = False) -> list[tuple[int, ...]]:
        """Status and slots after each call, in this thread's own environment."""
        memory = (ctypes.c_uint8 * 512)()
        memory_at = ctypes.addressof(memory)
        slots = (ctypes.c_uint64 * max((len(sent) for _, sent in calls), default=0))()
        slots_at = ctypes.addressof(slots)
        answers: list[tuple[int, ...]] = []
        for entry, sent in calls:
            count = len(sent)
            slots[:count] = [memory_at if slot == MEMORY else slot for slot in sent]
            answers.append((self._entries[entry](slots_at), *slots[:count]))
        return answers


def _driver(count: int) -> str:
    names = [f"@sb_entry_{n}" for n in range(count)]
    return _WASM_DRIVER.format(
        declarations="\n".join(f"declare i32 {name}(ptr)" for name in names),
        entries=", ".join(f"ptr {name}" for name in names),
        count=count,
    )


def answers_in(data: bytes, calls: Sequence[Call], head: str) -> list[tuple[int, ...]]:
    """Status and slots of each call, the status in a head of its own form."""
    answers: list[tuple[int, ...]] = []
    position = 0
    forms = {n: struct.Struct(f"{head}{n}Q") for n in {len(slots) for _, slots in calls}}
    for _, slots in calls:
        form = forms[len(slots)]
        answers.append(form.unpack_from(data, position))
        position += form.size
    assert position == len(data)
    return answers
