"""Compilers by what they say of themselves, and what each can be asked for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from samebits.errors import SideError
from samebits.foreign.programs.commands import run_command
from samebits.foreign.programs.description import ProgramSide, Words

_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A compiler: `kind` is `clang`, `zig`, `gcc` or `other`."""

    kind: str
    version: str
    target: str = ""
    """What it compiles for, where it tells."""

    @property
    def has_ir(self) -> bool:
        """Whether it can write LLVM's IR and read it again."""
        return self.kind in ("clang", "zig")


@cache
def toolchain_of(compiler: Words) -> Toolchain:
    """The compiler of these words. Raises RunnerError where it can't be started."""
    last = Path(compiler[-2 if len(compiler) > 1 else 0]).name
    if last in ("zig", "ziglang", "zig.exe"):
        ended = run_command([*compiler[:-1], "version"], Path(), _SECONDS)
        return Toolchain("zig", ended.printed.strip()[:40])
    ended = run_command([*compiler, "--version"], Path(), _SECONDS)
    first = ended.printed.splitlines()[0] if ended.printed.strip() else ""
    numbers = re.search(r"\d+\.\d+(\.\d+)?", re.sub(r"\(.*?\)", "", first))
    version = numbers[0] if numbers else ""
    target = re.search(r"^Target: (\S+)", ended.printed, re.MULTILINE)
    if "clang" in first.lower():
        return Toolchain("clang", version, target[1] if target else "")
    if "Free Software Foundation" in ended.printed:
        return Toolchain("gcc", version)
    return Toolchain("other", version)


def target_flags(side: ProgramSide) -> Words:
    """What makes the side's compiler compile for its target. Raises SideError for GCC."""
    if not side.target:
        return ()
    kind = toolchain_of(side.compiler).kind
    if kind == "zig":
        return ("-target", side.target)
    if kind == "clang":
        return (f"--target={side.target}",)
    raise SideError(
        f"[sides.{side.name}]: {side.compiler[0]} has one target alone",
        fix=f"leave out target, and name the compiler for it, such as {side.target}-g++",
    )
