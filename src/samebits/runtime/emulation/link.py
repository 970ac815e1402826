"""Object code linked into a program that `remote` controls, by the ziglang wheel's linkers.

Owns the code around the entries: driver.c for machines with an operating system, the memory
functions for WebAssembly. No C library is linked.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

from samebits.backend.llvm import engine
from samebits.backend.targets.table import Target
from samebits.errors import RunnerError
from samebits.runtime.work_folders import work_folder
from samebits.runtime.zig import zig_command

HERE = Path(__file__).parent
DRIVER = HERE / "driver.c"
LINUX = HERE / "linux.h"
"""The header of Linux programs without a C library."""
WASM_STACK = 2 << 20
"""Bytes; locals need at most call_graph.STACK_LIMIT."""
_LIMIT_SECONDS = 120.0
_SAID = 400

# LLVM makes calls of these three out of copies; `no-builtins` keeps it from doing so in them.
WASM_MEMORY = """\
target triple = "wasm32-unknown-unknown"

define ptr @memcpy(ptr %to, ptr %from, i32 %size) #0 {
entry:
  br label %words
words:
  %i = phi i32 [ 0, %entry ], [ %next, %word ]
  %next = add i32 %i, 8
  %more = icmp ule i32 %next, %size
  br i1 %more, label %word, label %bytes
word:
  %f = getelementptr i8, ptr %from, i32 %i
  %t = getelementptr i8, ptr %to, i32 %i
  %w = load i64, ptr %f, align 1
  store i64 %w, ptr %t, align 1
  br label %words
bytes:
  %j = phi i32 [ %i, %words ], [ %after, %byte ]
  %rest = icmp ult i32 %j, %size
  br i1 %rest, label %byte, label %done
byte:
  %g = getelementptr i8, ptr %from, i32 %j
  %u = getelementptr i8, ptr %to, i32 %j
  %b = load i8, ptr %g
  store i8 %b, ptr %u
  %after = add i32 %j, 1
  br label %bytes
done:
  ret ptr %to
}

define ptr @memmove(ptr %to, ptr %from, i32 %size) #0 {
entry:
  %a = ptrtoint ptr %to to i32
  %b = ptrtoint ptr %from to i32
  %apart = sub i32 %a, %b
  %safe = icmp uge i32 %apart, %size
  br i1 %safe, label %forward, label %backward
forward:
  %r = call ptr @memcpy(ptr %to, ptr %from, i32 %size)
  ret ptr %r
backward:
  %i = phi i32 [ %size, %entry ], [ %less, %byte ]
  %more = icmp ne i32 %i, 0
  br i1 %more, label %byte, label %done
byte:
  %less = sub i32 %i, 1
  %f = getelementptr i8, ptr %from, i32 %less
  %t = getelementptr i8, ptr %to, i32 %less
  %c = load i8, ptr %f
  store i8 %c, ptr %t
  br label %backward
done:
  ret ptr %to
}

define ptr @memset(ptr %to, i32 %value, i32 %size) #0 {
entry:
  %low = trunc i32 %value to i8
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %after, %byte ]
  %more = icmp ult i32 %i, %size
  br i1 %more, label %byte, label %done
byte:
  %t = getelementptr i8, ptr %to, i32 %i
  store i8 %low, ptr %t
  %after = add i32 %i, 1
  br label %loop
done:
  ret ptr %to
}

attributes #0 = { nounwind "no-builtins" }
"""


def link_wasm(object_bytes: bytes, target: Target, entries: int, folder: Path) -> Path:
    """A module that exports its memory and `sb_entry_0` … in `folder`. Raises RunnerError."""
    code, memory, result = folder / "code.o", folder / "memory.o", folder / "program.wasm"
    code.write_bytes(object_bytes)
    memory.write_bytes(_wasm_memory(target))
    exports = [f"--export=sb_entry_{n}" for n in range(entries)]
    options = ["--no-entry", "--strip-all", "--stack-first", "-z", f"stack-size={WASM_STACK}"]
    _zig(["wasm-ld", *options, *exports, str(code), str(memory), "-o", str(result)], folder)
    return result


@cache
def _wasm_memory(target: Target) -> bytes:
    return engine.compile_text(WASM_MEMORY, target)


def link_program(object_bytes: bytes, target: Target, entries: int, folder: Path) -> Path:
    """A static Linux program around driver.c in `folder`. Raises RunnerError."""
    code, driver, result = folder / "code.o", folder / "driver.o", folder / "program"
    code.write_bytes(object_bytes)
    driver.write_bytes(_driver(target, entries))
    _zig(["ld.lld", "-static", "-e", "_start", str(driver), str(code), "-o", str(result)], folder)
    return result


@lru_cache(maxsize=256)
def _driver(target: Target, entries: int) -> bytes:
    """The object of driver.c, the same for all programs of a target with as many entries: zig takes
    a sixth of a second for one."""
    names = " ".join(f"ENTRY({n})" for n in range(entries))
    cpu = [f"-mcpu={target.zig_cpu}"] if target.zig_cpu else []
    with work_folder() as folder:
        made = folder / "driver.o"
        _zig(
            [
                *("cc", "-target", target.zig, *cpu, "-std=c11", "-O2", "-g0"),
                *("-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-fno-sanitize=all"),
                *(f"-DENTRY_LIST={names}", "-c", str(DRIVER), "-o", str(made)),
            ],
            folder,
        )
        return made.read_bytes()


def _zig(arguments: Sequence[str], folder: Path) -> None:
    """Run one of the wheel's tools, with its cache in `folder`."""
    cache = str(folder / "zig")
    process = subprocess.Popen(
        [*zig_command(), *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        env={**os.environ, "ZIG_GLOBAL_CACHE_DIR": cache, "ZIG_LOCAL_CACHE_DIR": cache},
        start_new_session=True,
    )
    try:
        said, _ = process.communicate(timeout=_LIMIT_SECONDS)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise RunnerError(f"zig {arguments[0]} took more than {_LIMIT_SECONDS:g} s") from None
        raise
    shutil.rmtree(cache, ignore_errors=True)
    if process.returncode:
        text = said.decode(errors="replace").strip()
        raise RunnerError(f"zig {arguments[0]} failed", note=text[:_SAID] or None)
