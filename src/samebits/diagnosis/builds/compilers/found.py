"""The C compilers that are on this machine."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from samebits.errors import RunnerError
from samebits.output import write_file
from samebits.runtime.zig import zig_command

_NAMES = ("gcc", "clang", "cc")
_NUMBERED = re.compile(r"(?:gcc|clang)-(\d+(?:\.\d+)?)")
_MOST = 6
_SECONDS = 20.0
MOST_SAID = 500
ZIG = "zig cc"
"""The title of the clang in the ziglang wheel."""


@dataclass(frozen=True)
class Compiler:
    """One C compiler: `family` is whose flags it understands."""

    family: str
    title: str
    command: tuple[str, ...]

    def run(self, folder: Path, arguments: Sequence[str], seconds: float) -> None:
        """Run it in a folder. Raises RunnerError where it fails, or takes more than `seconds`."""
        cache_ = str(folder / "cache")
        environment = {"ZIG_LOCAL_CACHE_DIR": cache_} if self.title == ZIG else {}
        try:
            done = subprocess.run(
                [*self.command, *arguments],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                errors="replace",
                timeout=max(0.1, seconds),
                env={**os.environ, "LC_ALL": "C", "TMPDIR": str(folder), **environment},
            )
        except subprocess.TimeoutExpired:
            raise RunnerError(f"{self.title} took more than {seconds:.0f} s") from None
        except OSError as error:
            raise RunnerError(f"{self.title} could not be run: {error}") from None
        if done.returncode:
            said = (done.stderr or done.stdout).strip()[:MOST_SAID]
            raise RunnerError(f"{self.title} failed", note=said)


@cache
def compilers() -> tuple[Compiler, ...]:
    """The compilers that are here, each once: the usual ones, then other versions, the newest
    first."""
    found: dict[str, Compiler] = {}
    for name in (*_NAMES, *_numbered()):
        if len(found) == _MOST:
            break
        path = shutil.which(name)
        if path is not None:
            compiler = _asked((path,))
            if compiler is not None:
                found.setdefault(compiler.title, compiler)
    if importlib.util.find_spec("ziglang") is not None:
        command = *zig_command(), "cc", "-fno-sanitize=all"
        found.setdefault(ZIG, Compiler("clang", ZIG, command))
    return tuple(found.values())


def _numbered() -> list[str]:
    """Names on the path as gcc-13 and clang-16, the newest first."""
    names: dict[str, float] = {}
    for folder in os.get_exec_path():
        try:
            some = os.listdir(folder)
        except OSError:
            continue
        for name in some:
            number = _NUMBERED.fullmatch(name)
            if number is not None:
                names[name] = float(number[1])
    return sorted(names, key=lambda name: (-names[name], name))


@cache
def makes_32_bits(compiler: Compiler) -> bool:
    """Whether it builds 32-bit programs that this machine runs."""
    with TemporaryDirectory(prefix="samebits-") as name:
        folder = Path(name)
        write_file(folder / "none.c", b"int main(void) { return 0; }\n")
        try:
            compiler.run(folder, ["-m32", "none.c", "-o", "none"], _SECONDS)
            done = subprocess.run([folder / "none"], timeout=_SECONDS, check=False)
        except (RunnerError, OSError, subprocess.TimeoutExpired):
            return False
        return done.returncode == 0


def _asked(command: tuple[str, ...]) -> Compiler | None:
    """What a compiler says it is; None where it is none."""
    try:
        done = subprocess.run(
            [*command, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_SECONDS,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    line = done.stdout.partition("\n")[0]
    version = re.search(r"\d+\.\d+", re.sub(r"\(.*?\)", "", line))
    if done.returncode or version is None:
        return None
    is_clang = "clang" in done.stdout.lower()
    is_gcc = "Free Software Foundation" in done.stdout
    if not (is_clang or is_gcc):
        return None
    family = "clang" if is_clang else "gcc"
    return Compiler(family, f"{family} {version[0]}", command)
